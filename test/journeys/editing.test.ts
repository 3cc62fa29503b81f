/** Editing articles, alone and at the same time as somebody else. */
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { record, records } from "../helpers/http.ts";
import { until } from "../helpers/until.ts";
import { LOOPBACK, ScriptedReceiver } from "../helpers/webhooks.ts";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";
import { numbered, reviewed, websiteWith } from "./articles.ts";
import { chooseFormat, fillSource, goToEnd, openSource, readSource } from "./source-view.ts";

const journey = shared(async () => {
  const started = await startJourney(LOOPBACK);
  // The first account is the owner.
  await started.people.owner();
  return started;
});

test("the preview follows the text and its quality; saving sends only what was changed", async () => {
  const { people } = journey();
  const { website, ids } = await websiteWith(journey(), numbered(1));
  const id = ids[0] ?? "";
  const editor = await people.person("editor", website.id, "writes@example.com");
  await using visit = await journey().open(`/dashboard/articles/${id}/edit?website=${website.id}`, { as: editor });
  const { page } = visit;
  await visit.settled();
  const changes: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "PATCH") changes.push(request.postData() ?? "");
  });
  await page.keyboard.press("Control+s");
  assert.equal(await page.getByRole("button", { name: "Save" }).isDisabled(), true);

  const tab = (name: string | RegExp) => page.getByRole("tab", { name });
  await tab("Preview").click();
  const text = await openSource(page);
  await text.click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("\n\nThe end, with <script>alert(1)</script> in it: ");
  await page.keyboard.press("Control+b");
  await page.keyboard.type("strong");
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("Control+End");
  await until("the preview shows it", async () => (await preview(page)).includes("<strong>strong</strong>"));
  await page.getByText("Removed when it is saved: <script>.").waitFor();
  assert.doesNotMatch(await preview(page), /<script/);
  await page.getByText("Saved on this device and on the server").waitFor();
  await visit.axe();
  // Tab indents; after Escape it leaves the field.
  await page.keyboard.press("Tab");
  await until("the line is indented", async () =>
    (await readSource(page)).endsWith("\n  The end, with <script>alert(1)</script> in it: **strong**"),
  );
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  await text.and(page.locator(":not(:focus)")).waitFor();

  const description = page.getByRole("textbox", { name: "Meta description" });
  await tab("Details").click();
  await description.fill("Tea.");
  await tab(/^Quality/).click();
  await page.getByRole("region", { name: "Fix" }).getByText("Write a longer meta description").waitFor();
  await tab("Details").click();
  await description.fill(`All about tea. ${"Water and leaves. ".repeat(5)}`);
  await tab(/^Quality/).click();
  await page.getByText("Write a longer meta description").waitFor({ state: "detached" });
  await tab("Details").click();
  await page.getByRole("combobox", { name: "Tags" }).fill("green, black");
  await page.getByRole("combobox", { name: "Byline" }).fill("Ada Lovelace <https://ada.example>");
  await page.keyboard.press("Enter");
  await page.getByRole("combobox", { name: "Byline" }).fill("King, Jr.");
  await page.getByRole("combobox", { name: "Former addresses" }).fill("/old/path/");
  await page.getByRole("textbox", { name: "Meta title" }).fill("All about tea");
  await page.getByRole("combobox", { name: "Language" }).fill("brazil");
  await page.getByRole("option", { name: "Portuguese (Brazil) (pt-BR)" }).click();
  await page.getByRole("textbox", { name: "Translation key" }).fill("all-about-tea");
  await page.getByRole("textbox", { name: "URL of the image" }).fill("nowhere");
  await page.getByText("This must be an absolute http or https address.").waitFor();
  // The last preview stays when a text is refused.
  await tab("Preview").click();
  await until("the preview is there", async () => (await preview(page)).includes("<strong>strong</strong>"));
  await page.keyboard.press("Control+s");
  await page.getByText(/^Couldn’t save\. Saved on this device/).waitFor();
  await tab("Details (1 to correct)").and(page.locator('[aria-selected="true"]')).waitFor();
  await page.getByRole("textbox", { name: "URL of the image" }).and(page.locator(":focus")).waitFor();
  await page.getByRole("textbox", { name: "URL of the image" }).fill("https://images.example.com/tea.jpg");
  await page.keyboard.press("Control+s");
  await page.getByText(/^Saved at/).waitFor();
  assert.equal(changes.length, 2);
  const { article, line } = await reviewed(editor, id);
  const { authors, aliases, meta_title: metaTitle, ...written } = await editor.json("GET", `/articles/${id}`);
  assert.deepEqual(authors, [
    { name: "Ada Lovelace", url: "https://ada.example" },
    { name: "King, Jr.", url: null },
  ]);
  assert.deepEqual([aliases, metaTitle], [["/old/path"], "All about tea"]);
  assert.deepEqual([written["language"], written["translation_group"]], ["pt-BR", "all-about-tea"]);
  assert.match(String(article["content"]), /The end, with {1,2}in it: <strong>strong<\/strong>/);
  assert.deepEqual(article["tags"], ["green", "black"]);
  assert.equal(line["status"], "pending");
});

