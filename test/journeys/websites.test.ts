/** A website's name and addresses, and new websites. */
import assert from "node:assert/strict";
import { TOTP } from "otpauth";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createArticle, deleteArticle } from "../../src/operations/articles/write/articles.ts";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { until } from "../helpers/until.ts";
import { updateWebsite } from "../../src/operations/website/websites.ts";
import { PASSWORD } from "../people/dashboard.ts";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";

const journey = shared(() => startJourney({ ROSTRUM_TRASH_KEEP_DAYS: "30" }));

const SETTINGS = "/dashboard/settings/website";

test("a website's addresses are previewed for a real article, and invalid ones are refused in their field", async () => {
  const { service, people, open } = journey();
  const website = await service.newWebsite({ name: "Harbour", url: "https://harbour.example.com" });
  const made = makeArticle({ title: "Low tide", slug: "low-tide", status: "published" });
  await createArticle(service.app, website.id, made, CHIEF);
  const owner = await people.owner();
  await using visit = await open(`${SETTINGS}?website=${website.id}`, { as: owner });
  const { page } = visit;
  const save = page.getByRole("button", { name: "Save" });
  const pattern = page.getByLabel("Article URL pattern");
  await page.getByLabel("Name").waitFor();
  assert.equal(await save.isDisabled(), true, "there is nothing to save");
  await pattern.fill("https://harbour.example.com/{slug}");
  await page.getByText("For example https://harbour.example.com/low-tide").waitFor();
  await visit.axe();

  await page.getByLabel("Name").fill(" ");
  await save.click();
  await page.getByText("Enter a name.").waitFor();
  await page.getByLabel("Name").fill("Harbour Journal");
  await page.getByLabel("URL", { exact: true }).fill("not an address");
  await save.click();
  await page.getByText("is not a website's address").waitFor();
  assert.equal(await page.getByLabel("URL", { exact: true }).getAttribute("aria-invalid"), "true");
  await visit.axe();
  await page.getByLabel("URL", { exact: true }).fill("https://www.harbour.example.com");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Website: Harbour Journal. Switch" }).waitFor();
  await save.and(page.locator(":disabled")).waitFor();
  const { name, url, url_pattern: saved } = await owner.json("GET", `/websites/${website.id}`);
  assert.deepEqual(
    [name, url, saved],
    ["Harbour Journal", "https://www.harbour.example.com", "https://harbour.example.com/{slug}"],
  );
});

test("IndexNow is turned on: the page says where the key belongs, and what search engines were told", async () => {
  const { service, people, open } = journey();
  const website = await service.newWebsite({ name: "Told", url: "https://told.example.com/" });
  const owner = await people.owner();
  await using visit = await open(`${SETTINGS}?website=${website.id}`, { as: owner, width: 390, height: 844 });
  const { page } = visit;
  await page.getByLabel("Tell search engines about changes").click();
  await page.getByText("Nothing was sent recently.").waitFor();
  const { index_now_key: key } = await owner.json("GET", `/websites/${website.id}`);
  await page.getByText(`https://told.example.com/${String(key)}.txt`, { exact: true }).waitFor();
  await service.app.store.write((db) =>
    db.run(
      "INSERT INTO index_now_pings (id, website_id, at, addresses, outcome, status, error) VALUES ('p', ?, ?, 2, 'retried', 403, ?)",
      website.id,
      service.app.clock(),
      "The receiver answered with status 403.",
    ),
  );
  await page.reload();
  await page.getByText("2 pages. Failed, will be retried: The receiver answered with status 403.").waitFor();
  assert.ok(Number(await page.evaluate("document.documentElement.scrollWidth - innerWidth")) <= 0);
  await visit.axe();
  await page.getByLabel("Tell search engines about changes").click();
  await page.getByText(String(key)).first().waitFor({ state: "detached" });
});

test("what is typed while the settings are being saved stays, and leaving the page asks first", async () => {
  const { service, people, open } = journey();
  const website = await service.newWebsite({ name: "Slow", url: "https://slow.example.com" });
  await using visit = await open(`${SETTINGS}?website=${website.id}`, { as: await people.owner() });
  const { page } = visit;
  const held = Promise.withResolvers<void>();
  await page.route(`**/websites/${website.id}`, async (route) => {
    if (route.request().method() === "PATCH") await held.promise;
    await route.continue();
  });
  await page.getByLabel("Name").fill("Slower");
  await page.keyboard.press("Enter");
  const url = page.getByLabel("URL", { exact: true });
  await url.fill("https://slower.example.com");
  held.resolve();
  await page.getByRole("button", { name: "Website: Slower. Switch" }).waitFor();
  assert.equal(await url.inputValue(), "https://slower.example.com");

  await page.getByRole("link", { name: "Members" }).click();
  const dialog = page.getByRole("dialog", { name: "Leave without saving?" });
  await dialog.getByRole("button", { name: "Stay" }).and(page.locator(":focus")).waitFor();
  await visit.axe();
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  assert.equal(await url.inputValue(), "https://slower.example.com");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Save" }).and(page.locator(":disabled")).waitFor();
  await page.getByRole("link", { name: "Members" }).click();
  await page.getByRole("heading", { level: 1, name: "Members" }).waitFor();
});

