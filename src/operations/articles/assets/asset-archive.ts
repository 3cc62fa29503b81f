/**
 * An export of a website with its pictures: one tar archive, written and read as a stream.
 *
 *     export.json       {format, version, addresses}: what the addresses of the pictures begin with
 *     assets.ndjson     one picture per line: {id, hash, name, alt, source_url}
 *     articles.ndjson   as `rostrum export` writes them
 *     assets/<hash>     the files of the pictures
 */
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, mkdtemp, open, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Asset, assetKey, assetPath, MAX_ASSET_BYTES } from "../../../domain/articles/assets/asset.ts";
import type { Origin } from "../../../domain/system/audit.ts";
import { AppError } from "../../../domain/system/errors.ts";
import { temporaryPrefix } from "../../../domain/system/temporary-names.ts";
import type { Website } from "../../../domain/system/website.ts";
import type { AssetCursor } from "../../../store/articles/assets.ts";
import type { Deps } from "../../system/deps.ts";
import { addAsset, type AssetDeps, listLibrary } from "./assets.ts";
import type { ImportItem } from "../import/import-items.ts";
import { foreign, isTar, readTar, TAR_BLOCK, TAR_END, tarHeader, tarPadding } from "./tar.ts";

const FORMAT = "rostrum-export";
const MAX_HEADER_BYTES = 100_000;
/** An export writes at most two. Each is searched for in all articles. */
const MAX_ADDRESSES = 10;
const ADDRESS = /^\S{0,2000}\/assets\/[\w-]{1,100}\/$/;
const LINE_FEED = 10;
/** Limits of a line: the first is that of every import, the second is for a picture's description. */
const MAX_LINE_BYTES: ReadonlyMap<string, number> = new Map([
  ["articles.ndjson", 20 * 1024 * 1024],
  ["assets.ndjson", 100_000],
]);
/** The same limit as for pictures that an import copies. */
const MAX_SOURCE_URL = 2_000;
const AT_ONCE = 200;

interface ArchivedAsset {
  id: string;
  hash: string;
  name: string;
  alt: string;
  source_url: string | null;
}

/** @param lines the articles, as `exportArticles` yields them. @param publicUrl the service's own address. */
export async function* exportArchive(
  deps: Pick<Deps, "store" | "assetFiles">,
  website: Pick<Website, "id" | "assetUrl">,
  lines: AsyncIterable<string>,
  publicUrl: string | null,
): AsyncGenerator<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), temporaryPrefix("export")));
  try {
    // The size of a file precedes it in the archive.
    const [header, articles, assets] = ["export.json", "articles.ndjson", "assets.ndjson"].map((name) =>
      join(folder, name),
    ) as [string, string, string];
    const bases = [website.assetUrl, publicUrl].filter((base) => base !== null);
    const addresses = bases.map((base) => `${base}/assets/${website.id}/`);
    await writeFile(header, `${JSON.stringify({ format: FORMAT, version: 1, addresses })}\n`, { mode: 0o600 });
    await pipeline(Readable.from(lines), createWriteStream(articles, { mode: 0o600 }));
    await pipeline(Readable.from(describeAssets(deps, website.id)), createWriteStream(assets, { mode: 0o600 }));
    yield* archiveFile("export.json", header);
    yield* archiveFile("assets.ndjson", assets);
    yield* archiveFile("articles.ndjson", articles);
    for await (const { id, hash } of readAssets(assets)) {
      const path = await deps.assetFiles.open(assetKey({ id, hash, websiteId: website.id }));
      // Deleted meanwhile: the import reports it.
      if (path !== undefined) yield* archiveFile(`assets/${hash}`, path);
    }
    yield TAR_END;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function* describeAssets(deps: Pick<Deps, "store">, websiteId: string): AsyncGenerator<string> {
  for (let before: AssetCursor | null = null; ;) {
    const { assets, next }: { assets: Asset[]; next: AssetCursor | null } = await listLibrary(
      deps,
      websiteId,
      before,
      AT_ONCE,
    );
    for (const { id, hash, name, alt, sourceUrl } of assets) {
      yield `${JSON.stringify({ id, hash, name, alt, source_url: sourceUrl } satisfies ArchivedAsset)}\n`;
    }
    if (next === null) return;
    before = next;
  }
}

async function* archiveFile(name: string, path: string): AsyncGenerator<Buffer> {
  const { size } = await stat(path);
  yield tarHeader(name, size);
  if (size > 0) yield* createReadStream(path, { end: size - 1 }) as AsyncIterable<Buffer>;
  yield tarPadding(size);
}

/** Whether the path is one of an archive that `rostrum export --with-assets` wrote. */
export async function isArchive(path: string): Promise<boolean> {
  try {
    await using file = await open(path);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(TAR_BLOCK), 0, TAR_BLOCK, 0);
    return bytesRead === TAR_BLOCK && isTar(buffer);
  } catch {
    // A folder, standard input, or a file that is reported when it is read.
    return false;
  }
}

export interface ImportedArchive extends AsyncDisposable {
  /** The path of the articles, with the addresses that their pictures have here. */
  articles: string;
  /** Pictures that could not be imported. */
  skipped: ImportItem[];
}

/**
 * Adds an archive's pictures to the website, and gives the articles their addresses. Imports nothing from an archive
 * with anything unexpected. @param target null: pictures go nowhere. @throws AppError `invalid`.
 */
