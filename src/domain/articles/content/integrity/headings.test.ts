import assert from "node:assert/strict";
import { test } from "node:test";
import { findRepeatedHeadings } from "./headings.ts";
import { foundBy } from "./integrity-test-helpers.ts";

test("a heading may be there twice, but not twice under one", () => {
  const fixes = "### Fixes\n\nOne is mended.\n\n";
  assert.deepEqual(foundBy(findRepeatedHeadings, `## Kettles\n\n${fixes}## Toasters\n\n${fixes}`), []);
  assert.deepEqual(foundBy(findRepeatedHeadings, `## Kettles\n\n${fixes}${fixes}`), ["repeated_heading warn: Fixes"]);
  assert.deepEqual(foundBy(findRepeatedHeadings, "## Use\n\n## Costs\n\n## Use"), ["repeated_heading warn: Use"]);
});
