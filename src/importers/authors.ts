import { isRecord, ARTICLE_LIMITS } from "../domain/articles/json-values.ts";
import type { Author } from "../domain/articles/article.ts";
import { toText } from "./import-item.ts";
import { absoluteUrl } from "./urls.ts";

const MAX_URL = 2000;

/**
 * Parses a byline: a name, a list of names, or objects with a name and perhaps an address. E-mail addresses are left out, because
 * readers see the byline. `undefined`: it names nobody.
 */
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
  const name = plain.trim();
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
  const aliases = given.filter((item) => item.length <= ARTICLE_LIMITS.label).slice(0, ARTICLE_LIMITS.aliases);
  return aliases.length === 0 ? undefined : aliases;
}
