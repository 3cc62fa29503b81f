import { expect, test } from "vitest";
import type { Place } from "../../../../../src/domain/articles/findings.ts";
import { indexText } from "../comments/text-index.ts";
import { articleDocument } from "../document/article-document.ts";
import { findPlace } from "./places.ts";

function find(html: string, place: Partial<Place>): string | undefined {
  const around = { scheme: "light", stylesheet: "/article.css", base: null } as const;
  const source = articleDocument({ title: "A [Your title]", html, imageUrl: null, imageAlt: null }, around);
  const shown = new DOMParser().parseFromString(source, "text/html");
  const whole = { field: "text", block: 0, start: 0, end: 1, quote: "", ...place } as const;
  const range = findPlace(shown, indexText(shown), whole);
  return range?.toString();
}

function before(html: string, place: Partial<Place>): string | undefined {
  const around = { scheme: "light", stylesheet: "/article.css", base: null } as const;
  const source = articleDocument({ title: "", html, imageUrl: null, imageAlt: null }, around);
  const shown = new DOMParser().parseFromString(source, "text/html");
  const range = findPlace(shown, indexText(shown), { field: "text", block: 0, start: 0, end: 1, quote: "", ...place });
  const start = shown.createRange();
  start.selectNodeContents(shown.body);
  if (range !== null) start.setEnd(range.startContainer, range.startOffset);
  return start.toString();
}

test("of passages with the same words, that of the finding's block is marked", () => {
  const html = "<p>Same words.</p><p>Between.</p><p>Same words. Same words.</p>";
  expect(before(html, { block: 0, quote: "Same words." })).toBe("");
  expect(before(html, { block: 2, quote: "Same words." })).toBe("Same words.Between.");
  expect(before(html, { block: 2, start: 12, end: 23, quote: "Same words." })).toBe("Same words.Between.Same words. ");
});

test("a passage that is longer than its quote is marked whole, across elements", () => {
  const html = "<p>First.</p><p>Here is <b>a long</b> sentence. Another.</p>";
  const place = { block: 1, start: 0, end: 24, quote: "Here is a…" };
  expect(find(html, place)).toBe("Here is a long sentence.");
});

test("the title, an address and a picture have places, what is not displayed has none", () => {
  expect(find("<p>Text</p>", { field: "title", block: null, quote: "[Your title]" })).toBe("A [Your title]");
  expect(find("<p>Text</p>", { field: "meta_description", block: null, quote: "Text" })).toBe(undefined);
  expect(find('<p><a href="https://yoursite.com/">Shop</a></p>', { quote: "https://yoursite.com/" })).toBe("Shop");
  expect(find('<p>x</p><img src="/no.png" alt="">', { quote: "/no.png" })).toBe("Image: /no.png");
  expect(find("<p>Text</p>", { quote: "other" })).toBe(undefined);
  expect(find("<p>Text</p>", { block: null })).toBe(undefined);
});
