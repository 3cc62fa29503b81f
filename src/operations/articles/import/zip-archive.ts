/** Zip archives with articles: unpacked into a folder of ours, and read as one. */
import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, open, readdir, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { crc32 } from "node:zlib";
import type { Entry, ZipFile } from "yauzl";
import { AppError, getErrorCode } from "../../../domain/system/errors.ts";
import { temporaryPrefix } from "../../../domain/system/temporary-names.ts";
import type { ImportItem } from "./import-items.ts";

const MAX_FILES = 100_000;
const MAX_BYTES = 2_000_000_000;
/** A text becomes some ten times as large when it is unpacked, an archive that is meant to fill a disk a thousand times. */
const MAX_RATIO = 100;
/** Unpacked whatever the ratio. */
const FREE_BYTES = 100_000_000;
const MAX_PATH_BYTES = 1_000;
const MAX_NAME_BYTES = 255;
/** Bytes of its beginning that say whether an archive is a document. */
const HEAD_BYTES = 4_096;

/** The only one of them that is read. */
export const WORD_DOCUMENT = "a Word document (.docx)";
/** Documents that are zip archives by their form: their ending, what their first files are called or hold, and what they are. */
const DOCUMENTS: readonly (readonly [RegExp, RegExp, string])[] = [
  [/\.docx$/i, /word\/(?:document|_rels)/, WORD_DOCUMENT],
  [/\.xlsx$/i, /xl\/(?:workbook|worksheets|_rels)/, "an Excel workbook (.xlsx)"],
  [/\.pptx$/i, /ppt\/(?:presentation|slides|_rels)/, "a PowerPoint presentation (.pptx)"],
  [/\.od[ts]$/i, /^mimetypeapplication\/vnd\.oasis\.opendocument/, "an OpenDocument file (.odt, .ods)"],
  [/\.epub$/i, /^mimetypeapplication\/epub\+zip/, "an EPUB book (.epub)"],
  [/\.pages$/i, /(?:^|\0)Index\/Document\.iwa/, "a Pages document (.pages)"],
];

/** The document that a zip archive is; null: none. @param head its beginning. */
export function findZipDocument(name: string, head: Uint8Array): string | null {
  // After the first file's header of 30 bytes.
  const text = Buffer.from(head.subarray(30, HEAD_BYTES)).toString("latin1");
  const found = DOCUMENTS.find(([ending, content]) => ending.test(name) || content.test(text));
  return found?.[2] ?? null;
}

/** Whether a file is a zip archive, and not a document that is one by its form. @param name as people know the file. */
export async function isZip(path: string, name: string): Promise<boolean> {
  try {
    await using file = await open(path);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return hasZipHead(buffer) && findZipDocument(name, buffer.subarray(0, bytesRead)) === null;
  } catch {
    // A folder, standard input, or a file that is reported when it is read.
    return false;
  }
}

function hasZipHead(head: Uint8Array): boolean {
  return /^504b(?:0304|0506)/.test(Buffer.from(head.subarray(0, 4)).toString("hex"));
}

export interface Unzipped extends AsyncDisposable {
  /** Holds the files: the archive's only folder, or a folder with the archive's name. */
  root: string;
  bytes: number;
  largestBytes: number;
  /** What was not unpacked. */
  skipped: ImportItem[];
}

