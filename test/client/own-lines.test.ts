/** A website takes few lines of one's own: docs/sites/README.md says how many each guide has. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { countOwnLines } from "../sites/own-lines.ts";

const GUIDES = join(import.meta.dirname, "..", "..", "docs", "sites");
/** Whole websites, by the kits. */
const MAX_LINES_WITH_KIT = 30;

test("the guides need as many lines as their table says, and at most 30 with a kit", () => {
  const table = readFileSync(join(GUIDES, "README.md"), "utf8");
  const told = Object.fromEntries(
    Array.from(table.matchAll(/\]\((\w[\w-]*\.md)\).*\| (\d+) \|$/gm), ([, guide, lines]) => [
      guide ?? "",
      Number(lines),
    ]),
  );
  const counted = readdirSync(GUIDES)
    .map((guide) => [guide, countOwnLines(guide)] as const)
    .filter(([, lines]) => lines > 0);
  assert.deepEqual(told, Object.fromEntries(counted));
  for (const guide of ["next.md", "astro.md"]) assert.ok(countOwnLines(guide) <= MAX_LINES_WITH_KIT, guide);
});
