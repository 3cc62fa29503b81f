import { isRecord } from "../../domain/articles/json-values.ts";
import { asUuid } from "../../domain/articles/article.ts";
import { withoutTrailing } from "../../domain/system/trailing.ts";
import { parseAuthors, readLanguage } from "../article-fields.ts";
import { absoluteUrl, getHost } from "../urls.ts";
import { lifecycle, type LifecycleSource, parseTime } from "../dates.ts";
import { describeHiding } from "../visibility.ts";
import { beginItem, type ImportContext, type ReadItem, toDraft, toText } from "../import-item.ts";
import type { ImportItem } from "../../operations/articles/import/import-items.ts";
import { parseJson } from "../json/ndjson.ts";
import { renderLexical } from "./lexical.ts";
import { markdownOfMobiledoc, renderMobiledoc } from "./mobiledoc.ts";

type Row = Record<string, unknown>;

/** Characters of injected code that are looked at. */
const MAX_HEAD = 100_000;

/**
 * Reads Ghost posts in all known shapes: the admin's export (`{db: [{data}]}`), the same without its wrapper
 * (`{data}`), a response of the Content API (`{posts}`), and the posts that Ghost's migration tools produce from other
 * systems (`{posts: [{url, data}]}`). `null`: it is something else.
 */
export function readGhost(value: unknown, name: string, context: ImportContext): Iterable<ReadItem> | null {
  if (!isRecord(value)) return null;
  const inDb = Array.isArray(value["db"]) && isRecord(value["db"][0]) ? value["db"][0]["data"] : undefined;
  const data = [inDb, value["data"], value].filter(isRecord).find((tables) => Array.isArray(tables["posts"]));
  if (data === undefined) return null;
  const posts = getRows(data, "posts");
  const looksLikeGhost = posts.every(
    (post) => isRecord(post["data"]) || "html" in post || "lexical" in post || "mobiledoc" in post,
  );
  return looksLikeGhost ? items(posts, new Tables(data), name, context) : null;
}

function* items(posts: Row[], tables: Tables, name: string, context: ImportContext): Generator<ReadItem> {
  for (const [index, row] of posts.entries()) {
    const isMigrated = isRecord(row["data"]);
    const post = isMigrated ? { url: row["url"], ...(row["data"] as Row) } : row;
    const source = posts.length === 1 ? name : `${name}, post ${index + 1}`;
    yield beginItem(context, source, undefined, () => toItem(post, isMigrated, tables, source, context));
  }
}

function toItem(post: Row, isMigrated: boolean, tables: Tables, source: string, context: ImportContext): ImportItem {
  const isPage = post["type"] === "page" || post["page"] === true || post["page"] === 1;
  if (isPage && context.include?.includes("page") !== true) {
    return { kind: "skipped", source, reason: "It is a page, not a post." };
  }
  const id = toText(post["id"]);
  const meta: Row = { ...tables.getMeta(id), ...withoutNull(post) };
  const url = absoluteUrl(post["url"], context.websiteUrl);
  const identity = toText(post["uuid"]) ?? id ?? url ?? toText(post["slug"]) ?? toText(post["title"]) ?? "";
  const times = parseTimes(post, meta);
  return toDraft(
    source,
    `ghost:${identity}`,
    {
      id: asUuid(post["uuid"]) ?? undefined,
      ...toFields(post, meta, tables, context),
      platform_url: url !== undefined && getHost(url) !== "" ? url : undefined,
      platform_post_id: isMigrated ? undefined : id,
      ...lifecycle(times, context.now),
    },
    times.hidden,
  );
}

/** The fields of one post that has its tags and authors within it, as Ghost's API has them. */
export function readPostFields(post: Row, context: ImportContext): Row {
  return toFields(post, post, new Tables({}), context);
}

function toFields(post: Row, meta: Row, tables: Tables, context: ImportContext): Row {
  const id = toText(post["id"]);
  const tags = tables.getTags(post, id);
  const image = absoluteUrl(atSite(meta["feature_image"], context), context.websiteUrl);
  return {
    title: toText(post["title"]),
    slug: toText(post["slug"]),
    ...contentOfGhost(post, (text) => String(atSite(text, context))),
    excerpt: toText(meta["custom_excerpt"]),
    authors: parseAuthors(tables.getAuthors(post, id)),
    meta_title: toText(meta["meta_title"]),
    meta_description: toText(meta["meta_description"]),
    categories: tags.length === 0 ? undefined : tags.slice(0, 1),
    tags: tags.length === 0 ? undefined : tags,
    featured_image_url: image,
    featured_image_alt: image === undefined ? undefined : toText(meta["feature_image_alt"]),
    // The admin's export contains no URLs; its canonical_url is the original source of an article.
    canonical_url: absoluteUrl(atSite(meta["canonical_url"], context), context.websiteUrl),
    ...getTranslations(post, meta),
  };
}