test("the details are beside the text, or instead of it on a phone, and folding them is remembered", async () => {
  const { people } = journey();
  const paragraphs = Array.from({ length: 60 }, (_, at) => `<p>Paragraph ${at} of a long text about tea.</p>`);
  const { website, ids } = await websiteWith(journey(), [{ title: "A long text", content: paragraphs.join("") }]);
  await using visit = await journey().open(`/dashboard/articles/${ids[0]}/edit?website=${website.id}`, {
    as: await people.owner(),
  });
  const { page } = visit;
  await visit.settled();
  const text = page.getByRole("textbox", { name: "Content" });
  const excerpt = page.getByRole("textbox", { name: "Excerpt" });
  const panel = page.getByRole("complementary", { name: "Details, preview and advice" });
  await text.waitFor();
  const [textBox, excerptBox] = [await boxOf(text), await boxOf(excerpt)];
  assert.ok(excerptBox.x >= textBox.x + textBox.width && excerptBox.y < 800, "the excerpt is beside the text");
  await excerpt.fill("Typed beside the text");
  // The panel scrolls by itself.
  await page.getByRole("combobox", { name: "Former addresses" }).scrollIntoViewIfNeeded();
  assert.ok((await boxOf(page.getByRole("combobox", { name: "Former addresses" }))).y < 800);
  assert.equal(await page.evaluate("scrollY"), 0);
  // At the end of the text, nothing covers the caret or the menu.
  await text.getByText("Paragraph 59 ").click();
  await goToEnd(page);
  await page.keyboard.press("Enter");
  await page.keyboard.type("/");
  const menu = await boxOf(page.getByRole("listbox", { name: "Insert" }));
  const line = await boxOf(text.locator("p").last());
  const end = (await boxOf(page.getByText(/min to read$/))).y;
  assert.ok(
    line.y + line.height < end && menu.y > 0 && menu.y + menu.height < end,
    JSON.stringify({ line, menu, end }),
  );
  // The last of its items is scrolled to.
  await page.keyboard.press("ArrowUp");
  const last = page.getByRole("option", { name: "Paste as Markdown", selected: true });
  await until("it is in the menu", async () => {
    const { y, height } = await boxOf(last);
    return y >= menu.y && y + height <= menu.y + menu.height;
  });
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Backspace");

  // A key unfolds it and goes there, and folds it and comes back.
  await page.keyboard.press("Control+;");
  await panel.waitFor({ state: "detached" });
  await text.and(page.locator(":focus")).waitFor();
  await page.keyboard.press("Control+;");
  await page.getByRole("tab", { name: "Details" }).and(page.locator(":focus")).waitFor();
  await holds(excerpt, "Typed beside the text");
  await page.keyboard.press("Control+;");
  await panel.waitFor({ state: "detached" });
  await text.and(page.locator(":focus")).waitFor();
  page.once("dialog", (dialog) => void dialog.accept());
  await page.reload();
  await page.getByRole("button", { name: "Restore it" }).click();
  await text.waitFor();
  assert.equal(await panel.count(), 0, "the browser remembers that it is folded");
  await visit.axe();

  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("button", { name: "Details panel" }).click();
  await holds(excerpt, "Typed beside the text");
  await text.waitFor({ state: "hidden" });
  await visit.axe();
  await page.getByRole("button", { name: "Details panel" }).click();
  await panel.waitFor({ state: "detached" });
  await text.getByText("Paragraph 30 ").scrollIntoViewIfNeeded();
  await visit.axe();
});

