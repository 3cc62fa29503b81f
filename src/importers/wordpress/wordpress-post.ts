import { parseAliases, parseAuthors, parseLabels, readKnownLanguage } from "../article-fields.ts";
import { absoluteUrl, decoded, getHost, slugOfPath } from "../urls.ts";
import { lifecycle, type LifecycleSource, parseTime } from "../dates.ts";
import { describeHiding } from "../visibility.ts";
import { Warnings } from "../../domain/articles/warnings.ts";
import { slugify, validSlug } from "../../domain/articles/content/slug.ts";
import { patternUrl } from "../../domain/system/website.ts";
import {
  type AddressPattern,
  beginItem,
  failedItem,
  type ImportContext,
  NoArticles,
  type ReadItem,
  toDraft,
  toText,
} from "../import-item.ts";
import type { ImportItem } from "../../operations/articles/import/import-items.ts";
import { plainLine, plainText, titleOfSlug } from "../html/html-tree.ts";
import type { RenderedBlocks } from "./wordpress-blocks.ts";
import type { Attachment, Library } from "./library.ts";
import { isPostLink, linkPosts } from "./post-links.ts";
import { contentOfWordPress } from "./wordpress-text.ts";
import { type WxrItem, wxrItems } from "./wxr-items.ts";
import { AppError } from "../../domain/system/errors.ts";
import { isWordPressXml } from "../detect.ts";
import { type ImportFile, peekText } from "../import-file.ts";

function addToLibrary(library: Library, item: WxrItem): void {
  const attachment = toAttachment(item);
  const id = getField(item, "wp:post_id");
  const type = getField(item, "wp:post_type");
  const url = absoluteUrl(getField(item, "link"), item.site);
  if (id !== undefined && attachment === null)
    library.posts.set(id, {
      url: url === undefined || isPostLink(url) ? undefined : url,
      slug: slugOfPath(getField(item, "wp:post_name") ?? ""),
      publishedAt: firstTime(item, "wp:post_date_gmt", "pubDate", "wp:post_date"),
    });
  if (attachment !== null) {
    library.attachments.set(attachment.id, attachment);
    const parent = getField(item, "wp:post_parent") ?? "0";
    if (parent === "0") return;
    const uploads = library.uploads.get(parent) ?? [];
    uploads.push({ order: Number(getField(item, "wp:menu_order") ?? 0), file: attachment });
    library.uploads.set(parent, uploads);
  } else if (type === "wp_block" && id !== undefined && getField(item, "wp:status") === "publish") {
    library.blocks.set(id, item.fields.get("content:encoded") ?? "");
  } else if (type === "guest-author") {
    const name = plainMeta(item.meta, "cap-display_name") ?? getPlainLine(item, "title");
    const login = toText(item.meta.get("cap-user_login")) ?? getField(item, "wp:post_name");
    if (name !== undefined && login !== undefined) library.guests.set(login.replace(/^cap-/, ""), name);
  }
}

/** `null`: the item is not an attachment. */
function toAttachment(item: WxrItem): Attachment | null {
  const id = getField(item, "wp:post_id");
  const url = absoluteUrl(getField(item, "wp:attachment_url"), item.site);
  if (id === undefined || url === undefined || getField(item, "wp:post_type") !== "attachment") return null;
  return { id, url, alt: plainMeta(item.meta, "_wp_attachment_image_alt") };
}

