import { withoutComments } from "./delimited.ts";
import { AppError } from "../domain/system/errors.ts";
import { NoArticles } from "./import-item.ts";
import type { ImportFormat } from "./import-item.ts";
import { looksBinary, peekText } from "./text-encoding.ts";

/** How a file is read. JSON may also be an export of WordPress or Ghost; its content tells which. */
export type FileKind = "markdown" | "html" | "xml" | "json" | "ndjson";

const KINDS: Record<ImportFormat, readonly FileKind[]> = {
  markdown: ["markdown", "html"],
  wordpress: ["xml", "json"],
  ghost: ["json"],
  json: ["json", "ndjson"],
  ndjson: ["ndjson", "json"],
};

const ARCHIVES: readonly (readonly [string, string])[] = [
  ["504b0304", "a zip archive"],
  ["504b0506", "a zip archive"],
  ["1f8b", "a gzip archive"],
  ["425a68", "a bzip2 archive"],
  ["fd377a58", "an xz archive"],
  ["28b52ffd", "a zstd archive"],
  ["377abcaf", "a 7z archive"],
  ["52617221", "a rar archive"],
];

/**
 * Detects how to read a file, by its content first and its name second: the name decides only if the content is ambiguous (a
 * Markdown text may begin with a bracket). Rejects archives, binaries and unknown formats.
 */
export function detectKind(name: string, head: Uint8Array): FileKind {
  assertNoArchive(head);
  if (looksBinary(head)) throw new NoArticles("It is a binary file, or text that is not UTF-8: not an article.");
  const extension = getExtension(name);
  if (/^(?:md|markdown|mdx|mkd|mdown)$/.test(extension)) return "markdown";
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

/** How to read a file of unrecognised kind whose format the user named. */
export function namedKind(format: ImportFormat, head: Uint8Array): FileKind {
  assertNoArchive(head);
  if (looksBinary(head))
    throw new AppError("invalid", "It is a binary file, or text that is not UTF-8. Save it as UTF-8 to import it.");
  return KINDS[format][0] ?? "json";
}

function assertNoArchive(head: Uint8Array): void {
  const start = Buffer.from(head.subarray(0, 4)).toString("hex");
  const archive = ARCHIVES.find(([magic]) => start.startsWith(magic));
  if (archive !== undefined) throw new NoArticles(`It is ${archive[1]}: unpack it first, then import what was in it.`);
}

/** One value that spans several lines is JSON; one complete value per line is NDJSON. */
function jsonKind(text: string, extension: string): FileKind {
  if (/^(?:ndjson|jsonl)$/.test(extension)) return "ndjson";
  const end = text.indexOf("\n");
  if (end === -1 || !text.startsWith("{")) return "json";
  const isFollowed = /^\s*\{/.test(text.slice(end));
  return isFollowed && isJson(text.slice(0, end)) ? "ndjson" : "json";
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export function getExtension(name: string): string {
  return /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? "";
}