test("the title is a headline: it grows, has no line breaks, and Enter and Tab lead from it to the text", async () => {
  const { people } = journey();
  const { website } = await websiteWith(journey(), []);
  const editor = await people.person("editor", website.id, "headline@example.com");
  await using visit = await journey().open(`/dashboard/articles/new?website=${website.id}`, { as: editor });
  const { page } = visit;
  await visit.settled();
  const title = page.getByRole("textbox", { name: "Title", exact: true });
  const text = page.getByRole("textbox", { name: "Content" });
  const focused = page.locator(":focus");
  await title.and(focused).waitFor();
  assert.equal(await page.getByRole("complementary", { name: "Details, preview and advice" }).count(), 0);
  const { height } = await boxOf(title);
  await page.keyboard.insertText("A headline\nthat is long enough to need a second line of the page that it is on");
  await holds(title, "A headline that is long enough to need a second line of the page that it is on");
  assert.ok((await boxOf(title)).height > 1.5 * height, "the headline grows");
  await page.keyboard.press("Enter");
  await text.and(focused).waitFor();
  await page.keyboard.press("Shift+Tab");
  await title.and(focused).waitFor();
  await page.keyboard.press("Tab");
  await text.and(focused).waitFor();
  await page.keyboard.type("The text.");
  await holds(title, "A headline that is long enough to need a second line of the page that it is on");
  await page.getByText("2 words, 1 min to read").waitFor();
  await page.keyboard.press("Control+s");
  await page.getByRole("heading", { name: /^A headline that is long/, level: 1 }).waitFor();
});

test("text that would be lost is shown, and is removed only after confirmation", async () => {
  const { people } = journey();
  const { website, ids } = await websiteWith(journey(), numbered(1));
  const id = ids[0] ?? "";
  const editor = await people.person("editor", website.id, "loses@example.com");
  await using visit = await journey().open(`/dashboard/articles/${id}/edit?website=${website.id}`, { as: editor });
  const { page } = visit;
  await visit.settled();
  const swallowed = "What a frame swallows is gone. ".repeat(20);
  await openSource(page);
  await fillSource(page, `Kept.\n\n<iframe src="https://www.youtube.com/embed/x">${swallowed}</iframe>`);
  await page.getByText(/% of the text would be lost, first after “Kept\.”: “What a frame swallows/).waitFor();
  const dialog = page.getByRole("dialog", { name: "Save it without part of its text?" });
  await page.keyboard.press("Control+s");
  await dialog.getByText(/^\d+ % of the text would be lost/).waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText("Saved on this device and on the server").waitFor();
  await page.keyboard.press("Control+s");
  await dialog.getByRole("button", { name: "Save without it" }).click();
  await page.getByText(/^Saved at/).waitFor();
  const { article } = await reviewed(editor, id);
  assert.doesNotMatch(String(article["content"]), /swallows/);
});

test("a text is converted to the other format after confirmation, and back", async () => {
  const { people } = journey();
  const { website, ids } = await websiteWith(journey(), numbered(1));
  await using visit = await journey().open(`/dashboard/articles/${ids[0]}/edit?website=${website.id}`, {
    as: await people.owner(),
  });
  const { page } = visit;
  await visit.settled();
  await openSource(page);
  await chooseFormat(page, "HTML");
  const turn = page.getByRole("dialog").getByRole("button", { name: "Convert to HTML" });
  await turn.waitFor();
  await visit.axe();
  await turn.click();
  await until("it is HTML", async () => (await readSource(page)).startsWith("<p>A first paragraph"));
  await chooseFormat(page, "Markdown");
  await page.getByRole("dialog").getByRole("button", { name: "Convert to Markdown" }).click();
  await until("it is Markdown", async () => (await readSource(page)).startsWith("A first paragraph"));
});

