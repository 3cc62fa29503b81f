import assert from "node:assert/strict";
import { test } from "node:test";
import { sortLinks } from "./urls.ts";

const sort = (hrefs: string[], site: string | null = "https://www.example.com/blog") =>
  sortLinks(
    hrefs.map((href) => ({ text: "t", href })),
    site,
  );

test("links that stay on the website are made relative", () => {
  const { internal, external } = sort([
    "/a",
    "b?q=1#c",
    "https://example.com/d?e=1#f",
    "http://www.example.com",
    "//example.com/g",
    "HTTPS://EXAMPLE.COM/h",
  ]);
  assert.deepEqual(
    internal.map((link) => link.url),
    ["/a", "b?q=1#c", "/d?e=1#f", "/", "/g", "/h"],
  );
  assert.deepEqual(external, []);
});

test("links to other hosts, also to those that only look like ours, are external, each listed once", () => {
  const { internal, external } = sort([
    "https://example.com.evil.example/",
    "https://sub.example.com/",
    "https://example.com:8080/",
    "https://other.example/",
    "https://other.example/",
    "//other.example/x",
  ]);
  assert.deepEqual(internal, []);
  assert.equal(external.length, 5);
});

test("fragments, mail addresses and telephone numbers are no links to pages", () => {
  assert.deepEqual(sort(["#x", "", "mailto:a@example.com", "tel:1", "https://["]), { internal: [], external: [] });
});

test("without an address of the website only relative links are internal", () => {
  assert.deepEqual(sort(["/a", "https://example.com/"], null), {
    internal: [{ text: "t", url: "/a" }],
    external: ["https://example.com/"],
  });
});

test("the same text and page are listed once, and another text again", () => {
  const anchors = ["t", "t", "u"].map((text) => ({ text, href: "/a" }));
  assert.deepEqual(
    sortLinks(anchors, null).internal.map((link) => link.text),
    ["t", "u"],
  );
});
