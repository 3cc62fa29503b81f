/** Services that have nothing but posts: Hashnode, dev.to (and other Forem sites), Tumblr. */
import { isRecord } from "../../domain/articles/json-values.ts";
import { Warnings } from "../../domain/articles/warnings.ts";
import { type ImportContext, toText } from "../import-item.ts";
import type { ImportItem } from "../../operations/articles/import/import-items.ts";
import { escapeHtml } from "../html/html-tree.ts";
import { splitFrontMatter } from "../markdown/front-matter.ts";
import { parseLabels } from "../article-fields.ts";
import { type Body, type CmsItem, toCmsDraft } from "./cms-article.ts";
import type { Node } from "./rich-text.ts";

/** An export (`{posts}`), a list, a post, or an answer of the GraphQL API. */
export function readHashnode(value: unknown): CmsItem[] | null {
  const posts = postsIn(value, isHashnode);
  return posts?.map((post) => (source, context) => toHashnode(post, source, context)) ?? null;
}

function isHashnode(post: Node): boolean {
  const { content } = post;
  return typeof post["contentMarkdown"] === "string" || (isRecord(content) && typeof content["markdown"] === "string");
}

function toHashnode(post: Node, source: string, context: ImportContext): ImportItem {
  const content = isRecord(post["content"]) ? post["content"] : {};
  const markdown = toText(post["contentMarkdown"] ?? content["markdown"]) ?? "";
  const cover = isRecord(post["coverImage"]) ? post["coverImage"]["url"] : post["coverImage"];
  const id = toText(post["_id"] ?? post["id"] ?? post["cuid"]);
  return toCmsDraft(
    {
      source,
      ref: `hashnode:${id ?? toText(post["slug"]) ?? ""}`,
      label: "Hashnode",
      fields: { ...post, cover_image: cover },
      body: { markdown: markdown.replaceAll(/^%\[(https?:[^\]\s]+)\]/gm, "<$1>") },
      warnings: new Warnings(),
      id,
      isPublished: post["isDraft"] === true || post["isActive"] === false ? false : undefined,
      created: post["createdAt"],
      updated: post["dateUpdated"],
    },
    context,
  );
}

/** Answers of the API, of a list with texts (`/articles/me`) or of one article. */
export function readDevTo(value: unknown): CmsItem[] | null {
  const posts = postsIn(value, (post) => typeof post["body_markdown"] === "string");
  if (posts !== null) return posts.map((post) => (source, context) => toDevTo(post, source, context));
  const listed = postsIn(value, (post) => post["type_of"] === "article" && post["reading_time_minutes"] !== undefined);
  const reason =
    "It is dev.to's list, which has no texts: ask for https://dev.to/api/articles/me with your API key, or for each article.";
  return listed?.map(() => (source) => ({ kind: "failed", source, reason })) ?? null;
}

function toDevTo(post: Node, source: string, context: ImportContext): ImportItem {
  const { data, body } = splitFrontMatter((toText(post["body_markdown"]) ?? "").replace(/\r\n?/g, "\n"));
  const tags = [post["tag_list"], post["tags"]].find((given) => parseLabels(given).some((label) => label !== ""));
  const warnings = new Warnings();
  const markdown = body.replaceAll(/\{%\s*(?:embed|link)\s+(https?:[^\s%]+)\s*%\}/g, (_tag, address: string) => {
    warnings.add("embed_replaced", address);
    return `<${address}>`;
  });
  const id = toText(post["id"]);
  return toCmsDraft(
    {
      source,
      ref: `devto:${id ?? toText(post["slug"]) ?? ""}`,
      label: "dev.to",
      fields: { ...data, ...post, tag_list: tags, author: post["user"] ?? post["author"] },
      body: { markdown },
      warnings,
      id,
      isPublished: post["published"] === false || post["published_at"] === null ? false : undefined,
      created: post["created_at"],
      updated: post["edited_at"],
    },
    context,
  );
}

/** Answers of the API and backups. */
export function readTumblr(value: unknown): CmsItem[] | null {
  const posts = postsIn(value, isTumblr);
  return posts?.map((post) => (source, context) => toTumblr(post, source, context)) ?? null;
}

const TUMBLR_TYPES = new Set<unknown>(["text", "photo", "quote", "link", "chat", "audio", "video", "answer"]);

function isTumblr(post: Node): boolean {
  return TUMBLR_TYPES.has(post["type"]) && Array.isArray(post["tags"]) && "state" in post && "date" in post;
}

function toTumblr(post: Node, source: string, context: ImportContext): ImportItem {
  const body = tumblrBody(post);
  const id = toText(post["id_string"] ?? post["id"]);
  if (body === null)
    return { kind: "skipped", source, reason: `It is a post of the type ${String(post["type"])} without a text.` };
  const words =
    "content" in body
      ? body.content
          .replaceAll(/<[^<>]*>/g, " ")
          .replaceAll(/\s+/g, " ")
          .trim()
      : "";
  const title = toText(post["title"]) ?? toText(post["summary"]) ?? words.slice(0, 80).toWellFormed();
  return toCmsDraft(
    {
      source,
      ref: `tumblr:${id ?? ""}`,
      label: "Tumblr",
      fields: { ...post, title, summary: undefined, author: undefined, url: post["post_url"] },
      body,
      warnings: new Warnings(),
      id,
      isPublished: post["state"] === "published" ? true : undefined,
    },
    context,
  );
}

function tumblrBody(post: Node): Body | null {
  const photos = (Array.isArray(post["photos"]) ? post["photos"] : []).filter(isRecord).map((photo) => {
    const original = isRecord(photo["original_size"]) ? photo["original_size"] : {};
    return `<img src="${escapeHtml(toText(original["url"]) ?? "")}" alt="${escapeHtml(toText(photo["caption"]) ?? "")}">`;
  });
  const link = toText(post["type"] === "link" ? post["url"] : (post["video_url"] ?? post["audio_url"]));
  const parts = [
    ...photos,
    post["type"] === "quote" ? `<blockquote>${toText(post["text"]) ?? ""}</blockquote>` : undefined,
    post["question"] === undefined ? undefined : `<blockquote>${toText(post["question"]) ?? ""}</blockquote>`,
    link === undefined ? undefined : `<p><a href="${escapeHtml(link)}">${escapeHtml(link)}</a></p>`,
    ...["body", "caption", "description", "source", "answer"].map((name) => toText(post[name])),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? null : { content: parts.join("\n") };
}

/** Posts in a list, under `posts`, or in the pages of a GraphQL answer. */
function postsIn(value: unknown, isPost: (post: Node) => boolean): Node[] | null {
  const places = [value];
  if (isRecord(value)) {
    places.push(value["posts"], value["drafts"]);
    for (const name of ["data", "response", "publication"]) {
      places.push(...places.filter(isRecord).map((place) => place[name]));
    }
    places.push(...places.filter(isRecord).flatMap((place) => [place["posts"], place["post"], place["article"]]));
  }
  for (const place of places) {
    const list = isRecord(place) && Array.isArray(place["edges"]) ? place["edges"] : place;
    const nodes = (Array.isArray(list) ? list : [list]).filter(isRecord);
    const posts = nodes.map((one) => (isRecord(one["node"]) ? one["node"] : one));
    if (posts.some(isPost)) return posts;
  }
  return null;
}
