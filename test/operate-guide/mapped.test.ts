/** Every command of the guide is run by `npm run try-guide`, or has a reason why not. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readBlocks } from "./blocks.ts";
import { findGaps } from "./table.ts";

test("each block of commands in the README and in docs/operate.md is tried, or is named with the reason", () => {
  const texts = readBlocks().map(({ text }) => text);
  assert.deepEqual(findGaps(texts), []);
  assert.equal(findGaps([...texts, "rm -rf /\n"]).length, 1);
});
