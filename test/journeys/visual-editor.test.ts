/** Writing in the visual editor. */
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { until } from "../helpers/until.ts";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";
import { chooseFormat, chooseView, fillSource, openSource, readSource, sourceField } from "./source-view.ts";
import { caretAfter, openEditor as open, saveAll, takenOver } from "./visual-view.ts";

const journey = shared(async () => {
  const started = await startJourney();
  await started.people.owner();
  return started;
});

const MARKDOWN = `A first   paragraph with *words* that
wraps and &amp; stays.

* one
* two

<div class="note">A <b>note</b></div>

| a | b |
|---|:-:|
| 1 | 2 |

The last one. [A link][l]

[l]: https://example.org/
`;

const openEditor = (markdown: string, name: string) => open(journey(), { markdown }, name);

function visualField(page: Page): Locator {
  return page.getByRole("textbox", { name: "Content" }).and(page.locator(".ProseMirror"));
}

test("typing changes only its place in the source, and undo restores it", async () => {
  const { visit, page, content, saved } = await openEditor(MARKDOWN, "types");
  await using _ = visit;
  await caretAfter(page, content, "The last");
  await page.keyboard.type(" * typed");
  for (let key = 0; key < 9; key += 1) await page.keyboard.press("Control+z");
  await page.getByRole("button", { name: "Save" }).and(page.locator(":disabled")).waitFor();
  await caretAfter(page, content, "The last");
  await page.keyboard.type(" typed");
  await takenOver(page);
  // The word is one key event: the browser may join a quick series.
  await page.keyboard.press("Control+Shift+ArrowLeft");
  await until("the word is selected", async () => (await page.evaluate("String(getSelection())")) === "typed");
  await takenOver(page);
  await page.keyboard.press("Control+b");
  await saveAll(page);
  assert.equal(saved(), MARKDOWN.replace("The last", "The last **typed**"));
  await visit.axe();
});

test("an input method composes text in its place; changed blocks are marked, compared and reverted", async () => {
  const { visit, page, content, saved } = await openEditor(MARKDOWN, "composes");
  await using _ = visit;
  await caretAfter(page, content, "The last");
  await page.keyboard.type(" ");
  const session = await page.context().newCDPSession(page);
  for (const text of ["に", "にほ", "にほん", "日本"]) {
    await session.send("Input.imeSetComposition", { text, selectionStart: text.length, selectionEnd: text.length });
  }
  await session.send("Input.insertText", { text: "日本" });
  await takenOver(page);
  // A cancelled composition leaves nothing.
  await session.send("Input.imeSetComposition", { text: "か", selectionStart: 1, selectionEnd: 1 });
  await session.send("Input.imeSetComposition", { text: "", selectionStart: 0, selectionEnd: 0 });
  await page.keyboard.type("!");
  assert.deepEqual(await content.locator("[data-touched]").allInnerTexts(), ["The last 日本! one. A link"]);
  await page.getByRole("button", { name: "Source changes" }).click();
  const changes = page.getByRole("dialog", { name: "Source changes" });
  await changes.getByRole("cell").getByText("日本!").waitFor();
  await visit.axe();
  await page.keyboard.press("Escape");
  await changes.waitFor({ state: "detached" });
  await saveAll(page);
  assert.equal(saved(), MARKDOWN.replace("The last", "The last 日本!"));
  await content.locator("[data-touched]").waitFor({ state: "detached" });
  await caretAfter(page, content, "A first");
  await page.keyboard.type(" and only");
  await content.locator("[data-touched]").waitFor();
  await page.getByRole("button", { name: "Table and more" }).click();
  await page.getByRole("menuitem", { name: "Revert block" }).click();
  await page.getByRole("button", { name: "Save" }).and(page.locator(":disabled")).waitFor();
});

test("shortcuts, the slash menu, tables and lists create the expected blocks", async () => {
  const { visit, page, content, saved } = await openEditor("Start.", "blocks");
  await using _ = visit;
  await caretAfter(page, content, "Start.");
  await page.keyboard.press("Enter");
  await page.keyboard.type("## Heading");
  await page.keyboard.press("Enter");
  await page.keyboard.type("- one");
  await page.keyboard.press("Enter");
  await page.keyboard.type("two");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await page.keyboard.type("some **bold** text");
  await page.keyboard.press("Enter");
  await page.keyboard.type("/tab");
  await page.getByRole("option", { name: "Table" }).waitFor();
  await visit.axe();
  await page.keyboard.press("Enter");
  await page.keyboard.type("a");
  await page.keyboard.press("Tab");
  await page.keyboard.type("b");
  await page.getByRole("button", { name: "Table and more" }).click();
  await page.getByRole("menuitem", { name: "Delete column" }).click();
  await saveAll(page);
  assert.equal(
    saved(),
    "Start.\n\n## Heading\n\n- one\n- two\n\nsome **bold** text\n\n| a |  |\n| --- | --- |\n|  |  |\n|  |  |",
  );
});

test("the source is one key away, with the caret at the same place", async () => {
  const { visit, page, content, saved } = await openEditor(MARKDOWN, "switches");
  await using _ = visit;
  await caretAfter(page, content, "wraps and");
  await page.keyboard.press("Control+Shift+x");
  await sourceField(page).and(page.locator(":focus")).waitFor();
  assert.equal(await readSource(page), MARKDOWN);
  await page.keyboard.type(" written");
  await page.keyboard.press("Control+Shift+x");
  await visualField(page).waitFor();
  await page.keyboard.type(" here");
  await saveAll(page);
  assert.equal(saved(), MARKDOWN.replace("wraps and", "wraps and written here"));
});