/** Converts one item of an export to a draft, or says why it is none. */
function postItem(item: WxrItem, file: string, library: Library, context: ImportContext): ImportItem {
  const status = getField(item, "wp:status") ?? "publish";
  const name = getPlainLine(item, "title");
  const source = `${file}, item ${item.number}${name === undefined ? "" : ` (${shortenTitle(name)})`}`;
  const reason = whySkipped(getField(item, "wp:post_type") ?? "post", status, context.include);
  if (reason !== null) return { kind: "skipped", source, reason };
  if (item.isTooLarge)
    return {
      kind: "failed",
      source,
      reason: "It is larger than 20 MB or has more than 10,000 parts, the most that one article may have.",
    };
  const raw = item.fields.get("content:encoded") ?? "";
  if (status === "auto-draft" && raw.trim() === "") {
    return { kind: "skipped", source, reason: "It is an empty draft that WordPress made by itself." };
  }
  try {
    const content = contentOfPost(item, raw, library);
    if (content.html === "" && content.doubt !== null)
      return { kind: "failed", source, reason: `${content.doubt} Nothing else is in it.` };
    const times = parseTimes(item, status);
    const hidden = times.hidden ?? content.doubt;
    const state = hidden === null ? times.state : "draft";
    const warnings = new Warnings();
    const findAddress = (id: string, isFile: boolean) => findInLibrary(id, isFile, library, context.website);
    const html = linkPosts(content.html, { site: item.site, findAddress }, warnings);
    const article = toArticle(item, name, html, library, { ...context, times: { ...times, state, hidden } });
    const draft = toDraft(source, toRef(item, name), article, hidden);
    return draft.kind !== "draft" || warnings.list.length === 0 ? draft : { ...draft, warnings: warnings.list };
  } catch (error) {
    return failedItem(source, error);
  }
}

/** An address that its site had; else the one that the website gives to the post. */
function findInLibrary(
  id: string,
  isFile: boolean,
  { attachments, posts }: Library,
  website: AddressPattern | undefined,
): string | undefined {
  if (isFile) return attachments.get(id)?.url;
  const post = posts.get(id);
  const hasNoPattern = website === undefined || website.urlPattern?.includes("{id}") === true;
  if (post?.url !== undefined || post?.slug === undefined || hasNoPattern) return post?.url;
  const { slug, publishedAt } = post;
  return (
    patternUrl(website, { id: "", slug: validSlug(slug) || slugify(slug), language: null, publishedAt }) ?? undefined
  );
}

function toArticle(
  item: WxrItem,
  name: string | undefined,
  content: string,
  library: Library,
  { times, ...context }: ImportContext & { times: LifecycleSource },
): Record<string, unknown> {
  const slug = slugOfPath(getField(item, "wp:post_name") ?? "");
  const image = library.attachments.get((item.meta.get("_thumbnail_id") ?? "").trim());
  return {
    title: name ?? (slug === undefined ? undefined : titleOfSlug(slug)),
    slug,
    content,
    excerpt: plainText(item.fields.get("excerpt:encoded") ?? "") || undefined,
    authors: parseAuthors(getAuthorNames(item, library)),
    ...toSeoFields(item.meta, item.site ?? context.websiteUrl),
    aliases: parseAliases(item.oldSlugs.map(decoded)),
    categories: getTerms(item, "category"),
    tags: getTerms(item, "post_tag", "tag"),
    language: readKnownLanguage(item.meta.get("_wpml_import_language_code") ?? getTermSlug(item, "language")),
    translation_group:
      toText(item.meta.get("_wpml_import_translation_group")) ?? getTermSlug(item, "post_translations"),
    featured_image_url: image?.url,
    featured_image_alt: image?.alt,
    // Before publication the link is a preview that only its author can see.
    platform_url:
      times.state === "published" ? absoluteUrl(getField(item, "link"), item.site ?? context.websiteUrl) : undefined,
    platform_post_id: getField(item, "wp:post_id"),
    ...lifecycle(times, context.now),
  };
}

function contentOfPost(item: WxrItem, raw: string, { attachments, uploads, blocks }: Library): RenderedBlocks {
  const own = (uploads.get(getField(item, "wp:post_id") ?? "") ?? []).toSorted((one, other) => one.order - other.order);
  return contentOfWordPress(raw, {
    attachments,
    own: own.map(({ file }) => file),
    blocks,
    footnotes: item.meta.get("footnotes"),
    enclosures: item.enclosures,
  });
}

function parseTimes(item: WxrItem, status: string): LifecycleSource {
  const isProtected = getField(item, "wp:post_password") !== undefined;
  return {
    ...stateOfWordPress(status, isProtected, toText(item.meta.get("_jetpack_newsletter_access"))),
    date: firstTime(item, "wp:post_date_gmt", "pubDate", "wp:post_date"),
    updated: firstTime(item, "wp:post_modified_gmt", "wp:post_modified"),
  };
}

