/** The files of an Obsidian vault by their names: links leave their folders out. */
import { readdirSync } from "node:fs";
import { join, posix } from "node:path";
import { addressPlaces } from "../../../domain/articles/content/markdown/address-places.ts";
import { linkTarget } from "./prose.ts";

/** Further files are not found by their names alone. */
const MAX_FILES = 200_000;

export class Vault {
  readonly #root: string;
  /** Paths by file names in small letters. Read at the first link. */
  #paths: Map<string, string[]> | undefined;

  constructor(root: string) {
    this.#root = root;
  }

  /** The text with links and pictures by the paths of their files. @param from the text's own path in the vault. */
  withPaths(text: string, from: string): string {
    const folder = posix.dirname(from);
    let done = "";
    let at = 0;
    for (const { start, end } of addressPlaces(text)) {
      const [, path = "", rest = ""] = /^([^?#]*)(.*)$/s.exec(text.slice(start, end)) ?? [];
      if (path === "" || /^(?:[a-z][a-z0-9+.-]*:|\/)/i.test(path)) continue;
      const found = this.#find(decoded(path), folder);
      if (found === null) continue;
      done += text.slice(at, start) + linkTarget(posix.relative(folder, found)) + rest;
      at = end;
    }
    return done + text.slice(at);
  }

  /** The file that is nearest to the top of the vault; null: there is none, or the path leads to one as it is. */
  #find(target: string, folder: string): string | null {
    this.#paths ??= readPaths(this.#root);
    const wanted = posix.normalize(target);
    const named = this.#paths.get(toKey(posix.basename(wanted))) ?? [];
    if (named.includes(posix.join(folder, wanted))) return null;
    const ending = toKey(`/${wanted}`);
    const [found] = named.filter((path) => toKey(`/${path}`).endsWith(ending)).sort(byDepth);
    return found ?? null;
  }
}

function byDepth(one: string, other: string): number {
  return one.split("/").length - other.split("/").length || one.length - other.length;
}

function toKey(path: string): string {
  return path.normalize("NFC").toLowerCase();
}

function readPaths(root: string): Map<string, string[]> {
  const paths = new Map<string, string[]>();
  let count = 0;
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined && count < MAX_FILES; folder = folders.pop()) {
    for (const entry of entriesOf(join(root, folder))) {
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      const path = posix.join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else {
        count += 1;
        const key = toKey(entry.name);
        const same = paths.get(key);
        if (same === undefined) paths.set(key, [path]);
        else same.push(path);
      }
    }
  }
  return paths;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
