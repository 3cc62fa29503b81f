/** Finds the configuration of the generator whose files are imported, and reads it; nothing in it is executed. */
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import type { PicturePlaces } from "../operations/articles/import/import-items.ts";
import { withoutTrailing } from "../domain/system/trailing.ts";
import { toText } from "./import-item.ts";
import { readRoutes } from "./markdown/docusaurus-routes.ts";
import { type DataLanguage, readTable } from "./markdown/front-matter.ts";
import { type DialectName, NO_SITE, type Site } from "./site.ts";

/** How far above the imported folder a configuration may be. */
const MAX_FOLDERS_UP = 6;
const MAX_FILE_BYTES = 1_000_000;

type Values = Record<string, unknown>;

interface Found {
  generator: string;
  values: Values;
}

/** The text of a file of the site; null: there is none. */
type Read = (path: string) => string | null;

/**
 * The site of an imported folder, or of the folder of a single file. @param bound no folder above it is looked at;
 * absent: those up to the repository's.
 */
export function readSite(folder: string, bound?: string): Site {
  let root: string;
  try {
    root = realpathSync(folder);
  } catch {
    return NO_SITE;
  }
  const start = root;
  const top = bound === undefined ? null : realpathSync(bound);
  for (let level = 0; level <= MAX_FOLDERS_UP; level++) {
    const files: string[] = [];
    const found = readConfiguration(root, (path) => {
      const text = readInside(root, path);
      if (text !== null) files.push(path);
      return text;
    });
    if (found !== null) return { ...toSite(root, start, found), files };
    const above = dirname(root);
    if (above === root || root === top || existsSync(join(root, ".git"))) break;
    root = above;
  }
  return NO_SITE;
}

const DIALECTS: Readonly<Record<string, DialectName>> = {
  Jekyll: "jekyll",
  Hugo: "hugo",
  Hexo: "hexo",
  Docusaurus: "mdx",
  Astro: "mdx",
  VitePress: "vitepress",
  VuePress: "vitepress",
  MkDocs: "mkdocs",
  Pelican: "pelican",
  Eleventy: "eleventy",
  Obsidian: "obsidian",
};

/** Folders that generators serve at `/`, where no configuration says which. */
const USUAL_FOLDERS = ["static", "public", "source", "assets", "docs/static", "_static"];

/** The folders with pictures of a site, or, if there is none, those in and above the imported folder. */
export function findPictures(folder: string, site: Site, bound?: string): Omit<PicturePlaces, "folder"> {
  const start = realpathSync(folder);
  if (site.root !== null) {
    const { root, staticFolders, url } = site;
    return { root, url, served: [...staticFolders, ...USUAL_FOLDERS].map((name) => join(root, name)).filter(isFolder) };
  }
  const top = bound === undefined ? null : realpathSync(bound);
  const above = top === start ? [] : foldersInRepository(start);
  const served = [start, ...above].flatMap((one) => USUAL_FOLDERS.map((name) => join(one, name))).filter(isFolder);
  return { root: above.at(-1) ?? start, served, url: null };
}

/** The folders above, up to that of the repository; none outside one. */
function foldersInRepository(start: string): string[] {
  const above: string[] = [];
  for (let at = start; above.length <= MAX_FOLDERS_UP; above.push(at)) {
    if (existsSync(join(at, ".git"))) return above;
    if (dirname(at) === at) break;
    at = dirname(at);
  }
  return [];
}

function toSite(root: string, start: string, { generator, values }: Found): Omit<Site, "files"> {
  const dialect = DIALECTS[generator] ?? null;
  const inside = relative(root, start).split(sep).join("/");
  return {
    dialect,
    generator,
    root,
    folder: inside === "" ? "" : `${inside}/`,
    url: siteUrl(values),
    timeZone: timeZone(values["timezone"] ?? values["timeZone"] ?? values["TIMEZONE"]),
    permalink: toText(values["permalink"]) ?? toText(values["ARTICLE_URL"]) ?? null,
    staticFolders: staticFolders(dialect, values),
    values,
    readFile: (path) => readInside(root, path),
  };
}

