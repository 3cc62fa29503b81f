/**
 * A website's articles as WordPress' importer reads them: WXR 1.2, one item for each article, and one before it for a
 * featured picture that no earlier article has. Only names of authors and labels and addresses of pictures are kept
 * in memory.
 */
import { extname, basename } from "node:path";
import type { Article, FullArticle } from "../../../domain/articles/article.ts";
import { isoTime, type Millis } from "../../../domain/system/time.ts";
import type { Website } from "../../../domain/system/website.ts";
import { findBody, iterateArticles } from "../../../store/articles/articles.ts";
import type { ExportSource } from "./source.ts";
import { type Losses, sharedLosses } from "./losses.ts";
import { UniqueSlugs } from "./unique-slugs.ts";

/** Bytes that a slug may have in WordPress' database, encoded as in an address. */
const MAX_SLUG_BYTES = 200;
const MAX_LABEL = 200;
/** WordPress removes anything else from a login. */
const NOT_IN_LOGIN = /[^a-z0-9]+/g;
const NO_TIME = "0000-00-00 00:00:00";
/** What SEO plugins replace by a value of their own. */
const VARIABLE = /%%|%\w+%|#\w+_\w+/;

interface Names {
  logins: UniqueSlugs;
  labels: UniqueSlugs;
  /** Ids of attachments, by address and description. */
  pictures: Map<string, number>;
  nextId: number;
}

export async function* exportWordPress({ db, website, status }: ExportSource, losses: Losses): AsyncGenerator<string> {
  const names: Names = {
    logins: new UniqueSlugs((name) => toLogin(name)),
    labels: new UniqueSlugs(),
    pictures: new Map(),
    nextId: 1,
  };
  // Authors come first in the file.
  for await (const { authors } of iterateArticles(db, website.id, status)) {
    for (const { name } of authors) names.logins.of(name);
  }
  yield header(website, names.logins);
  for await (const article of iterateArticles(db, website.id, status)) {
    const full = { article, body: await findBody(db, article.rowNo) };
    losses.count({ ...sharedLosses(full), ...wordpressLosses(article) });
    yield* items(full, names);
  }
  yield "</channel>\n</rss>\n";
}

function header({ name, url, language }: Website, logins: UniqueSlugs): string {
  const address = url ?? "";
  const authors = Array.from(
    logins.entries(),
    ([shown, login], index) =>
      `\t<wp:author><wp:author_id>${index + 1}</wp:author_id><wp:author_login>${cdata(login)}</wp:author_login>` +
      `<wp:author_email>${cdata("")}</wp:author_email><wp:author_display_name>${cdata(escaped(shown))}</wp:author_display_name>` +
      `<wp:author_first_name>${cdata("")}</wp:author_first_name><wp:author_last_name>${cdata("")}</wp:author_last_name></wp:author>\n`,
  );
  return `<?xml version="1.0" encoding="UTF-8" ?>
<rss version="2.0"
\txmlns:excerpt="http://wordpress.org/export/1.2/excerpt/"
\txmlns:content="http://purl.org/rss/1.0/modules/content/"
\txmlns:dc="http://purl.org/dc/elements/1.1/"
\txmlns:wp="http://wordpress.org/export/1.2/"
>
<channel>
\t<title>${escaped(name)}</title>
\t<link>${escaped(address)}</link>
\t<description></description>
\t<language>${escaped(language ?? "")}</language>
\t<wp:wxr_version>1.2</wp:wxr_version>
\t<wp:base_site_url>${escaped(address)}</wp:base_site_url>
\t<wp:base_blog_url>${escaped(address)}</wp:base_blog_url>
${authors.join("")}`;
}

function* items({ article, body }: FullArticle, names: Names): Generator<string> {
  const { featuredImageUrl: address, featuredImageAlt: alt } = article;
  let thumbnail: number | undefined;
  if (address !== null) {
    const key = JSON.stringify([address, alt]);
    thumbnail = names.pictures.get(key);
    if (thumbnail === undefined) {
      thumbnail = names.nextId++;
      names.pictures.set(key, thumbnail);
      yield attachment(thumbnail, { address, alt: alt ?? "", at: toTimes(article).at });
    }
  }
  yield post(article, body.html, names, thumbnail);
}