test("the source view keeps line ends and odd characters, highlights, searches, undoes and composes", async () => {
  const markdown = "# One\r\n\r\nTwo\u00A0words\tand *three*.\r\n\r\n- item\r\n";
  const { visit, page, saved } = await openEditor(markdown, "source");
  await using _ = visit;
  await openSource(page);
  const field = sourceField(page);
  await page.keyboard.press("Control+s");
  assert.equal(saved(), "", "nothing was changed");
  assert.notEqual(
    await field.getByText("One", { exact: true }).evaluate("(element) => getComputedStyle(element).fontWeight"),
    "400",
    "a heading is bold",
  );
  await field.focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.keyboard.type("next");
  await until("the list goes on", async () => (await readSource(page)).endsWith("- item\n- next\n"));
  const session = await page.context().newCDPSession(page);
  for (const text of ["に", "にほ", "日本"]) {
    await session.send("Input.imeSetComposition", { text, selectionStart: text.length, selectionEnd: text.length });
  }
  await session.send("Input.insertText", { text: "日本" });
  await until("it is composed", async () => (await readSource(page)).endsWith("- next日本\n"));
  await saveAll(page);
  assert.equal(saved(), `${markdown}- next日本\r\n`);

  await page.keyboard.press("Control+f");
  const find = page.getByRole("textbox", { name: "Find" });
  await find.focus();
  await page.keyboard.type("three");
  await page.keyboard.press("Enter");
  await page.locator(".cm-searchMatch-selected").getByText("three").waitFor();
  await visit.axe();
  await page.getByRole("textbox", { name: "Replace" }).fill("four");
  await page.getByRole("button", { name: "Replace all" }).click();
  await page.keyboard.press("Escape");
  await find.waitFor({ state: "detached" });
  await field.focus();
  assert.match(await readSource(page), /\*four\*/);
  while ((await readSource(page)).includes("- next")) await page.keyboard.press("Control+z");
  await saveAll(page);
  assert.equal(saved(), markdown);
});

test("an island shows its source, is edited as source, moved and deleted", async () => {
  const { visit, page, content } = await openEditor("One.\n\n<aside>note</aside>\n\nTwo.", "islands");
  await using _ = visit;
  await content.getByText("<aside>note</aside>").waitFor();
  await content.getByRole("button", { name: "Edit source" }).click();
  const dialog = page.getByRole("dialog", { name: "Edit source" });
  await dialog.getByRole("textbox", { name: "Source" }).fill("<aside>another</aside>");
  await visit.axe();
  await dialog.getByRole("button", { name: "Apply" }).click();
  await dialog.waitFor({ state: "detached" });
  await saveAll(page);
  await content.getByText("<aside>another</aside>").click();
  await page.keyboard.press("Backspace");
  await until("it is gone", async () => (await content.innerText()).trim() === "One.\n\nTwo.");
});

test("a dialog asks for a link's address", async () => {
  const { visit, page, content, saved } = await openEditor("See here.", "asks");
  await using _ = visit;
  await caretAfter(page, content, "See ");
  for (let key = 0; key < 4; key += 1) await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("Control+k");
  const link = page.getByRole("dialog", { name: "Link" });
  await link.getByRole("textbox", { name: "Address" }).fill("https://example.org/");
  await page.keyboard.press("Enter");
  await link.waitFor({ state: "detached" });
  await saveAll(page);
  assert.equal(saved(), "See [here](https://example.org/).");
});

test("an entry of the slash menu that opens a dialog inserts its result", async () => {
  const { visit, page, content, saved } = await openEditor("See.", "slashes");
  await using _ = visit;
  await caretAfter(page, content, "See.");
  await page.keyboard.press("Enter");
  await page.keyboard.type("/past");
  await page.getByRole("option", { name: "Paste as Markdown" }).click();
  const paste = page.getByRole("dialog", { name: "Paste as Markdown" });
  await paste.getByRole("textbox").fill("## Pasted");
  await visit.axe();
  await paste.getByRole("button", { name: "Insert" }).click();
  await paste.waitFor({ state: "detached" });
  await content.getByRole("heading", { name: "Pasted" }).waitFor();
  await saveAll(page);
  assert.equal(saved(), "See.\n\n## Pasted");
});

const HOSTILE = [
  `<script>document.title = "taken"</script>`,
  `<img src=x onerror="document.title='taken'">`,
  `<svg onload="document.title='taken'"><circle/></svg>`,
  `<iframe srcdoc="<script>parent.document.title='taken'</script>"></iframe>`,
  `<a href="javascript:document.title='taken'" onclick="document.title='taken'">link</a>`,
  `<p style="background:url(javascript:1)" onmouseover="document.title='taken'">text</p>`,
  `<details open ontoggle="document.title='taken'"><summary>s</summary>d</details>`,
  `<math><mtext><table><mglyph><style><img src=x onerror="document.title='taken'">`,
];

test("nothing of a hostile source runs in the editor, in either format", async () => {
  const { visit, page, content } = await openEditor("Start.", "hostile");
  await using _ = visit;
  for (const format of ["Markdown", "HTML"] as const) {
    await openSource(page);
    await fillSource(page, "");
    await chooseFormat(page, format);
    await fillSource(page, `${HOSTILE.join("\n\n")}\n\n[j](javascript:document.title='taken')\n`);
    await chooseView(page, "Visual");
    await visualField(page).waitFor();
    const found = content.locator("script, svg, iframe, style, [onerror], [onclick], [onload], [href^=javascript]");
    assert.equal(await found.count(), 0);
    assert.doesNotMatch(await page.title(), /taken/);
  }
});
