/**
 * Several files in one upload of the dashboard: a line of JSON, `[{"name": "posts/a.md", "size": 120}, …]`, then the bytes
 * of each, in this order. A browser sends them without reading them first.
 */
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { AppError, getErrorCode } from "../../../domain/system/errors.ts";
import { temporaryPrefix } from "../../../domain/system/temporary-names.ts";
import { isPath } from "./zip-archive.ts";

const MAX_LIST_BYTES = 8_000_000;
const MAX_FILES = 10_000;
const LINE_END = 0x0a;

export interface UnpackedFiles extends AsyncDisposable {
  /** A folder with the files, under their names. */
  root: string;
  bytes: number;
  largestBytes: number;
}

/** @param folder the names begin with it: it is `root`. @throws AppError `invalid`. */
export async function unpackFiles(path: string, folder: string | null): Promise<UnpackedFiles> {
  const { files, start } = await readList(path, folder);
  const root = await mkdtemp(join(tmpdir(), temporaryPrefix("import")));
  const remove = () => rm(root, { recursive: true, force: true });
  try {
    let from = start;
    for (const { name, size } of files) {
      await save(join(root, folder === null ? name : name.slice(folder.length + 1)), path, from, size);
      from += size;
    }
    const sizes = files.map(({ size }) => size);
    return { root, bytes: from - start, largestBytes: Math.max(0, ...sizes), [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

interface ListedFile {
  name: string;
  size: number;
}

async function readList(path: string, folder: string | null): Promise<{ files: ListedFile[]; start: number }> {
  await using upload = await open(path);
  const { size: total } = await upload.stat();
  const { buffer, bytesRead } = await upload.read(Buffer.alloc(Math.min(total, MAX_LIST_BYTES)));
  const end = buffer.subarray(0, bytesRead).indexOf(LINE_END);
  if (end < 0) throw broken();
  let list: unknown;
  try {
    list = JSON.parse(buffer.toString("utf8", 0, end));
  } catch {
    throw broken();
  }
  const isFile = (value: unknown): value is ListedFile => isListed(value, folder);
  if (!Array.isArray(list) || list.length > MAX_FILES || !list.every(isFile)) throw broken();
  const start = end + 1;
  if (list.reduce((sum, { size }) => sum + size, start) !== total) throw broken();
  return { files: list, start };
}

function isListed(value: unknown, folder: string | null): value is ListedFile {
  const { name, size } = Object(value) as Record<string, unknown>;
  const isInFolder = typeof name === "string" && isPath(name) && (folder === null || name.startsWith(`${folder}/`));
  return isInFolder && typeof size === "number" && Number.isSafeInteger(size) && size >= 0;
}

async function save(path: string, upload: string, from: number, size: number): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const content = size === 0 ? Readable.from([]) : createReadStream(upload, { start: from, end: from + size - 1 });
    await pipeline(content, createWriteStream(path, { mode: 0o600, flags: "wx" }));
  } catch (error) {
    // Two files of one name, or a file and a folder.
    if (["EEXIST", "ENOTDIR", "EISDIR"].includes(getErrorCode(error) ?? "")) throw broken();
    throw error;
  }
}

function broken(): AppError {
  return new AppError("invalid", "The files did not arrive as they were sent: nothing was imported. Drop them again.");
}
