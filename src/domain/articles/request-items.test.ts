import assert from "node:assert/strict";
import { test } from "node:test";
import { listRequestItems } from "./request-items.ts";

test("each line of a request is an item, whether or not it is written as a list", () => {
  const reason =
    "Two things:\n\n- Name the temperature.\r\n2) Say which tea.\n* **Bold** stays\n   \n3.5 grams, not 3.";
  assert.deepEqual(listRequestItems(reason), [
    "Two things:",
    "Name the temperature.",
    "Say which tea.",
    "**Bold** stays",
    "3.5 grams, not 3.",
  ]);
  assert.deepEqual(listRequestItems("One sentence."), ["One sentence."]);
});
