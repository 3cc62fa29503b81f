/** Reading articles and deciding about them. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { until } from "../helpers/until.ts";
import { eventually } from "../helpers/webhooks.ts";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";
import { numbered, reviewed, websiteWith } from "./articles.ts";

const journey = shared(() => startJourney());

test("a queue is reviewed without the mouse, one article after the other", async () => {
  const { people } = journey();
  const { website, ids } = await websiteWith(journey(), numbered(7));
  const owner = await people.owner();
  const [first, second, third, fourth, fifth, sixth, seventh] = ids.map(String);
  await using visit = await journey().open(`/dashboard/articles/${first}?website=${website.id}&view=in_review`, {
    as: owner,
  });
  const { page } = visit;
  await at(page, "Tea number 1", "1 of 7");
  await visit.axe();

  await page.keyboard.press("a");
  await at(page, "Tea number 2", "2 of 7");
  await page.getByRole("status").filter({ hasText: "Approved: Tea number 1. Now: Tea number 2." }).waitFor();
  await page.locator("h1:focus", { hasText: "Tea number 2" }).waitFor();
  await settle(page);
  await page.keyboard.press("Shift+A");
  await page.getByRole("dialog").getByRole("button", { name: "Approve and publish" }).press("Enter");
  await at(page, "Tea number 3", "3 of 7");
  await page.keyboard.press("j");
  await at(page, "Tea number 4", "4 of 7");
  await page.keyboard.press("ArrowLeft");
  await at(page, "Tea number 3", "3 of 7");
  await page.keyboard.press("Backspace");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).press("Enter");
  await at(page, "Tea number 4", "4 of 7");
  await page.keyboard.press("z");
  await at(page, "Tea number 3", "3 of 7");
  await page.keyboard.press("ArrowRight");
  await at(page, "Tea number 4", "4 of 7");
  for (const [title, place] of [
    ["Tea number 5", "5 of 7"],
    ["Tea number 6", "6 of 7"],
    ["Tea number 7", "7 of 7"],
  ] as const) {
    await settle(page);
    await page.keyboard.press("a");
    await at(page, title, place);
  }
  // Back to a decided article, and forward again.
  await page.keyboard.press("k");
  await at(page, "Tea number 3", "6 of 7");
  await page.keyboard.press("j");
  await at(page, "Tea number 7", "7 of 7");
  await settle(page);
  await page.keyboard.press("a");
  await page.getByText("That was the last one.").waitFor();
  await visit.axe();

  const states = await Promise.all(ids.map(async (id) => (await reviewed(owner, id)).line["status"]));
  assert.deepEqual(states, ["approved", "published", "pending", "approved", "approved", "approved", "approved"]);
  assert.ok(second && third && fourth && fifth && sixth && seventh);
});

test("a key that is held down decides once, and advancing can be turned off", async () => {
  const { people } = journey();
  const { website, ids } = await websiteWith(journey(), numbered(3));
  const owner = await people.owner();
  await using visit = await journey().open(`/dashboard/articles/${ids[0]}?website=${website.id}&view=in_review`, {
    as: owner,
  });
  const { page } = visit;
  await at(page, "Tea number 1", "1 of 3");
  await page.keyboard.down("a");
  await at(page, "Tea number 2", "2 of 3");
  await settle(page);
  await page.keyboard.down("a");
  await page.keyboard.up("a");
  assert.equal((await reviewed(owner, ids[1] ?? "")).line["status"], "pending");

  const advance = page.getByRole("menuitemcheckbox", { name: "Go to next after deciding" });
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Approved: Tea number 1" }).waitFor();
  await advance.click();
  await visit.axe();
  await page.keyboard.press("Escape");
  await advance.waitFor({ state: "detached" });
  await page.locator("h1").focus();
  await page.keyboard.press("a");
  await badge(page, "Approved");
  await at(page, "Tea number 2", "2 of 3");
  await page.reload();
  await badge(page, "Approved");
  await page.getByRole("button", { name: "More actions" }).click();
  await advance.waitFor();
  assert.equal(await advance.getAttribute("aria-checked"), "false");
});

test("changes are requested with a reason, which the author reads", async () => {
  const { people } = journey();
  const { website, ids } = await websiteWith(journey(), numbered(1, { status: "approved" }));
  const owner = await people.owner();
  await using visit = await journey().open(`/dashboard/articles/${ids[0]}?website=${website.id}`, { as: owner });
  const { page } = visit;
  await visit.settled();
  await page.keyboard.press("c");
  const box = page.getByRole("textbox", { name: "What should change?" });
  await box.waitFor();
  await box.and(page.locator(":focus")).waitFor();
  await page.keyboard.press("Control+Enter");
  await page.getByText("Describe what should change.").waitFor();
  await visit.axe();
  await page.keyboard.type("Name the temperature of the water.");
  await page.keyboard.press("Control+Enter");
  await page.getByText(/requested changes .*: Name the temperature of the water\./).waitFor();
  await box.waitFor({ state: "detached" });
  assert.equal((await reviewed(owner, ids[0] ?? "")).line["status"], "pending");
  await visit.axe();
});

test("a publication is scheduled in the website's time zone, with the reader's own time beside it, and cancelled", async () => {
  const { people } = journey();
  const { website, ids } = await websiteWith(journey(), numbered(1, { status: "approved" }));
  const owner = await people.owner();
  await owner.json("PATCH", `/websites/${website.id}`, { time_zone: "Europe/Berlin" });
  await using visit = await journey().open(`/dashboard/articles/${ids[0]}?website=${website.id}`, {
    as: owner,
    context: { timezoneId: "Asia/Tokyo" },
  });
  const { page } = visit;
  await visit.settled();
  await page.keyboard.press("s");
  const field = page.getByLabel("Publish at");
  await page.getByText("in the website’s time zone: Europe/Berlin").waitFor();
  await field.fill("2020-01-01T09:00");
  await page.keyboard.press("Enter");
  await page.getByText("This time has passed. Choose a time in the future.").waitFor();
  await field.fill("2030-03-31 02:30");
  await page.getByText("This time is skipped when the clocks go forward.").waitFor();
  await field.fill("2030-05-04 09:30");
  await page
    .getByText("That is Sat, 4 May 2030, 09:30, Berlin time; for you Sat, 4 May 2030, 16:30, Tokyo time.")
    .waitFor();
  await visit.axe();
  await page.keyboard.press("Enter");
  await page.getByText(/^Goes live/).waitFor();
  await field.waitFor({ state: "detached" });
  assert.equal((await reviewed(owner, ids[0] ?? "")).line["publish_at"], "2030-05-04T07:30:00.000Z");
  await visit.axe();
  await page.keyboard.press("s");
  await page.getByRole("button", { name: "Cancel schedule" }).click();
  await page.getByText(/^Goes live/).waitFor({ state: "detached" });
  assert.equal((await reviewed(owner, ids[0] ?? "")).line["publish_at"], null);
});

test("a text that changes during the review cannot be decided about before it is reloaded", async () => {
  const { people } = journey();
  const { website, ids } = await websiteWith(journey(), numbered(1));
  const id = ids[0] ?? "";
  const owner = await people.owner();
  const editor = await people.person("editor", website.id, "changes@example.com");
  await using visit = await journey().open(`/dashboard/articles/${id}?website=${website.id}`, { as: owner });
  const { page } = visit;
  await visit.settled();
  const { line } = await reviewed(editor, id);
  await editor.json("PATCH", `/articles/${id}`, {
    version: Number(line["version"]),
    changes: { title: "Another title" },
  });
  await page.getByText("editor has changed this article since you opened it.").waitFor();
  assert.equal(await page.locator("h1").innerText(), "Tea number 1");
  await page.keyboard.press("a");
  await page.getByRole("status").filter({ hasText: "Load the new version first." }).waitFor();
  await visit.axe();
  await page.getByRole("button", { name: "Load the new version" }).click();
  await page.getByRole("heading", { name: "Another title", level: 1 }).waitFor();
  await page.locator("h1").focus();
  await page.keyboard.press("a");
  await badge(page, "Approved");
});

for (const [width, most] of [
  [1280, 140],
  [390, 200],
] as const) {
  test(`the text begins within ${most} px, and the decisions stay on the screen, at ${width} px`, async () => {
    const text = Array.from({ length: 60 }, (_, no) => `Paragraph ${no} about tea.`).join("\n\n");
    const { website, ids } = await websiteWith(journey(), [{ title: "Short title", markdown: text }]);
    await using visit = await journey().open(`/dashboard/articles/${ids[0]}?website=${website.id}&view=in_review`, {
      as: await journey().people.owner(),
      width,
      height: 800,
    });
    const { page } = visit;
    await visit.settled();
    const frame = page.locator("iframe[title^='Article']");
    await frame.contentFrame().getByText("Paragraph 0 about tea.").waitFor();
    assert.equal(await page.getByRole("heading", { level: 1, name: "Short title" }).count(), 1);
    assert.equal(await frame.contentFrame().getByRole("heading", { level: 1 }).count(), 0);
    const tops = await page.evaluate<{ title: number; text: number }>(`(() => {
      const frame = document.querySelector("iframe[title^='Article']");
      const first = frame.contentDocument.querySelector("article p").getBoundingClientRect();
      return {
        title: document.querySelector("h1").getBoundingClientRect().top,
        text: frame.getBoundingClientRect().top + first.top,
      };
    })()`);
    assert.ok(tops.title < tops.text && tops.text <= most, JSON.stringify(tops));
    await page.evaluate("scrollTo(0, document.body.scrollHeight)");
    const box = await page.getByRole("button", { name: "Approve", exact: true }).boundingBox();
    assert.ok(box !== null && box.y >= 0 && box.y + box.height <= 800, JSON.stringify(box));
  });
}

test("viewers see no decisions, editors can edit, and approvers can do everything", async () => {
  const { people } = journey();
  const { website, ids } = await websiteWith(journey(), numbered(1));
  const buttons = {
    viewer: ["Outline"],
    editor: ["Outline", "More actions", "Edit"],
    approver: ["Outline", "More actions", "Edit", "Request changes", "Approve"],
  };
  for (const role of ["viewer", "editor", "approver"] as const) {
    const person = await people.person(role, website.id, `${role}.roles@example.com`);
    await using visit = await journey().open(`/dashboard/articles/${ids[0]}?website=${website.id}`, { as: person });
    await visit.settled();
    const shown = visit.page.locator("main header").getByRole("button");
    const names = await Promise.all(
      (await shown.all()).map(async (one) => (await one.getAttribute("aria-label")) ?? (await one.innerText())),
    );
    assert.deepEqual(
      names.map((name) => name.split("\n")[0]),
      buttons[role],
    );
    assert.equal(await visit.page.getByRole("button", { name: "Review link" }).count(), role === "approver" ? 1 : 0);
    await visit.page.keyboard.press("a");
    await visit.page.keyboard.press("Delete");
    if (role !== "approver") assert.equal((await reviewed(person, ids[0] ?? "")).line["status"], "pending");
  }
});

test("a link to an article opens its website, whichever was open before", async () => {
  const { people, website: other } = journey();
  const { website, ids } = await websiteWith(journey(), numbered(1));
  await using visit = await journey().open(`/dashboard/articles/${ids[0]}?website=${other.id}`, {
    as: await people.owner(),
  });
  await visit.settled();
  await until("the website is the article's", () => visit.page.url().includes(website.id));
  await visit.page.getByRole("heading", { name: "Tea number 1", level: 1 }).waitFor();
});

test("the translations of an article are listed with their language, and each is one click away", async () => {
  const translationGroup = "tea";
  const { website, ids } = await websiteWith(journey(), [
    { title: "About tea", content: "<p>Tea.</p>", translationGroup, status: "published" },
    { title: "Über Tee", content: "<p>Tee.</p>", translationGroup, language: "de-AT" },
    { title: "Coffee", content: "<p>Coffee.</p>", translationGroup: "coffee" },
  ]);
  await using visit = await journey().open(`/dashboard/articles/${ids[1]}?website=${website.id}`, {
    as: await journey().people.owner(),
  });
  const { page } = visit;
  await page.getByRole("tab", { name: "SEO" }).click();
  const fact = (name: string) => page.getByRole("definition").filter({ hasText: name });
  await fact("German (Austria) (de-AT)").waitFor();
  await fact("The website’s own: About tea").waitFor();
  await visit.axe();
  await page.getByRole("link", { name: "About tea" }).click();
  await page.getByRole("heading", { level: 1, name: "About tea" }).waitFor();
  await page.getByRole("tab", { name: "SEO" }).click();
  await page.getByText("(pending)").waitFor();
  assert.equal(await page.getByRole("link", { name: "Coffee" }).count(), 0);
  await page.getByRole("link", { name: "Über Tee" }).click();
  await page.getByRole("heading", { level: 1, name: "Über Tee" }).waitFor();
});

test("an earlier revision is compared with what there is now, and restored", async () => {
  const { people } = journey();
  const { website, ids } = await websiteWith(journey(), numbered(1));
  const id = ids[0] ?? "";
  const owner = await people.owner();
  const { line } = await reviewed(owner, id);
  const changes = { markdown: "A first paragraph about coffee.\n\n## Water\n\nA second one.", tags: ["coffee"] };
  await owner.json("PATCH", `/articles/${id}`, { version: Number(line["version"]), changes });
  await using visit = await journey().open(`/dashboard/articles/${id}?website=${website.id}`, { as: owner });
  const { page } = visit;
  await visit.settled();
  await page.keyboard.press("4");
  await page.getByText("Olga edited it").waitFor();
  await visit.axe();
  await page.getByRole("button", { name: "Compare" }).last().click();
  const dialog = page.getByRole("dialog");
  const frame = dialog.frameLocator("iframe");
  await frame.locator("del").filter({ hasText: "tea" }).waitFor();
  await frame.locator("ins").filter({ hasText: "coffee" }).waitFor();
  await visit.axe();
  await dialog.getByText("Markdown", { exact: true }).click();
  await dialog.locator("del").filter({ hasText: "tea" }).waitFor();
  await dialog.locator("ins").filter({ hasText: "coffee" }).waitFor();
  await visit.axe();
  await dialog.getByText("HTML", { exact: true }).click();
  await dialog.locator("ins").filter({ hasText: "coffee" }).waitFor();
  await dialog.getByText("Fields", { exact: true }).click();
  await dialog.getByRole("region", { name: "Tags" }).locator("ins").filter({ hasText: "coffee" }).waitFor();
  await visit.axe();
  await dialog.getByRole("button", { name: "Restore this revision" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText("restored an earlier revision").waitFor();
  const { article } = await reviewed(owner, id);
  assert.match(String(article["content"]), /about tea number 1/);
  assert.deepEqual(article["tags"], []);
});

test("restoring a revision that would lose text asks first", async () => {
  const { people, service } = journey();
  const { website, ids } = await websiteWith(journey(), numbered(1));
  const id = ids[0] ?? "";
  const owner = await people.owner();
  const { line } = await reviewed(owner, id);
  await owner.json("PATCH", `/articles/${id}`, { version: Number(line["version"]), changes: { markdown: "Coffee." } });
  const html = `<p>Kept.</p><iframe src="https://www.youtube.com/embed/x">${"What a frame swallows is gone. ".repeat(20)}</iframe>`;
  await service.app.store.write((db) =>
    db.run("UPDATE revision_texts SET html = ? WHERE row_no = (SELECT row_no FROM articles WHERE id = ?)", html, id),
  );
  await using visit = await journey().open(`/dashboard/articles/${id}?website=${website.id}`, { as: owner });
  const { page } = visit;
  await visit.settled();
  await page.keyboard.press("4");
  await page.getByRole("button", { name: "Compare" }).last().click();
  const restore = page.getByRole("button", { name: "Restore this revision" });
  await restore.click();
  const question = page.getByRole("dialog", { name: "Save it without part of its text?" });
  await question.getByText(/^\d+ % of the text would be lost/).waitFor();
  await visit.axe();
  await question.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("It was not restored").waitFor();
  await restore.click();
  await question.getByRole("button", { name: "Save without it" }).click();
  await page.getByText("restored an earlier revision").waitFor();
  const { article } = await reviewed(owner, id);
  assert.match(String(article["content"]), /Kept/);
  assert.doesNotMatch(String(article["content"]), /swallows/);
});

test("hostile articles stay text inside their frame", async () => {
  const { people } = journey();
  const title = `<img src=x onerror="alert(1)"><script>alert(2)</script>Tea`;
  const html = `<p>Before <a href="https://elsewhere.example/" target="_top">a link</a>, <a href="javascript:alert(3)">another</a></p>
    <script>alert(4)</script><img src="/favicon.svg?x" onerror=alert(5)><form action="/dashboard/api/session"><button>b</button></form>
    <iframe src="https://www.youtube.com/embed/x"></iframe><style>body{display:none}</style>
    <p id="y0" onclick="alert(6)" style="position:fixed;inset:0">After</p><meta http-equiv="refresh" content="0;url=//elsewhere.example/">`;
  const hostile = { title, content: html, excerpt: title, targetKeyword: title, tags: [title], metaDescription: title };
  const { website, ids } = await websiteWith(journey(), [hostile]);
  const owner = await people.owner();
  for (const path of ["", "/edit"]) {
    await using visit = await journey().open(`/dashboard/articles/${ids[0]}${path}?website=${website.id}`, {
      as: owner,
    });
    const { page } = visit;
    const dialogs: string[] = [];
    page.on("dialog", (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    await visit.settled();
    assert.ok((await page.locator("h1").innerText()).includes(title));
    if (path === "/edit") await page.getByRole("tab", { name: "Preview" }).click();
    const frame = page.locator("iframe");
    await frame.first().waitFor();
    // Without scripts, and so without a use for the dashboard's origin except pictures from the service.
    const sandbox = path === "" ? "allow-same-origin allow-popups allow-popups-to-escape-sandbox" : "allow-same-origin";
    assert.equal(await frame.first().getAttribute("sandbox"), sandbox);
    const source = (await frame.first().getAttribute("srcdoc")) ?? "";
    assert.doesNotMatch(
      source,
      /<script|onerror=alert|<iframe|<form|<style|href="(?!\/dashboard\/assets\/|https:\/\/(?:elsewhere\.example|www\.youtube\.com)\/)|http-equiv/i,
    );
    assert.match(source, /&lt;script&gt;alert\(2\)/);
    if (path === "") for (const key of ["1", "2", "3", "4"]) await page.keyboard.press(key);
    // Clicks the links, wherever they are: they do not navigate this page.
    await page.context().route("https://elsewhere.example/", (route) => route.fulfill({ body: "" }));
    const box = await frame.first().boundingBox();
    assert.ok(box !== null);
    for (let y = 60; y < 240; y += 30) await page.mouse.click(box.x + 120, box.y + y);
    assert.match(page.url(), new RegExp(`/dashboard/articles/${ids[0]}`));
    const inFrames = () =>
      page
        .frames()
        .slice(1)
        .map((one) => one.url().split("#")[0]);
    await eventually(inFrames, ["about:srcdoc"]);
    assert.deepEqual(dialogs, []);
    await visit.axe();
  }
});

/** The article is shown at its position in the list, and keys act on it. */
async function at(page: Page, title: string, place: string): Promise<void> {
  await page.getByRole("heading", { name: title, level: 1, exact: true }).waitFor();
  await page.getByText(place, { exact: true }).waitFor();
}

async function badge(page: Page, text: string): Promise<void> {
  await page.locator("main header [data-tone]").getByText(text, { exact: true }).waitFor();
}

/** Right after an automatic advance, a key was meant for the previous article. */
async function settle(page: Page): Promise<void> {
  await page.locator("iframe[title]").first().waitFor();
  // By the page's own clock, which may be behind.
  await page.evaluate("new Promise((resolve) => setTimeout(resolve, 400))");
}
