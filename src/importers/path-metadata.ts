import { parseIsoTime } from "../domain/articles/article-json.ts";
import type { Millis } from "../domain/articles/article.ts";

/** What the place and name of a file say about the article in it. */
export interface PathMetadata {
  slug: string;
  date: Millis | null;
  /** Named or kept as Jekyll does with posts. */
  isPost: boolean;
  isDraft: boolean;
  /** `some-article/index.md`: the folder is the article, with its images beside it. */
  isBundle: boolean;
}

/** By the path of a file within what is imported, with `/` on every system. */
export function placeOf(path: string): PathMetadata {
  const folders = path.split("/");
  const file = (folders.pop() ?? "").replace(/\.[a-z]{2,8}$/i, "");
  const isBundle = file === "index" && folders.length > 0;
  const stem = isBundle ? (folders.at(-1) ?? file) : file;
  // `__` is what is left of a folder where a tree was flattened into one.
  const named = /^(?:.*__)?(\d{4})-(\d{1,2})-(\d{1,2})[-_](?=.)/.exec(stem);
  const inFolders = /(?:^|\/)(\d{4})\/(\d{1,2})(?:\/(\d{1,2}))?\//.exec(path);
  return {
    slug: named === null ? stem : stem.slice(named[0].length),
    date: dateOf(named) ?? dateOf(inFolders),
    isPost: named !== null || folders.includes("_posts"),
    isDraft: folders.includes("_drafts"),
    isBundle,
  };
}

/**
 * A file's name within what is imported, when it lies right in the folder: an `index.md` there is that folder's article, the
 * same as when the folder around it is imported. Otherwise all of those would be one.
 */
export function nameIn(folder: string, file: string): string {
  return isIndex(file) && folder !== "" ? `${folder}/${file}` : file;
}

/** Whether the folder, and not the file's name, says which article it is. */
export function isIndex(file: string): boolean {
  return /^index\.(?:md|markdown|mdx|mkd|mdown)$/i.test(file);
}

function dateOf(parts: RegExpExecArray | null): Millis | null {
  if (parts?.[1] === undefined || parts[2] === undefined || parts[3] === undefined) return null;
  return parseIsoTime(`${parts[1]}-${parts[2].padStart(2, "0")}-${parts[3].padStart(2, "0")}`);
}
