/** Helpers for the tests of a site: a client that answers from given articles, and webhooks signed as the service signs them. */
import { createClient, type Rostrum } from "./client.ts";
import type { Label } from "./labels.ts";
import { byPublication, has, neighboursIn, page, storedOf, summaryOf } from "./stores/store.ts";
import type { Article, ArticleEvent, RequestedFields } from "./types.ts";
import { signWebhook } from "./webhook.ts";

/** A published article with these fields; the others get default values. Fields on request may be among them. */
export function makeArticle<Fields extends Partial<Article & RequestedFields>>(
  fields: Fields = {} as Fields,
): Article & Pick<RequestedFields, keyof Fields & keyof RequestedFields> {
  const { title = "An article", content = "<p>A text.</p>" } = fields;
  return {
    id: crypto.randomUUID(),
    title,
    excerpt: "A text.",
    slug: title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-"),
    status: "published",
    seo_keywords: [],
    meta_description: null,
    target_keyword: null,
    featured_image_url: null,
    featured_image_alt: null,
    word_count: 2,
    reading_time: 1,
    categories: [],
    tags: [],
    created_at: "2026-01-01T00:00:00.000Z",
    published_at: "2026-01-01T00:00:00.000Z",
    platform_url: null,
    platform_post_id: null,
    content,
    internal_links: [],
    approved_at: "2026-01-01T00:00:00.000Z",
    quality_metrics: NO_METRICS,
    pipeline_steps: [],
    ...fields,
  } as Article & Pick<RequestedFields, keyof Fields & keyof RequestedFields>;
}

/**
 * A client for these articles, which may change between requests. Supports `limit`, `offset`, `status`, `slug`, `category`, `tag`, `tags`,
 * `lang`, `fields` and `include`, labels and related articles, and has no events.
 */
export function createTestClient(articles: readonly Article[]): Rostrum {
  const answer: typeof fetch = async (input) => {
    const { pathname, searchParams } = new URL(input instanceof Request ? input.url : input);
    const data = await dataOf(articles, pathname.replace("/api/public", ""), searchParams);
    if (data === null)
      return Response.json(NOT_FOUND, { status: 404, headers: { "X-Error-Code": "article_not_found" } });
    return Response.json({ success: true, data });
  };
  return createClient({ url: "http://rostrum.test", key: "rs_test", fetch: answer, cache: false });
}

/** A webhook request, signed now. */
export async function makeWebhookRequest(
  event: ArticleEvent,
  secret: string,
  url = "http://site.test/",
): Promise<Request> {
  const body = JSON.stringify(event);
  const id = `msg_${crypto.randomUUID()}`;
  const timestamp = Math.floor(Date.now() / 1000);
  const headers = {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": await signWebhook(secret, id, timestamp, body),
    "webhook-attempt": "1",
    "webhook-sequence": "1",
  };
  return new Request(url, { method: "POST", headers, body });
}

async function dataOf(articles: readonly Article[], path: string, query: URLSearchParams): Promise<object | null> {
  if (path === "/articles") return listOf(articles, query);
  if (path === "/state") return { version: "test.1", latest_sequence: 0, language: null };
  if (path === "/events") {
    return { events: [], pagination: { after: 0, limit: 50, next_after: 0, latest_sequence: 0, has_more: false } };
  }
  if (path === "/redirects") return { redirects: [], pagination: { limit: 1000, next_after: "", has_more: false } };
  if (path === "/tags" || path === "/categories") {
    const [kind, otherwise] = path === "/tags" ? (["tags", "tag"] as const) : (["categories", "category"] as const);
    const names = articles.filter(isPublished).flatMap((article) => article[kind]);
    return { [kind]: await labelsOf(names, otherwise) };
  }
  const [, related] = /^\/articles\/([^/]+)\/related$/.exec(path) ?? [];
  if (related !== undefined) return relatedTo(decodeURIComponent(related), articles, Number(query.get("limit") ?? 5));
  const [, key, value] = /^\/articles\/(by-slug\/)?(.+)$/.exec(path) ?? [];
  const wanted = decodeURIComponent(value ?? "");
  const [article] =
    key === undefined
      ? articles.filter(({ id, status }) => id === wanted && status !== "pending")
      : articles
          .filter((one) => one.slug === wanted && isPublished(one) && isIn(one, query.get("lang")))
          .sort((one, other) => (languageOf(one) < languageOf(other) ? -1 : 1));
  if (article === undefined) return null;
  const listed = articles.filter((one) => isPublished(one) && isIn(one, query.get("lang"))).sort(byPublication);
  const neighbours = neighboursIn(listed, article);
  return { article: formOf(Object.assign({ neighbours }, article), query, Object.keys(makeArticle())) };
}