test("somebody else's changes appear and are not overwritten", async () => {
  const { service, people, open } = journey();
  const website = await service.newWebsite({ name: "Before", url: "https://before.example.com" });
  const owner = await people.owner();
  await using visit = await open(`${SETTINGS}?website=${website.id}`, { as: owner });
  const { page } = visit;
  const address = page.getByLabel("URL", { exact: true });
  await page.getByLabel("Name").fill("Mine");
  await owner.json("PATCH", `/websites/${website.id}`, { name: "Theirs", url: "https://after.example.com" });
  await until("it is there", async () => (await address.inputValue()) === "https://after.example.com");
  assert.equal(await page.getByLabel("Name").inputValue(), "Mine", "what is typed stays");
  await page.getByText("Somebody else has changed this to “Theirs”. Saving replaces it.").waitFor();
  await visit.axe();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Website: Mine. Switch" }).waitFor();
  const { name, url } = await owner.json("GET", `/websites/${website.id}`);
  assert.deepEqual({ name, url }, { name: "Mine", url: "https://after.example.com" });
});

test("what somebody else has saved before the page heard of it is shown, and replaced only by saving again", async () => {
  const { service, people, open } = journey();
  const website = await service.newWebsite({ name: "Before", url: "https://before.example.com" });
  const owner = await people.owner();
  await using visit = await open(`${SETTINGS}?website=${website.id}`, { as: owner });
  const { page } = visit;
  const responsible = page.getByLabel("Responsible", { exact: true });
  await responsible.waitFor();
  await page.route(
    `**/websites/${website.id}`,
    async (route) => {
      await owner.json("PATCH", `/websites/${website.id}`, {
        name: "Theirs",
        responsible_name: "Theirs Ltd",
        responsible_url: "https://before.example.com/imprint",
      });
      await route.continue();
    },
    { times: 1 },
  );
  await page.getByLabel("Name").fill("Mine");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText(/^Somebody else has changed this to “Theirs”/).waitFor();
  await until("the rest is up to date", async () => (await responsible.inputValue()) === "Theirs Ltd");
  assert.equal((await owner.json("GET", `/websites/${website.id}`))["name"], "Theirs");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Website: Mine. Switch" }).waitFor();

  await responsible.fill("Mine Ltd");
  await page.getByRole("button", { name: "Set who is responsible" }).click();
  await page.getByRole("button", { name: "Set who is responsible" }).and(page.locator(":disabled")).waitFor();
  const { responsible_name, responsible_url } = await owner.json("GET", `/websites/${website.id}`);
  assert.deepEqual([responsible_name, responsible_url], ["Mine Ltd", "https://before.example.com/imprint"]);
});

test("a website is deleted by typing its name, and another one is shown instead", async () => {
  const { service, people, open } = journey();
  const website = await service.newWebsite({ name: "Short-lived" });
  await createArticle(service.app, website.id, makeArticle({ status: "published" }), CHIEF);
  const owner = await people.owner();
  await using visit = await open(`${SETTINGS}?website=${website.id}`, { as: owner });
  const { page } = visit;
  await page.getByRole("button", { name: "Delete this website" }).click();
  await page.getByText("This deletes 1 article, 1 event, 0 API keys, 0 webhooks and the access of 0 members").waitFor();
  await visit.axe();
  const confirm = page.getByRole("button", { name: "Delete permanently" });
  const name = page.getByLabel("Type the website’s name to confirm");
  await name.fill("Short");
  assert.equal(await confirm.isDisabled(), true);
  await name.fill("Short-lived");
  await confirm.click();
  await page.getByText("Short-lived is deleted.").waitFor();
  await page.getByRole("button", { name: /^Website: (?!Short-lived)/ }).waitFor();
  assert.equal((await owner.send("GET", `/websites/${website.id}`)).status, 404);
});

test("the trash says how long articles stay, and an article in it until when", async () => {
  const { service, people, open } = journey();
  const website = await service.newWebsite({ name: "Tidy" });
  const made = makeArticle({ title: "Thrown away", status: "published" });
  const { article } = await createArticle(service.app, website.id, made, CHIEF);
  await deleteArticle(service.app, article.id, CHIEF);
  const owner = await people.owner();
  await using visit = await open(`/dashboard/articles?website=${website.id}&view=trash`, { as: owner });
  const { page } = visit;
  await page.getByText("Articles in the trash are permanently deleted after 30 days.").waitFor();
  await page.getByRole("link", { name: "Thrown away" }).click();
  await page.getByText(/It will be permanently deleted on \d+ \w+ \d{4}/).waitFor();
  await visit.axe();
});

