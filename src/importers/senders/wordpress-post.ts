/** Reads requests on posts as clients of WordPress' REST API send them: JSON, a form or a query, with what they want to change. */
import { parseArticleJson } from "../../domain/articles/article-json.ts";
import { ARTICLE_LIMITS, isRecord } from "../../domain/articles/json-values.ts";
import type { SenderField } from "../../domain/articles/senders/dialect.ts";
import type { ArrivedArticle, Understood, WordPressNumbers } from "../../domain/articles/senders/sender.ts";
import type { ReadableArrival } from "../../operations/system/deps.ts";
import { readKnownLanguage } from "../article-fields.ts";
import { isoTimeIfKnown, parseTime } from "../dates.ts";
import { plainLine, plainText } from "../html/html-tree.ts";
import { toText } from "../import-item.ts";
import { decoded } from "../urls.ts";
import { toSeoFields } from "../wordpress/wordpress-post.ts";
import { contentOfWordPress } from "../wordpress/wordpress-text.ts";
import { describeProblem } from "./article.ts";
import { readBody } from "./body.ts";
import { withoutRepeats } from "./text.ts";

/** What each of our fields is called there, for the list of arrivals. */
const NAMES: Readonly<Partial<Record<string, SenderField>>> = {
  title: "title",
  content: "content",
  excerpt: "excerpt",
  slug: "slug",
  status: "status",
  date: "published_at",
  date_gmt: "published_at",
  categories: "categories",
  tags: "tags",
  featured_media: "image",
  lang: "language",
};

/**
 * Null: the request is none of WordPress'. A request to create names the new post's number in its path, too
 * (http/senders/wordpress-posts.ts). Never throws for what a sender sends: that is the `problem`.
 */
export function readWordPressArrival(arrival: ReadableArrival): Understood | null {
  const { method, path, query } = arrival.request;
  const externalId = /^\/wp-json\/wp\/v2\/posts\/(\d{1,15})$/.exec(path)?.[1];
  if (externalId === undefined) return null;
  const event = null;
  if (method === "DELETE") {
    const removed = { externalId, input: {}, places: {}, problem: null };
    return { kind: "removal", event, problem: null, articles: [removed] };
  }
  try {
    const body = readBody(arrival);
    const values = { ...query, ...(isRecord(body) ? body : {}) };
    return { kind: "article", event, problem: null, articles: [readPost(externalId, values, arrival.websiteUrl)] };
  } catch (error) {
    const failed = { externalId, input: {}, places: {}, problem: describeProblem(error) };
    return { kind: "article", event, problem: null, articles: [failed] };
  }
}

function readPost(externalId: string, post: Record<string, unknown>, websiteUrl: string | null): ArrivedArticle {
  const title = ifGiven(post["title"], (value) => plainLine(toRaw(value)));
  const excerpt = ifGiven(post["excerpt"], (value) => plainText(toRaw(value)));
  const date = parseTime(post["date_gmt"]) ?? parseTime(post["date"]);
  const wantsPublished =
    ["publish", "future", "pending"].includes(String(post["status"])) && toText(post["password"]) === undefined;
  const categories = toTerms(post["categories"]);
  const tags = toTerms(post["tags"]);
  const featuredMedia = toNumber(post["featured_media"]);
  const input = parseArticleJson({
    title,
    ...ifGiven(post["content"], (value) => toContent(toRaw(value), { title, websiteUrl })),
    excerpt: excerpt === "" ? null : excerpt,
    slug: ifGiven(post["slug"], (value) => decoded(toText(value) ?? "") || undefined),
    status: wantsPublished ? "published" : undefined,
    published_at: wantsPublished ? isoTimeIfKnown(date) : undefined,
    ...toSeoFields(toMeta(post), websiteUrl),
    language: readKnownLanguage(post["lang"]),
    categories: categories?.names,
    tags: tags?.names,
  });
  const numbers: WordPressNumbers = {
    ...(categories === undefined ? {} : { categories: categories.numbers }),
    ...(tags === undefined ? {} : { tags: tags.numbers }),
    ...(featuredMedia === undefined ? {} : { featuredMedia: featuredMedia === 0 ? null : featuredMedia }),
  };
  return { externalId, input, places: listTaken(post), problem: null, numbers };
}

function ifGiven<T>(value: unknown, read: (value: unknown) => T): T | undefined {
  return value === undefined || value === null ? undefined : read(value);
}

/** Text fields are a text, or an object with it. */
function toRaw(value: unknown): string {
  if (isRecord(value)) return toRaw(value["raw"] ?? value["rendered"] ?? "");
  return typeof value === "string" ? value : (toText(value) ?? "");
}

function toContent(
  raw: string,
  around: { title: string | undefined; websiteUrl: string | null },
): { content: string } | { markdown: string } {
  // Without any tag it is text in paragraphs, or Markdown, of which these are part.
  if (!/<[a-z!/]/i.test(raw))
    return { markdown: withoutRepeats({ form: "markdown", text: raw }, toAround(around)).text };
  const { html } = contentOfWordPress(raw);
  return { content: withoutRepeats({ form: "html", text: html }, toAround(around)).text };
}

/** Without a title, as in a change of the text alone, nothing in it repeats one. */
function toAround({ title, websiteUrl }: { title: string | undefined; websiteUrl: string | null }) {
  return { title: title ?? "", image: undefined, websiteUrl };
}

/** Terms are numbers; some clients send names. `names` is undefined without any. */
function toTerms(value: unknown): { numbers: number[]; names: string[] | undefined } | undefined {
  if (value === undefined || value === null) return undefined;
  const items = (typeof value === "string" ? value.split(",") : [value].flat()).slice(0, ARTICLE_LIMITS.labels);
  const numbers = items.flatMap((item) => toNumber(item) ?? []);
  const names = items.flatMap((item) =>
    typeof item === "string" && toNumber(item) === undefined ? plainLine(item) : [],
  );
  const filled = names.filter((name) => name !== "");
  return { numbers, names: filled.length > 0 || items.length === 0 ? filled : undefined };
}

function toNumber(value: unknown): number | undefined {
  const number = typeof value === "string" && /^\s*\d{1,15}\s*$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

/** Fields of SEO plugins: under `meta`, and by some clients beside it. */
function toMeta(post: Record<string, unknown>): Map<string, string> {
  const { meta } = post;
  const all = { ...post, ...(isRecord(meta) ? meta : {}) };
  return new Map(Object.entries(all).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])));
}

function listTaken(post: Record<string, unknown>): ArrivedArticle["places"] {
  const taken = Object.keys(post).flatMap((name) => {
    const field = NAMES[name];
    return field === undefined ? [] : [[field, name] as const];
  });
  return Object.fromEntries(taken);
}