export async function importArchive(
  deps: AssetDeps,
  path: string,
  target: { website: Website; base: string; origin: Origin } | null,
): Promise<ImportedArchive> {
  const folder = await mkdtemp(join(tmpdir(), temporaryPrefix("import")));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const addresses = await extract(path, folder);
    const articles = join(folder, "articles.ndjson");
    if (target === null) return { articles, skipped: [], [Symbol.asyncDispose]: remove };
    const { hashes, skipped } = await addAssets(deps, folder, target);
    const rewritten = join(folder, "rewritten.ndjson");
    const to = (hash: string) => `${target.base}${assetPath({ websiteId: target.website.id, hash, name: "" })}`;
    await pipeline(
      Readable.from(withAddresses(articles, addresses, hashes, to)),
      createWriteStream(rewritten, { mode: 0o600 }),
    );
    return { articles: rewritten, skipped, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** @returns what the addresses of the pictures begin with. */
async function extract(path: string, folder: string): Promise<string[]> {
  await mkdir(join(folder, "assets"), { mode: 0o700 });
  const seen = new Set<string>();
  for await (const { name, size, content } of readTar(createReadStream(path) as AsyncIterable<Buffer>)) {
    if (!isExpected(name, size) || seen.has(name)) throw foreign(name);
    seen.add(name);
    const most = MAX_LINE_BYTES.get(name);
    const checked = most === undefined ? content : assertShortLines(name, content, most);
    await pipeline(checked, createWriteStream(join(folder, name), { mode: 0o600, flags: "wx" }));
  }
  const missing = ["export.json", "assets.ndjson", "articles.ndjson"].find((name) => !seen.has(name));
  if (missing !== undefined)
    throw new AppError("invalid", `The archive has no ${missing}: it is not an export with pictures.`);
  return readHeader(await readFile(join(folder, "export.json"), "utf8"));
}

/** Lines are read whole. @throws AppError `invalid`. */
async function* assertShortLines(
  name: string,
  content: AsyncIterable<Buffer>,
  most: number,
): AsyncGenerator<Buffer, void> {
  let length = 0;
  for await (const part of content) {
    const end = part.indexOf(LINE_FEED);
    if (length + (end === -1 ? part.length : end) > most) {
      throw new AppError("invalid", `A line of the archive's ${name} is too long: nothing was imported.`);
    }
    length = end === -1 ? length + part.length : part.length - part.lastIndexOf(LINE_FEED) - 1;
    yield part;
  }
}

/** Only these names: no others can reach the disk. */
function isExpected(name: string, size: number): boolean {
  if (name === "export.json") return size <= MAX_HEADER_BYTES;
  if (name === "articles.ndjson" || name === "assets.ndjson") return true;
  return /^assets\/[0-9a-f]{64}$/.test(name) && size <= MAX_ASSET_BYTES;
}

function readHeader(text: string): string[] {
  try {
    const { format, version, addresses } = JSON.parse(text) as Record<string, unknown>;
    const isOurs = format === FORMAT && version === 1 && Array.isArray(addresses) && addresses.length <= MAX_ADDRESSES;
    if (isOurs && addresses.every((one) => typeof one === "string" && ADDRESS.test(one))) return addresses as string[];
  } catch {
    // Reported below.
  }
  throw new AppError(
    "invalid",
    "The archive was written by another version of Rostrum and cannot be read: its export.json is unknown.",
  );
}

async function* readAssets(path: string): AsyncGenerator<ArchivedAsset> {
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    if (line !== "") yield parseAsset(line);
  }
}

function parseAsset(line: string): ArchivedAsset {
  try {
    const { id, hash, name, alt, source_url: source } = JSON.parse(line) as Record<string, unknown>;
    const isHash = typeof hash === "string" && /^[0-9a-f]{64}$/.test(hash);
    if (isHash && typeof id === "string" && typeof name === "string" && typeof alt === "string") {
      const isSource = typeof source === "string" && source.length <= MAX_SOURCE_URL;
      return { id, hash, name, alt, source_url: isSource ? source : null };
    }
  } catch {
    // Reported below.
  }
  throw new AppError(
    "invalid",
    "The archive's list of pictures cannot be read. Nothing was imported: export it again.",
  );
}

async function addAssets(
  deps: AssetDeps,
  folder: string,
  { website, origin }: { website: Website; origin: Origin },
): Promise<{ hashes: Map<string, string>; skipped: ImportItem[] }> {
  /** Hashes here by those in the archive: they differ where metadata was removed from an old picture. */
  const hashes = new Map<string, string>();
  const skipped: ImportItem[] = [];
  for await (const { hash, name, alt, source_url: sourceUrl } of readAssets(join(folder, "assets.ndjson"))) {
    const path = join(folder, "assets", hash);
    try {
      await stat(path).catch(() => {
        throw new AppError("invalid", "The archive has no file of this picture.");
      });
      hashes.set(hash, (await addAsset(deps, website.id, { path, name, alt, sourceUrl }, origin)).hash);
    } catch (error) {
      if (!(error instanceof AppError) || !["invalid", "too_expensive"].includes(error.code)) throw error;
      skipped.push({ kind: "skipped", source: name, reason: error.message });
    }
  }
  return { hashes, skipped };
}

/** The lines of the articles with the addresses of the pictures that were imported. */
async function* withAddresses(
  path: string,
  addresses: readonly string[],
  hashes: ReadonlyMap<string, string>,
  to: (hash: string) => string,
): AsyncGenerator<string> {
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    let text = line;
    for (const address of addresses) {
      const [first = "", ...others] = text.split(address);
      text = others.reduce((done, rest) => {
        const hash = hashes.get(rest.slice(0, 64));
        return done + (hash === undefined || rest[64] !== "/" ? address + rest : to(hash) + rest.slice(65));
      }, first);
    }
    yield `${text}\n`;
  }
}
