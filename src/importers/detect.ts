import { withoutComments } from "./delimited.ts";
import { AppError, getErrorCode } from "../domain/system/errors.ts";
import { type ImportFormat, NoArticles } from "./import-item.ts";
import { looksBinary, peekText } from "./import-file.ts";
import { findZipDocument, WORD_DOCUMENT } from "../operations/articles/import/zip-archive.ts";
import { whyEndingNotRead, whyHeadNotRead } from "./unread.ts";
import { readdir, realpath, stat } from "node:fs/promises";
import type { Stats } from "node:fs";
import { join, sep } from "node:path";

/** How a file is read. JSON may also be an export of WordPress or Ghost; its content tells which. */
export type FileKind = "markdown" | "html" | "asciidoc" | "word" | "xml" | "json" | "ndjson" | "csv";

const KINDS: Record<ImportFormat, readonly FileKind[]> = {
  markdown: ["markdown", "html", "asciidoc", "word"],
  wordpress: ["xml", "json"],
  ghost: ["json"],
  json: ["json", "ndjson"],
  ndjson: ["ndjson", "json"],
};

const ZIP = "a zip archive";
const ARCHIVES: readonly (readonly [string, string])[] = [
  ["504b0304", ZIP],
  ["504b0506", ZIP],
  ["1f8b", "a gzip archive"],
  ["425a68", "a bzip2 archive"],
  ["fd377a58", "an xz archive"],
  ["28b52ffd", "a zstd archive"],
  ["377abcaf", "a 7z archive"],
  ["52617221", "a rar archive"],
];

