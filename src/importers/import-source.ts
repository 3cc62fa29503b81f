import { readFile as readBytes, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { parseTemporaryName } from "../domain/system/temporary-names.ts";
import { AppError } from "../domain/system/errors.ts";
import {
  codeOrText,
  detectKind,
  isFeed,
  isWordPressXml,
  type FileKind,
  kindFor,
  namedKind,
  SECTION_OPENING,
  skipReason,
  walkFolder,
} from "./detect.ts";
import { type Cascade, readCascades } from "./markdown/cascade.ts";
import { Vault } from "./markdown/dialects/vault.ts";
import { isIndex, nameIn, parsePath } from "./markdown/path-metadata.ts";
import { readHtmlFile } from "./html/html-page.ts";
import {
  fileAt,
  type ImportFile,
  peekText,
  readBytesWhole,
  readWhole,
  spoolToDisk,
  streamedFile,
} from "./import-file.ts";
import {
  failedItem,
  IMPORT_FORMATS,
  type ImportContext,
  MAX_ITEM_BYTES,
  NoArticles,
  onceEach,
  PASSED,
  type ReadImportOptions,
  type ReadItem,
} from "./import-item.ts";
import type { CsvRow } from "./csv.ts";
import type { DroppedFile, ImportItem } from "../operations/articles/import/import-items.ts";
import type { PushManifest } from "../operations/articles/import/push-archive.ts";
import { isSanityNdjson, readSanityNdjson } from "./cms/sanity.ts";
import { readJsonFile } from "./json/json.ts";
import { readMarkdownFile } from "./markdown/markdown.ts";
import { findPictures, readSite } from "./read-site.ts";
import { readBatch, readNdjson } from "./json/ndjson.ts";
import { readLibraries, readWordPressXml } from "./wordpress/wordpress-post.ts";

/** `-` is standard input. @throws AppError `invalid` for what cannot be read; within a folder that is a failed item. */
export function readImport(path: string, options: ReadImportOptions): AsyncGenerator<ImportItem> {
  return onceEach(readItems(path, options));
}

/** As `readImport`, with duplicates, and with `PASSED` for each item that `begin` skips. */
export async function* readItems(
  path: string,
  options: ReadImportOptions & Pick<ImportContext, "begin">,
): AsyncGenerator<ReadItem> {
  if (options.format !== "auto" && !IMPORT_FORMATS.includes(options.format)) {
    throw new AppError("invalid", `The format must be auto, ${IMPORT_FORMATS.join(", ")}.`, { field: "format" });
  }
  const now = (options.clock ?? Date.now)();
  const { websiteUrl, website, begin, dialect, include = [] } = options;
  const context: ImportContext = {
    websiteUrl,
    include,
    now,
    ...(website === undefined ? {} : { website }),
    ...(begin === undefined ? {} : { begin }),
    ...(dialect === undefined ? {} : { dialect }),
  };
  if (path === "-") yield* readStdin(options, context);
  else yield* readPath(path, options, context);
}

type DroppedOptions = Pick<ReadImportOptions, "websiteUrl" | "website" | "clock" | "onProgress"> &
  Pick<ImportContext, "maxJsonBytes" | "begin">;

/**
 * Reads a dropped file: its items and identities are those of `readImport` on its folder; several folders side by side
 * give those of their parent. Only `readImport` detects one identity in two files.
 */
export async function* readDropped(
  { path, name, folder, isBatch = false, files }: DroppedFile,
  options: DroppedOptions,
): AsyncGenerator<ReadItem> {
  if (isBatch) {
    const { size } = await stat(path);
    const { begin, clock = Date.now } = options;
    const context = { websiteUrl: null, now: clock(), ...(begin === undefined ? {} : { begin }) };
    yield* readBatch(await fileAt(path, name, size, progress(options, size)), context);
    return;
  }
  const { websiteUrl, website, maxJsonBytes, begin, clock = Date.now } = options;
  const context: ImportContext = {
    websiteUrl,
    now: clock(),
    ...(website === undefined ? {} : { website }),
    ...(maxJsonBytes === undefined ? {} : { maxJsonBytes }),
    ...(begin === undefined ? {} : { begin }),
  };
  const all: ReadImportOptions = { ...options, format: "auto" };
  if (files?.from === "push") {
    // The service has checked it.
    const manifest = JSON.parse(await readBytes(join(path, "push.json"), "utf8")) as PushManifest;
    const root = join(path, "files");
    const isOnlyRead = new Set(manifest.files.flatMap(({ path: file, hash }) => (hash === null ? file : [])));
    const sent = { ...manifest, isWhole: false, top: root, isOnlyRead };
    yield* readFolder(join(root, manifest.siteFolder), all, context, sent);
    return;
  }
  if (files?.from === "zip") {
    yield* readFolder(path, all, context);
    return;
  }
  if (files?.from === "drop") {
    yield* readFolder(path, all, context, { folder: folder ?? "", names: [], isWhole: true });
    return;
  }
  const own = folder === null ? name : nameIn(folder, name.slice(folder.length + 1));
  const isInFolder = name.includes("/");
  const leftOut = isInFolder ? skipReason(own) : null;
  if (leftOut !== null) {
    yield { kind: "skipped", source: own, reason: leftOut };
    return;
  }
  if (isIndex(own)) {
    yield { kind: "failed", source: own, reason: `An ${own} is the article of its folder: take that folder.` };
    return;
  }
  const { size } = await stat(path);
  const file = { path, name: own, size };
  const read = isInFolder ? readFileInFolder : readFileByItself;
  yield* read(file, progress(options, size), all, context);
}

interface FoundFile {
  path: string;
  name: string;
  size: number;
}

async function* readFileByItself(
  { path, name, size }: FoundFile,
  advance: (bytes: number) => void,
  options: ReadImportOptions,
  context: ImportContext,
): AsyncGenerator<ReadItem> {
  try {
    const file = await fileAt(path, name, size, advance);
    yield* readFile(file, detectKind(name, file.head), options, context);
  } catch (error) {
    yield failedItem(name, error);
  }
}

async function* readPath(path: string, options: ReadImportOptions, context: ImportContext): AsyncGenerator<ReadItem> {
  const stats = await stat(path).catch((error: unknown) => {
    const why = codeOrText(error) === "ENOENT" ? "does not exist" : `cannot be read (${codeOrText(error)})`;
    throw new AppError("invalid", `${path} ${why}.`, { field: "path", cause: error });
  });
  if (stats.isDirectory()) yield* readFolder(path, options, context);
  else if (!stats.isFile()) throw new AppError("invalid", `${path} is neither a file nor a folder.`, { field: "path" });
  else {
    const name = nameIn(basename(dirname(await realpath(path))), basename(path));
    const file = await readable(path, fileAt(path, name, stats.size, progress(options, stats.size)));
    const site = readSite(dirname(path));
    const inSite = {
      ...context,
      site,
      root: site.root ?? dirname(path),
      vault: new Vault(site.root ?? dirname(path)),
      addresses: new Map<string, string | null>(),
      pictures: findPictures(dirname(path), site),
      pathInSite: site.folder + basename(path),
    };
    yield* named(file.name, readFile(file, kindOfNamed(file, options), options, inSite));
  }
}

async function* readStdin(options: ReadImportOptions, context: ImportContext): AsyncGenerator<ReadItem> {
  if (options.stdin === undefined)
    throw new AppError("invalid", "There is no standard input to read.", { field: "path" });
  const advance = progress(options, null);
  const stream = await streamedFile(options.stdin, "standard input", advance);
  const kind = kindOfNamed(stream, options);
  if (kind !== "xml" && !(kind === "ndjson" && isSanityNdjson(stream.head))) {
    yield* named(stream.name, readFile(stream, kind, options, context));
    return;
  }
  // XML and Sanity's lines are read twice, but a stream only once.
  const { path, remove } = await spoolToDisk(stream);
  try {
    const { size } = await stat(path);
    const file = await fileAt(path, stream.name, size, advance);
    yield* named(file.name, readFile(file, kind, options, context));
  } finally {
    await remove();
  }
}

/**
 * @param sent the folder came from elsewhere: says what it is called there, which other files it has, whether all that was
 * to be read is here, the folder of its site, and the files that only others need.
 */
async function* readFolder(
  root: string,
  options: ReadImportOptions,
  context: ImportContext,
  sent?: Pick<PushManifest, "folder" | "names"> & { isWhole: boolean; top?: string; isOnlyRead?: ReadonlySet<string> },
): AsyncGenerator<ReadItem> {
  let total = 0;
  const folder = sent?.folder ?? basename(await realpath(root));
  const translated = new Set<string>();
  const addTranslation = (name: string) => {
    const { language, translationGroup } = parsePath(nameIn(folder, name));
    if (language !== null) translated.add(translationGroup);
  };
  for (const name of sent?.names ?? []) addTranslation(name);
  const cascades: Cascade[] = [];
  const substack = new Map<string, CsvRow>();
  const tables = new Set<string>();
  const xml: FoundFile[] = [];
  for await (const entry of walkFolder(root)) {
    if (entry.kind === "skipped" && entry.reason === SECTION_OPENING) {
      cascades.push(...readCascades(entry.name, await readSection(join(root, entry.name), entry.name)));
    }
    if (entry.kind === "skipped" && /(?:^|\/)posts\.csv$/.test(entry.name)) {
      const { readSubstackPosts } = await import("./substack/substack.ts");
      const posts = readSubstackPosts(entry.name, await readSection(join(root, entry.name), entry.name));
      if (posts !== null) tables.add(entry.name);
      for (const [path, row] of posts ?? []) substack.set(path, row);
    }
    if (entry.kind !== "file") continue;
    total += entry.size;
    if (/\.xml$/i.test(entry.name)) xml.push(entry);
    addTranslation(entry.name);
  }
  cascades.sort((one, other) => one.folder.length - other.folder.length);
  // What is above a pushed or unpacked folder on this machine is not the sender's.
  const isOurs = sent !== undefined || root.split(sep).some((part) => parseTemporaryName(part) !== undefined);
  const bound = isOurs ? (sent?.top ?? root) : undefined;
  const site = readSite(root, bound);
  const pictures = findPictures(root, site, bound);
  const advance = progress(options, total);
  const wordpress = await readTogether(xml, advance, context);
  let found = 0;
  const addresses = new Map<string, string | null>();
  const vault = new Vault(site.root ?? root);
  for await (const entry of walkFolder(root)) {
    if (entry.kind === "skipped") {
      const isReported = sent?.isWhole !== false && !tables.has(entry.name);
      if (isReported) yield { kind: "skipped", source: entry.name, reason: entry.reason };
      continue;
    }
    if (sent?.isOnlyRead?.has(entry.name) === true) continue;
    const file = { ...entry, name: nameIn(folder, entry.name) };
    const pathInSite = site.folder + entry.name;
    const around = { ...wordpress, translated, cascades, substack, addresses, pictures, vault };
    const inSite = { ...context, ...around, site, root: site.root ?? root, pathInSite };
    for await (const item of readFileInFolder(file, advance, options, inSite)) {
      if (item.kind !== "skipped") found += 1;
      yield item;
    }
    substack.delete(entry.name);
  }
  for (const [name, row] of substack) yield (await import("./substack/substack.ts")).missingPost(name, row);
  if (found === 0 && sent === undefined) {
    throw new AppError("invalid", `No articles found in ${folder}.`, { field: "path" });
  }
}

/** Several exports of WordPress: one site's is in files of a few megabytes each, if its host splits it. */
async function readTogether(
  xml: readonly FoundFile[],
  advance: (bytes: number) => void,
  { begin }: ImportContext,
): Promise<Pick<ImportContext, "wordpress">> {
  const exports: FoundFile[] = [];
  for (const found of xml) {
    const head = await fileAt(found.path, found.name, found.size, advance).then(
      (file) => peekText(file.head),
      // It is reported when its articles are read.
      () => "",
    );
    if (isWordPressXml(head)) exports.push(found);
  }
  if (exports.length < 2) return {};
  const files = async function* () {
    for (const { path, name, size } of exports) {
      begin?.(name, size);
      yield await fileAt(path, name, size, advance);
    }
  };
  return { wordpress: await readLibraries(files()) };
}

/** An unreadable section is empty: it is no article, and fails nothing. */
async function readSection(path: string, name: string): Promise<string> {
  try {
    const { size } = await stat(path);
    return await readText(await fileAt(path, name, size, () => undefined));
  } catch {
    return "";
  }
}

async function* readFileInFolder(
  { path, name, size }: FoundFile,
  advance: (bytes: number) => void,
  options: ReadImportOptions,
  context: ImportContext,
): AsyncGenerator<ReadItem> {
  try {
    const file = await readable(name, fileAt(path, name, size, advance));
    const detected = detectKind(name, file.head);
    const kind = options.format === "auto" ? detected : kindFor(options.format, detected);
    if (kind === null) yield { kind: "skipped", source: name, reason: `It is not of the format ${options.format}.` };
    else yield* readFile(file, kind, options, context);
  } catch (error) {
    if (error instanceof NoArticles) yield { kind: "skipped", source: name, reason: error.message };
    else yield failedItem(name, error);
  }
}

async function* readFile(
  file: ImportFile,
  kind: FileKind,
  options: ReadImportOptions,
  context: ImportContext,
): AsyncGenerator<ReadItem> {
  switch (kind) {
    case "markdown":
      yield isWanted(file, context) ? withPlaces(await readMarkdown(file, context), context) : PASSED;
      return;
    case "html":
      yield isWanted(file, context) ? withPlaces(await readHtml(file, context), context) : PASSED;
      return;
    case "asciidoc": {
      if (!isWanted(file, context)) yield PASSED;
      else {
        const { readAsciiDocFile } = await import("./documents/asciidoc.ts");
        yield await readAsciiDocFile(file.name, await readText(file), context);
      }
      return;
    }
    case "word": {
      if (!isWanted(file, context)) yield PASSED;
      else {
        const { readWordFile } = await import("./documents/word.ts");
        yield await readWordFile(file.name, await readBytesWhole(file, MAX_ITEM_BYTES, TOO_LARGE), context);
      }
      return;
    }
    case "csv": {
      const { readTable } = await import("./cms/table.ts");
      yield* readTable(file.name, await readText(file), context);
      return;
    }
    case "xml":
      if (options.format === "auto" && isFeed(file.head))
        yield* (await import("./feeds/feed.ts")).readFeed(file, context);
      else yield* readWordPressXml(file, context);
      return;
    case "ndjson":
      yield* isSanityNdjson(file.head) ? readSanityNdjson(file, context) : readNdjson(file, context);
      return;
    case "json":
      yield* readJsonFile(file, options.format, context);
  }
}

/** Notion puts the id of a page behind its name. */
const NOTION_PAGE = / [0-9a-f]{32}\.(?:md|html)$/;

async function readMarkdown(file: ImportFile, context: ImportContext): Promise<ImportItem> {
  const text = await readText(file);
  return NOTION_PAGE.test(file.name)
    ? (await import("./notion/notion.ts")).readNotionPage(file.name, text, context)
    : readMarkdownFile(file.name, text, "markdown", context);
}

async function readHtml(file: ImportFile, context: ImportContext): Promise<ImportItem> {
  const text = await readText(file);
  if (NOTION_PAGE.test(file.name)) return (await import("./notion/notion.ts")).readNotionPage(file.name, text, context);
  const row = context.substack?.get(file.name);
  if (row === undefined) return readHtmlFile(file.name, text, context);
  return (await import("./substack/substack.ts")).readSubstackPost(file.name, text, row, context);
}

/** The item with the folders that its pictures may be in. */
function withPlaces(item: ImportItem, { pictures, root, pathInSite }: ImportContext): ImportItem {
  if (item.kind !== "draft" || pictures === undefined || root === undefined || pathInSite === undefined) return item;
  return { ...item, pictures: { ...pictures, folder: dirname(join(root, pathInSite)) } };
}

function isWanted({ name, size }: ImportFile, { begin }: ImportContext): boolean {
  return begin?.(name, size ?? undefined) !== false;
}

const TOO_LARGE = "It is larger than 20 MB, the most that one article may have.";

function readText(file: ImportFile): Promise<string> {
  return readWhole(file, MAX_ITEM_BYTES, TOO_LARGE);
}

/** A named file is read in the format that the user gave, even if it does not look like it. */
function kindOfNamed(file: ImportFile, { format }: ReadImportOptions): FileKind {
  try {
    if (format === "auto") return detectKind(file.name, file.head);
    if (file.head.length === 0 && format === "ndjson") return "ndjson";
    return kindFor(format, detectKind(file.name, file.head)) ?? namedKind(format, file.name, file.head);
  } catch (error) {
    if (format !== "auto" && error instanceof NoArticles)
      return inFile(file.name, () => namedKind(format, file.name, file.head));
    throw aboutFile(file.name, error);
  }
}

function inFile<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw aboutFile(name, error);
  }
}

/** Error messages begin with "It …"; for a named file they get its name. */
async function* named(name: string, items: AsyncIterable<ReadItem>): AsyncGenerator<ReadItem> {
  try {
    yield* items;
  } catch (error) {
    throw aboutFile(name, error);
  }
}

function aboutFile(name: string, error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  return new AppError(error.code, `${name}: ${error.message}`, { field: error.field ?? "path", cause: error });
}

async function readable<T>(name: string, file: Promise<T>): Promise<T> {
  try {
    return await file;
  } catch (error) {
    throw new AppError("invalid", `${name} cannot be read (${codeOrText(error)}).`, { field: "path", cause: error });
  }
}

function progress(options: Pick<ReadImportOptions, "onProgress">, total: number | null): (bytes: number) => void {
  let read = 0;
  return (bytes) => {
    read += bytes;
    options.onProgress?.(Math.round(read), total);
  };
}
