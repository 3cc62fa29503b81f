import { posix } from "node:path";
import { withoutTrailing } from "../../../domain/system/trailing.ts";

/** Folders of generators within a site; what is before the first of these in a path is the site's. */
const IN_SITE = /^(?:_\w|source$|content$|docs$|blog$|src$)/;

/** The path from an article to a file of its site. `name`: the article's path within the import. */
export function pathFrom(name: string, file: string): string {
  const folders = name.split("/").slice(0, -1);
  const first = folders.findIndex((folder) => IN_SITE.test(folder));
  // Alone, the folder of the articles is what was imported.
  const inside = first < 0 ? file.split("/").slice(0, -1) : folders.slice(first);
  return posix.relative(`/${inside.join("/")}`, `/${file}`);
}

/**
 * The path from an article of Hugo to the page that it names, as `bundle`, `b.md` or `/posts/b`: the one that is there, else
 * the likeliest.
 */
export function pageIn(name: string, page: string, isThere: (file: string) => boolean): string {
  const folders = name.split("/").slice(0, -1);
  const content = folders.indexOf("content");
  const here = folders.slice(content + 1).join("/");
  const wanted = withoutTrailing(page, "/");
  const hasEnding = /\.(?:md|markdown|html?)$/.test(wanted);
  const endings = hasEnding ? [""] : [".md", "/index.md", "/_index.md"];
  const starts = wanted.startsWith("/")
    ? // Articles of each language may be in a folder of its own.
      [wanted, `/${folders[content + 1] ?? ""}${wanted}`]
    : [posix.join("/", here, wanted), posix.join("/", here, "..", wanted), `/${wanted}`];
  const files = starts.flatMap((start) => endings.map((ending) => posix.normalize(start + ending)));
  const found = files.find((file) => isThere(`content${file}`)) ?? files[0] ?? page;
  return posix.relative(`/${here}`, found);
}

/** Where in its site a file that an article of Hugo includes may be. */
export function includedFiles(name: string, file: string): string[] {
  const folders = name.split("/").slice(0, -1);
  const here = folders.slice(folders.indexOf("content") + 1);
  const path = file.replace(/^\//, "");
  const starts = [here.join("/"), here[0] ?? "", ""].map((folder) => posix.join("content", folder, path));
  return [...new Set([...(file.startsWith("/") ? [] : starts.slice(0, 1)), ...starts.slice(1), path])];
}
