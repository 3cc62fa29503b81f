import { parseAuthors, readKnownLanguage } from "../article-fields.ts";
import { absoluteUrl, decoded, getHost } from "../urls.ts";
import { lifecycle, parseTime } from "../dates.ts";
import { isRecord } from "../../domain/articles/json-values.ts";
import { beginItem, type ImportContext, type ReadItem, toDraft, toText } from "../import-item.ts";
import type { ImportItem } from "../../operations/articles/import/import-items.ts";
import { plainLine, plainText } from "../html/html-tree.ts";
import { Warnings } from "../../domain/articles/warnings.ts";
import { isPostLink, linkPosts } from "./post-links.ts";
import { stateOfWordPress, whySkipped } from "./wordpress-post.ts";

/** Reads posts of WordPress's REST API (`/wp-json/wp/v2/posts?_embed`). `null`: it is something else. */
export function readWordPressRest(value: unknown, name: string, context: ImportContext): Iterable<ReadItem> | null {
  const posts = (Array.isArray(value) ? value : [value]).filter(isRecord);
  if (!posts.some((post) => isRecord(post["title"]) && isRecord(post["content"]))) return null;
  return items(posts, name, context);
}

function* items(posts: Record<string, unknown>[], name: string, context: ImportContext): Generator<ReadItem> {
  const links = new Map(posts.map((post) => [toText(post["id"]), absoluteUrl(post["link"], context.websiteUrl)]));
  for (const [index, post] of posts.entries()) {
    const source = posts.length === 1 ? name : `${name}, post ${index + 1}`;
    yield beginItem(context, source, undefined, () => toItem(post, source, context, links));
  }
}

function toItem(
  post: Record<string, unknown>,
  source: string,
  context: ImportContext,
  links: ReadonlyMap<string | undefined, string | undefined>,
): ImportItem {
  const status = toText(post["status"]) ?? "publish";
  const reason = whySkipped(toText(post["type"]) ?? "post", status, context.include);
  if (reason !== null) return { kind: "skipped", source, reason };
  const title = plainLine(rendered(post["title"]));
  const link = absoluteUrl(post["link"], context.websiteUrl);
  const slug = toText(post["slug"]);
  const id = toText(post["id"]);
  const isProtected = isRecord(post["content"]) && post["content"]["protected"] === true;
  const times = {
    ...stateOfWordPress(status, isProtected),
    date: parseTime(post["date_gmt"]) ?? parseTime(post["date"]),
    updated: parseTime(post["modified_gmt"]) ?? parseTime(post["modified"]),
  };
  const image = featuredImage(post, context);
  const excerpt = plainText(rendered(post["excerpt"]));
  const warnings = new Warnings();
  const findAddress = (other: string) => {
    const found = links.get(other);
    return found === undefined || isPostLink(found) ? undefined : found;
  };
  const site = link === undefined ? null : new URL("/", link).href;
  const content = linkPosts(rendered(post["content"]), { site, findAddress }, warnings);
  const draft = toDraft(
    source,
    `wordpress:${getHost(link)}:${id ?? slug ?? title}`,
    {
      title: title === "" ? undefined : title,
      slug: slug === undefined ? undefined : decoded(slug),
      content,
      // WordPress generates an excerpt with this ending if the author wrote none.
      excerpt: /\[…\]$|\[\.\.\.\]$/.test(excerpt) ? undefined : excerpt,
      authors: parseAuthors(
        embedded(post, "author").map(({ name, url }) => ({ name: plainLine(toText(name) ?? ""), url })),
      ),
      meta_description: isRecord(post["yoast_head_json"]) ? toText(post["yoast_head_json"]["description"]) : undefined,
      categories: getTerms(post, "category"),
      tags: getTerms(post, "post_tag"),
      language: readKnownLanguage(post["lang"] ?? post["wpml_current_locale"]),
      translation_group: getTranslationGroup(post, id),
      featured_image_url: image.url,
      featured_image_alt: image.alt,
      platform_url: times.state === "published" ? link : undefined,
      platform_post_id: id,
      ...lifecycle(times, context.now),
    },
    times.hidden,
  );
  return draft.kind !== "draft" || warnings.list.length === 0 ? draft : { ...draft, warnings: warnings.list };
}

function rendered(value: unknown): string {
  if (!isRecord(value)) return typeof value === "string" ? value : "";
  return toText(value["rendered"]) ?? toText(value["raw"]) ?? "";
}

function embedded(post: Record<string, unknown>, name: string): Record<string, unknown>[] {
  const group = isRecord(post["_embedded"]) ? post["_embedded"][name] : undefined;
  return Array.isArray(group) ? group.flat().filter(isRecord) : [];
}

function getTerms(post: Record<string, unknown>, taxonomy: string): string[] | undefined {
  const terms = embedded(post, "wp:term").filter((term) => term["taxonomy"] === taxonomy);
  return terms.length === 0 ? undefined : terms.map((term) => plainLine(toText(term["name"]) ?? ""));
}

/** The least id of the post and its translations, as Polylang (`{de: 12}`) and WPML (`[{id: 12}]`) list them. */
function getTranslationGroup(post: Record<string, unknown>, id: string | undefined): string | undefined {
  const listed = post["translations"] ?? post["wpml_translations"];
  if (typeof listed !== "object" || listed === null) return undefined;
  const others = Object.values(listed).map((one: unknown) => Number(isRecord(one) ? one["id"] : one));
  const ids = [...new Set([Number(id), ...others])].filter((one) => Number.isSafeInteger(one) && one > 0);
  return ids.length < 2 ? undefined : `wordpress-${Math.min(...ids)}`;
}

function featuredImage(
  post: Record<string, unknown>,
  context: ImportContext,
): { url: string | undefined; alt: string | undefined } {
  const media = embedded(post, "wp:featuredmedia")[0];
  const url = absoluteUrl(media?.["source_url"] ?? post["jetpack_featured_media_url"], context.websiteUrl);
  return { url, alt: url === undefined ? undefined : plainLine(toText(media?.["alt_text"]) ?? "") };
}