test("a new website is chosen at once, and begins with getting started", async () => {
  const { people, open } = journey();
  await using visit = await open("/dashboard/", { as: await people.owner() });
  const { page } = visit;
  await page.getByRole("button", { name: /^Website: / }).click();
  await page.getByText("New website").click();
  await page.getByRole("heading", { level: 1, name: "New website" }).waitFor();
  await visit.axe();
  await page.getByLabel("Name").fill("Fresh");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { level: 1, name: "Getting started" }).waitFor();
  await page.getByRole("button", { name: "Website: Fresh. Switch" }).waitFor();
  await page.getByRole("link", { name: "Overview", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Fresh" }).waitFor();
  await page.getByText("No articles yet").waitFor();
  await visit.axe();
});

test("only owners find the settings, and only owners of every website create one", async () => {
  const { website, people, open } = journey();
  const approver = await people.person("approver", website.id, "approving@example.com");
  await using visit = await open(SETTINGS, { as: approver });
  await visit.page.getByText("Only owners can open this page").waitFor();
  await visit.axe();

  const local = await people.person("owner", website.id, "local-owner@example.com");
  await using theirs = await open("/dashboard/websites/new", { as: local });
  await theirs.page.getByText("Only an owner of every website can create one").waitFor();
  await theirs.axe();
});

test("a website that requires a second factor is hidden until one is set up", async () => {
  const { service, people, open } = journey();
  const website = await service.newWebsite({ name: "Vault" });
  const owner = await people.owner();
  await using settings = await open(`${SETTINGS}?website=${website.id}`, { as: owner });
  const required = settings.page.getByRole("switch", { name: "Required for all members of this website" });
  await required.click();
  await settings.page.getByRole("dialog").getByRole("button", { name: "Require it" }).click();
  await settings.page.getByText("you would lock yourself out").waitFor();
  assert.equal(await required.isChecked(), false);
  await updateWebsite(service.app, website.id, { requiresSecondFactor: true }, CLI_ORIGIN);

  const editor = await people.person("editor", website.id, "vault@example.com");
  await using visit = await open("/dashboard/articles", { as: editor });
  const { page } = visit;
  await page.getByRole("heading", { name: "Vault requires a second factor" }).waitFor();
  await visit.axe();
  await page.getByRole("link", { name: "Set up a second factor" }).click();
  await page.getByRole("button", { name: "Set up" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Your password").fill(PASSWORD);
  await dialog.getByRole("button", { name: "Continue" }).click();
  const secret = (await dialog.getByRole("region", { name: "the secret" }).innerText()).replaceAll(" ", "");
  await dialog.getByLabel("Enter the code that the app shows").fill(new TOTP({ secret }).generate());
  await dialog.getByRole("button", { name: "Turn on" }).click();
  await dialog.getByLabel("I have saved them").check();
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.getByRole("link", { name: "Articles" }).click();
  await page.getByRole("heading", { name: "No articles yet" }).waitFor();
});

test("each language gets slugs of its own once the addresses have the language, and not back while two are equal", async () => {
  const { service, people, open } = journey();
  const website = await service.newWebsite({ name: "Languages", url: "https://languages.example.com" });
  const owner = await people.owner();
  await using visit = await open(`${SETTINGS}?website=${website.id}`, { as: owner, width: 390, height: 844 });
  const { page } = visit;
  const toggle = page.getByLabel("Separate slugs for each language");
  await toggle.click();
  await page.getByText("Slugs per language need the website's own language").waitFor();
  assert.equal(await toggle.isChecked(), false);
  await visit.axe();
  await updateWebsite(service.app, website.id, { language: "en" }, CLI_ORIGIN);
  await page.getByLabel("Article URL pattern").fill("https://languages.example.com{/lang}/{slug}");
  await page.getByText("For example https://languages.example.com/a-first-article").waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Save" }).and(page.locator(":disabled")).waitFor();
  await toggle.click();
  await until("it is on", () => toggle.isChecked());
  for (const language of ["de", null]) {
    const { article } = await createArticle(service.app, website.id, makeArticle({ slug: "tides", language }), CHIEF);
    assert.equal(article.slug, "tides");
  }
  await toggle.click();
  await page.getByText('1 slug is used more than once, such as "tides"').waitFor();
  assert.equal(await toggle.isChecked(), true);
  await visit.axe();
});
