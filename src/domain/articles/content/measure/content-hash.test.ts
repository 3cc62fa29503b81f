import assert from "node:assert/strict";
import { test } from "node:test";
import { contentHash, type HashedContent } from "./metrics.ts";

const content: HashedContent = {
  title: "t",
  html: "<p>h</p>",
  excerpt: "e",
  metaDescription: null,
  featuredImageUrl: null,
  featuredImageAlt: null,
};

test("the hash changes with every part, and with the part that a text is in", () => {
  const hashes = [
    content,
    { ...content, title: "u" },
    { ...content, html: "" },
    { ...content, excerpt: null },
    { ...content, metaDescription: "e", excerpt: null },
    { ...content, featuredImageUrl: "x" },
    { ...content, featuredImageAlt: "x" },
    { ...content, metaDescription: "" },
  ].map(contentHash);
  assert.equal(new Set(hashes).size, hashes.length);
  assert.match(hashes[0] ?? "", /^[0-9a-f]{64}$/);
});

test("the hash of the same content is the same in every version", () => {
  assert.equal(contentHash(content), "cb35759bddf39cabedfd76b2259ffab2a53fbf976701683e197d5652c90ab98b");
});