test("a published article is edited in a draft copy, which Update makes live for readers and receivers", async () => {
  const { people, service } = journey();
  await using receiver = await ScriptedReceiver.start();
  const { website, ids } = await websiteWith(journey(), numbered(1, { status: "published" }));
  const id = ids[0] ?? "";
  await createEndpoint(service.app, website.id, { url: receiver.url }, CLI_ORIGIN);
  const key = await service.newKey({}, website.id);
  const seenByReaders = async () => {
    const reply = await service.get(`/api/public/articles/${id}`, { "X-API-Key": key.secret });
    return record(record(record(reply.json())["data"])["article"])["title"];
  };
  const owner = await people.owner();
  const editor = await people.person("editor", website.id, "drafts@example.com");
  {
    await using visit = await journey().open(`/dashboard/articles/${id}/edit?website=${website.id}`, { as: editor });
    const { page } = visit;
    await visit.settled();
    await page.getByRole("textbox", { name: "Title", exact: true }).fill("A better title");
    assert.equal(await page.getByRole("button", { name: "Save and update" }).count(), 0);
    await page.getByText(/ · Readers see the version of \d\d:\d\d$/).waitFor();
    await page.getByRole("button", { name: "Save draft copy" }).click();
    await page.getByText(/^Saved at \d\d:\d\d · Readers see the version of/).waitFor();
  }
  assert.equal(await seenByReaders(), "Tea number 1");
  await using visit = await journey().open(`/dashboard/articles/${id}?website=${website.id}&view=drafts`, {
    as: owner,
  });
  const { page } = visit;
  await page.getByText(/There is a draft copy, saved by editor/).waitFor();
  await until("the draft copy is shown", async () => (await preview(page)).includes("A better title"));
  await page.getByRole("button", { name: "Compare" }).click();
  await page.getByRole("dialog").locator("ins").filter({ hasText: "A better title" }).waitFor();
  await visit.axe();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("p");
  await page.getByRole("dialog").getByRole("button", { name: "Update" }).press("Enter");
  await page.getByRole("heading", { name: "A better title", level: 1 }).waitFor();
  await page.getByText(/There is a draft copy/).waitFor({ state: "detached" });
  assert.equal(await seenByReaders(), "A better title");
  await receiver.arrival(1);
  assert.equal(receiver.received[0]?.event["event"], "article.updated");

  // An approver publishes at once.
  await page.keyboard.press("e");
  await page.getByRole("textbox", { name: "Title", exact: true }).fill("The best title");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Update" }).press("Enter");
  await page.getByText(/^Saved at/).waitFor();
  assert.equal(await seenByReaders(), "The best title");
});

