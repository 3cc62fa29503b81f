import assert from "node:assert/strict";
import { test } from "node:test";
import { ResponseHead } from "./head-writer.ts";
import { type CachedResponse, ResponseCache } from "./response-cache.ts";
import { chooseEncoding } from "../request.ts";

function answer(bytes: number): CachedResponse {
  const variants = { identity: { body: Buffer.alloc(bytes), head: new ResponseHead(200, []) } };
  return {
    route: "list",
    etag: "e",
    notModified: new ResponseHead(304, []),
    generation: 1,
    version: 1,
    dependsOn: "website",
    uses: 0,
    variants,
  };
}

test("memory is limited in bytes: what was used longest ago is evicted first", () => {
  const cache = new ResponseCache(100_000);
  const partition = cache.partition("w", "all");
  const keys = Array.from({ length: 50 }, (_none, index) => `k${index}`);
  for (const key of keys) cache.set(partition, key, answer(10_000));
  const kept = keys.filter((key) => cache.get(partition, key) !== undefined);
  assert.ok(kept.length > 0 && kept.length <= 10, `${kept.length} kept`);
  assert.deepEqual(kept, keys.slice(-kept.length));
});

test("what a 304 needs takes at most a fifth of the memory of a response", () => {
  const cache = new ResponseCache(100_000);
  const partition = cache.partition("w", "all");
  const keys = Array.from({ length: 40 }, (_none, index) => `k${index}`);
  for (const key of keys) cache.set(partition, key, { ...answer(10_000), variants: null });
  assert.deepEqual(
    keys.filter((key) => cache.get(partition, key)?.etag === "e"),
    keys,
  );
});

test("a response larger than the whole cache is not cached", () => {
  const cache = new ResponseCache(10_000);
  const partition = cache.partition("w", "all");
  cache.set(partition, "a", answer(200_000));
  assert.equal(cache.get(partition, "a"), undefined);
});

test("a page counts as requested again only at the same version", () => {
  const cache = new ResponseCache(1_000);
  assert.deepEqual(
    [1, 1, 2, 2].map((version) => cache.wasRequestedBefore("w", "a", version)),
    [false, true, false, true],
  );
});

test("a body smaller than a packet is not compressed, whatever the client accepts", () => {
  assert.equal(chooseEncoding("br, gzip", 999), "identity");
  assert.equal(chooseEncoding("br, gzip", 1_000), "br");
});