/** @param name as people know the archive. @throws AppError `invalid` for one that is broken, encrypted or too large. */
export async function unzip(path: string, name: string): Promise<Unzipped> {
  const folder = await mkdtemp(join(tmpdir(), temporaryPrefix("import")));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const stem = basename(name).replace(/\.zip$/i, "");
    const root = join(folder, isName(stem) ? stem : "zip");
    await mkdir(root, { mode: 0o700 });
    const most = Math.min(MAX_BYTES, Math.max(FREE_BYTES, (await stat(path)).size * MAX_RATIO));
    const state: Unpacking = { root, most, files: 0, bytes: 0, largestBytes: 0, skipped: [] };
    await unpackAll(path, state);
    const { bytes, largestBytes, skipped } = state;
    return { root: await withoutOuter(root), bytes, largestBytes, skipped, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

interface Unpacking {
  root: string;
  /** Bytes that may be unpacked. */
  most: number;
  files: number;
  bytes: number;
  largestBytes: number;
  skipped: ImportItem[];
}

/** Archives that are all that is in another one are parts of it, as Notion makes them. */
async function unpackAll(path: string, state: Unpacking): Promise<void> {
  const names = await unpack(path, state);
  if (!names.every((name) => /\.zip$/i.test(name))) return;
  // Elsewhere, as a part may have a file of its own name.
  const parts = await mkdtemp(join(dirname(state.root), "parts-"));
  const { root } = state;
  for (const [index, name] of names.entries()) {
    const part = join(parts, String(index));
    await rename(join(root, name), part);
    await unpack(part, state);
  }
  await rm(parts, { recursive: true });
}

/** @returns the names of the files. */
async function unpack(path: string, state: Unpacking): Promise<string[]> {
  const names: string[] = [];
  const { openPromise } = await import("yauzl");
  const archive = await readable(() =>
    openPromise(path, { lazyEntries: true, autoClose: false, decodeStrings: false }),
  );
  try {
    const entries = archive.eachEntry()[Symbol.asyncIterator]();
    for (;;) {
      const next = await readable(() => entries.next());
      if (next.done === true) return names;
      const name = await decodeName(next.value);
      if (name.endsWith("/") || /(?:^|\/)(?:__MACOSX\/|\.DS_Store$)/.test(name)) continue;
      const reason = await unpackEntry(archive, next.value, name, state);
      if (reason === null) names.push(name);
      else state.skipped.push({ kind: "skipped", source: name, reason });
    }
  } finally {
    archive.close();
  }
}

/** @returns why the file was left out; null: it was not. */
async function unpackEntry(archive: ZipFile, entry: Entry, name: string, state: Unpacking): Promise<string | null> {
  if (entry.isEncrypted()) throw refused("is encrypted");
  if (!isPath(name)) return "Its path leads out of the archive, or is too long.";
  // Unix keeps the type of a file in the upper half, of which 0o120000 is a link.
  if (((entry.externalFileAttributes >>> 16) & 0o170000) === 0o120000) return "It is a link to another file.";
  if (!entry.canDecodeFileData()) throw refused("is packed by a method that is not supported");
  state.files += 1;
  state.bytes += entry.uncompressedSize;
  state.largestBytes = Math.max(state.largestBytes, entry.uncompressedSize);
  if (state.files > MAX_FILES) throw refused(`holds more than ${MAX_FILES.toLocaleString("en-US")} files`);
  if (state.bytes > state.most) throw refused(`holds more than ${Math.floor(state.most / 1_000_000)} MB`);
  const path = join(state.root, name);
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await readable(async () => {
      const content = await archive.openReadStreamPromise(entry);
      // Not before: nobody would hear that it cannot be opened. The archive's files stay readable only for us.
      await pipeline(checked(content, entry), createWriteStream(path, { mode: 0o600, flags: "wx" }));
    });
    return null;
  } catch (error) {
    if (!["EEXIST", "ENOTDIR", "EISDIR"].includes(getErrorCode(error) ?? "")) throw error;
    return "The archive has a file or folder of this name already.";
  }
}

async function* checked(content: AsyncIterable<Buffer>, entry: Entry): AsyncGenerator<Buffer> {
  let sum = 0;
  for await (const part of content) {
    sum = crc32(part, sum);
    yield part;
  }
  if (sum !== entry.crc32) throw broken();
}

async function readable<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    // yauzl's errors have no code, zlib's one of its own; others are the disk's.
    const code = getErrorCode(error);
    if (error instanceof AppError || (code !== undefined && !code.startsWith("Z_"))) throw error;
    if (error instanceof Error && error.message.includes("encryption")) throw refused("is encrypted");
    throw broken(error);
  }
}

/** Without a mark, names are UTF-8 if they can be read so, as on Macs, else in the alphabet of the first PCs. */
async function decodeName({ generalPurposeBitFlag: flags, fileNameRaw, extraFields }: Entry): Promise<string> {
  const isMarked = (flags & 0x800) !== 0 || extraFields.some(({ id }) => id === 0x7075);
  if (!isMarked) {
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(fileNameRaw).replaceAll("\\", "/");
    } catch {
      // It is not UTF-8.
    }
  }
  const { getFileNameLowLevel } = await import("yauzl");
  return getFileNameLowLevel(flags, fileNameRaw, extraFields, false);
}

/** Leads to no place outside the folder. */
export function isPath(name: string): boolean {
  return Buffer.byteLength(name) <= MAX_PATH_BYTES && name.split("/").every(isName);
}

function isName(name: string): boolean {
  return !["", ".", ".."].includes(name) && !/[\0/\\]/.test(name) && Buffer.byteLength(name) <= MAX_NAME_BYTES;
}

/** The only folder in `root`; else `root`. */
async function withoutOuter(root: string): Promise<string> {
  const [only, ...others] = await readdir(root, { withFileTypes: true });
  const isOuter = only?.isDirectory() === true && others.length === 0 && !only.name.startsWith(".");
  return isOuter ? join(root, only.name) : root;
}

function refused(why: string): AppError {
  return new AppError("invalid", `The zip archive ${why}: unpack it, then import the folder.`, { field: "path" });
}

function broken(cause?: unknown): AppError {
  const message = "The zip archive is broken or cut off: nothing was imported. Download or make it again.";
  return new AppError("invalid", message, { field: "path", cause });
}
