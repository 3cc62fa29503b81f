import { randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { AppError } from "../domain/system/errors.ts";
import { temporaryPrefix } from "../domain/system/temporary-names.ts";
import { decodeText } from "./text-encoding.ts";

/** One file, which can be read from its start as often as a format needs. */
export interface ImportFile {
  /** The name in messages: the path within the folder, with `/` on every system, or the file's own name. */
  name: string;
  /** `null`: unknown until the end is reached. */
  size: number | null;
  head: Uint8Array;
  /** `share`: the share of one reading in the progress, for formats that read the file twice. */
  open(share?: number): AsyncIterable<Uint8Array>;
}

/** Enough to recognise a format: a WordPress export opens with a page of comments. */
const HEAD_BYTES = 64 * 1024;

export async function fileAt(
  path: string,
  name: string,
  size: number,
  onBytes: (bytes: number) => void,
): Promise<ImportFile> {
  return {
    name,
    size,
    head: await readHead(path),
    open: (share = 1) => counted(createReadStream(path, { highWaterMark: 256 * 1024 }), share, onBytes),
  };
}

async function readHead(path: string): Promise<Uint8Array> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

async function* counted(
  stream: AsyncIterable<Uint8Array>,
  share: number,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) {
    yield chunk;
    onBytes(chunk.length * share);
  }
}

/**
 * Reads the text of a file that must be held in memory whole; rejects a file above `most` bytes with the message `tooLarge`.
 */
export async function readWhole(file: ImportFile, most: number, tooLarge: string): Promise<string> {
  if ((file.size ?? 0) > most) throw new AppError("invalid", tooLarge);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of file.open()) {
    length += chunk.length;
    if (length > most) throw new AppError("invalid", tooLarge);
    chunks.push(chunk);
  }
  return decodeText(Buffer.concat(chunks));
}

/** A stream that can be read once, with its head read in advance. */
export async function streamedFile(
  stream: NodeJS.ReadableStream,
  name: string,
  onBytes: (bytes: number) => void,
): Promise<ImportFile> {
  const chunks = readBytes(stream);
  const seen: Uint8Array[] = [];
  let length = 0;
  while (length < HEAD_BYTES) {
    const next = await chunks.next();
    if (next.done === true) break;
    seen.push(next.value);
    length += next.value.length;
  }
  const head = Buffer.concat(seen);
  return {
    name,
    size: null,
    head: head.subarray(0, HEAD_BYTES),
    open: (share = 1) => counted(joined(head, chunks), share, onBytes),
  };
}

/** Copies the file to a temporary one that can be read twice; `remove` deletes it. */
export async function spoolToDisk(file: ImportFile): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = join(tmpdir(), temporaryPrefix("import") + randomUUID().replaceAll("-", ""));
  const remove = (): Promise<void> => rm(path, { force: true });
  try {
    // Unpublished content must not be readable by other users of the machine.
    await pipeline(file.open(0), createWriteStream(path, { mode: 0o600, flags: "wx" }));
  } catch (error) {
    await remove();
    throw error;
  }
  return { path, remove };
}

async function* joined(head: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (head.length > 0) yield head;
  yield* rest;
}

async function* readBytes(stream: NodeJS.ReadableStream): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) yield typeof chunk === "string" ? Buffer.from(chunk) : chunk;
}
