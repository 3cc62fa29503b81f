/**
 * Files of a repository in one tar archive, as `rostrum push` sends them:
 *
 *     push.json    first: {format, version, folder, names, files, moved, removed}
 *     files/<n>    the bytes of the file with this index in `files`
 */
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";
import { pipeline } from "node:stream/promises";
import { AppError, getErrorCode } from "../../../domain/system/errors.ts";
import { temporaryPrefix } from "../../../domain/system/temporary-names.ts";
import { isPath as isInSite } from "./zip-archive.ts";
import { readTar, TAR_BLOCK, TAR_END, tarHeader, tarPadding } from "../assets/tar.ts";

const FORMAT = "rostrum-push";
const MANIFEST = "push.json";
const FILES = "files";
const MAX_MANIFEST_BYTES = 32_000_000;
const MAX_NAMES = 200_000;
export const MAX_PATH_BYTES = 1_000;
const MAX_NAME_BYTES = 255;
export const MAX_HASH_LENGTH = 200;

export interface PushManifest {
  /** Name of the pushed folder: an `index.md` directly in it is called by it. */
  folder: string;
  /** Where it is in its site, whose configuration comes along; ends with `/`, or is empty. */
  siteFolder: string;
  /** Paths of all files that are there, sent or not: those of translations say what belongs together. */
  names: string[];
  /**
   * Those that are sent. `hash`: see `PushedFile`; null: only others need it, as a picture, the opening of a section or the
   * site's configuration. Such a path may lead to another folder of the site: `../static/a.png`.
   */
  files: { path: string; hash: string | null }[];
  /** Files that were called otherwise. */
  moved: { from: string; to: string }[];
  /** Files that are gone. */
  removed: string[];
}

export interface ExtractedPush extends AsyncDisposable {
  /** With push.json, and the site's files. */
  folder: string;
  /** The pushed folder in its site. */
  root: string;
  manifest: PushManifest;
  bytes: number;
  largestBytes: number;
}

/** @throws AppError `invalid`. */
export async function extractPush(path: string): Promise<ExtractedPush> {
  const folder = await mkdtemp(join(tmpdir(), temporaryPrefix("import")));
  const root = join(folder, FILES);
  try {
    await mkdir(root, { mode: 0o700 });
    let manifest: PushManifest | undefined;
    let [bytes, largestBytes, count] = [0, 0, 0];
    for await (const { name, size, content } of readTar(createReadStream(path) as AsyncIterable<Buffer>)) {
      if (manifest === undefined) {
        if (name !== MANIFEST || size > MAX_MANIFEST_BYTES) throw broken();
        const file = join(folder, MANIFEST);
        await pipeline(content, createWriteStream(file, { mode: 0o600, flags: "wx" }));
        manifest = parseManifest(await readFile(file, "utf8"));
        continue;
      }
      const file = manifest.files[count];
      if (file === undefined || name !== `${FILES}/${count}`) throw broken();
      count++;
      bytes += size;
      largestBytes = Math.max(largestBytes, size);
      await save(join(root, manifest.siteFolder + file.path), content);
    }
    if (manifest === undefined || count !== manifest.files.length) throw broken();
    const pushed = join(root, manifest.siteFolder);
    await mkdir(pushed, { recursive: true, mode: 0o700 });
    const remove = () => rm(folder, { recursive: true, force: true });
    return { folder, root: pushed, manifest, bytes, largestBytes, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function save(path: string, content: AsyncIterable<Buffer>): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await pipeline(content, createWriteStream(path, { mode: 0o600, flags: "wx" }));
  } catch (error) {
    // A file and a folder of one name.
    if (["EEXIST", "ENOTDIR", "EISDIR", "ENAMETOOLONG"].includes(getErrorCode(error) ?? "")) throw broken();
    throw error;
  }
}

/** @throws AppError `invalid`. */
function parseManifest(text: string): PushManifest {
  try {
    const { format, version, folder, siteFolder, names, files, moved, removed } = JSON.parse(text) as Record<
      string,
      unknown
    >;
    const isOurs = format === FORMAT && version === 1 && isName(folder);
    const isFile = (value: unknown): value is PushManifest["files"][number] => isFileIn(String(siteFolder), value);
    if (
      isOurs &&
      isFolder(siteFolder) &&
      isListOf(names, isPath) &&
      isListOf(files, isFile) &&
      isListOf(moved, isMove) &&
      isListOf(removed, isPath)
    ) {
      return { folder, siteFolder, names, files, moved, removed };
    }
  } catch {
    // Reported below.
  }
  throw broken();
}

function isListOf<T>(value: unknown, is: (one: unknown) => one is T): value is T[] {
  return Array.isArray(value) && value.length <= MAX_NAMES && value.every(is);
}

/** Leads to no place outside the folder. */
function isPath(value: unknown): value is string {
  return typeof value === "string" && Buffer.byteLength(value) <= MAX_PATH_BYTES && value.split("/").every(isName);
}

function isName(value: unknown): value is string {
  return (
    typeof value === "string" &&
    value !== "" &&
    !value.startsWith(".") &&
    !/[\0/\\]/.test(value) &&
    Buffer.byteLength(value) <= MAX_NAME_BYTES
  );
}

function isFolder(value: unknown): value is string {
  return value === "" || (typeof value === "string" && value.endsWith("/") && isInSite(value.slice(0, -1)));
}

function isFileIn(siteFolder: string, value: unknown): value is PushManifest["files"][number] {
  const { path, hash } = Object(value) as Record<string, unknown>;
  if (hash === null) return typeof path === "string" && isInSite(posix.normalize(siteFolder + path));
  return isPath(path) && typeof hash === "string" && hash.length <= MAX_HASH_LENGTH;
}

function isMove(value: unknown): value is PushManifest["moved"][number] {
  const { from, to } = Object(value) as Record<string, unknown>;
  return isPath(from) && isPath(to);
}

function broken(): AppError {
  return new AppError("invalid", "This is no archive that this version of `rostrum push` sends: nothing was saved.");
}

/** The archive's bytes. @param read the file's bytes, as many as `size` says. */
export async function* writePush(
  manifest: PushManifest,
  files: readonly { path: string; size: number }[],
): AsyncGenerator<Buffer> {
  const header = Buffer.from(JSON.stringify({ format: FORMAT, version: 1, ...manifest }));
  yield Buffer.concat([tarHeader(MANIFEST, header.length), header, tarPadding(header.length)]);
  for (const [index, { path, size }] of files.entries()) {
    yield tarHeader(`${FILES}/${index}`, size);
    if (size > 0) yield* createReadStream(path, { end: size - 1 }) as AsyncIterable<Buffer>;
    yield tarPadding(size);
  }
  yield TAR_END;
}

/** Bytes that a file takes in the archive. */
export function archivedBytes(size: number): number {
  return TAR_BLOCK + size + tarPadding(size).length;
}
