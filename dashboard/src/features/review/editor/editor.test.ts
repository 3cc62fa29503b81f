import { expect, test } from "vitest";
import { blockAt } from "./caret-block.ts";
import { bold, bulletList, code, type Command, heading, link, numberedList } from "./source/markdown-commands.ts";
import { mergeTexts } from "./merge-texts.ts";
import { mergeValues } from "./merge.ts";
import { openLocalDrafts } from "./local-drafts.ts";
import { diffValues, EMPTY, isUntouched } from "./values.ts";

/** `[` and `]` mark the ends of the selection, `|` a caret. */
function run(command: Command, marked: string): string {
  const start = marked.search(/[[|]/);
  const text = marked.replaceAll(/[[\]|]/g, "");
  const end = marked.includes("]") ? marked.indexOf("]") - 1 : start;
  const change = command({ text, start, end });
  const after = text.slice(0, change.from) + change.insert + text.slice(change.to);
  if (change.start === change.end) return `${after.slice(0, change.start)}|${after.slice(change.start)}`;
  return `${after.slice(0, change.start)}[${after.slice(change.start, change.end)}]${after.slice(change.end)}`;
}

test("marks are put around what is selected, and taken away again", () => {
  expect(run(bold, "a [word] here")).toBe("a **[word]** here");
  expect(run(bold, "a **[word]** here")).toBe("a [word] here");
  expect(run(bold, "a [**word**] here")).toBe("a [word] here");
  expect(run(bold, "a [word ]here")).toBe("a **[word]** here");
  expect(run(bold, "a |")).toBe("a **[bold text]**");
});

test("code in a line is marked, over lines it is a block", () => {
  expect(run(code, "use [x] now")).toBe("use `[x]` now");
  expect(run(code, "[a\nb]\nc")).toBe("```\n[a\nb]\n```\n\nc");
});

test("lines become headings and lists, and text again", () => {
  expect(run(heading, "Wat|er")).toBe("## Wat|er");
  expect(run(heading, "#### Wat|er")).toBe("Wat|er");
  expect(run(bulletList, "[one\ntwo]")).toBe("[- one\n- two]");
  expect(run(bulletList, "[- one\n- two]")).toBe("[one\ntwo]");
  expect(run(numberedList, "[- one\n- two]")).toBe("[1. one\n2. two]");
});

const selected = (text: string) => link({ text, start: 0, end: text.length });

test("an address is made a link, and so is a word", () => {
  expect(selected("https://e.com").insert).toBe("[text](https://e.com)");
  expect(selected("word").insert).toBe("[word](https://)");
});

test("only what was changed is sent; what was emptied is cleared", () => {
  const base = { ...EMPTY, title: "T", text: "a", slug: "t", tags: ["x"] };
  expect(diffValues(base, { ...base })).toEqual({});
  expect(isUntouched(base, { ...base, tags: ["x"] })).toBe(true);
  expect(diffValues(base, { ...base, slug: " ", tags: [], text: "b" })).toEqual({
    slug: null,
    tags: [],
    markdown: "b",
  });
  expect(diffValues(base, { ...base, source: "html", text: "<p>a</p>" })).toEqual({ content: "<p>a</p>" });
});

test("of two people's changes each keeps its own, and what both changed is named", () => {
  const base = { ...EMPTY, title: "T", text: "a", tags: ["x"] };
  const mine = { ...base, title: "Mine", slug: "mine", excerpt: "same" };
  const theirs = { ...base, title: "Theirs", tags: ["y"], excerpt: "same" };
  const merge = mergeValues(base, mine, theirs);
  expect(merge).toMatchObject({ both: ["title"], onlyMine: ["slug"], onlyTheirs: ["tags"] });
  expect(merge.values).toMatchObject({ title: "Mine", slug: "mine", tags: ["y"], excerpt: "same" });
});

test("the content and its form are one thing", () => {
  const base = { ...EMPTY, text: "a" };
  const merge = mergeValues(base, { ...base, text: "b" }, { ...base, source: "html", text: "<p>a</p>" });
  expect(merge.both).toEqual(["text"]);
});

test("changes of two people in different paragraphs are merged, in one paragraph they are not", () => {
  const text = "One.\n\nTwo.\n\nThree.\n\nFour.\n";
  const replaced = (from: string, to: string) => text.replace(from, to);
  expect(mergeTexts(text, replaced("One", "1"), replaced("Four", "4"))).toBe("1.\n\nTwo.\n\nThree.\n\n4.\n");
  expect(mergeTexts(text, `${text}\nFive.\n`, `Zero.\n\n${text}`)).toBe(`Zero.\n\n${text}\nFive.\n`);
  expect(mergeTexts(text, replaced("Two.\n\n", ""), replaced("Four", "4"))).toBe("One.\n\nThree.\n\n4.\n");
  expect(mergeTexts(text, replaced("Two", "2"), replaced("Two", "2"))).toBe(replaced("Two", "2"));
  expect(mergeTexts(text, replaced("Two", "2"), replaced("Two", "II"))).toBe(null);
  expect(mergeTexts(text, replaced("Two", "2"), replaced("Three", "3"))).toBe("One.\n\n2.\n\n3.\n\nFour.\n");
  expect(mergeTexts(text, replaced("Two.", "Two.\n\nA."), replaced("Two.", "Two.\n\nB."))).toBe(null);
  const html = "<p>One</p>\n<p>Two</p>\n<p>Three</p>";
  expect(mergeTexts(html, html.replace("One", "1"), html.replace("Three", "3"))).toBe("<p>1</p>\n<p>Two</p>\n<p>3</p>");
  const base = { ...EMPTY, text };
  const merge = mergeValues(base, { ...base, text: replaced("One", "1") }, { ...base, text: replaced("Four", "4") });
  expect(merge).toMatchObject({ merged: ["text"], both: [], values: { text: "1.\n\nTwo.\n\nThree.\n\n4.\n" } });
});

test("changes of two people in other blocks or sentences of one line are merged, in one sentence they are not", () => {
  const html = "<h2>Tea</h2><p>One. Two. Three.</p><ul><li>Four</li><li>Five</li></ul>";
  const merged = (mine: [string, string], theirs: [string, string]) =>
    mergeTexts(html, html.replace(...mine), html.replace(...theirs));
  expect(merged(["Tea", "Green tea"], ["One", "1"])).toBe(html.replace("Tea", "Green tea").replace("One", "1"));
  expect(merged(["Four", "4"], ["Five", "5"])).toBe(html.replace("Four", "4").replace("Five", "5"));
  expect(merged(["One", "1"], ["Three", "3"])).toBe(html.replace("One", "1").replace("Three", "3"));
  expect(merged(["One", "1"], ["Two", "2"])).toBe(null);
  expect(merged(["One", "1"], ["One", "I"])).toBe(null);
  expect(merged(["<li>Four</li>", "<li>Four</li><li>A</li>"], ["<li>Four</li>", "<li>Four</li><li>B</li>"])).toBe(null);
});

test("elements that would lie across each other after a merge are a conflict", () => {
  const list = "<ul>\n<li>One</li>\n<li>Two</li>\n</ul>\n";
  const numbered = list.replaceAll("ul>", "ol>");
  const split = list.replace("</li>\n<li>", "</li>\n</ul>\n<p>x</p>\n<ul>\n<li>");
  expect(mergeTexts(list, numbered, split)).toBe(null);
  expect(mergeTexts(list, numbered, list.replace("Two", "2"))).toBe(numbered.replace("Two", "2"));
  const text = "<p>A. B. C. D. E. F. G. H. I.</p>";
  const strong = text.replace("A. B. C. D. E. F.", "<strong>A. B. C. D. E. F.</strong>");
  expect(mergeTexts(text, strong, text.replace("C. D. E. F. G. H. I.", "<em>C. D. E. F. G. H. I.</em>"))).toBe(null);
  expect(mergeTexts(text, strong, text.replace("C.", "<em>C.</em>"))).toBe(strong.replace("C.", "<em>C.</em>"));
});

test("what was typed is kept for its person and article alone, and rubbish is not brought back", () => {
  sessionStorage.clear();
  const kept = { id: "a", at: "2026-01-01T00:00:00.000Z", base: EMPTY, values: { ...EMPTY, title: "Typed" } };
  openLocalDrafts(sessionStorage, "anna", "one").keep([kept]);
  expect(openLocalDrafts(sessionStorage, "anna", "one").read()).toEqual([kept]);
  expect(openLocalDrafts(sessionStorage, "ben", "one").read()).toEqual([]);
  expect(openLocalDrafts(sessionStorage, "anna", "two").read()).toEqual([]);
  openLocalDrafts(sessionStorage, "anna", "one").keep([]);
  expect(sessionStorage.length).toBe(0);
  sessionStorage.setItem("rostrum.unsaved.anna.one", '[{"at":1},null,"x"]');
  expect(openLocalDrafts(sessionStorage, "anna", "one").read()).toEqual([]);
});

test("the preview begins at the block that is being written", () => {
  const page = document.createElement("div");
  page.innerHTML =
    "<p>First words</p><p>Twice the same</p><h2>A heading</h2><p>Twice the same</p><li>a <b>bold</b> item</li>";
  const blocks = [...page.children];
  const text = "First words\n\nTwice the same\n\n## A heading\n\nTwice the same\n\n- a **bold** item\n";
  const at = (what: string, from = 0) => blockAt(text, text.indexOf(what, from) + 1)(blocks)?.textContent;
  expect(at("A heading")).toBe("A heading");
  expect(at("bold")).toBe("a bold item");
  expect(blockAt(text, text.lastIndexOf("Twice") + 3)(blocks)).toBe(blocks[3]);
  expect(blockAt(text, text.indexOf("Twice") + 3)(blocks)).toBe(blocks[1]);
  expect(blockAt("", 0)([])).toBeUndefined();
});