test("of two people who save, the later one sees both texts and chooses", async () => {
  const { people } = journey();
  const { website, ids } = await websiteWith(journey(), numbered(1));
  const id = ids[0] ?? "";
  const anna = await people.person("editor", website.id, "anna@example.com");
  const ben = await people.owner();
  const path = `/dashboard/articles/${id}/edit?website=${website.id}`;
  await using first = await journey().open(path, { as: anna });
  await using second = await journey().open(path, { as: ben });
  for (const visit of [first, second]) await visit.settled();
  await openSource(second.page);
  await fillSource(second.page, "The text of the second.");
  await second.page.getByRole("textbox", { name: "Target keyword" }).fill("tea");
  await openSource(first.page);
  await fillSource(first.page, "The text of the first.");
  await first.page.getByRole("textbox", { name: "Slug" }).fill("from-the-first");
  await first.page.keyboard.press("Control+s");
  await first.page.getByText(/^Saved at/).waitFor();

  const { page } = second;
  await page.getByText("editor has changed this article since you opened it.").waitFor();
  await page.keyboard.press("Control+s");
  const panel = page.getByRole("region", { name: "Somebody else has changed this article" });
  await panel.getByText(/editor edited this article after you opened it/).waitFor();
  await panel.getByText("Theirs only: slug. Yours only: target keyword.").waitFor();
  await panel.frameLocator("iframe[title='Theirs']").getByText("The text of the first").waitFor();
  await panel.frameLocator("iframe[title='Yours']").getByText("The text of the second").waitFor();
  await second.axe();
  await panel.getByRole("button", { name: "Show the source" }).click();
  await panel.locator("del").filter({ hasText: "first" }).waitFor();
  await panel.locator("ins").filter({ hasText: "second" }).waitFor();
  await second.axe();
  assert.equal(await panel.getByRole("button", { name: "Continue with this" }).isDisabled(), true);
  await panel.getByText("Yours", { exact: true }).first().click();
  await panel.getByRole("button", { name: "Continue with this" }).click();
  await holds(page.getByRole("textbox", { name: "Slug" }), "from-the-first");
  assert.match(String((await reviewed(ben, id)).article["content"]), /text of the first/);
  await page.keyboard.press("Control+s");
  await page.getByText(/^Saved at/).waitFor();
  const { article } = await reviewed(ben, id);
  assert.match(String(article["content"]), /text of the second/);
  assert.equal(article["slug"], "from-the-first");
  assert.equal(article["target_keyword"], "tea");

  // Without unsaved text the newest version is shown. Loading it keeps unsaved text.
  await until("the text is there", async () => (await readSource(first.page)) === "The text of the second.");
  await first.page.getByRole("textbox", { name: "Title", exact: true }).fill("Mine");
  await page.getByRole("textbox", { name: "Title", exact: true }).fill("Theirs");
  await page.keyboard.press("Control+s");
  await page.getByText(/^Saved at/).waitFor();
  await first.page.keyboard.press("Control+s");
  await first.page.getByRole("button", { name: "Load the new version" }).click();
  await holds(first.page.getByRole("textbox", { name: "Title", exact: true }), "Theirs");
  await first.page.getByRole("button", { name: "Restore it" }).waitFor();

  // The same person in two windows.
  const window = await page.context().newPage();
  await window.goto(page.url());
  await window.getByRole("textbox", { name: "Title", exact: true }).fill("From the other window");
  await page.getByRole("textbox", { name: "Title", exact: true }).fill("From this window");
  await window.keyboard.press("Control+s");
  await window.getByText(/^Saved at/).waitFor();
  await page.getByText("You have changed this article in another window since you opened it.").waitFor();
  await page.keyboard.press("Control+s");
  const own = page.getByRole("region", { name: "You have changed this article in another window" });
  await own.getByText("You edited this article in another window after you opened it.").waitFor();
  await own.getByText("just now").waitFor();
  await own.getByText("This window", { exact: true }).first().click();
  await own.getByRole("button", { name: "Continue with this" }).click();
  await page.keyboard.press("Control+s");
  await page.getByText(/^Saved at/).waitFor();
  assert.equal(String((await reviewed(ben, id)).article["title"]), "From this window");
});

test("what was typed while somebody else deleted the article is offered once it is restored", async () => {
  const { people } = journey();
  const { website, ids } = await websiteWith(journey(), numbered(1));
  const id = ids[0] ?? "";
  const owner = await people.owner();
  const editor = await people.person("editor", website.id, "deleted@example.com");
  await using visit = await journey().open(`/dashboard/articles/${id}/edit?website=${website.id}`, { as: editor });
  const { page } = visit;
  const title = page.getByRole("textbox", { name: "Title", exact: true });
  await title.fill("Typed and deleted");
  const { line } = await reviewed(owner, id);
  await owner.json("POST", `/articles/${id}/delete`, { version: line["version"] });
  await page.getByText("your unsaved changes are offered then").waitFor();
  await visit.axe();
  const { line: deleted } = await reviewed(owner, id);
  await owner.json("POST", `/articles/${id}/restore`, { version: deleted["version"] });
  await page.getByRole("button", { name: "Restore it" }).click();
  await holds(title, "Typed and deleted");
});

