/** Every command of the guides is run by `npm run try-guide`, or has a reason why not. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readBlocks } from "./blocks.ts";
import { findGaps } from "./guides.ts";

test("each block of commands in README and docs is tried, or is named with the reason", () => {
  const blocks = readBlocks();
  assert.deepEqual(findGaps(blocks), []);
  const unknown = { document: "README.md", line: 1, name: "rm -rf /", text: "rm -rf /\n" };
  assert.equal(findGaps([...blocks, unknown]).length, 1);
  assert.equal(findGaps([...blocks, { ...unknown, document: "docs/other.md" }]).length, 1);
});
