import assert from "node:assert/strict";
import { test } from "node:test";
import { importAll, importFile, inPieces, reasons, titles } from "../import-test-helpers.ts";

const line = (title: string, more: Record<string, unknown> = {}): string =>
  JSON.stringify({ title, content: "<p>x</p>", ...more });

test("there is one article per line; blank lines are skipped, and a broken line is named by its number", async () => {
  const items = await importFile(
    "a.ndjson",
    `${line("One", { slug: "one" })}\n\n{"title": \n${line("Two")}\r\n{"title":"Three"}\n[1]`,
  );
  assert.deepEqual(titles(items), ["One", "Two"]);
  assert.deepEqual(
    items.flatMap((item) => (item.kind === "draft" ? [item.ref, item.source] : [])),
    ["json:one", "a.ndjson, line 1", "json:a.ndjson:Two", "a.ndjson, line 4"],
  );
  const [broken, incomplete, noObject] = reasons(items);
  assert.match(broken ?? "", /^failed a\.ndjson, line 3: It is not valid JSON/);
  assert.match(incomplete ?? "", /^failed a\.ndjson, line 5: The article has no content/);
  assert.match(noObject ?? "", /^failed a\.ndjson, line 6: It is not a JSON object/);
});

test("an empty article that was exported is imported; one of another program is refused", async () => {
  const exported = { user_id: null, quality_metrics: null, pipeline_steps: [] };
  const items = await importFile(
    "a.ndjson",
    `${line("Exported", { ...exported, content: "" })}\n${line("Foreign", { content: "" })}`,
  );
  assert.deepEqual(titles(items), ["Exported"]);
  assert.match(reasons(items)[0] ?? "", /^failed a\.ndjson, line 2: The article has no content/);
});

test("characters that are split between two pieces of the stream are intact", async () => {
  const text = `\uFEFF${line("Grüße 👋 日本語")}\n${line("Second")}\n`;
  for (const size of [1, 3, 7]) {
    const items = await importAll("-", { format: "ndjson", stdin: inPieces(text, size) });
    assert.deepEqual(titles(items), ["Grüße 👋 日本語", "Second"]);
  }
});

test("a line longer than 20 MB fails without being kept in memory, and the next one is imported", async () => {
  const huge = `{"title":"Huge","content":"${"x".repeat(21 * 1024 * 1024)}"}`;
  const items = await importFile("a.ndjson", `${huge}\n${line("Small")}\n`);
  assert.deepEqual(titles(items), ["Small"]);
  assert.deepEqual(reasons(items), ["failed a.ndjson, line 1: The line is longer than 20 MB."]);
});

test("bytes that are no UTF-8, and NUL characters, fail only their line", async () => {
  const bytes = Buffer.concat([
    Buffer.from('{"title":"Caf'),
    Buffer.from([0xe9]),
    Buffer.from(`","content":"x"}\n${line("Good")}\n${line("Bad\0")}\n`),
  ]);
  const items = await importFile("a.ndjson", bytes);
  assert.deepEqual(titles(items), ["Good"]);
  assert.match(reasons(items)[0] ?? "", /line 1: It is not UTF-8 text/);
  assert.match(reasons(items)[1] ?? "", /line 3: title must not contain the NUL character/);
});

test("an empty file is an empty export", async () => {
  assert.deepEqual(await importFile("a.ndjson", "", { format: "ndjson" }), []);
});

test("a whole JSON document named NDJSON is refused with what to do instead", async () => {
  await assert.rejects(importFile("a.ndjson", '{\n  "title": "x"\n}', { format: "ndjson" }), /--format json/);
  await assert.rejects(importFile("a.ndjson", "[]", { format: "ndjson" }), /--format json/);
});

test("articles line after line are recognised without their file's name", async () => {
  const items = await importAll("-", { stdin: inPieces(`${line("One")}\n${line("Two")}\n`, 1000) });
  assert.deepEqual(titles(items), ["One", "Two"]);
});
