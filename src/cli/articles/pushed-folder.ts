/** The files of a folder as `rostrum push` lists and sends them. What they contain is read by the service alone. */
import { execFile } from "node:child_process";
import { createHash, hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, realpath, stat } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { ASSET_EXTENSIONS, MAX_ASSET_BYTES } from "../../domain/articles/assets/asset.ts";
import { AppError } from "../../domain/system/errors.ts";
import { SECTION_OPENING, skipReason, walkFolder } from "../../importers/detect.ts";
import { nameIn, parsePath } from "../../importers/markdown/path-metadata.ts";

export interface FolderFile {
  /** Where it is on this machine. */
  file: string;
  size: number;
}

export interface PushedFolder {
  name: string;
  /** By their paths within the folder. */
  texts: Map<string, FolderFile>;
  /** Openings of sections, which may say something of all that is below them, with their text's hash. */
  sections: Map<string, FolderFile & { hash: string }>;
  pictures: Map<string, FolderFile>;
}

const PICTURES = new Set([...Object.values(ASSET_EXTENSIONS).map((extension) => `.${extension}`), ".jpeg"]);

/** @throws AppError `invalid`. */
export async function readFolder(root: string): Promise<PushedFolder> {
  const stats = await stat(root).catch(() => null);
  if (stats?.isDirectory() !== true) throw new AppError("invalid", `${root} is no folder.`);
  const folder: PushedFolder = {
    name: basename(await realpath(root)),
    texts: new Map(),
    sections: new Map(),
    pictures: new Map(),
  };
  for await (const entry of walkFolder(root)) {
    if (entry.kind === "file") {
      folder.texts.set(entry.name, { file: entry.path, size: entry.size });
      continue;
    }
    const { name, reason } = entry;
    // Links that lead out of the folder have other reasons than their names.
    if (skipReason(name) !== reason) continue;
    const file = join(root, name);
    if (reason === SECTION_OPENING) {
      const text = await readFile(file);
      if (text.includes("cascade")) folder.sections.set(name, { file, size: text.length, hash: hash("sha256", text) });
    } else if (PICTURES.has(extname(name).toLowerCase())) {
      const { size } = await stat(file);
      if (size <= MAX_ASSET_BYTES) folder.pictures.set(name, { file, size });
    }
  }
  return folder;
}

/** The openings of the sections that the file is in. */
export function findSections({ sections }: PushedFolder, path: string): string[] {
  return [...sections.keys()].filter((name) => path.startsWith(name.slice(0, name.lastIndexOf("/") + 1)));
}

/** A hash of the file, a dot, and a hash of what else its article depends on. */
export async function hashFiles(folder: PushedFolder, paths: Iterable<string>): Promise<Map<string, string>> {
  const { name: folderName, texts, sections } = folder;
  const toPlace = (path: string) => parsePath(nameIn(folderName, path));
  const translated = new Set(
    [...texts.keys()].map(toPlace).flatMap((place) => (place.language === null ? [] : place.translationGroup)),
  );
  const hashes = new Map<string, string>();
  for (const path of paths) {
    const text = texts.get(path);
    if (text === undefined) continue;
    const { language, translationGroup } = toPlace(path);
    const above = findSections(folder, path).map((name) => sections.get(name)?.hash);
    const context = [language === null && translated.has(translationGroup), ...above];
    const others = context.length === 1 && context[0] === false ? "0" : hash("sha256", JSON.stringify(context));
    hashes.set(path, `${await hashFile(text.file)}.${others}`);
  }
  return hashes;
}

/** The hash of the file's own bytes, without what other files add to the listed hash. */
export function toFileHash(listed: string): string {
  return listed.slice(0, listed.indexOf("."));
}

async function hashFile(path: string): Promise<string> {
  const digest = createHash("sha256");
  await pipeline(createReadStream(path), digest);
  return digest.digest("hex");
}

const PICTURE_END = /\.(?:png|jpe?g|webp|avif|gif|svg)\b/gi;
/** File systems allow 255 bytes. */
const MAX_NAME = 255;

/** The pictures that a text may refer to: those whose file name is in it. */
export async function findPictures({ pictures }: PushedFolder, texts: Iterable<FolderFile>): Promise<string[]> {
  if (pictures.size === 0) return [];
  const byName = new Map<string, string[]>();
  for (const path of pictures.keys()) {
    const name = basename(path).normalize("NFC");
    byName.set(name, [...(byName.get(name) ?? []), path]);
  }
  const found = new Set<string>();
  for (const { file } of texts) {
    const text = await readFile(file, "utf8");
    for (const { index, 0: end } of text.matchAll(PICTURE_END)) {
      const before = text.slice(Math.max(0, index - MAX_NAME), index + end.length);
      for (const name of toNames(before)) for (const path of byName.get(name) ?? []) found.add(path);
    }
  }
  return [...found];
}

/** What may be a file's name at the end of the text: names may contain spaces and escapes. */
function toNames(text: string): string[] {
  const last = text.split(/[/\\"'<>()\n]/).at(-1) ?? "";
  const words = last.split(" ");
  const names = words.map((_word, index) => words.slice(index).join(" "));
  return names.flatMap((name) => [name, unescape(name)].map((one) => one.normalize("NFC")));
}

function unescape(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

export interface GitChanges {
  /** Changed or new since then, with what depends on them. */
  changed: Set<string>;
  moved: { from: string; to: string }[];
}

/** @throws AppError `invalid`: the folder is in no repository, or that does not know the revision. */
export async function readChanges(root: string, folder: PushedFolder, since: string): Promise<GitChanges> {
  const range = ["--relative", "--name-status", "--find-renames", "-z", "--end-of-options", since, "--", "."];
  const fields = (await git(root, ["diff", ...range])).split("\0");
  const changed = new Set((await git(root, ["ls-files", "--others", "--exclude-standard", "-z"])).split("\0"));
  const moved: GitChanges["moved"] = [];
  for (let at = 0; at + 1 < fields.length;) {
    const status = fields[at++] ?? "";
    const from = fields[at++] ?? "";
    const to = /^[RC]/.test(status) ? (fields[at++] ?? "") : from;
    changed.add(to);
    if (status.startsWith("R")) moved.push({ from, to });
  }
  const groupOf = (path: string) => parsePath(nameIn(folder.name, path)).translationGroup;
  const groups = new Set([...changed, ...moved.map(({ from }) => from)].map(groupOf));
  for (const path of folder.texts.keys()) {
    const isBelow = findSections(folder, path).some((name) => changed.has(name));
    if (isBelow || groups.has(groupOf(path))) changed.add(path);
  }
  return { changed, moved };
}

async function git(root: string, args: string[]): Promise<string> {
  try {
    return (await promisify(execFile)("git", ["-C", root, ...args], { maxBuffer: 100_000_000 })).stdout;
  } catch (error) {
    const [said = ""] = (error as { stderr?: string }).stderr?.trim().split("\n") ?? [];
    throw new AppError(
      "invalid",
      `git cannot say what has changed (${said || String(error)}): fetch more of its history, or leave --changed-since out.`,
      { cause: error },
    );
  }
}
