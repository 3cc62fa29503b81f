/** Links from one article's file to another's become links to its address. */
import { posix } from "node:path";
import { addressPlaces } from "../../domain/articles/content/markdown/address-places.ts";
import { slugify, validSlug } from "../../domain/articles/content/slug.ts";
import type { Warnings } from "../../domain/articles/warnings.ts";
import { patternUrl } from "../../domain/system/website.ts";
import { readLanguage } from "../article-fields.ts";
import { type ImportContext, toText } from "../import-item.ts";
import { readInside } from "../read-site.ts";
import { NO_SITE, type Site } from "../site.ts";
import { addressField, findAddress, slugFrom } from "./article-address.ts";
import { FrontMatterFields, splitFrontMatter } from "./front-matter.ts";
import { hugoLanguage, placeOf } from "./hugo-language.ts";
import { readTimes } from "./times.ts";

const ARTICLE_END = /\.(?:md|mdx|markdown|mkd|mdown)$/i;
const ENDINGS = ["md", "mdx", "markdown"];
/** Addresses that are kept; the files of more are read again. */
const MAX_KNOWN = 5_000;

/** The text with these addresses. `path`: of its file, relative to the site's root or the imported folder. */
export function linkFiles(text: string, path: string, context: ImportContext, warnings: Warnings): string {
  if (context.root === undefined || !/\.(?:md|mdx|markdown|mkd|mdown)\b/i.test(text)) return text;
  let done = "";
  let from = 0;
  for (const { start, end } of addressPlaces(text)) {
    const target = text.slice(start, end);
    if (!isFileLink(target)) continue;
    const address = addressOfLink(target, path, context);
    if (address === null) warnings.add("link_dead", target);
    else {
      done += text.slice(from, start) + address;
      from = end;
    }
  }
  return done + text.slice(from);
}

function isFileLink(target: string): boolean {
  const [path = ""] = target.split(/[?#]/, 1);
  return ARTICLE_END.test(path) && !/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(path);
}

/** Null: there is no such file, or its article has no address that is known. */
function addressOfLink(target: string, path: string, context: ImportContext): string | null {
  const [plain = ""] = target.split(/[?#]/, 1);
  for (const candidate of candidates(decoded(plain), path, context.site ?? NO_SITE)) {
    const address = addressOfFile(candidate, context);
    if (address !== undefined) return address === null ? null : address + target.slice(plain.length);
  }
  return null;
}

/** Where the file may be: generators leave out the ending, and look in folders of theirs. */
function* candidates(target: string, path: string, site: Site): Generator<string> {
  const plain = target.replace(/^(?:\{filename\}|\|filename\|)/, "");
  const isFromTop = plain.startsWith("/");
  const ofLanguage = hugoLanguage(path, site)?.content ?? "";
  const contents = ["", ofLanguage, ...["content", "source", "docs"].map((folder) => `${folder}/`), site.folder];
  const bases = isFromTop ? contents : [`${posix.dirname(path)}/`, ...(plain.startsWith(".") ? [] : contents)];
  for (const base of new Set(bases)) {
    const stem = posix.join(base, plain).replace(ARTICLE_END, "");
    if (stem.startsWith("..")) continue;
    yield posix.join(base, plain);
    for (const ending of ENDINGS) yield `${stem}.${ending}`;
    for (const ending of ENDINGS) yield `${stem}/index.${ending}`;
  }
}

/** Undefined: there is no such file; null: it has no address that is known. */
function addressOfFile(path: string, context: ImportContext): string | null | undefined {
  const known = context.addresses ?? new Map<string, string | null>();
  const before = known.get(path);
  if (before !== undefined) return before;
  const text = readInside(context.root ?? "", path);
  if (text === null) return undefined;
  const address = readAddress(path, text, context);
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(path, address);
  return address;
}

function readAddress(path: string, text: string, context: ImportContext): string | null {
  const { data } = splitFrontMatterOrNone(text);
  const fields = new FrontMatterFields(data ?? {});
  const { site = NO_SITE, now, website } = context;
  const place = placeOf(path, hugoLanguage(path, site));
  const times = readTimes(fields, place, addressField(fields), { now, site, warnings: NO_WARNINGS });
  const title = toText(fields.get("title", "headline")) ?? "";
  const { url } = findAddress({ fields, place, path, day: times.day, title }, context);
  if (url !== undefined) return url;
  if (website === undefined || website.urlPattern?.includes("{id}") === true) return null;
  const slug = validSlug(slugFrom(fields) ?? place.slug) || slugify(title);
  const language = readLanguage(fields.get("lang", "language", "locale")) ?? place.language;
  return patternUrl(website, { id: "", slug, language, publishedAt: times.date });
}

function splitFrontMatterOrNone(text: string): { data: Record<string, unknown> | null } {
  try {
    return splitFrontMatter(text.replace(/\r\n?/g, "\n"));
  } catch {
    return { data: null };
  }
}

const NO_WARNINGS: Pick<Warnings, "add"> = { add: () => undefined };

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
