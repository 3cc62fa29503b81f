/**
 * Orders in files beside the database, so that a start need not read them from an index that is 28 times as large. A file that
 * is torn, or of another state of the database than this one has behind it, is not used.
 */
import { open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ArticleStatus } from "../../../domain/articles/article.ts";
import { findOrderToken } from "../../../store/system/saved-orders.ts";
import { MIGRATION_NAMES } from "../../../store/migration-names.generated.ts";
import type { Snapshot } from "../../../store/store.ts";
import { makePrivateFolder, PRIVATE_FILE_MODE } from "../../../store/system/files.ts";

/** A migration may change what orders depend on. */
const SCHEMA = MIGRATION_NAMES.at(-1);
/** Other requests have their turn between two parts: a checksum takes a millisecond. */
const PART_BYTES = 1024 * 1024;
const MAX_HEADER_BYTES = 1_000;
const UNFINISHED_SUFFIX = ".tmp";

/** All articles of a website and status, in the default order, at a content version. */
export interface LoadedOrder {
  epoch: string;
  version: number;
  rows: Uint32Array;
}

interface Header {
  schema: string | undefined;
  websiteId: string;
  status: ArticleStatus;
  token: string;
  epoch: string;
  version: number;
  count: number;
}

/** The order that was saved, if the database has its version behind it. */
export async function readOrder(
  path: string,
  db: Snapshot,
  websiteId: string,
  status: ArticleStatus,
): Promise<LoadedOrder | undefined> {
  const token = await findOrderToken(db, websiteId, status);
  if (token === undefined) return undefined;
  try {
    const expected = { schema: SCHEMA, websiteId, status, token };
    return await readFile(path, expected);
  } catch {
    // It is missing or unreadable: the order is read from the database.
    return undefined;
  }
}

/** `token`: the change token of a transaction that saw the version. A power failure may lose the file. */
export async function writeOrder(
  path: string,
  websiteId: string,
  status: ArticleStatus,
  token: string,
  { epoch, version, rows }: LoadedOrder,
): Promise<void> {
  makePrivateFolder(dirname(path));
  const unfinished = path + UNFINISHED_SUFFIX;
  const header: Header = { schema: SCHEMA, websiteId, status, token, epoch, version, count: rows.length };
  const text = Buffer.from(JSON.stringify(header));
  try {
    await rm(unfinished, { force: true });
    await writeAll(unfinished, text, rows);
    await rename(unfinished, path);
  } catch (error) {
    // On a full disk its space is wanted.
    await rm(unfinished, { force: true });
    throw error;
  }
}

async function writeAll(path: string, text: Buffer, rows: Uint32Array): Promise<void> {
  await using file = await open(path, "wx", PRIVATE_FILE_MODE);
  const { crc32 } = process.getBuiltinModule("node:zlib");
  let checksum = 0;
  const write = async (bytes: Uint8Array) => {
    checksum = crc32(bytes, checksum);
    for (let at = 0; at < bytes.length;) at += (await file.write(bytes, at)).bytesWritten;
  };
  await write(toBytes(Uint32Array.of(text.length)));
  await write(text);
  for (const part of toParts(rows)) await write(part);
  await write(toBytes(Uint32Array.of(checksum)));
}

/** Removes the files of all other websites: they were deleted. */
export async function removeOrphans(folder: string, websiteIds: ReadonlySet<string>): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!websiteIds.has(name.slice(0, name.indexOf(".")))) await rm(join(folder, name), { force: true });
  }
}

type Expected = Pick<Header, "schema" | "websiteId" | "status" | "token">;

async function readFile(path: string, expected: Expected): Promise<LoadedOrder | undefined> {
  await using file = await open(path, "r");
  const { crc32 } = process.getBuiltinModule("node:zlib");
  let checksum = 0;
  const read = async (bytes: Uint8Array) => {
    for (let at = 0; at < bytes.length;) {
      const { bytesRead } = await file.read(bytes, at);
      if (bytesRead === 0) throw new Error(`${path} is too short`);
      at += bytesRead;
    }
    checksum = crc32(bytes, checksum);
  };
  const length = await readNumber(read);
  if (length > MAX_HEADER_BYTES) return undefined;
  const text = Buffer.alloc(length);
  await read(text);
  // The checksum is compared before anything of it is used.
  const { epoch, version, count, ...found } = JSON.parse(text.toString()) as Header;
  const { size } = await file.stat();
  if (size !== length + 4 * (count + 2) || !isSame(found, expected)) return undefined;
  const rows = new Uint32Array(count);
  for (const part of toParts(rows)) await read(part);
  const computed = checksum;
  const stated = await readNumber(read);
  return stated === computed ? { epoch, version, rows } : undefined;
}

async function readNumber(read: (bytes: Uint8Array) => Promise<void>): Promise<number> {
  const numbers = new Uint32Array(1);
  await read(toBytes(numbers));
  return numbers[0] ?? 0;
}

function isSame(found: Expected, expected: Expected): boolean {
  return (
    found.schema === expected.schema &&
    found.websiteId === expected.websiteId &&
    found.status === expected.status &&
    found.token === expected.token
  );
}

function toBytes(numbers: Uint32Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

function* toParts(numbers: Uint32Array): Generator<Uint8Array> {
  const bytes = toBytes(numbers);
  for (let at = 0; at < bytes.length; at += PART_BYTES) yield bytes.subarray(at, at + PART_BYTES);
}
