/** Tools that change nothing. */
import { AppError } from "../../domain/system/errors.ts";
import { findSections } from "../../domain/articles/sections.ts";
import type { Json, ManagementCalls } from "./management-calls.ts";

/** Maximum characters of a text that is shown whole, and of a section. */
const MAX_SHOWN = 20_000;

interface ListInput {
  state?: string;
  query?: string;
  tag?: string;
  category?: string;
  external_id?: string;
  updated_since?: string;
  limit?: number;
  offset?: number;
}

export async function listArticles(
  calls: ManagementCalls,
  { query: q, limit = 20, offset = 0, ...filter }: ListInput,
): Promise<Json> {
  const query = { ...filter, q, limit: String(limit), offset: String(offset) };
  const { articles, total } = await calls.send("GET", ["articles"], { query });
  return { articles: (articles as Json[]).map((one) => pick(one, LISTED)), total, limit, offset };
}

const LISTED = ["id", "title", "slug", "state", "language", "tags", "word_count", "updated_at", "external_id", "etag"];

export async function readArticle(
  calls: ManagementCalls,
  { id, section }: { id: string; section?: number },
): Promise<Json> {
  const article = await loadArticle(calls, id);
  const { text, format } = article;
  if (section === undefined && text.length <= MAX_SHOWN) return { ...present(article), text };
  const sections = findSections(text, format, MAX_SHOWN);
  if (section === undefined) {
    const outline = sections.map(({ number, level, heading, start, end }) => {
      return { section: number, level, heading, characters: end - start };
    });
    return { ...present(article), outline };
  }
  const found = sections[section];
  if (found === undefined) {
    throw new AppError("invalid", `This text has ${sections.length} sections, numbered from 0.`, { field: "section" });
  }
  const { id: found_id, etag } = article;
  return { id: found_id, etag, format, section, of: sections.length, text: text.slice(found.start, found.end) };
}

export interface AgentsArticle {
  id: string;
  etag: string;
  state: string;
  format: "html" | "markdown";
  /** The text in its own format, with the changes of a draft copy. */
  text: string;
  /** All fields but the text, with the changes of a draft copy. */
  fields: Json;
  hasDraft: boolean;
}

/** The article as it would be edited. @throws RefusedCall. */
export async function loadArticle(calls: ManagementCalls, id: string): Promise<AgentsArticle> {
  const { article } = (await calls.send("GET", ["articles", id])) as { article: Json };
  return toAgentsArticle(article);
}

export function toAgentsArticle(article: Json): AgentsArticle {
  const { content, markdown, draft, source, ...rest } = article;
  const changes = draft === null ? {} : (draft as { changes: Json }).changes;
  const isNew = changes["content"] !== undefined || changes["markdown"] !== undefined;
  const format = isNew
    ? changes["markdown"] === undefined
      ? "html"
      : "markdown"
    : source === "html"
      ? "html"
      : "markdown";
  const written: Json = isNew ? changes : { content, markdown };
  const { content: _content, markdown: _markdown, ...changed } = changes;
  return {
    id: String(rest["id"]),
    etag: String(rest["etag"]),
    state: String(rest["state"]),
    format,
    text: String(format === "html" ? written["content"] : written["markdown"]),
    fields: { ...rest, ...changed },
    hasDraft: draft !== null,
  };
}

/** Presents an article to an agent, without its text. */
export function present({ fields, format, hasDraft }: AgentsArticle): Json {
  const { allowed, ...shown } = pick(fields, SHOWN);
  return {
    ...shown,
    allowed: (allowed as string[]).filter((verb) => POSSIBLE.has(verb)),
    format,
    has_draft: hasDraft,
  };
}

const POSSIBLE = new Set(["edit", "submit", "withdraw"]);
const SHOWN = [
  "id",
  "etag",
  "state",
  "title",
  "slug",
  "excerpt",
  "external_id",
  "language",
  "authors",
  "meta_title",
  "meta_description",
  "target_keyword",
  "seo_keywords",
  "categories",
  "tags",
  "featured_image_url",
  "featured_image_alt",
  "canonical_url",
  "word_count",
  "updated_at",
  "request",
  "removal_request",
  "publication_request",
  "allowed",
];

export async function readFeedback(
  calls: ManagementCalls,
  { id, after, limit }: { id?: string; after?: string; limit?: number },
): Promise<Json> {
  if (id !== undefined) return pick(await calls.send("GET", ["articles", id, "comments"]), ["threads"]);
  return calls.send("GET", ["feedback"], { query: { after, limit: limit?.toString() } });
}

export function readHistory(calls: ManagementCalls, { id, cursor }: { id: string; cursor?: string }): Promise<Json> {
  return calls.send("GET", ["articles", id, "history"], { query: { cursor } });
}

export function pick(from: Json, names: readonly string[]): Json {
  return Object.fromEntries(names.filter((name) => name in from).map((name) => [name, from[name]]));
}