/** The id in its title: WordPress takes two with the same title and time for one. */
function attachment(id: number, { address, alt, at }: { address: string; alt: string; at: Millis }): string {
  const path = URL.canParse(address) ? new URL(address).pathname : "";
  const name = `${basename(path, extname(path)) || "picture"}-${id}`;
  return item([
    tag("title", cdata(escaped(name))),
    tag("wp:post_id", String(id)),
    ...times(at, null),
    tag("wp:post_name", cdata(name)),
    tag("wp:status", cdata("inherit")),
    ...COMMON,
    tag("wp:post_type", cdata("attachment")),
    tag("wp:attachment_url", cdata(address)),
    ...(alt === "" ? [] : [meta("_wp_attachment_image_alt", alt)]),
  ]);
}

function post(article: Article, html: string, names: Names, thumbnail: number | undefined): string {
  const { at, state } = toTimes(article);
  const isPublished = state === "publish";
  const logins = article.authors.map(({ name }) => names.logins.of(name));
  const label = (domain: string) => (name: string) =>
    `<category domain="${domain}" nicename="${escaped(names.labels.of(name))}">${cdata(escaped(name))}</category>`;
  return item([
    tag("title", cdata(escaped(article.title))),
    tag("link", escaped(isPublished ? (article.platformUrl ?? "") : "")),
    isPublished || state === "future" ? tag("pubDate", new Date(at).toUTCString()) : "",
    tag("dc:creator", cdata(logins[0] ?? "")),
    `<guid isPermaLink="false">urn:uuid:${article.id}</guid>`,
    tag("description", ""),
    tag("content:encoded", cdata(toContent(html))),
    tag("excerpt:encoded", cdata(escaped(article.authorExcerpt ?? ""))),
    tag("wp:post_id", String(names.nextId++)),
    ...times(at, article.updatedAt, isPublished || state === "future"),
    tag("wp:post_name", cdata(article.slug)),
    tag("wp:status", cdata(state)),
    ...COMMON,
    tag("wp:post_type", cdata("post")),
    ...article.categories.map(label("category")),
    ...article.tags.map(label("post_tag")),
    // As the plugin Co-Authors Plus has them.
    ...(logins.length < 2
      ? []
      : logins.map((login) => `<category domain="author" nicename="cap-${login}">${cdata(login)}</category>`)),
    ...(thumbnail === undefined ? [] : [meta("_thumbnail_id", String(thumbnail))]),
    ...seoFields(article).flatMap(([key, value]) => (value === null ? [] : [meta(key, value)])),
    ...article.aliases.map((alias) => meta("_wp_old_slug", alias)),
  ]);
}

/** Under the names of Rank Math, from where every other plugin takes them over. */
function seoFields(article: Article): [key: string, value: string | null][] {
  return [
    ["rank_math_title", article.metaTitle],
    ["rank_math_description", article.metaDescription],
    ["rank_math_focus_keyword", article.targetKeyword],
    ["rank_math_canonical_url", article.canonicalUrl],
    ["_aioseo_keywords", article.seoKeywords.length === 0 ? null : article.seoKeywords.join(",")],
    ["_wpml_import_language_code", article.language],
    ["_wpml_import_translation_group", article.translationGroup],
  ];
}

function toTimes({ status, reviewState, publishedAt, publishAt, createdAt }: Article): {
  state: "publish" | "future" | "draft" | "pending";
  at: Millis;
} {
  if (status === "published") return { state: "publish", at: publishedAt ?? createdAt };
  if (status === "approved" && publishAt !== null) return { state: "future", at: publishAt };
  return { state: reviewState === "draft" ? "draft" : "pending", at: createdAt };
}