test("typed text survives leaving the page, a crash and the end of the session", async () => {
  const { people } = journey();
  const { website, ids } = await websiteWith(journey(), numbered(1));
  const editor = await people.person("editor", website.id, "keeps@example.com");
  const path = `/dashboard/articles/${ids[0]}/edit?website=${website.id}`;
  await using visit = await journey().open(path, { as: editor });
  const { page } = visit;
  await visit.settled();
  const title = page.getByRole("textbox", { name: "Title", exact: true });
  await title.fill("Typed and not saved");
  await page.getByRole("link", { name: "The article" }).click();
  await page.getByRole("dialog", { name: "Leave without saving?" }).waitFor();
  await visit.axe();
  await page.getByRole("button", { name: "Stay" }).click();
  await holds(title, "Typed and not saved");
  await page.getByRole("link", { name: "The article" }).click();
  await page.getByRole("button", { name: "Leave", exact: true }).click();
  await page.getByRole("heading", { name: "Tea number 1", level: 1, exact: true }).waitFor();
  await visit.settled();
  await page.keyboard.press("e");
  await page.getByRole("button", { name: "Restore it" }).click();
  await holds(title, "Typed and not saved");

  page.once("dialog", (dialog) => void dialog.accept());
  await title.fill("Typed again");
  await page.reload();
  await page.getByRole("button", { name: "Restore it" }).waitFor();
  await visit.axe();
  await page.getByRole("button", { name: "Restore it" }).click();
  await holds(title, "Typed again");

  // The session ends while somebody writes: they sign in over the text, and saving goes on.
  await title.fill("Typed at the end");
  await editor.json("DELETE", "/session", {}, 204);
  await page.keyboard.press("Control+s");
  const dialog = page.getByRole("dialog", { name: "Sign in again" });
  await dialog.getByRole("textbox", { name: "Password" }).and(page.locator(":focus")).waitFor();
  await visit.axe();
  await page.keyboard.type("not this one");
  await page.keyboard.press("Enter");
  await dialog.getByRole("alert").getByText("wrong").waitFor();
  await dialog.getByRole("textbox", { name: "Password" }).fill("seven old lanterns");
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await page.getByText(/^Saved at/).waitFor();
  await holds(title, "Typed at the end");
  const { article } = await reviewed(await people.owner(), ids[0] ?? "");
  assert.equal(article["title"], "Typed at the end");
});

test("unsaved text of a closed tab is offered on another device; without a connection it is sent later", async () => {
  const { people } = journey();
  const { website, ids } = await websiteWith(journey(), numbered(1));
  const editor = await people.person("editor", website.id, "closes@example.com");
  const path = `/dashboard/articles/${ids[0]}/edit?website=${website.id}`;
  const newPath = `/dashboard/articles/new?website=${website.id}`;
  const kept = async (of = `/articles/${ids[0]}/working-copies`) =>
    records((await editor.json("GET", of))["copies"]).map(({ content }) => String(content));
  const keptNew = () => kept(`/working-copies?website_id=${website.id}`);
  {
    await using visit = await journey().open(path, { as: editor });
    await visit.settled();
    await visit.page.getByRole("textbox", { name: "Title", exact: true }).fill("Typed on a telephone");
    await until("the service has it", async () => (await kept()).join("").includes("Typed on a telephone"));
  }
  {
    // Another device: nothing of it is stored in this browser.
    await using visit = await journey().open(path, { as: editor, expected: /ERR_FAILED/ });
    const { page } = visit;
    const title = page.getByRole("textbox", { name: "Title", exact: true });
    await page
      .getByText(/^You have unsaved changes from just now: “Typed on a telephone”, \d+ words, typed in Chrome on /)
      .waitFor();
    await visit.axe();
    await page.getByRole("button", { name: "Restore it" }).click();
    await holds(title, "Typed on a telephone");
    await page.keyboard.press("Control+s");
    await page.getByText(/^Saved at/).waitFor();
    await until("the copies are gone", async () => (await kept()).length === 0);

    await page.route("**/working-copies/*", (route) => route.abort());
    const lost = page.waitForEvent("requestfailed");
    await title.fill("Typed in a tunnel");
    await lost;
    await page.getByText(/^Saved on this device; the server is not reachable · Others/).waitFor();
    await page.unroute("**/working-copies/*");
    await page.evaluate("dispatchEvent(new Event('online'))");
    await page.getByText(/^Saved on this device and on the server, \d\d:\d\d · Others see it once you save$/).waitFor();
    await until("the service has it", async () => (await kept()).join("").includes("Typed in a tunnel"));
    await title.fill("Typed on a telephone");
    await page.goto(new URL(newPath, page.url()).href);
    await page.getByRole("textbox", { name: "Title", exact: true }).fill("A new one");
    await until("the service has the new one", async () => (await keptNew()).join("").includes("A new one"));
  }
  await using visit = await journey().open(newPath, { as: editor });
  const { page } = visit;
  await page.getByRole("button", { name: "Restore it" }).click();
  await holds(page.getByRole("textbox", { name: "Title", exact: true }), "A new one");
  await openSource(page);
  await fillSource(page, "Its text.");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { name: "A new one", level: 1 }).waitFor();
  await until("the new article has no copies", async () => (await keptNew()).length === 0);
});