/** The text of a file inside the folder, wherever links lead; null if there is none, or if it is too large. */
export function readInside(root: string, path: string): string | null {
  try {
    const file = realpathSync(resolve(root, path));
    const stats = statSync(file);
    const isInside = file.startsWith(root.endsWith(sep) ? root : root + sep);
    if (!isInside || !stats.isFile() || stats.size > MAX_FILE_BYTES) return null;
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}

const DATA_FORMATS: readonly (readonly [string, DataLanguage])[] = [
  ["toml", "toml"],
  ["yaml", "yaml"],
  ["yml", "yaml"],
  ["json", "json"],
];
const SCRIPT_ENDINGS = ["js", "ts", "mjs", "mts", "cjs", "cts"];

function readConfiguration(root: string, read: Read): Found | null {
  const hugo = readData(read, "hugo");
  if (hugo !== null) return { generator: "Hugo", values: withDefaults(read, hugo) };
  for (const [name, generator] of SCRIPTS) {
    const values = readScript(read, name);
    if (values !== null) return { generator, values };
  }
  for (const [folder, generator] of PRESSES) {
    if (isFolder(join(root, folder))) return { generator, values: readScript(read, `${folder}/config`) ?? {} };
  }
  const mkdocs = readData(read, "mkdocs");
  if (mkdocs !== null) return { generator: "MkDocs", values: mkdocs };
  const pelican = read("pelicanconf.py");
  if (pelican !== null) return { generator: "Pelican", values: readAssignments(pelican) };
  const shared = readData(read, "_config");
  if (shared !== null) return { generator: isOfHexo(shared) ? "Hexo" : "Jekyll", values: shared };
  const config = readData(read, "config");
  if (config !== null && isOfHugo(config)) return { generator: "Hugo", values: withDefaults(read, config) };
  if (typeof config?.["base_url"] === "string") return { generator: "Zola", values: config };
  if (isFolder(join(root, "config/_default"))) return { generator: "Hugo", values: withDefaults(read, {}) };
  return isFolder(join(root, ".obsidian"))
    ? { generator: "Obsidian", values: readData(read, ".obsidian/app") ?? {} }
    : null;
}

const SCRIPTS = [
  ["docusaurus.config", "Docusaurus"],
  ["astro.config", "Astro"],
  [".eleventy", "Eleventy"],
  ["eleventy.config", "Eleventy"],
] as const;
const PRESSES = [
  [".vitepress", "VitePress"],
  [".vuepress", "VuePress"],
] as const;

function isOfHexo(values: Values): boolean {
  return ["source_dir", "public_dir", "new_post_name", "post_asset_folder", "skip_render"].some((key) => key in values);
}

function isOfHugo(values: Values): boolean {
  const names = new Set(Object.keys(values).map((key) => key.toLowerCase()));
  return ["baseurl", "languagecode", "permalinks", "contentdir"].some((name) => names.has(name));
}

/** Hugo's configuration may be split by its first level into files. */
function withDefaults(read: Read, values: Values): Values {
  const folder = "config/_default";
  const first = { ...readData(read, `${folder}/config`), ...readData(read, `${folder}/hugo`) };
  const parts = ["params", "permalinks", "languages", "cascade"].flatMap((name) => {
    const data = readData(read, `${folder}/${name}`);
    return data === null ? [] : [[name, data] as const];
  });
  return { ...first, ...Object.fromEntries(parts), ...values };
}

function readData(read: Read, name: string): Values | null {
  for (const [ending, language] of DATA_FORMATS) {
    const text = read(`${name}.${ending}`);
    if (text === null) continue;
    try {
      return readTable(language, text.replace(/\r\n?/g, "\n")) ?? {};
    } catch {
      // The generator is known, its settings are not.
      return {};
    }
  }
  return null;
}

function readScript(read: Read, name: string): Values | null {
  for (const ending of SCRIPT_ENDINGS) {
    const text = read(`${name}.${ending}`);
    if (text === null) continue;
    return { ...readAssignments(text), ...(name === "docusaurus.config" ? { routes: readRoutes(text) } : {}) };
  }
  return null;
}

/** Of a program: plain values that are given to a name, `url: "…"` and `TIMEZONE = '…'`; the first of each name. */
function readAssignments(text: string): Values {
  const values: Values = {};
  for (const line of text.split("\n")) {
    if (line.length > 2_000) continue;
    const [, name = "", , quoted, plain] =
      /^\s{0,40}(?:export const |const )?([A-Za-z_]\w{0,60})\s?[:=]\s?(?:(["'`])([^"'`$\\]{0,500})\2|(true|false))[,;]?\s*(?:\/\/|#|$)/.exec(
        line,
      ) ?? [];
    if (name !== "" && !Object.hasOwn(values, name)) values[name] = quoted ?? plain === "true";
  }
  return values;
}

function siteUrl(values: Values): string | null {
  const given = ["url", "baseURL", "baseurl", "base_url", "site", "site_url", "SITEURL", "hostname"]
    .map((name) => toText(values[name]))
    .find((text) => text !== undefined && /^https?:\/\//i.test(text));
  if (given === undefined || !URL.canParse(given)) return null;
  const path = toText(values["baseurl"] ?? values["baseUrl"] ?? values["base"]) ?? "";
  const url = withoutTrailing(given, "/");
  return path.startsWith("/") && path !== "/" && !url.endsWith(withoutTrailing(path, "/"))
    ? url + withoutTrailing(path, "/")
    : url;
}

function timeZone(given: unknown): string | null {
  const name = toText(given);
  if (name === undefined) return null;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

/** Folders that are served at `/`; `setting`: which names another one in place of the first. */
const STATIC_FOLDERS: Record<DialectName | "other", { setting?: string; folders: readonly [string, ...string[]] }> = {
  jekyll: { folders: [""] },
  hugo: { setting: "staticDir", folders: ["static", "assets"] },
  hexo: { setting: "source_dir", folders: ["source"] },
  mdx: { setting: "publicDir", folders: ["public", "static"] },
  vitepress: { folders: ["public", ".vuepress/public"] },
  mkdocs: { setting: "docs_dir", folders: ["docs"] },
  pelican: { setting: "PATH", folders: ["content"] },
  eleventy: { folders: ["public", "static", "src", "src/static", ""] },
  obsidian: { folders: [""] },
  other: { folders: ["static", "assets"] },
};

function staticFolders(dialect: DialectName | null, values: Values): string[] {
  const { setting = "", folders } = STATIC_FOLDERS[dialect ?? "other"];
  const [usual, ...others] = folders;
  return [...[values[setting] ?? usual].flat().flatMap((item) => (typeof item === "string" ? item : [])), ...others];
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}
