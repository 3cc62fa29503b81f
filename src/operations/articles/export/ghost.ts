/**
 * A website's articles as Ghost's importer reads them: one JSON document with its tables. Each table is a pass over the
 * articles, in the same order, so that their ids are numbers; only names of authors and tags are kept in memory.
 */
import type { Article, FullArticle } from "../../../domain/articles/article.ts";
import { isoTime, isoTimeOrNull } from "../../../domain/system/time.ts";
import { findBody, iterateArticles } from "../../../store/articles/articles.ts";
import type { ExportSource } from "./source.ts";
import { type Losses, sharedLosses } from "./losses.ts";
import { UniqueSlugs } from "./unique-slugs.ts";

/** Ghost refuses what is longer. */
const MOST = {
  title: 255,
  excerpt: 300,
  metaTitle: 300,
  metaDescription: 500,
  alt: 191,
  name: 191,
  url: 2000,
} as const;
const MAX_LANGUAGE = 6;
/** Ghost asks for a version from 1.0 on. */
const GHOST = "5.0.0";

type Row = Record<string, unknown>;

export async function* exportGhost({ db, website, status, now }: ExportSource, losses: Losses): AsyncGenerator<string> {
  const tags = new UniqueSlugs();
  const users = new UniqueSlugs((user) => slugOfUser(user));
  const slugs = website.slugsPerLanguage ? new Set<string>() : null;
  const each = async function* (rows: (article: Article, id: string) => Iterable<Row>): AsyncGenerator<Row> {
    let number = 0;
    for await (const article of iterateArticles(db, website.id, status)) yield* rows(article, toId("a", ++number));
  };
  const posts = async function* (): AsyncGenerator<Row> {
    let number = 0;
    for await (const article of iterateArticles(db, website.id, status)) {
      const full = { article, body: await findBody(db, article.rowNo) };
      const slug = freeSlug(article, slugs);
      losses.count({ ...sharedLosses(full), ...ghostLosses(article, slug) });
      for (const name of labels(article)) tags.of(name);
      for (const author of article.authors) users.of(userKey(author));
      yield toPost(full, toId("a", ++number), slug);
    }
  };
  yield `{"db":[{"meta":{"exported_on":${now},"version":"${GHOST}"},"data":{\n`;
  yield* table("posts", posts());
  yield ",\n";
  yield* table(
    "posts_meta",
    each((article, id) => toMeta(article, id)),
  );
  yield ",\n";
  const tagIds = new Map(Array.from(tags.entries(), ([name], index) => [name, toId("b", index + 1)]));
  yield* table(
    "tags",
    Array.from(tags.entries(), ([name, slug]) => ({ id: tagIds.get(name), name, slug, visibility: "public" })),
  );
  yield ",\n";
  yield* table(
    "posts_tags",
    each((article, id) =>
      labels(article).map((name, order) => ({ post_id: id, tag_id: tagIds.get(name), sort_order: order })),
    ),
  );
  yield ",\n";
  const userIds = new Map(Array.from(users.entries(), ([key], index) => [key, toId("c", index + 1)]));
  yield* table(
    "users",
    Array.from(users.entries(), ([key, slug]) => toUser(key, slug, userIds.get(key), now)),
  );
  yield ",\n";
  yield* table(
    "posts_authors",
    each(({ authors }, id) =>
      authors.map((author, order) => ({ post_id: id, author_id: userIds.get(userKey(author)), sort_order: order })),
    ),
  );
  yield "\n}}]}\n";
}

async function* table(name: string, rows: AsyncIterable<Row> | Iterable<Row>): AsyncGenerator<string> {
  yield `${JSON.stringify(name)}:[`;
  let isFirst = true;
  for await (const row of rows) {
    yield `${isFirst ? "\n" : ",\n"}${JSON.stringify(row)}`;
    isFirst = false;
  }
  yield "\n]";
}

/** As long as Ghost's own ids. */
function toId(kind: string, number: number): string {
  return kind + number.toString(16).padStart(23, "0");
}

