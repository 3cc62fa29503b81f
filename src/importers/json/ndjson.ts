import { isArticleField, isOwnForm, parseArticleJson, requireComplete } from "../../domain/articles/article-json.ts";
import { externalSource, isExternalId } from "../../domain/articles/origin.ts";
import { AppError } from "../../domain/system/errors.ts";
import type { Millis } from "../../domain/system/time.ts";
import { FrontMatterFields } from "../markdown/front-matter.ts";
import { whyHidden } from "../visibility.ts";
import { decodeText, type ImportFile } from "../import-file.ts";
import { isRecord } from "../../domain/articles/json-values.ts";
import {
  beginItem,
  failedItem,
  type ImportContext,
  MAX_ITEM_BYTES,
  NoArticles,
  type ReadItem,
  toText,
} from "../import-item.ts";
import type { ImportItem } from "../../operations/articles/import/import-items.ts";

/**
 * Reads one article per line, with one line at a time in memory. An invalid line becomes a failed item with its line
 * number.
 */
export function readNdjson(file: ImportFile, context: ImportContext): AsyncGenerator<ReadItem> {
  return readLines(file, context, {
    toSource: (line) => `${file.name}, line ${line}`,
    toItem: (source, value) => articleItem(source, value, { file: file.name, now: context.now }),
  });
}

export async function* readLines(
  file: ImportFile,
  context: ImportContext,
  { toSource, toItem }: { toSource: (line: number) => string; toItem: (source: string, value: unknown) => ImportItem },
): AsyncGenerator<ReadItem> {
  if (file.head[0] === 0xff || file.head[0] === 0xfe) {
    throw new AppError("invalid", "It is not UTF-8 text. Save it as UTF-8 and import it again.");
  }
  const start = Buffer.from(file.head.subarray(0, 200)).toString("utf8").trimStart();
  if (/^(?:\{\s*\n|\[)/.test(start)) {
    throw new NoArticles(
      "It is one JSON document, not one article per line: call it .json, or import it with --format json.",
    );
  }
  for await (const line of splitLines(file.open())) {
    const source = toSource(line.number);
    if (line.bytes === null) {
      yield { kind: "failed", source, reason: "The line is longer than 20 MB." };
      continue;
    }
    const { bytes } = line;
    const read = () => toItem(source, parseJson(decodeText(bytes).trim()));
    if (!isBlank(bytes)) yield beginItem(context, source, bytes.length, read);
  }
}

/** Reads a machine's articles, each with its own id there; an item's source is its line number. */
export function readBatch(file: ImportFile, context: ImportContext): AsyncGenerator<ReadItem> {
  return readLines(file, context, { toSource: String, toItem: batchItem });
}

function batchItem(source: string, value: unknown): ImportItem {
  if (!isRecord(value)) {
    return { kind: "failed", source, reason: "It is not a JSON object with the fields of an article." };
  }
  const externalId = typeof value["external_id"] === "string" ? value["external_id"] : undefined;
  const named = externalId === undefined ? {} : { externalId };
  try {
    const unknown = Object.keys(value).find((name) => !isArticleField(name) && !IGNORED.has(name));
    if (unknown !== undefined) {
      throw new AppError("invalid", `There is no ${unknown} of an article; leave it out, or correct its name.`, {
        field: unknown,
      });
    }
    const { id: _id, ...input } = parseArticleJson(value);
    const ref = externalSource(readExternalId(externalId));
    return { kind: "draft", source, ref, ...named, input: requireComplete(input, isOwnForm(value)) };
  } catch (error) {
    return { ...failedItem(source, error), ...named };
  }
}

/** Fields of answers, ignored so that answers can be sent back. */
const IGNORED: ReadonlySet<string> = new Set(
  "external_id word_count reading_time state etag source allowed request removal_request publication_request draft removed loss deleted_at".split(
    " ",
  ),
);

/** @throws AppError `invalid`. */
function readExternalId(given: string | undefined): string {
  if (given !== undefined && isExternalId(given)) return given;
  throw new AppError("invalid", "external_id must be your own id of the article, a text of 1 to 200 characters.", {
    field: "external_id",
  });
}

function isBlank(bytes: Uint8Array): boolean {
  const first = bytes.findIndex((byte) => byte > 32);
  // A byte order mark, or another kind of space.
  return first < 0 || (bytes.length - first < 20 && Buffer.from(bytes).toString("utf8").trim() === "");
}

/** Makes a draft of an article in our own JSON; an article that has an id of ours keeps it. */
export function articleItem(source: string, value: unknown, { file, now }: { file: string; now: Millis }): ImportItem {
  if (!isRecord(value)) {
    return { kind: "failed", source, reason: "It is not a JSON object with the fields of an article." };
  }
  try {
    const input = parseArticleJson(value);
    // Articles of other files may have the same title.
    const identity =
      input.id ??
      toText(value["slug"]) ??
      toText(value["platform_post_id"]) ??
      `${file}:${toText(value["title"]) ?? ""}`;
    const past = input.publishedAt != null && input.publishedAt <= now ? input.publishedAt : input.createdAt;
    if (past !== undefined) input.updatedAt ??= past;
    const isOwn = isOwnForm(value);
    // An empty draft can be exported, so it can be imported.
    const item: ImportItem = { kind: "draft", source, ref: `json:${identity}`, input: requireComplete(input, isOwn) };
    const hidden = isOwn ? null : whyHidden(new FrontMatterFields(value), now);
    return hidden === null ? item : { ...item, hidden, input: { ...item.input, status: "pending" } };
  } catch (error) {
    return failedItem(source, error);
  }
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new AppError("invalid", `It is not valid JSON: ${why}.`, { cause: error });
  }
}

interface Line {
  /** Starts at 1. */
  number: number;
  /** `null`: longer than an article may be. */
  bytes: Uint8Array | null;
}

/** Splits before decoding: in UTF-8 the line feed byte is never part of another character. */
async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let number = 1;
  let parts: Uint8Array[] = [];
  let length = 0;
  const take = (part: Uint8Array): void => {
    length += part.length;
    if (length > MAX_ITEM_BYTES) parts = [];
    else if (part.length > 0) parts.push(part);
  };
  const line = (): Line => ({ number, bytes: length > MAX_ITEM_BYTES ? null : Buffer.concat(parts) });
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      take(chunk.subarray(from, at));
      yield line();
      number += 1;
      parts = [];
      length = 0;
      from = at + 1;
    }
    take(chunk.subarray(from));
  }
  if (length > 0) yield line();
}
