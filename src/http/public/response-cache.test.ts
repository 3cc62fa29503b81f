import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, chooseEncoding, ResponseCache } from "./response-cache.ts";

function answer(bytes: number): Answer {
  const variants = { identity: { body: Buffer.alloc(bytes), headers: [] } };
  return { etag: "e", generation: 1, version: 1, ofOneArticle: false, variants };
}

test("memory is capped in bytes: what was used longest ago goes first", () => {
  const cache = new ResponseCache(100_000);
  for (const key of ["a", "b", "c"]) cache.set(key, answer(40_000));
  assert.deepEqual(
    ["a", "b", "c"].map((key) => cache.get(key) !== undefined),
    [false, true, true],
  );
});

test("an answer that is larger than all the memory is not kept", () => {
  const cache = new ResponseCache(10_000);
  cache.set("a", answer(20_000));
  assert.equal(cache.get("a"), undefined);
});

test("a page counts as asked again only at the same version", () => {
  const cache = new ResponseCache(1_000);
  assert.deepEqual(
    [1, 1, 2, 2].map((version) => cache.isAskedAgain("a", version)),
    [false, true, false, true],
  );
});

test("a body below a packet is not compressed, whatever is accepted", () => {
  assert.equal(chooseEncoding("br, gzip", 999), "identity");
  assert.equal(chooseEncoding("br, gzip", 1_000), "br");
});