function wordpressLosses(article: Article): Record<string, boolean> {
  const { authors, slug, categories, tags, metaTitle, metaDescription, targetKeyword, seoKeywords } = article;
  const { at, state } = toTimes(article);
  const known = [article.createdAt, article.updatedAt, article.publishedAt, article.publishAt];
  return {
    "its id": true,
    "parts of a second of its times": known.some((time) => time !== null && time % 1000 !== 0),
    "when it was written, as its publication has another time":
      Math.trunc(article.createdAt / 1000) !== Math.trunc(at / 1000),
    "links of its authors": authors.some(({ url }) => url !== null),
    "authors after the first, unless WordPress has the plugin Co-Authors Plus": authors.length > 1,
    "an address that WordPress writes otherwise":
      !/^[\p{Ll}\p{Lo}\p{M}\p{N}_-]+$/u.test(slug) || encodeURIComponent(slug).length > MAX_SLUG_BYTES,
    "labels of more than 200 characters": [...categories, ...tags].some((label) => label.length > MAX_LABEL),
    "its address on another platform, as it is not published": state !== "publish" && article.platformUrl !== null,
    "a search title or description with what plugins replace, such as %title%": [
      metaTitle,
      metaDescription,
      targetKeyword,
    ].some((text) => text !== null && VARIABLE.test(text)),
    "keywords with a comma": [targetKeyword ?? "", ...seoKeywords].some((keyword) => keyword.includes(",")),
  };
}

/**
 * A Custom HTML block, which WordPress shows as it is: outside a block it would make line breaks of the source visible.
 * A bracket before a letter is written as an entity, so that nothing in a text becomes a shortcode.
 */
function toContent(html: string): string {
  return `<!-- wp:html -->\n${html.replaceAll(/\[(?=\/?[a-z_])/gi, "&#91;")}\n<!-- /wp:html -->`;
}

const COMMON = [
  tag("wp:comment_status", cdata("closed")),
  tag("wp:ping_status", cdata("closed")),
  tag("wp:post_parent", "0"),
  tag("wp:menu_order", "0"),
  tag("wp:post_password", cdata("")),
  tag("wp:is_sticky", "0"),
];

function times(at: Millis, updatedAt: Millis | null, isDated = true): string[] {
  const changed = toSqlTime(updatedAt ?? at);
  return [
    tag("wp:post_date", cdata(toSqlTime(at))),
    tag("wp:post_date_gmt", cdata(isDated ? toSqlTime(at) : NO_TIME)),
    tag("wp:post_modified", cdata(changed)),
    tag("wp:post_modified_gmt", cdata(changed)),
  ];
}

function toSqlTime(at: Millis): string {
  return isoTime(at).slice(0, 19).replace("T", " ");
}

/** ASCII letters and digits, as WordPress wants it. */
function toLogin(name: string): string {
  const plain = name.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return plain.replaceAll(NOT_IN_LOGIN, "-").replaceAll(/^-|-$/g, "").slice(0, 50) || "author";
}

function item(parts: readonly string[]): string {
  const lines = parts.filter((part) => part !== "").map((part) => `\t\t${part}\n`);
  return `\t<item>\n${lines.join("")}\t</item>\n`;
}

/** Plain text; what looks like an entity would be read as one. */
function meta(key: string, value: string): string {
  const text = value.replaceAll(/&(?=#?\w{1,40};)/g, "&amp;");
  return `<wp:postmeta><wp:meta_key>${cdata(key)}</wp:meta_key><wp:meta_value>${cdata(text)}</wp:meta_value></wp:postmeta>`;
}

function tag(name: string, content: string): string {
  return `<${name}>${content}</${name}>`;
}

/** Control characters and others that XML cannot have are left out. */
function cdata(text: string): string {
  return `<![CDATA[${validXml(text).replaceAll("]]>", "]]]]><![CDATA[>")}]]>`;
}

/** WordPress' titles, labels and names are HTML, in which these three are special. */
function escaped(text: string): string {
  return validXml(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function validXml(text: string): string {
  return text.replaceAll(/[\uFFFE\uFFFF]|[^\P{Cc}\t\n\r\u007F-\u009F]/gu, "");
}
