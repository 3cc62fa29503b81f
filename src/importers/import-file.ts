import { randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { AppError } from "../domain/system/errors.ts";
import { temporaryPrefix } from "../domain/system/temporary-names.ts";

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

/** Reads a text that must be in memory whole; rejects one above `most` bytes with the message `tooLarge`. */
export async function readWhole(file: ImportFile, most: number, tooLarge: string): Promise<string> {
  return decodeText(await readBytesWhole(file, most, tooLarge));
}

export async function readBytesWhole(file: ImportFile, most: number, tooLarge: string): Promise<Buffer> {
  if ((file.size ?? 0) > most) throw new AppError("invalid", tooLarge);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of file.open()) {
    length += chunk.length;
    if (length > most) throw new AppError("invalid", tooLarge);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
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

const NOT_UTF8 = "It is not UTF-8 text. Save it as UTF-8 and import it again.";

/** Decodes a whole file: UTF-8 with or without a byte order mark, or UTF-16 with one. Rejects anything else. */
export function decodeText(bytes: Uint8Array): string {
  const decoder = new TextDecoder(detectEncoding(bytes), { fatal: true });
  try {
    return decoder.decode(bytes);
  } catch (error) {
    throw new AppError("invalid", NOT_UTF8, { cause: error });
  }
}

/** As `decodeText`, for a stream, also of characters that are split between two chunks. */
export async function* decodeChunks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: TextDecoder | null = null;
  try {
    for await (const chunk of chunks) {
      decoder ??= new TextDecoder(detectEncoding(chunk), { fatal: true });
      const text = decoder.decode(chunk, { stream: true });
      if (text !== "") yield text;
    }
    const rest = decoder?.decode() ?? "";
    if (rest !== "") yield rest;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new AppError("invalid", NOT_UTF8, { cause: error });
  }
}

/** Decodes the head of a file for inspection only: invalid bytes become replacement characters. */
export function peekText(head: Uint8Array): string {
  return new TextDecoder(detectEncoding(head)).decode(head);
}

/** Determined by the byte order mark; for XML by its declaration, since old exports name a one-byte encoding there. */
function detectEncoding(head: Uint8Array): string {
  if (head[0] === 0xff && head[1] === 0xfe) return "utf-16le";
  if (head[0] === 0xfe && head[1] === 0xff) return "utf-16be";
  const declared = /^<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)["']/.exec(
    Buffer.from(head.subarray(0, 200)).toString("latin1"),
  )?.[1];
  if (declared === undefined) return "utf-8";
  try {
    const { encoding } = new TextDecoder(declared);
    // The declaration was readable as single bytes, so it cannot be UTF-16 whatever it says.
    return encoding.startsWith("utf-16") ? "utf-8" : encoding;
  } catch {
    throw new AppError("invalid", `Its encoding ${declared} is not supported. Save it as UTF-8 and import it again.`);
  }
}

/** Whether a file that does not begin as UTF-16 contains a NUL byte. */
export function looksBinary(head: Uint8Array): boolean {
  return !detectEncoding(head).startsWith("utf-16") && head.includes(0);
}