/** Ghost has no translations; its themes and authors write `hreflang` links into the head of a post. */
function getTranslations(
  post: Row,
  meta: Row,
): { language: string | undefined; translation_group: string | undefined } {
  const head = (toText(meta["codeinjection_head"]) ?? "").slice(0, MAX_HEAD);
  const links = Array.from(head.matchAll(/<link\s[^<>]*>/gi), ([tag]) => ({
    language: readLanguage(/\shreflang=["']?([a-z-]{2,35})/i.exec(tag)?.[1]),
    path: /\shref=["']?([^"'\s>]+)/i.exec(tag)?.[1]?.replace(/^https?:\/\/[^/]+/i, ""),
  })).flatMap(({ language, path }) => (language === undefined || path === undefined ? [] : [{ language, path }]));
  const paths = [...new Set(links.map(({ path }) => path))].toSorted();
  const slug = toText(post["slug"]) ?? "";
  const own = links.find(({ path }) => withoutTrailing(path, "/").endsWith(`/${slug}`));
  return {
    language: readLanguage(post["locale"]) ?? own?.language,
    translation_group: own === undefined || paths.length < 2 ? undefined : paths[0],
  };
}

function parseTimes(post: Row, meta: Row): LifecycleSource {
  return {
    ...toState(toText(post["status"]) ?? "published", toText(post["visibility"]) ?? "public", meta["email_only"]),
    date: parseTime(post["published_at"]),
    created: parseTime(post["created_at"]),
    updated: parseTime(post["updated_at"]),
  };
}

function toState(status: string, visibility: string, isMail: unknown): Pick<LifecycleSource, "state" | "hidden"> {
  const hidden =
    visibility !== "public"
      ? describeHiding("closed", visibility)
      : status === "sent" || isMail === true || isMail === 1
        ? describeHiding("unlisted", "email only")
        : status !== "published" && status !== "scheduled"
          ? describeHiding("draft", status)
          : null;
  return { state: hidden === null && status === "scheduled" ? "scheduled" : "published", hidden };
}

/** Ghost writes its own URL as a placeholder; if it is unknown, URLs become relative to the site. */
function atSite(value: unknown, { websiteUrl }: ImportContext): unknown {
  if (typeof value !== "string") return value;
  return value.replaceAll("__GHOST_URL__", withoutTrailing(websiteUrl ?? "", "/"));
}

/** The other tables of an export, indexed by post. */
class Tables {
  readonly #meta: Map<string, Row>;
  readonly #tags: Map<string, Row>;
  readonly #tagIds: Map<string, { tag: string; order: number }[]>;
  readonly #users: Map<string, Row>;
  readonly #authorIds: Map<string, { user: string; order: number }[]>;

  constructor(data: Row) {
    this.#meta = new Map(getRows(data, "posts_meta").map((row) => [String(row["post_id"]), row]));
    this.#tags = new Map(getRows(data, "tags").map((row) => [String(row["id"]), row]));
    this.#tagIds = new Map();
    for (const row of getRows(data, "posts_tags")) {
      const post = String(row["post_id"]);
      const links = this.#tagIds.get(post) ?? [];
      links.push({ tag: String(row["tag_id"]), order: Number(row["sort_order"] ?? 0) });
      this.#tagIds.set(post, links);
    }
    this.#users = new Map(getRows(data, "users").map((row) => [String(row["id"]), row]));
    this.#authorIds = new Map();
    for (const row of getRows(data, "posts_authors")) {
      const post = String(row["post_id"]);
      const links = this.#authorIds.get(post) ?? [];
      links.push({ user: String(row["author_id"]), order: Number(row["sort_order"] ?? 0) });
      this.#authorIds.set(post, links);
    }
  }

  getMeta(post: string | undefined): Row {
    return withoutNull(this.#meta.get(post ?? "") ?? {});
  }

  /** Authors named in the post, else the users that it refers to. `url` is an archive; `website` is their own. */
  getAuthors(post: Row, id: string | undefined): { name: unknown; url: unknown }[] {
    const linked = (this.#authorIds.get(id ?? "") ?? []).sort((a, b) => a.order - b.order).map(({ user }) => user);
    const ids = linked.length > 0 ? linked : [toText(post["author_id"]) ?? ""];
    const named = [Array.isArray(post["authors"]) ? post["authors"] : (post["author"] ?? [])].flat();
    const users: unknown[] = named.length > 0 ? named : ids.map((user) => this.#users.get(user));
    return users.flatMap((user) => {
      const row = isRecord(user) && isRecord(user["data"]) ? user["data"] : user;
      if (isRecord(row)) return [{ name: row["name"], url: row["website"] }];
      return typeof row === "string" ? [{ name: row, url: null }] : [];
    });
  }

  /** Names of the tags, the primary one first, without the internal ones (`#like-this`). */
  getTags(post: Row, id: string | undefined): string[] {
    const linked = (this.#tagIds.get(id ?? "") ?? [])
      .sort((a, b) => a.order - b.order)
      .map(({ tag }) => this.#tags.get(tag));
    const given = Array.isArray(post["tags"]) ? post["tags"] : [];
    return [...given, ...linked].flatMap((tag: unknown) => {
      const row = isRecord(tag) && isRecord(tag["data"]) ? tag["data"] : tag;
      const name = isRecord(row) ? toText(row["name"])?.trim() : toText(row)?.trim();
      const isInternal = isRecord(row) && row["visibility"] === "internal";
      return name === undefined || isInternal || name.startsWith("#") ? [] : [name];
    });
  }
}

function getRows(data: Row, table: string): Row[] {
  const rows = data[table];
  return Array.isArray(rows) ? rows.filter(isRecord) : [];
}

function withoutNull(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value != null));
}

/** The HTML that Ghost stores, else the rendered source. A post of a single Markdown card stays Markdown. */
function contentOfGhost(
  post: Record<string, unknown>,
  atSite: (text: string) => string,
): { content?: string; markdown?: string } {
  const html = toText(post["html"]);
  if (html !== undefined) return { content: atSite(html) };
  const lexical = toText(post["lexical"]);
  if (lexical !== undefined) return { content: atSite(renderLexical(parseJson(lexical))) };
  const mobiledoc = toText(post["mobiledoc"]);
  if (mobiledoc === undefined) return {};
  const document = parseJson(mobiledoc);
  const markdown = isRecord(document) ? markdownOfMobiledoc(document) : null;
  return markdown === null ? { content: atSite(renderMobiledoc(document)) } : { markdown: atSite(markdown) };
}
