/** Whole blogs that others wrote: what arrives is what their files say, or the report says what not; and it leaves again. */
import assert from "node:assert/strict";
import { createWriteStream, existsSync } from "node:fs";
import { cp, glob, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { after, before, describe, test } from "node:test";
import { readPath } from "../../src/content-processes/import-reader.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import type { Website } from "../../src/domain/system/website.ts";
import { exportArchive, importArchive } from "../../src/operations/articles/assets/asset-archive.ts";
import { exportArticles } from "../../src/operations/articles/import/exports.ts";
import type { ImportedItem } from "../../src/operations/articles/import/import-items.ts";
import { withPictures } from "../../src/operations/articles/import/import-pictures.ts";
import { importInBatches } from "../../src/operations/articles/import/imports.ts";
import { CHIEF } from "../helpers/articles.ts";
import { type Folder, tempFolder } from "../helpers/folder.ts";
import { type Json, record } from "../helpers/http.ts";
import { png } from "../helpers/pictures.ts";
import { startTestService, type TestService } from "../helpers/service.ts";
import { compareFacts, compareFields, type Difference, EXPLAINED_BY } from "./differences.ts";
import { readExportSource } from "./export-sources.ts";
import { readFacts } from "./facts.ts";
import { readMarkdownSource } from "./markdown-sources.ts";

const CORPORA = join(import.meta.dirname, "../../../shared/corpora");
const skip = existsSync(CORPORA) ? false : "the corpora of real articles are not beside this repository";
const BASE = "https://articles.example.com";

/** Where the articles arrive first, and where their export is imported. */
let [service, other]: TestService[] = [];
let folder: Folder;

before(async () => {
  [service, other] = [await startTestService(), await startTestService()];
  folder = await tempFolder();
});
after(async () => {
  for (const opened of [service, other, folder]) await opened?.[Symbol.asyncDispose]();
});

for (const [name, count] of [
  ["rust-blog", 732],
  ["v8-blog", 154],
  // Two of its 65 posts are in two exports of one site.
  ["exports", 63],
] as const)
  describe(name, { skip }, () => {
    let website: Website;
    let items: ImportedItem[];

    before(async () => {
      assert.ok(service && folder);
      const path = folder.at(name);
      await cp(join(CORPORA, name), path, { recursive: true });
      await drawPictures(path);
      website = await service.newWebsite();
      items = await importAll(service, website, path);
    });

    test("arrives, and what its files say besides is reported", async (t) => {
      assert.ok(service && folder);
      const sources = new Map(items.map((item) => [item.articleId, item]));
      const unreported: (Difference & { source: string })[] = [];
      const counts: Record<string, number> = {};
      let articles = 0;
      for await (const text of exportArticles(service.app, website.id)) {
        const line = record(JSON.parse(text));
        const item = sources.get(String(line["id"]));
        assert.ok(item);
        articles += 1;
        for (const difference of await findDifferences(folder.at(name), item.source, line)) {
          const why: readonly string[] = EXPLAINED_BY[difference.kind];
          const isReported = item.warnings.some(({ kind }) => why.includes(kind));
          const key = `${difference.kind}, ${isReported ? "reported" : "not reported"}`;
          counts[key] = (counts[key] ?? 0) + 1;
          if (!isReported) unreported.push({ source: item.source, ...difference });
        }
      }
      t.diagnostic(`${articles} articles; differences: ${JSON.stringify(counts)}`);
      assert.equal(articles, count);
      assert.deepEqual(unreported, []);
    });

    test("is exported, imported elsewhere and exported again, byte for byte, with its pictures", async () => {
      assert.ok(service && other && folder);
      const archive = folder.at(`${name}.tar`);
      const first = await exportAll(service, website, archive);
      const copy = await other.newWebsite();
      await using arrived = await importArchive(other.app, archive, { website: copy, base: BASE, origin: CLI_ORIGIN });
      assert.deepEqual(arrived.skipped, []);
      const copied = await importAll(other, copy, arrived.articles);
      assert.deepEqual(new Set(copied.map(({ outcome }) => outcome)), new Set(["created"]));
      const second = await exportAll(other, copy, folder.at(`${name}-again.tar`));
      assert.equal(second, first.replaceAll(`/assets/${website.id}/`, `/assets/${copy.id}/`));
    });
  });

/** A picture for each that a text names by a path beside it. */
async function drawPictures(path: string): Promise<void> {
  let side = 0;
  for await (const file of glob(join(path, "**/*.md"))) {
    const text = await readFile(file, "utf8");
    for (const [, picture = ""] of text.matchAll(/!\[[^\]]*\]\((?:\.\/)?([\w-][\w.-]*\.png)\)/g)) {
      side += 1;
      await writeFile(join(dirname(file), picture), png(1 + (side % 50), 1 + Math.floor(side / 50)));
    }
  }
}

async function importAll({ app }: TestService, website: Website, path: string): Promise<ImportedItem[]> {
  const isExport = path.endsWith(".ndjson");
  const read = readPath(path, { format: isExport ? "ndjson" : "auto", websiteUrl: website.url, clock: app.clock });
  const items = isExport ? read : withPictures(app, read, { root: path, website, base: BASE, origin: CLI_ORIGIN });
  const found: ImportedItem[] = [];
  const options = { events: false, dryRun: false, actor: CHIEF };
  for await (const batch of importInBatches(app, website.id, items, options)) found.push(...batch);
  return found;
}

/** Writes the archive. @returns its articles. */
async function exportAll({ app }: TestService, website: Website, archive: string): Promise<string> {
  const lines = await Array.fromAsync(exportArticles(app, website.id));
  await pipeline(exportArchive(app, website, Readable.from(lines), BASE), createWriteStream(archive));
  return lines.join("");
}

async function findDifferences(path: string, source: string, line: Json): Promise<Difference[]> {
  const file = await readFile(join(path, source.replace(/, (?:item|post) \d+.*$/, "")), "utf8");
  const original = (path.endsWith("exports") ? readExportSource : readMarkdownSource)(source, file);
  return [
    ...compareFacts(readFacts(original.html), readFacts(String(line["content"])), line),
    ...compareFields(original, line),
  ];
}
