/** The files of a folder as `rostrum push` lists and sends them. What they contain is read by the service alone. */
import { execFile } from "node:child_process";
import { createHash, hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname, extname, join, posix, relative, sep } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { ASSET_EXTENSIONS, MAX_ASSET_BYTES } from "../../domain/articles/assets/asset.ts";
import { AppError } from "../../domain/system/errors.ts";
import { SECTION_OPENING, skipReason, walkFolder } from "../../importers/detect.ts";
import { nameIn, parsePath } from "../../importers/markdown/path-metadata.ts";
import { findPictures, readSite } from "../../importers/read-site.ts";

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
  /** By their paths from the folder, which may lead to other folders of its site: `../static/a.png`. */
  pictures: Map<string, FolderFile>;
  /** Texts that others of the site include. */
  includes: Map<string, FolderFile>;
  /** The files of its site's configuration, on which all addresses depend, with their hashes. */
  configuration: Map<string, FolderFile & { hash: string }>;
  /** The files that texts may name, as far as they were looked for. */
  names?: Names;
  /** Where the folder is in its site; ends with `/` unless it is the site. */
  siteFolder: string;
}

/** What articles' authors are called: files of Docusaurus and Jekyll. */
const AUTHORS = ["blog/authors.yml", "authors.yml", "_data/authors.yml"];
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
    includes: new Map(),
    configuration: new Map(),
    siteFolder: "",
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
    } else await addPicture(folder, name, file);
  }
  await addSite(folder, await realpath(root));
  return folder;
}

async function addPicture({ pictures }: PushedFolder, name: string, file: string): Promise<void> {
  if (!PICTURES.has(extname(name).toLowerCase())) return;
  const { size } = await stat(file);
  if (size <= MAX_ASSET_BYTES) pictures.set(name, { file, size });
}

/** What an import of the folder would read besides it: its site's configuration, texts that others include, and pictures. */
async function addSite(folder: PushedFolder, root: string): Promise<void> {
  const site = readSite(root);
  if (site.root === null) return;
  const { root: top } = site;
  folder.siteFolder = site.folder;
  const fromFolder = (path: string) => posix.relative(site.folder, path);
  for (const path of [...site.files, ...AUTHORS]) {
    const text = site.readFile(path);
    if (text === null) continue;
    const file = join(top, path);
    const { size } = await stat(file);
    folder.configuration.set(fromFolder(path), { file, size, hash: hash("sha256", text) });
  }
  const texts = join(top, "_includes");
  if ((await stat(texts).catch(() => null))?.isDirectory() === true) {
    for await (const { name } of walkFolder(texts)) {
      const file = join(texts, name);
      const stats = await stat(file);
      if (stats.isFile()) folder.includes.set(fromFolder(`_includes/${name}`), { file, size: stats.size });
    }
  }
  if (site.folder === "") return;
  const served = findPictures(root, site).served.map((path) => relative(top, path).split(sep).join("/"));
  for await (const { name } of walkFolder(top)) {
    const isServed = served.some((path) => path === "" || name.startsWith(`${path}/`));
    if (isServed && !name.startsWith(site.folder)) await addPicture(folder, fromFolder(name), join(top, name));
  }
}

/** The openings of the sections that the file is in. */
export function findSections({ sections }: PushedFolder, path: string): string[] {
  return [...sections.keys()].filter((name) => path.startsWith(name.slice(0, name.lastIndexOf("/") + 1)));
}

/** A hash of the file, a dot, and a hash of what else its article depends on. */
export async function hashFiles(folder: PushedFolder, paths: Iterable<string>): Promise<Map<string, string>> {
  const { name: folderName, texts, sections, configuration } = folder;
  const toPlace = (path: string) => parsePath(nameIn(folderName, path));
  const translated = new Set(
    [...texts.keys()].map(toPlace).flatMap((place) => (place.language === null ? [] : place.translationGroup)),
  );
  const ofSite = [...configuration.values()].map((file) => file.hash);
  const hashes = new Map<string, string>();
  for (const path of paths) {
    const text = texts.get(path);
    if (text === undefined) continue;
    const { language, translationGroup } = toPlace(path);
    const above = findSections(folder, path).map((name) => sections.get(name)?.hash);
    const context = [language === null && translated.has(translationGroup), ...above, ...ofSite];
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

/** File systems allow 255 bytes. */
const MAX_NAME = 255;
/** Files of one name: an `index.html` may be anywhere. */
const MAX_SAME = 20;
/** Where a text names a file with its ending. */
const ENDING = /\.(?:png|jpe?g|webp|avif|gif|svg|mdx?|markdown|html?)\b/gi;
/** Where it names another text without it: the links of wikis and generators. */
const NAMED = /\[\[([^[\]|#\n]{1,300})|\b(?:post_url|post_link|ref|relref)\s{1,9}["']?([^\s"'%#>]{1,300})/g;

/** What texts may refer to: the pictures and other texts whose names are in them. */
export async function findNamed(folder: PushedFolder, texts: Iterable<FolderFile>): Promise<Map<string, FolderFile>> {
  const byName = (folder.names ??= indexNames(folder));
  const found = new Map<string, FolderFile>();
  const add = (name: string) => {
    const same = byName.get(name.normalize("NFC")) ?? [];
    if (same.length <= MAX_SAME) for (const [path, file] of same) found.set(path, file);
  };
  for (const { file } of texts) {
    const text = await readFile(file, "utf8");
    for (const { index, 0: end } of text.matchAll(ENDING)) {
      const before = text.slice(Math.max(0, index - MAX_NAME), index + end.length);
      for (const name of toNames(before)) add(name);
      const [bundle = "", file = ""] = before.split("/").slice(-2);
      if (file.startsWith("index.")) for (const name of toNames(bundle)) add(`${name}.md`);
    }
    for (const [, page, link] of text.matchAll(NAMED)) add(`${basename(page ?? link ?? "").trim()}.md`);
  }
  return found;
}

type Names = ReadonlyMap<string, readonly (readonly [path: string, file: FolderFile])[]>;

/** An `index.md` is named by its folder. */
function indexNames({ texts, pictures, includes, configuration }: PushedFolder): Names {
  const names = new Map<string, (readonly [string, FolderFile])[]>();
  const add = (name: string, path: string, file: FolderFile) => {
    const same = names.get(name.normalize("NFC"));
    if (same === undefined) names.set(name.normalize("NFC"), [[path, file]]);
    else same.push([path, file]);
  };
  for (const [path, file] of [...texts, ...pictures, ...includes]) {
    if (configuration.has(path)) continue;
    add(basename(path), path, file);
    const stem = basename(path, extname(path));
    if (texts.has(path)) add(`${stem === "index" ? basename(dirname(path)) : stem}.md`, path, file);
  }
  return names;
}

/** What may be a file's name at the end of the text: names may contain spaces and escapes. */
function toNames(text: string): string[] {
  const last = text.split(/[/\\"'<>()\n]/).at(-1) ?? "";
  const words = last.split(" ");
  const names = words.map((_word, index) => words.slice(index).join(" "));
  return names.flatMap((name) => [name, unescape(name)]);
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
