/** docs/specification.md: each test that a rule names exists, and each test of test/spec is named. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "./described.ts";

/** A list item that begins with a word and a quoted title, with the lines that continue it. */
const ITEM = /^ *- [^":]+: "(.*(?:\n +[^-\s].*)*)"$/gm;
const TITLE = /\btest\(\s*(?:"((?:[^"\\\n]|\\.)+)"|`((?:[^`\\]|\\.)+)`)/g;

const text = readFileSync(join(ROOT, "docs", "specification.md"), "utf8");
const named = Array.from(text.matchAll(ITEM), ([, list = ""]) => list.replaceAll(/\s+/g, " ").split('"; "')).flat();

function titles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .flatMap((name) => Array.from(readFileSync(join(ROOT, folder, name), "utf8").matchAll(TITLE)))
    .map(([, quoted, template]) => quoted ?? template ?? "");
}

test("each test that the specification names exists", () => {
  assert.ok(named.length > 100, `${named.length} tests are named`);
  const existing = new Set(titles("test"));
  assert.deepEqual(
    named.filter((title) => !existing.has(title)),
    [],
  );
});

test("every numbered rule of the specification names a test", () => {
  const rules = Array.from(text.matchAll(/^\d+\. .*(?:\n(?!\d+\. |#).*)*/gm), ([rule]) => rule);
  assert.ok(rules.length > 50, `${rules.length} rules`);
  assert.deepEqual(
    rules.filter((rule) => !/^ +- Tests?: "/m.test(rule)),
    [],
  );
});

test("the specification names every test of test/spec", () => {
  const inDocument = new Set(named);
  assert.deepEqual(
    titles("test/spec").filter((title) => !inDocument.has(title)),
    [],
  );
});

test("the specification speaks of nothing that is not in the repository", () => {
  assert.doesNotMatch(text, /decisions\.md|interfaces\.md|article-delivery-api/);
});
