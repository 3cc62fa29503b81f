import { isAlias } from "../domain/articles/article-json.ts";
import { ARTICLE_LIMITS, isRecord } from "../domain/articles/json-values.ts";
import type { Author } from "../domain/articles/article.ts";
import { plainField } from "./html/html-tree.ts";
import { toText } from "./import-item.ts";
import { absoluteUrl } from "./urls.ts";
import { parseLanguageTag } from "../domain/system/language-tag.ts";

const MAX_URL = 2000;

/** A byline: a name, a list, or objects with a name. Readers see it: no e-mail addresses. `undefined`: nobody. */
export function parseAuthors(value: unknown, splitsAtCommas = false): Author[] | undefined {
  const found = new Map<string, Author>();
  const items = typeof value === "string" && splitsAtCommas ? value.split(",") : [value].flat();
  for (const item of items) {
    const author = parseAuthor(item);
    if (author !== null && !found.has(author.name)) found.set(author.name, author);
  }
  return found.size === 0 ? undefined : [...found.values()].slice(0, ARTICLE_LIMITS.authors);
}

function parseAuthor(value: unknown): Author | null {
  const given = isRecord(value) ? value : {};
  const written = toText(isRecord(value) ? (given["name"] ?? given["title"] ?? given["display_name"]) : value);
  if (written === undefined) return null;
  const [, plain = written, inBrackets] = /^([^<>]*)<([^<>]*)>$/.exec(written) ?? [];
  const name = plainField(plain.trim());
  const isEmail = name.includes("@") && !name.includes(" ");
  if (name === "" || isEmail || name.length > ARTICLE_LIMITS.label) return null;
  const url = [inBrackets, given["url"], given["link"], given["website"]]
    .map((address) => absoluteUrl(address, null))
    .find((address) => address !== undefined && address.length <= MAX_URL);
  return { name, url: url ?? null };
}

/** Former addresses of an article; what an article cannot have is left out. */
export function parseAliases(value: unknown): string[] | undefined {
  const given = (typeof value === "string" ? value.split(",") : [value].flat()).flatMap((item) => toText(item) ?? []);
  const aliases = given
    .filter((item) => item.length <= ARTICLE_LIMITS.label && isAlias(item))
    .slice(0, ARTICLE_LIMITS.aliases);
  return aliases.length === 0 ? undefined : aliases;
}

/** Labels: a list, a comma-separated text, or objects with a name. `bySpaces`: splits at spaces without commas. */
export function parseLabels(value: unknown, bySpaces = false): string[] {
  if (typeof value === "string") return value.split(value.includes(",") || !bySpaces ? "," : /\s+/).map(cleanLabel);
  if (typeof value === "number") return [String(value)];
  if (Array.isArray(value))
    return value.flatMap((item: unknown) => (typeof item === "string" ? cleanLabel(item) : parseLabels(item)));
  if (isRecord(value)) return parseLabels(value["name"] ?? value["title"] ?? value["label"] ?? null);
  return [];
}

function cleanLabel(label: string): string {
  return label.trim();
}

const NAMES = new Intl.DisplayNames("en", { type: "language", fallback: "none" });

/** For fields that may hold something else, too: accepts only languages that have a name. */
export function readKnownLanguage(given: unknown): string | undefined {
  const tag = readLanguage(given);
  return tag !== undefined && NAMES.of(tag) !== undefined ? tag : undefined;
}

/** A language as other programs write it; undefined for what is none, which an import leaves out. */
export function readLanguage(given: unknown): string | undefined {
  return typeof given === "string" && given.trim() !== "" ? parseLanguageTag(given) : undefined;
}