/** Decides by content, and by name only if that is ambiguous. Rejects archives, binaries and unknown formats. */
export function detectKind(name: string, head: Uint8Array): FileKind {
  if (isZip(head) && findZipDocument(name, head) === WORD_DOCUMENT) return "word";
  assertNoArchive(name, head);
  const unread = whyEndingNotRead(getExtension(name)) ?? whyHeadNotRead(head);
  if (unread !== null) throw new NoArticles(unread);
  if (looksBinary(head)) throw new NoArticles("It is a binary file, or text that is not UTF-8: not an article.");
  const extension = getExtension(name);
  if (/^(?:md|markdown|mdx|mkd|mdown)$/.test(extension)) return "markdown";
  if (/^(?:adoc|asciidoc)$/.test(extension)) return "asciidoc";
  if (extension === "csv") return "csv";
  const text = peekText(head).trimStart();
  if (/^(?:<\?xml|<rss\b)/.test(text)) return "xml";
  if (/^[{[]/.test(text)) return jsonKind(text, extension);
  if (/^<(?:!doctype html|html)\b/i.test(withoutComments(text).trimStart())) return "html";
  if (/^html?$/.test(extension)) return "html";
  if (/^(?:json|ndjson|jsonl)$/.test(extension)) return extension === "json" ? "json" : "ndjson";
  if (extension === "xml") return "xml";
  if (/^(?:---|\+\+\+)[ \t]*\r?\n/.test(text)) return "markdown";
  if (text === "") throw new NoArticles("It is empty.");
  throw new NoArticles(
    "Its format is not recognised: give it the ending of its format (.md, .html, .xml, .json or .ndjson), or on the " +
      "command line name it with --format (markdown, wordpress, ghost, json or ndjson).",
  );
}

/** How to read a file as the format that the user named; `null`: it is evidently in another format. */
export function kindFor(format: ImportFormat, detected: FileKind): FileKind | null {
  if (!KINDS[format].includes(detected)) return null;
  return format === "ndjson" ? "ndjson" : detected;
}

export function namedKind(format: ImportFormat, name: string, head: Uint8Array): FileKind {
  assertNoArchive(name, head);
  if (looksBinary(head))
    throw new AppError("invalid", "It is a binary file, or text that is not UTF-8. Save it as UTF-8 to import it.");
  return KINDS[format][0] ?? "json";
}

function isZip(head: Uint8Array): boolean {
  return findArchive(head) === ZIP;
}

function findArchive(head: Uint8Array): string | undefined {
  const start = Buffer.from(head.subarray(0, 4)).toString("hex");
  return ARCHIVES.find(([magic]) => start.startsWith(magic))?.[1];
}

function assertNoArchive(name: string, head: Uint8Array): void {
  const archive = findArchive(head);
  if (archive === undefined) return;
  if (archive !== ZIP) throw new NoArticles(`It is ${archive}: unpack it first, then import what was in it.`);
  const document = findZipDocument(name, head);
  if (document !== null) {
    const [, ending = ""] = /\.(\w+)[,)]/.exec(document) ?? [];
    throw new NoArticles(whyEndingNotRead(ending) ?? `It is ${document}, which cannot be imported.`);
  }
  throw new NoArticles("It is a zip archive within a folder or a stream: import it by itself, as a file.");
}

/** One value that spans several lines is JSON; one complete value per line is NDJSON. */
function jsonKind(text: string, extension: string): FileKind {
  if (/^(?:ndjson|jsonl)$/.test(extension)) return "ndjson";
  const end = text.indexOf("\n");
  if (end === -1 || !text.startsWith("{")) return "json";
  const isFollowed = /^\s*\{/.test(text.slice(end));
  return isFollowed && isJson(text.slice(0, end)) ? "ndjson" : "json";
}

/** Whether XML is RSS or Atom, and not WordPress' export, which is RSS with more in it. */
export function isFeed(head: Uint8Array): boolean {
  const text = peekText(head);
  return !isWordPressXml(text) && /<(?:rss|feed|rdf:RDF)[\s>]/.test(withoutComments(text));
}

export function isWordPressXml(text: string): boolean {
  return /wordpress\.org\/export\/|<wp:wxr_version/.test(text);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function getExtension(name: string): string {
  return /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? "";
}

export type FolderEntry =
  | { kind: "file"; path: string; name: string; size: number }
  | { kind: "skipped"; name: string; reason: string };

/** Folders that site generators keep beside their articles, and their output. */
const NOT_CONTENT = new Set([
  "node_modules",
  "_site",
  "_layouts",
  "_includes",
  "_sass",
  "_data",
  "_plugins",
  "__MACOSX",
]);
/** Files about the repository, which are not part of the website. In lower case such a name may be an article's. */
const ABOUT_THE_REPOSITORY =
  /^(?:[Rr][Ee][Aa][Dd][Mm][Ee](?:\.[\w-]+)?|LICEN[CS]E(?:-[\w.-]+)?|COPYING|NOTICE|CHANGELOG|CONTRIBUTING|CODE_OF_CONDUCT|SECURITY|AUTHORS)$/;
/** Extensions that may hold articles; other files are listed without being opened. */
const READABLE = new Set([
  "md",
  "markdown",
  "mdx",
  "mkd",
  "mdown",
  "adoc",
  "asciidoc",
  "docx",
  "html",
  "htm",
  "xml",
  "json",
  "ndjson",
  "jsonl",
  "zip",
  "gz",
  "txt",
]);

/** Everything in a folder, by path. A symbolic link is followed if it stays inside and its target is new. */
export async function* walkFolder(root: string): AsyncGenerator<FolderEntry> {
  const top = await realpath(root);
  yield* walk(top, "", { top, seen: new Set([top]) });
}

/** @param name its path, with `/` on every system. @returns why `walkFolder` would skip it; null if it would not. */
export function skipReason(name: string): string | null {
  const parts = name.split("/");
  if (parts.some((part) => part.startsWith("."))) return HIDDEN;
  if (parts.slice(0, -1).some((part) => NOT_CONTENT.has(part))) return MACHINERY;
  return whyNotRead(parts.at(-1) ?? "");
}

/** Why a file `_index.md`, also in a language (`_index.de.md`), is skipped. */
export const SECTION_OPENING = "It is the opening of a section, not an article.";
const HIDDEN = "It is hidden.";
const MACHINERY = "It is in a folder of the site's machinery, not of articles.";

interface Walk {
  top: string;
  /** Real paths of the visited folders, which prevents loops. */
  seen: Set<string>;
}

async function* walk(folder: string, prefix: string, state: Walk): AsyncGenerator<FolderEntry> {
  const entries = await readdir(folder).catch(codeOrText);
  if (typeof entries === "string") {
    yield { kind: "skipped", name: prefix === "" ? "./" : prefix, reason: `It cannot be read (${entries}).` };
    return;
  }
  for (const entry of entries.sort(byCodePoint)) {
    const path = join(folder, entry);
    const name = `${prefix}${entry}`;
    if (entry.startsWith(".")) {
      yield { kind: "skipped", name, reason: HIDDEN };
      continue;
    }
    const target = await resolveTarget(path, state);
    if (typeof target === "string") {
      yield { kind: "skipped", name, reason: target };
    } else if (!target.stats.isDirectory()) {
      const reason = target.stats.isFile() ? whyNotRead(entry) : "It is no regular file.";
      yield reason === null
        ? { kind: "file", path: target.path, name, size: target.stats.size }
        : { kind: "skipped", name, reason };
    } else if (NOT_CONTENT.has(entry)) {
      yield { kind: "skipped", name: `${name}/`, reason: "It is a folder of the site's machinery, not of articles." };
    } else if (state.seen.has(target.path)) {
      yield { kind: "skipped", name: `${name}/`, reason: "It is a link to a folder that was read already." };
    } else {
      state.seen.add(target.path);
      yield* walk(target.path, `${name}/`, state);
    }
  }
}

async function resolveTarget(path: string, { top }: Walk): Promise<{ path: string; stats: Stats } | string> {
  try {
    const real = await realpath(path);
    if (!real.startsWith(top.endsWith(sep) ? top : `${top}${sep}`) && real !== top) {
      return "It is a link that leads out of the folder.";
    }
    return { path: real, stats: await stat(real) };
  } catch (error) {
    return `It cannot be read (${codeOrText(error)}).`;
  }
}

function whyNotRead(entry: string): string | null {
  const stem = entry.replace(/\.[a-z]+$/i, "");
  if (ABOUT_THE_REPOSITORY.test(stem)) return "It is about the repository, not an article of the website.";
  if (/^_index(?:\.[\w-]+)?$/.test(stem)) return SECTION_OPENING;
  const extension = getExtension(entry);
  if (READABLE.has(extension)) return null;
  if (extension === "csv") return "It is a table: if its rows are articles, import it by itself.";
  return (
    whyEndingNotRead(extension) ??
    (extension === "" ? "It is not a file of articles." : `A .${extension} file is not an article.`)
  );
}

function byCodePoint(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function codeOrText(error: unknown): string {
  return getErrorCode(error) ?? String(error);
}
