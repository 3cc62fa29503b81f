/**
 * Comments beside the text: written with the mouse or the keyboard alone, answered, applied, and sent with a request for
 * changes.
 */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { type Json, records } from "../helpers/http.ts";
import { until } from "../helpers/until.ts";
import { reviewed, websiteWith } from "./articles.ts";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";

const journey = shared(() => startJourney());

const MARKDOWN = `The tide turns at noon, and *nobody* waits for it.\n\n${Array.from({ length: 20 }, (_, no) => `A paragraph about sea ${no}.\n\n`).join("")}The last words.`;
const HOSTILE = `<img src=x onerror=alert(1)> <script>alert(2)</script> javascript:alert(3) https://example.com/"onclick=x. ok`;

/** Selects the words in the article, as a drag of the mouse does. */
const select = (words: string) => `(() => {
  const shown = document.querySelector("iframe[title^='Article']").contentDocument;
  const walker = shown.createTreeWalker(shown.querySelector("article"), NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const at = node.data.indexOf(${JSON.stringify(words)});
    if (at < 0) continue;
    const range = shown.createRange();
    range.setStart(node, at);
    range.setEnd(node, at + ${words.length});
    shown.getSelection().removeAllRanges();
    shown.getSelection().addRange(range);
    return true;
  }
  return false;
})()`;
const highlighted = (name: string) => `(() => {
  const view = document.querySelector("iframe[title^='Article']").contentWindow;
  return [...(view.CSS.highlights.get("${name}") ?? [])].map(String);
})()`;
const HOLD_FRAMES = `(() => {
  const request = window.requestAnimationFrame;
  const held = [];
  window.requestAnimationFrame = (run) => held.push(run);
  window.releaseFrames = () => {
    window.requestAnimationFrame = request;
    for (const run of held) request(run);
    return new Promise((done) => request(done));
  };
})()`;

for (const width of [1280, 390]) {
  test(`a passage gets a comment, and a suggestion for it is applied, at ${width} px`, async () => {
    const { people } = journey();
    const { website, ids } = await websiteWith(journey(), [{ title: "Tides", markdown: MARKDOWN }]);
    const id = ids[0] ?? "";
    const owner = await people.owner();
    const editor = await people.person("editor", website.id, `comments${width}@example.com`);
    await editor.json("POST", `/articles/${id}/comments`, { text: HOSTILE, passage: null }, 201);

    await using visit = await journey().open(`/dashboard/articles/${id}?website=${website.id}`, { as: owner, width });
    const { page } = visit;
    await visit.settled();
    const offer = page.getByRole("button", { name: "Comment", exact: true }).filter({ visible: true });
    const offered = await offer.count();
    await until("the selected words can be commented on", async () => {
      await page.evaluate(select("turns at noon"));
      return (await offer.count()) > offered;
    });
    await offer.last().click();
    const dialog = page.getByRole("dialog", { name: "Comment" });
    await dialog.getByText("turns at noon").waitFor();
    const field = dialog.getByRole("textbox", { name: "Comment" });
    await field.pressSequentially("Really, @edi");
    await dialog.getByRole("option", { name: "editor" }).waitFor();
    await visit.axe();
    await dialog.locator("[data-combobox-selected]", { hasText: "editor" }).waitFor();
    // On a busy machine the next frame comes while somebody goes on typing.
    await page.evaluate(HOLD_FRAMES);
    await field.press("Enter");
    await field.pressSequentially("? ");
    await page.evaluate("releaseFrames()");
    await field.pressSequentially("See https://example.com/tides.");
    await dialog.getByLabel("Suggest another text").check();
    await dialog.getByLabel("Instead of this passage").fill("turns at one");
    await visit.axe();

    // Another tab of the browser shows the unsent text, too.
    const other = await page.context().newPage();
    await other.goto(page.url());
    if (width < 1024) await other.getByRole("tab", { name: "Comments (1)" }).click();
    await other.getByRole("button", { name: "Continue your comment" }).click();
    const restored = other.getByRole("dialog", { name: "Comment" });
    await restored.getByText("turns at noon").waitFor();
    assert.equal(
      await restored.getByRole("textbox", { name: "Comment" }).inputValue(),
      "Really, @editor ? See https://example.com/tides.",
    );
    assert.equal(await restored.getByLabel("Instead of this passage").inputValue(), "turns at one");
    await other.close();

    await dialog.getByRole("button", { name: "Comment" }).click();
    await dialog.waitFor({ state: "detached" });
    await until("the passage is marked", async () => {
      return JSON.stringify(await page.evaluate(highlighted("comment"))) === '["turns at noon"]';
    });

    if (width < 1024) await page.getByRole("tab", { name: "Comments (2)" }).click();
    else await page.getByRole("tab", { name: "Comments (2)", selected: true }).waitFor();
    await page.getByText("Really, @editor ? See").waitFor();
    assert.equal(await page.getByRole("link", { name: "https://example.com/tides" }).getAttribute("rel"), REL);
    await page.getByText("<script>alert(2)</script>").waitFor();
    assert.equal(await page.locator("#main img[src=x], #main [onclick], #main [onerror]").count(), 0);
    await visit.axe();
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByRole("tab", { name: "Comments (1)" }).waitFor();
    const { article } = await reviewed(owner, id);
    assert.match(String(article["content"]), /The tide turns at one, and <em>nobody<\/em>/);
    await page.getByText("Resolved (1)").click();
    await page.getByText(/^Applied by/).waitFor();
    await visit.axe();
  });
}

