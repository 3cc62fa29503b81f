/** Hugo's `cascade`: front matter that a section's `_index.md` gives to all that is below it. */
import { posix } from "node:path";
import { isRecord } from "../../domain/articles/json-values.ts";
import { FrontMatterFields, splitFrontMatter } from "./front-matter.ts";

export interface Cascade {
  /** Path of the section, with `/` at the end; empty for the top, and so all pages. */
  folder: string;
  /** Pattern for the paths of its pages; null: all of them. */
  pages: string | null;
  data: Record<string, unknown>;
}

const MAX_PATTERN = 500;

/** `name`: path of the `_index` file. An unreadable one gives nothing. */
export function readCascades(name: string, text: string): Cascade[] {
  const folder = name.slice(0, name.lastIndexOf("/") + 1);
  try {
    const { data } = splitFrontMatter(text.replace(/\r\n?/g, "\n"));
    const found = new FrontMatterFields(data ?? {}).get("cascade");
    return [found].flat().flatMap((entry): Cascade[] => {
      if (!isRecord(entry)) return [];
      const { target, _target, ...fields } = entry;
      const { path, kind } = toTarget(target ?? _target);
      const isForPages = kind === undefined || kind === "page" || kind === "{page}";
      return isForPages ? [{ folder, pages: typeof path === "string" ? path : null, data: fields }] : [];
    });
  } catch {
    return [];
  }
}

function toTarget(target: unknown): Record<string, unknown> {
  return isRecord(target) ? target : {};
}

/** Adds its sections' front matter to a file's: the nearest wins. `cascades`: outer ones first. */
export function withCascades(
  name: string,
  data: Record<string, unknown> | null,
  cascades: readonly Cascade[],
): Record<string, unknown> {
  const given = cascades.filter(
    ({ folder, pages }) => name.startsWith(folder) && (pages === null || isOf(pages, name)),
  );
  return Object.assign({}, ...given.map((cascade) => cascade.data), data) as Record<string, unknown>;
}

/** Patterns begin at the folder `content`, which may be anywhere above the file. */
function isOf(pattern: string, name: string): boolean {
  if (pattern.length > MAX_PATTERN) return true;
  const parts = name.replace(/(?:\/index)?\.[a-z]+$/, "").split("/");
  return parts.some((_part, index) => posix.matchesGlob(`/${parts.slice(index).join("/")}`, pattern));
}
