import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { readImport } from "./import-source.ts";
import type { ImportItem } from "../operations/articles/import/import-items.ts";
import type { ReadImportOptions } from "./import-item.ts";
import type { ArticleInput } from "../domain/articles/article.ts";

/** The date of the tests. */
export const TODAY = Date.UTC(2026, 0, 15);

const SETTINGS: ReadImportOptions = { format: "auto", websiteUrl: "https://blog.example.org", clock: () => TODAY };

/** A temporary folder with these files, removed when the test ends. */
export async function testFolder(
  files: Record<string, string | Uint8Array>,
): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), "rostrum-test-"));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), content);
  }
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

export function importAll(path: string, options: Partial<ReadImportOptions> = {}): Promise<ImportItem[]> {
  return Array.fromAsync(readImport(path, { ...SETTINGS, ...options }));
}

/** Writes the content to a file with this name, and imports that file alone. */
export async function importFile(
  name: string,
  content: string | Uint8Array,
  options: Partial<ReadImportOptions> = {},
): Promise<ImportItem[]> {
  await using folder = await testFolder({ [name]: content });
  return await importAll(join(folder.path, name), options);
}

/** Imports a file that contains exactly one article. */
export async function articleIn(
  name: string,
  content: string | Uint8Array,
  options: Partial<ReadImportOptions> = {},
): Promise<ArticleInput> {
  const items = await importFile(name, content, options);
  const item = items[0];
  if (items.length !== 1 || item?.kind !== "draft") throw new Error(`no single article: ${JSON.stringify(items)}`);
  return item.input;
}

/** Standard input in chunks of this many bytes, to test every chunk boundary. */
export function inPieces(content: string | Uint8Array, size: number): Readable {
  const bytes = Buffer.from(content);
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_none, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
  return Readable.from(pieces);
}

export function reasons(items: ImportItem[]): string[] {
  return items.flatMap((item) => (item.kind === "draft" ? [] : [`${item.kind} ${item.source}: ${item.reason}`]));
}

export function titles(items: ImportItem[]): (string | undefined)[] {
  return items.flatMap((item) => (item.kind === "draft" ? [item.input.title] : []));
}

export function at(iso: string): number {
  return Date.parse(iso);
}