const REL = "noopener noreferrer nofollow";

test("comments are written, answered and resolved by keyboard alone, and another person sees them at once", async () => {
  const { people } = journey();
  const { website, ids } = await websiteWith(journey(), [{ title: "Keys", markdown: MARKDOWN }]);
  const id = ids[0] ?? "";
  const owner = await people.owner();
  const editor = await people.person("editor", website.id, "keys@example.com");
  const path = `/dashboard/articles/${id}?website=${website.id}`;
  await using mine = await journey().open(path, { as: owner });
  await using theirs = await journey().open(path, { as: editor });
  const { page } = mine;
  await mine.settled();
  await theirs.settled();
  await page.locator("h1").focus();
  await page.keyboard.press("m");
  const dialog = page.getByRole("dialog", { name: "Comment" });
  const about = dialog.getByRole("combobox", { name: "About" });
  await until("the field has the focus", () => hasFocus(page, "TEXTAREA"));
  await page.keyboard.type("Say more here.");
  await about.focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.type("last words");
  await page.getByRole("option", { name: "last words" }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.locator("[data-combobox-selected]", { hasText: "last words" }).waitFor();
  await page.keyboard.press("Enter");
  await dialog.getByRole("textbox", { name: "Comment" }).press("Control+Enter");
  await dialog.waitFor({ state: "detached" });
  const [thread] = records((await owner.json("GET", `/articles/${id}/comments`))["threads"]);
  assert.equal(thread?.["quote"], "The last words.");

  await theirs.page.getByRole("tab", { name: "Comments (1)" }).click();
  await theirs.page.getByText("Say more here.").waitFor();
  await theirs.page.getByRole("button", { name: "Reply" }).press("Enter");
  // Without the focus, these letters would be the page's shortcuts: they withdraw and approve the article.
  await theirs.page.getByRole("textbox", { name: "Reply" }).and(theirs.page.locator(":focus")).waitFor();
  await theirs.page.keyboard.type("What, for example?");
  await theirs.page.keyboard.press("Control+Enter");
  await theirs.page.getByRole("button", { name: "Reply" }).and(theirs.page.locator(":focus")).waitFor();
  await page.getByText("What, for example?").waitFor();

  await page.locator("h1").focus();
  await page.keyboard.press("c");
  const request = page.getByRole("dialog", { name: "Request changes" });
  await request.getByRole("checkbox", { name: /^Say more here/, checked: true }).waitFor();
  await mine.axe();
  await request.getByRole("button", { name: "Request changes" }).press("Enter");
  await page.getByText("See my comment in the text.").first().waitFor();
  const { request: sent } = (await owner.json("GET", `/articles/${id}`)) as { request: Json };
  assert.equal(sent["comments"], 1);
  await page.getByRole("tab", { name: "Comments (1)" }).click();
  // Somebody who is answering goes on where they are.
  await theirs.page.getByRole("button", { name: "Reply" }).press("Enter");
  await theirs.page.keyboard.type("Wait");
  await page.getByRole("button", { name: "Resolve" }).press("Enter");
  await page.getByText("No open comments.").waitFor();
  await theirs.page.getByText(/^Resolved by/).waitFor();
  await theirs.page.keyboard.type(", please");
  const answer = theirs.page.getByRole("textbox", { name: "Reply" }).and(theirs.page.locator(":focus"));
  assert.equal(await answer.inputValue(), "Wait, please");
});

function hasFocus(page: Page, tag: string): Promise<boolean> {
  return page.evaluate<boolean>(`document.activeElement?.tagName === "${tag}"`);
}