function toRef(item: WxrItem, name: string | undefined): string {
  const identity = getField(item, "wp:post_id") ?? getField(item, "wp:post_name") ?? name ?? String(item.number);
  return `wordpress:${getHost(item.site)}:${identity}`;
}

/** Fields of SEO plugins. A value with `%%` or `#` variables is a pattern that only the plugin can expand. */
export function toSeoFields(meta: ReadonlyMap<string, string>, site: string | null): Record<string, unknown> {
  const first = (...keys: string[]): string | undefined =>
    keys.map((key) => plainMeta(meta, key)).find((text) => text !== undefined && !/%%|%\w+%|#\w+_\w+/.test(text));
  const focus = parseLabels(
    first("_yoast_wpseo_focuskw", "rank_math_focus_keyword", "_seopress_analysis_target_kw") ?? null,
  );
  const keywords = parseLabels(first("_yoast_wpseo_metakeywords", "_aioseop_keywords", "_aioseo_keywords") ?? null);
  const all = [...keywords, ...focus.slice(1)];
  return {
    meta_title: first(
      "_yoast_wpseo_title",
      "rank_math_title",
      "_aioseop_title",
      "_aioseo_title",
      "_seopress_titles_title",
      "_genesis_title",
    ),
    canonical_url: absoluteUrl(
      first(
        "_yoast_wpseo_canonical",
        "rank_math_canonical_url",
        "_seopress_robots_canonical",
        "_genesis_canonical_uri",
      ),
      site,
    ),
    meta_description: first(
      "_yoast_wpseo_metadesc",
      "rank_math_description",
      "_aioseop_description",
      "_aioseo_description",
      "_seopress_titles_desc",
      "_genesis_description",
    ),
    target_keyword: focus[0],
    seo_keywords: all.length === 0 ? undefined : all,
  };
}

/** All authors of Co-Authors Plus and its like, which are terms with a login or a name; else the one that WordPress has. */
function getAuthorNames(item: WxrItem, { guests, authors }: Library): string[] | undefined {
  const together = item.terms
    .filter(({ domain, name, slug }) => domain === "author" && (slug.startsWith("cap-") || name.includes(" ")))
    .flatMap(({ name, slug }) => {
      const login = slug.replace(/^cap-/, "");
      const known = guests.get(login) ?? guests.get(name) ?? authors.get(name) ?? authors.get(login);
      return plainLine(known ?? (name.includes("@") ? "" : name)) || [];
    });
  if (together.length > 0) return together;
  const name = getAuthorName(item, authors);
  return name === undefined ? undefined : [name];
}

/** The author: a login, whose display name the export lists; others write a name, or an address, which is not shown. */
function getAuthorName(item: WxrItem, authors: Library["authors"]): string | undefined {
  const creator = getPlainLine(item, "dc:creator");
  if (creator === undefined) return undefined;
  const displayName = authors.get(getField(item, "dc:creator") ?? "");
  if (displayName !== undefined) return plainLine(displayName);
  return creator.includes(" ") && !creator.includes("@") ? creator : undefined;
}

function getTerms(item: WxrItem, ...domains: string[]): string[] | undefined {
  const terms = item.terms.filter((term) => domains.includes(term.domain)).map((term) => plainLine(term.name));
  return terms.length === 0 ? undefined : terms;
}

/** Polylang keeps the language of a post, and the group of its translations, as terms of its own. */
function getTermSlug({ terms }: WxrItem, domain: string): string | undefined {
  return toText(terms.find((term) => term.domain === domain)?.slug);
}

/** WordPress writes `0000-00-00 00:00:00` and a year -1 for drafts: neither is a time. */
function firstTime(item: WxrItem, ...names: string[]): number | null {
  for (const name of names) {
    const at = parseTime(getField(item, name));
    if (at !== null) return at;
  }
  return null;
}

function getField(item: WxrItem, name: string): string | undefined {
  return toText(item.fields.get(name))?.trim();
}

/** A setting as plain text on one line: WordPress stores some with character references. */
function plainMeta(meta: ReadonlyMap<string, string>, key: string): string | undefined {
  return toText(plainLine(meta.get(key) ?? ""));
}

function getPlainLine(item: WxrItem, name: string): string | undefined {
  const line = plainLine(item.fields.get(name) ?? "");
  return line === "" ? undefined : line;
}

function shortenTitle(title: string): string {
  return title.length > 80 ? `${title.slice(0, 79)}…` : title;
}

const KINDS: Record<string, string> = {
  page: "a page",
  attachment: "an attachment",
  nav_menu_item: "an entry of a menu",
  revision: "an older revision",
  wp_block: "a reusable block",
  wp_template: "a template",
  wp_global_styles: "a style",
  wp_navigation: "a menu",
  custom_css: "a style",
};

/** Why an item of a WordPress export is not an article; `null`: it is one. */
export function whySkipped(type: string, status: string, include: readonly string[] = []): string | null {
  if (type !== "post" && !include.includes(type))
    return `It is ${KINDS[type] ?? `of the post type "${type}"`}, not a post.`;
  switch (status) {
    case "trash":
      return "It is in the trash of the site.";
    case "inherit":
      return "It is an older revision, not a post.";
    default:
      return null;
  }
}

/** `access`: for whom Jetpack shows the post, if the export says so. */
export function stateOfWordPress(
  status: string,
  isProtected: boolean,
  access = "everybody",
): Pick<LifecycleSource, "state" | "hidden"> {
  const hidden = isProtected
    ? describeHiding("closed", "password")
    : access !== "everybody"
      ? describeHiding("closed", access)
      : status === "private"
        ? describeHiding("closed", status)
        : status !== "publish" && status !== "future"
          ? describeHiding("draft", status)
          : null;
  return { state: hidden !== null ? "draft" : status === "future" ? "scheduled" : "published", hidden };
}

/** By file: those of one site share a library, as its export may be in several files. */
export async function readLibraries(
  files: Iterable<ImportFile> | AsyncIterable<ImportFile>,
): Promise<Map<string, Library>> {
  const ofSites = new Map<string, Library>();
  const ofFiles = new Map<string, Library>();
  for await (const file of files) {
    let library: Library | undefined;
    let authors: WxrItem["authors"] = new Map();
    for await (const item of wxrItems(file.open(0.5))) {
      if (item.kind !== "item") continue;
      library ??= ofSites.get(item.site ?? file.name) ?? emptyLibrary();
      ofSites.set(item.site ?? file.name, library);
      addToLibrary(library, item);
      authors = item.authors;
    }
    if (library === undefined) continue;
    for (const [login, name] of authors) library.authors.set(login, name);
    ofFiles.set(file.name, library);
  }
  return ofFiles;
}

function emptyLibrary(): Library {
  return {
    attachments: new Map(),
    uploads: new Map(),
    posts: new Map(),
    blocks: new Map(),
    guests: new Map(),
    authors: new Map(),
  };
}

/** Reads WXR, also Squarespace's. Twice: images, reusable blocks and linked posts are given by numbers, and may be anywhere. */
export async function* readWordPressXml(file: ImportFile, context: ImportContext): AsyncGenerator<ReadItem> {
  if (!isWordPressXml(peekText(file.head))) {
    throw new NoArticles("It is not an export of WordPress (WXR) with articles in it.");
  }
  const library = (context.wordpress ?? (await readLibraries([file]))).get(file.name) ?? emptyLibrary();
  let count = 0;
  for await (const item of wxrItems(file.open(0.5))) {
    if (item.kind === "item") {
      count += 1;
      const bytes = item.fields.get("content:encoded")?.length;
      yield beginItem(context, file.name, bytes, () => postItem(item, file.name, library, context));
      continue;
    }
    if (count === 0) throw new AppError("invalid", `${item.reason} Nothing was read: export it again.`);
    const before =
      count === 1 ? "The item before this place was read" : `The ${count} items before this place were read`;
    const reason = `${item.reason} ${before}, what comes after it was not.`;
    yield { kind: "failed", source: file.name, reason };
  }
}
