/** Each field of an article as senders write it, in the form of our JSON article; undefined: it is none. */
import { ARTICLE_LIMITS, isRecord } from "../../domain/articles/json-values.ts";
import type { SenderField } from "../../domain/articles/senders/dialect.ts";
import { validSlug } from "../../domain/articles/content/slug.ts";
import { parseAuthors, parseLabels, readKnownLanguage } from "../article-fields.ts";
import { parseTime } from "../dates.ts";
import { plainLine } from "../html/html-tree.ts";
import { toText } from "../import-item.ts";
import { absoluteUrl, getHost, slugOfPath } from "../urls.ts";

type ReadField = (value: unknown, websiteUrl: string | null) => unknown;

export const READERS: Record<SenderField | "id", ReadField> = {
  id: toText,
  title: readLine,
  slug: readSlug,
  html: readBody,
  markdown: readBody,
  content: readBody,
  excerpt: readLine,
  meta_description: readLine,
  meta_title: readLine,
  image: readImage,
  image_alt: readLine,
  language: readLanguage,
  keyword: (value) => readLine(Array.isArray(value) ? value[0] : value),
  keywords: readLabels,
  tags: readLabels,
  categories: readLabels,
  author: (value) => (typeof value === "number" ? undefined : parseAuthors(value)),
  published_at: (value) => parseTime(typeof value === "string" ? (toNumber(value) ?? value) : value) ?? undefined,
  status: (value) => toText(value)?.toLowerCase(),
  canonical_url: readCanonical,
};

/** One line without markup; a text that only mentions a tag keeps it. */
function readLine(value: unknown): string | undefined {
  const text = toText(value)?.replaceAll("\0", "");
  if (text === undefined) return undefined;
  const isMarkup = /&(?:#\d+|#x[\da-f]+|[a-z]+);|<\/[a-z]/i.test(text) && text.length <= 20_000;
  const line = isMarkup ? plainLine(text) : text.replaceAll(/\s+/g, " ");
  return toText(line);
}

function readSlug(value: unknown): string | undefined {
  const given = toText(value);
  const slug = given?.includes("/") === true ? slugOfPath(given) : given;
  return slug === undefined ? undefined : toText(validSlug(slug));
}

/** A document of Lexical may be an object. */
function readBody(value: unknown): string | undefined {
  if (isRecord(value) && isRecord(value["root"])) return JSON.stringify(value);
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** Several addresses may be in a list, or in one text with semicolons. */
function readImage(value: unknown, websiteUrl: string | null): string | undefined {
  if (typeof value === "string") {
    const [first = ""] = value.trim().split(/;\s*(?=https?:)/, 1);
    return /\s/.test(first) ? undefined : absoluteUrl(first, websiteUrl);
  }
  if (Array.isArray(value)) {
    for (const item of value.slice(0, ARTICLE_LIMITS.labels)) {
      const found = Array.isArray(item) ? undefined : readImage(item, websiteUrl);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  for (const name of ["url", "src", "source_url", "href", "value"]) {
    const found = typeof value[name] === "string" ? readImage(value[name], websiteUrl) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

export function readImageAlt(image: unknown): { name: string; alt: string } | undefined {
  const one: unknown = Array.isArray(image) ? image[0] : image;
  if (!isRecord(one)) return undefined;
  for (const name of ["alt", "alt_text", "altText", "alternativeText"]) {
    const alt = readLine(one[name]);
    if (alt !== undefined) return { name, alt };
  }
  return undefined;
}

/** Numbers are ids of the sender's own. */
function readLabels(value: unknown): string[] | undefined {
  const given = isRecord(value) && Array.isArray(value["data"]) ? value["data"] : value;
  const list: unknown[] = typeof given === "string" ? given.split(/[,;]/) : [given].flat();
  const labels = list
    .slice(0, ARTICLE_LIMITS.labels)
    .filter((item) => typeof item === "string" || isRecord(item))
    .flatMap((item) => parseLabels(typeof item === "string" ? [item] : item))
    .map((label) => (label.length > ARTICLE_LIMITS.label ? `${label.slice(0, ARTICLE_LIMITS.label - 1)}…` : label))
    .filter((label) => label !== "");
  return labels.length === 0 ? undefined : labels;
}

/** A tag, or the language's English name. */
function readLanguage(value: unknown): string | undefined {
  const known = readKnownLanguage(value);
  if (known !== undefined || typeof value !== "string" || value.length > 50) return known;
  const name = value.trim().toLowerCase();
  return COMMON_LANGUAGES.find((tag) => ENGLISH_NAMES.of(tag)?.toLowerCase() === name);
}

const ENGLISH_NAMES = new Intl.DisplayNames("en", { type: "language" });
const COMMON_LANGUAGES = (
  "ar bg bn ca cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv ms nl no pl pt ro ru sk sl sr sv th tr uk ur " +
  "vi zh"
).split(" ");

/** Forms have no numbers. */
function toNumber(text: string): number | undefined {
  return /^\d{9,13}$/.test(text.trim()) ? Number(text) : undefined;
}

/** An article of this website is its own original. */
function readCanonical(value: unknown, websiteUrl: string | null): string | undefined {
  const address = absoluteUrl(value, websiteUrl);
  return websiteUrl === null || getHost(address) === getHost(websiteUrl) ? undefined : address;
}
