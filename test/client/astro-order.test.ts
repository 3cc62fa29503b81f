import assert from "node:assert/strict";
import { test } from "node:test";
import { newestFirst } from "../../kits/astro/src/newest-first.ts";

test("an Astro site lists its articles as the API does: what is not published yet first, then the newest, then by id", () => {
  const times = [
    "2026-01-01T00:00:00Z",
    null,
    "2026-03-01T00:00:00Z",
    null,
    "2025-12-31T23:59:59Z",
    "2026-01-01T00:00:00Z",
  ];
  const entries = times.map((published_at, index) => ({ data: { id: `${9 - index}`, published_at } }));
  assert.deepEqual(
    newestFirst(entries).map(({ data }) => data.id),
    ["6", "8", "7", "4", "9", "5"],
  );
});