test("a text that neither the service nor the browser keeps before it is saved is said to be too long", async () => {
  const { website, ids } = await websiteWith(journey(), numbered(1));
  const editor = await journey().people.person("editor", website.id, "long@example.com");
  const path = `/dashboard/articles/${ids[0]}/edit?website=${website.id}`;
  await using visit = await journey().open(path, { as: editor });
  const { page } = visit;
  await visit.settled();
  await page.evaluate("Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }");
  await page.route("**/working-copies/*", (route) => route.fulfill({ status: 413, json: { message: "Too long." } }));
  await page.getByRole("textbox", { name: "Title", exact: true }).fill("As if of four megabytes");
  await page.getByText("Not saved: too long to be kept before you save the article · Others").waitFor();
});

test("a new article is created with all its fields and submitted for review", async () => {
  const { people } = journey();
  const { website } = await websiteWith(journey(), []);
  const editor = await people.person("editor", website.id, "new@example.com");
  await using visit = await journey().open(`/dashboard/articles/new?website=${website.id}`, { as: editor });
  const { page } = visit;
  await visit.settled();
  await page.keyboard.press("Control+s");
  await page.getByText("An article needs a title.").waitFor();
  await page.getByText("An article needs a text.").waitFor();
  await visit.axe();
  await page.getByRole("textbox", { name: "Title", exact: true }).fill("Entirely new");
  await openSource(page);
  await fillSource(page, "A text about **something** new.");
  await page.getByRole("button", { name: "Details panel" }).click();
  await page.getByRole("textbox", { name: "Excerpt" }).fill("A summary.");
  await page.getByRole("combobox", { name: "Categories" }).fill("News,");
  await page.getByRole("tab", { name: "Preview" }).click();
  await until("the preview shows it", async () => (await preview(page)).includes("<strong>something</strong>"));
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { name: "Entirely new", level: 1 }).waitFor();
  const { article, line } = await reviewed(editor, page.url().match(/articles\/([\w-]+)/)?.[1] ?? "");
  assert.deepEqual([line["status"], line["review_state"]], ["pending", "draft"]);
  assert.equal(article["excerpt"], "A summary.");
  assert.deepEqual(article["categories"], ["News"]);
});

async function holds(field: Locator, value: string): Promise<void> {
  await until(`the field says “${value}”`, async () => (await field.inputValue()) === value);
}

async function boxOf(element: Locator) {
  const box = await element.boundingBox();
  assert.ok(box !== null, "the element is shown");
  return box;
}

/** The HTML of the document in the visible frame. */
async function preview(page: Page): Promise<string> {
  const sources = await page
    .locator("iframe")
    .evaluateAll((frames) => frames.map((frame) => frame.getAttribute("srcdoc")));
  return sources.at(-1) ?? "";
}
