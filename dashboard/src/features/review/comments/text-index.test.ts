import { expect, test } from "vitest";
import { articleDocument } from "../document/article-document.ts";
import { findRange, indexText, listBlocks, readRange } from "./text-index.ts";

function show(html: string): Document {
  const around = { scheme: "light", stylesheet: "/article.css", base: null } as const;
  const source = articleDocument({ title: "A title", html, imageUrl: null, imageAlt: null }, around);
  return new DOMParser().parseFromString(source, "text/html");
}

test("the text is that of the article, without white space and without what the dashboard adds", () => {
  const shown = show(
    '<p>One <b>two</b><sup><a href="#fn-1" data-footnote-ref="">1</a></sup>\n three</p><p hidden>no</p><iframe src="https://example.com/"></iframe><pre>a  b</pre><img src="x" alt="no"><ol><li>c <a href="#fnref-1" data-footnote-backref="">↩</a></li></ol>',
  );
  expect(indexText(shown).text).toBe("Onetwothreeabc");
});

test("a passage is found where it was selected, across elements", () => {
  const shown = show("<p>One <b>two</b>\n three</p><ul><li>four</li></ul>");
  const index = indexText(shown);
  const range = findRange(index, 3, 15, "twothreefour");
  expect(range?.toString().replaceAll(/\s+/g, " ")).toBe("two threefour");
  const read = range && readRange(index, range);
  expect(read).toEqual({ start: 3, end: 15, quote: "two\n three\nfour" });
  expect(findRange(index, 3, 15, "othertext")).toBe(null);
  expect(listBlocks(index).map(({ quote }) => quote)).toEqual(["One two three", "four"]);
});

test("a selection of the title alone is none of the text", () => {
  const shown = show("<p>One</p>");
  const range = shown.createRange();
  range.selectNodeContents(shown.querySelector("h1") ?? shown.body);
  expect(readRange(indexText(shown), range)).toBe(null);
});
