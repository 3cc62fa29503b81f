/** SECURITY.md, CONTRIBUTING.md and ARCHITECTURE.md speak of code and tests that exist. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "..", "..");

test("every row of the threat model names code and a test, and each of them exists", () => {
  const rows = readFileSync(join(ROOT, "SECURITY.md"), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| Attacker"));
  assert.ok(rows.length > 0);
  for (const row of rows) {
    const paths = Array.from(row.matchAll(/`((?:src|test|tools)\/[^`]+)`/g), ([, path]) => path ?? "");
    assert.ok(paths.length >= 2 && paths.some((path) => path.endsWith(".test.ts")), row);
    for (const path of paths) assert.ok(existsSync(join(ROOT, path)), path);
  }
});

test("every path that CONTRIBUTING.md and ARCHITECTURE.md name exists", () => {
  for (const document of ["CONTRIBUTING.md", "ARCHITECTURE.md"]) {
    const text = readFileSync(join(ROOT, document), "utf8");
    const paths = Array.from(text.matchAll(/`((?:[\w@.-]+\/)+[\w.-]+\.tsx?)`/g), ([, path]) => path ?? "");
    assert.ok(paths.length > 20, document);
    for (const path of paths) {
      assert.ok(existsSync(join(ROOT, path)) || existsSync(join(ROOT, "src", path)), `${document}: ${path}`);
    }
  }
});
