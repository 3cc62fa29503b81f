/** Files that take too much to read: the item is reported by name, and the rest is imported. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, test } from "node:test";
import { readDroppedFile, readPath } from "../../src/content-processes/import-reader.ts";
import { readImport } from "../../src/importers/import-source.ts";
import type { ImportItem } from "../../src/operations/articles/import/import-items.ts";
import { TODAY } from "../helpers/articles.ts";
import { tempFolder } from "../helpers/folder.ts";
import { childrenRunning } from "../helpers/processes.ts";
import { until } from "../helpers/until.ts";

const SETTINGS = { websiteUrl: "https://blog.example.org", clock: () => TODAY };
const article = (title: string, content = "<p>A text.</p>") => JSON.stringify({ title, content });

/** What is reported of each. */
function told(items: readonly ImportItem[]): string[] {
  return items.map((item) => (item.kind === "draft" ? String(item.input.title) : `${item.kind}: ${item.reason}`));
}

async function dropped(name: string, content: string | Buffer, maxJsonBytes = 50_000_000): Promise<ImportItem[]> {
  await using folder = await tempFolder();
  const path = join(folder.path, "upload");
  await writeFile(path, content);
  return await Array.fromAsync(readDroppedFile({ path, name, folder: null }, { ...SETTINGS, maxJsonBytes }));
}

describe("in a process of its own", () => {
  const FILES: [name: string, content: string][] = [
    [
      "articles.ndjson",
      `${article("One")}\n\n{"title":\n${article("Two")}\n${article("One")}\n${article("One", "x")}\n`,
    ],
    ["articles.json", `[${article("One")},${article("Two")},3]`],
    ["2026-01-02-note.md", "---\ntitle: A note\n---\nText.\n"],
    ["page.html", "<html><body><article><h1>Title</h1><p>Text.</p></article></body></html>"],
  ];
  for (const [name, content] of FILES) {
    test(`${name} is read as it is in this one`, async () => {
      await using folder = await tempFolder();
      const path = join(folder.path, name);
      await writeFile(path, content);
      const here = await Array.fromAsync(readImport(path, { ...SETTINGS, format: "auto" }));
      const there = await Array.fromAsync(readPath(path, { ...SETTINGS, format: "auto" }));
      assert.deepEqual(
        there.map((item) => (item.kind === "draft" ? [item.source, item.ref, item.input] : item)),
        here.map((item) => (item.kind === "draft" ? [item.source, item.ref, item.input] : item)),
      );
    });
  }

  test("standard input is read under its name", async () => {
    const stdin = Readable.from([`${article("One")}\n`, "nonsense\n"]);
    const items = await Array.fromAsync(readPath("-", { ...SETTINGS, format: "ndjson", stdin }));
    assert.deepEqual(
      items.map(({ source }) => source),
      ["standard input, line 1", "standard input, line 2"],
    );
  });

  test("what cannot be imported at all is refused with the same sentence", async () => {
    await assert.rejects(Array.fromAsync(readPath("/nowhere/at.all", { ...SETTINGS, format: "auto" })), {
      name: "AppError",
      code: "invalid",
      message: "/nowhere/at.all does not exist.",
    });
  });
});

const skip = process.platform === "linux" ? false : "it looks into /proc";

test("a process that the system ends while nobody asks for more costs no item", { skip }, async () => {
  await using folder = await tempFolder();
  const path = join(folder.path, "articles.ndjson");
  await writeFile(path, ["One", "Two", "Three"].map((title) => article(title)).join("\n"));
  const items: ImportItem[] = [];
  for await (const item of readPath(path, { ...SETTINGS, format: "auto" })) {
    items.push(item);
    const [pid] = childrenRunning("import-worker");
    if (items.length > 1 || pid === undefined) continue;
    process.kill(pid, "SIGKILL");
    await until("it is gone", () => !existsSync(`/proc/${pid}`));
  }
  assert.deepEqual(told(items), ["One", "Two", "Three"]);
});

describe("an item that takes too much memory", () => {
  // Of numbers: V8 needs far more for them than the text is long.
  const steps = `[${"[],".repeat(6_000_000)}[]]`;
  const POISON = `{"title":"Poison","content":"x","pipeline_steps":${steps}}`;

  test("fails by its name, and the others are read", async () => {
    const lines = [article("First"), POISON, article("Second"), POISON, article("Third")];
    const items = await dropped("articles.ndjson", lines.join("\n"), 1);
    assert.deepEqual(
      items.map(({ source, kind }) => `${kind} ${source}`),
      [1, 2, 3, 4, 5].map((line) => `${line % 2 === 1 ? "draft" : "failed"} articles.ndjson, line ${line}`),
    );
    for (const index of [1, 3])
      assert.match(told(items)[index] ?? "", /^failed: It takes too (?:much memory|long) to read/);
  });

  test("that is the whole file fails with it", async () => {
    const items = await dropped("articles.json", `[${POISON}]`, 1_000_000_000);
    assert.equal(items.length, 1);
    assert.match(told(items)[0] ?? "", /^failed: /);
  });
});
