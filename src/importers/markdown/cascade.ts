/** Hugo's `cascade`: front matter that a section's `_index.md` or the site's configuration gives to all that is below it. */
import { posix } from "node:path";
import { isRecord } from "../../domain/articles/json-values.ts";
import { FrontMatterFields, splitFrontMatter } from "./front-matter.ts";

export interface Cascade {
  /** Path of the section, with `/` at the end; empty for the top, and so all pages. */
  folder: string;
  /** Pattern for the paths of its pages; null: all of them. */
  pages: string | null;
  /** The language of its pages; null: all. */
  language: string | null;
  data: Record<string, unknown>;
}

const MAX_PATTERN = 500;

/** `name`: path of the `_index` file. An unreadable one gives nothing. */
export function readCascades(name: string, text: string): Cascade[] {
  const folder = name.slice(0, name.lastIndexOf("/") + 1);
  try {
    const { data } = splitFrontMatter(text.replace(/\r\n?/g, "\n"));
    return toCascades(folder, new FrontMatterFields(data ?? {}).get("cascade"));
  } catch {
    return [];
  }
}

/** `given`: the value of `cascade`, a table or several. */
export function toCascades(folder: string, given: unknown): Cascade[] {
  return [given].flat().flatMap((entry): Cascade[] => {
    if (!isRecord(entry)) return [];
    const { target, _target, ...data } = entry;
    const { path, kind, lang } = toTarget(target ?? _target);
    const isForPages = kind === undefined || kind === "page" || kind === "{page}";
    if (!isForPages) return [];
    return [{ folder, pages: textOrNull(path), language: textOrNull(lang), data }];
  });
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function toTarget(target: unknown): Record<string, unknown> {
  return isRecord(target) ? target : {};
}

/**
 * Adds its sections' front matter to a file's: the nearest wins. `cascades`: outer ones first. `language`: of the file, if
 * the site has several.
 */
export function withCascades(
  name: string,
  data: Record<string, unknown> | null,
  cascades: readonly Cascade[],
  language: string | null = null,
): Record<string, unknown> {
  const given = cascades.filter(
    (cascade) =>
      name.startsWith(cascade.folder) &&
      (cascade.pages === null || isOf(cascade.pages, name)) &&
      (cascade.language === null || language === null || isMatch(language, cascade.language)),
  );
  return Object.assign({}, ...given.map((cascade) => cascade.data), data) as Record<string, unknown>;
}

function isMatch(text: string, pattern: string): boolean {
  return pattern.length > MAX_PATTERN || posix.matchesGlob(text, pattern);
}

/** Patterns begin at the folder `content`, which may be anywhere above the file. */
function isOf(pattern: string, name: string): boolean {
  if (pattern.length > MAX_PATTERN) return true;
  const parts = name.replace(/(?:\/index)?\.[a-z]+$/, "").split("/");
  return parts.some((_part, index) => posix.matchesGlob(`/${parts.slice(index).join("/")}`, pattern));
}
