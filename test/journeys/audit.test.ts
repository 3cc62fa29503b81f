/** Who did what, when, and from where. */
import assert from "node:assert/strict";
import { CLI_ACTOR } from "../../src/cli/command.ts";
import { updateArticle } from "../../src/operations/articles/write/articles.ts";
import { until } from "../helpers/until.ts";
import { shared, test } from "./journeys.ts";
import { startWorld } from "./world.ts";

const world = shared(startWorld);

const AUDIT = "/dashboard/settings/audit";

test("each entry is a sentence that leads to what it is about, and new ones appear by themselves", async () => {
  const { journey, owner, articles } = world();
  await using visit = await journey.open(`${AUDIT}?website=${journey.website.id}`, { as: owner });
  const { page } = visit;
  const entries = page.getByRole("main").getByRole("listitem");
  await entries.first().waitFor();
  const sentences = await entries.allInnerTexts();
  assert.ok(
    sentences.some((one) => one.startsWith("CLI revoked the API key Old shop")),
    sentences.join("\n"),
  );
  // Every action in the log has its own words, and nothing is named by its id. The first characters of a key
  // are drawn by chance and look like the name of an action.
  for (const one of sentences) {
    assert.doesNotMatch(one.replaceAll(/Begins with: \w+/g, ""), /[a-z]+_[a-z]+ |[\da-f]{8}-[\da-f]{4}-/, one);
  }
  await visit.axe();

  await owner.json("PATCH", `/websites/${journey.website.id}`, { name: "Lantern Row" });
  await entries.first().getByText("Olga changed the website Lantern Row").waitFor();
  await entries.first().getByText("from 127.0.0.1").waitFor();
  await updateArticle(journey.service.app, articles.published, { tags: ["tea"] }, CLI_ACTOR);
  await until("the command is named", async () => (await entries.first().innerText()).startsWith("CLI edited "));
  await entries.first().getByRole("link").click();
  await page.getByRole("heading", { level: 1 }).waitFor();
  await until("it is there", () => page.url().includes(articles.published));
});

const OF_KEYS = /the (?:API key|access token|sender)/;

test("the log is narrowed by what it is about, and by website, and the address keeps it", async () => {
  const { journey, owner } = world();
  await using visit = await journey.open(`${AUDIT}?website=${journey.website.id}`, { as: owner });
  const { page } = visit;
  const entries = page.getByRole("main").getByRole("listitem");
  await page.getByRole("combobox", { name: "About" }).click();
  await page.getByRole("option", { name: "API keys, access tokens and senders" }).click();
  await until("only keys are left", async () => {
    const texts = await entries.allInnerTexts();
    return texts.length > 0 && texts.every((one) => OF_KEYS.test(one));
  });
  await visit.axe();
  await page.reload();
  await entries.first().waitFor();
  assert.ok((await entries.allInnerTexts()).every((one) => OF_KEYS.test(one)));
  assert.equal(new URL(page.url()).searchParams.get("about"), "keys");

  await page.getByRole("combobox", { name: "About" }).click();
  await page.getByRole("option", { name: "Accounts and sign-ins" }).click();
  await page.getByText("No entries of this kind yet.").waitFor();
  await page.getByText("Everything", { exact: true }).click();
  await page.getByText("Sofía Romero signed in").first().waitFor();
});

test("what was done to several articles at once is one row, which unfolds; people are named", async () => {
  const { journey, owner } = world();
  const { id } = await journey.service.newWebsite({ name: "Many" });
  for (const title of ["Sencha", "Gyokuro", "Matcha"]) {
    await owner.json("POST", "/articles", { website_id: id, title, markdown: `${title} is a tea.` }, 201);
  }
  await using visit = await journey.open(`${AUDIT}?website=${id}`, { as: owner });
  const { page } = visit;
  const unfold = page.getByRole("button", { name: "3 articles" });
  await unfold.waitFor();
  assert.equal(await page.getByRole("link", { name: "Gyokuro" }).count(), 0);
  await unfold.click();
  await page.getByRole("link", { name: "Gyokuro" }).waitFor();
  assert.equal(await unfold.getAttribute("aria-expanded"), "true");
  await visit.axe();
});

test("older entries are shown on demand", async () => {
  const { journey, owner } = world();
  const { id } = await journey.service.newWebsite({ name: "Busy" });
  for (let no = 0; no < 60; no++) await owner.json("PATCH", `/websites/${id}`, { name: `Busy ${no}` });
  await using visit = await journey.open(`${AUDIT}?website=${id}`, { as: owner });
  const { page } = visit;
  const entries = page.getByRole("main").getByRole("listitem");
  await entries.first().waitFor();
  assert.equal(await entries.count(), 50);
  await page.getByRole("button", { name: "Show earlier" }).click();
  await until("all are there", async () => (await entries.count()) === 61);
  assert.equal(await page.getByRole("button", { name: "Show earlier" }).count(), 0);
});

test("only owners see the audit log, limited to their own websites", async () => {
  const { journey } = world();
  const approver = await journey.people.person("approver", journey.website.id, "not-reading@example.com");
  await using visit = await journey.open(AUDIT, { as: approver });
  await visit.page.getByText("Only owners can open this page").waitFor();
  await visit.axe();
  const local = await journey.people.person("owner", journey.website.id, "reading@example.com");
  await using theirs = await journey.open(`${AUDIT}?scope=all`, { as: local });
  await theirs.page.getByRole("main").getByRole("listitem").first().waitFor();
  assert.equal(await theirs.page.getByText("Everything", { exact: true }).count(), 0);
});