/** The named fields, or those that `fields` names, and those of `include`. */
function formOf(article: Article, query: URLSearchParams, names: readonly string[]): object {
  const listed = (name: string) => query.get(name)?.split(",") ?? [];
  const fields = query.has("fields") ? listed("fields") : names;
  const all: Record<string, unknown> = { ...ON_REQUEST, updated_at: article.created_at, ...article };
  return Object.fromEntries([...new Set([...fields, ...listed("include")])].map((name) => [name, all[name]]));
}

async function labelsOf(names: readonly string[], otherwise: string): Promise<Label[]> {
  const labels = new Map<string, Label>();
  const taken = new Set<string>();
  for (const name of names) {
    const key = name.normalize("NFKC").trim().toLowerCase();
    const known = labels.get(key);
    if (known === undefined) {
      const slug = slugOf(name, otherwise);
      labels.set(key, { name, slug: taken.has(slug) ? `${slug}-${await hashOf(key)}` : slug, count: 1 });
      taken.add(slug);
    } else known.count += 1;
  }
  return [...labels.values()].sort((one, other) => other.count - one.count || (one.name < other.name ? -1 : 1));
}

/** As the service makes slugs of labels in Latin letters; it also knows how to write others in them. */
function slugOf(name: string, otherwise: string): string {
  const spelled = name.replaceAll("+", " plus ").replaceAll(/(?<=[\p{L}\p{N}])#/gu, " sharp ");
  const plain = spelled.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return plain.match(/[\p{L}\p{N}]+/gu)?.join("-") ?? otherwise;
}

async function hashOf(text: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(hash, 0, 2), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function relatedTo(wanted: string, articles: readonly Article[], limit: number): object | null {
  const article = articles.find(({ id }) => id === wanted);
  if (article === undefined) return null;
  const shared = ({ tags, categories }: Article) =>
    tags.filter((tag) => article.tags.includes(tag)).length +
    categories.filter((category) => article.categories.includes(category)).length;
  const related = articles
    .filter((other) => other !== article && isPublished(other) && shared(other) > 0)
    .sort((one, other) => shared(other) - shared(one) || byPublication(one, other));
  return { articles: related.slice(0, limit).map((other) => summaryOf(storedOf(other))) };
}

/** "" for one that names none: the website's own, which nobody has set. */
function languageOf(article: Article & Partial<Pick<RequestedFields, "language">>): string {
  return article.language ?? "";
}

function isIn(article: Article, lang: string | null): boolean {
  return lang === null || languageOf(article) === lang;
}

function isPublished({ status }: Article): boolean {
  return status === "published";
}

function listOf(articles: readonly Article[], query: URLSearchParams): object {
  const text = (name: string) => query.get(name) ?? undefined;
  const status = query.get("status") ?? "published";
  const limit = Math.min(100, Number(query.get("limit") ?? 50));
  const offset = Number(query.get("offset") ?? 0);
  const wanted = articles
    .filter((article) => article.status === status && (text("slug") ?? article.slug) === article.slug)
    .filter((article) => isIn(article, query.get("lang")))
    .filter(({ tags, categories }) => hasAny(tags, text("tag")) && hasAny(categories, text("category")))
    .filter(({ tags }) => has(tags, text("tags")) || named(text("tags")).every((tag) => has(tags, tag)))
    .sort(byPublication);
  const found = page(wanted, { limit, offset });
  const names = Object.keys(summaryOf(storedOf(makeArticle())));
  const forms = (found.articles as Article[]).map((article) => formOf(article, query, names));
  return { articles: forms, pagination: { total: found.total, limit, offset } };
}

function hasAny(labels: readonly string[], wanted: string | undefined): boolean {
  return has(labels, wanted) || named(wanted).some((one) => has(labels, one));
}

function named(wanted = ""): string[] {
  return wanted.split(",").map((one) => one.trim());
}

const NOT_FOUND = { error: "Not Found", message: "There is no such article." };

const ON_REQUEST: Omit<RequestedFields, "updated_at" | "neighbours"> = {
  authors: [],
  meta_title: null,
  canonical_url: null,
  aliases: [],
  previous_slugs: [],
  language: null,
  translation_group: null,
  review_record: null,
  translations: [],
  featured_image: null,
  toc: [],
};

const NO_METRICS: Article["quality_metrics"] = {
  overall_score: 100,
  dimensions: { seo: 100, readability: 100, structure: 100, links: 100, images: 100, evidence: 100, originality: 100 },
  checks: [],
  facts: {
    flesch_reading_ease: null,
    average_sentence_words: 2,
    keyword_count: 0,
    keyword_density: 0,
    title_length: 10,
    meta_description_length: 0,
    headings: 0,
    internal_links: 0,
    external_links: 0,
    images: 0,
    images_without_alt: 0,
  },
  integrity: { status: "pass", blocking: 0, warnings: 0, findings: [] },
  engine_version: "1",
  content_hash: "",
  evaluated_at: "2026-01-01T00:00:00.000Z",
  reported: null,
};