function toPost({ article, body }: FullArticle, id: string, slug: string): Row {
  const { status, publishAt, language } = article;
  const state =
    status === "published" ? "published" : status === "approved" && publishAt !== null ? "scheduled" : "draft";
  return {
    id,
    uuid: article.id,
    title: cut(article.title, MOST.title),
    slug,
    html: body.html,
    feature_image: withinLimit(article.featuredImageUrl),
    featured: false,
    type: "post",
    status: state,
    locale: language !== null && language.length <= MAX_LANGUAGE ? language : null,
    visibility: "public",
    created_at: isoTime(article.createdAt),
    updated_at: isoTime(article.updatedAt),
    published_at: isoTimeOrNull(state === "scheduled" ? publishAt : article.publishedAt),
    custom_excerpt: cut(article.authorExcerpt, MOST.excerpt),
    canonical_url: withinLimit(article.canonicalUrl),
  };
}

function toMeta({ metaTitle, metaDescription, featuredImageAlt }: Article, id: string): Row[] {
  if (metaTitle === null && metaDescription === null && featuredImageAlt === null) return [];
  return [
    {
      post_id: id,
      meta_title: cut(metaTitle, MOST.metaTitle),
      meta_description: cut(metaDescription, MOST.metaDescription),
      feature_image_alt: cut(featuredImageAlt, MOST.alt),
    },
  ];
}

/** Ghost knows a person by an e-mail address; this one belongs to nobody. */
function toUser(key: string, slug: string, id: string | undefined, now: number): Row {
  const { name, url } = JSON.parse(key) as { name: string; url: string | null };
  const email = `${slug.replaceAll(/[^a-z0-9-]+/g, "").slice(0, 30) || "author"}-${Number.parseInt(String(id).slice(1), 16)}`;
  const at = isoTime(now);
  return {
    id,
    name,
    slug,
    email: `${email}@authors.invalid`,
    website: url,
    status: "locked",
    created_at: at,
    updated_at: at,
  };
}

function userKey({ name, url }: Article["authors"][number]): string {
  return JSON.stringify({ name: cut(name, MOST.name), url: withinLimit(url) });
}

function slugOfUser(key: string): string {
  return new UniqueSlugs().of((JSON.parse(key) as { name: string }).name);
}

/** Ghost has no categories: they are its first tags, and the very first is the one that its themes show. */
function labels({ categories, tags }: Article): string[] {
  return [...new Set([...categories, ...tags].map((name) => cut(name.replace(/^,+/, ""), MOST.name)))].filter(
    (name) => name !== "",
  );
}

function freeSlug({ slug, language }: Article, taken: Set<string> | null): string {
  if (taken === null) return slug;
  let free = slug;
  for (let number = 1; taken.has(free); number++) free = `${slug}-${language ?? ""}${number === 1 ? "" : number}`;
  taken.add(free);
  return free;
}

function ghostLosses(article: Article, slug: string): Record<string, boolean> {
  const { categories, tags, language } = article;
  const texts: [string | null, number][] = [
    [article.title, MOST.title],
    [article.authorExcerpt, MOST.excerpt],
    [article.metaTitle, MOST.metaTitle],
    [article.metaDescription, MOST.metaDescription],
    [article.featuredImageAlt, MOST.alt],
    ...[...categories, ...tags, ...article.authors.map(({ name }) => name)].map((name): [string, number] => [
      name,
      MOST.name,
    ]),
  ];
  const addresses = [article.featuredImageUrl, article.canonicalUrl, ...article.authors.map(({ url }) => url)];
  return {
    "its categories, which become its first tags": categories.length > 1 || categories[0] !== tags[0],
    "its keywords": article.seoKeywords.length > 0 || article.targetKeyword !== null,
    "its former addresses; --redirects writes them to a file": article.aliases.length > 0,
    "its address on another platform": article.platformUrl !== null,
    "which articles are its translations": article.translationGroup !== null,
    "a language tag of more than six characters": language !== null && language.length > MAX_LANGUAGE,
    "an address that another language has, too, and gets a suffix": slug !== article.slug,
    "texts that are longer than Ghost takes, which are cut": texts.some(
      ([text, most]) => text !== null && text.length > most,
    ),
    "addresses of more than 2,000 characters": addresses.some((url) => url !== null && url.length > MOST.url),
    "labels that begin with # or a comma, which Ghost does not show": [...categories, ...tags].some((name) =>
      /^[#,]/.test(name),
    ),
  };
}

function cut<T extends string | null>(text: T, most: number): T {
  return (text === null || text.length <= most ? text : text.slice(0, most).toWellFormed()) as T;
}

function withinLimit(url: string | null): string | null {
  return url !== null && url.length <= MOST.url ? url : null;
}
