import { parseAliases, parseAuthors, parseLabels, readLanguage } from "../article-fields.ts";
import { absoluteUrl, getHost, slugOfPath } from "../urls.ts";
import { isRecord } from "../../domain/articles/json-values.ts";
import { asUuid } from "../../domain/articles/article.ts";
import { isoTimeIfKnown, lifecycle, type LifecycleSource, parseTime } from "../dates.ts";
import { withCascades } from "./cascade.ts";
import { FrontMatterFields, splitFrontMatter } from "./front-matter.ts";
import { AppError } from "../../domain/system/errors.ts";
import { failedItem, type ImportContext, toDraft, toText } from "../import-item.ts";
import { NO_SITE } from "../site.ts";
import { fileRef, type ImportItem } from "../../operations/articles/import/import-items.ts";
import { takeHeading } from "./structure.ts";
import { MAX_TRANSLATION_GROUP_CHARACTERS } from "../../domain/articles/article-json.ts";
import { languageFields, parsePath, type PathMetadata, withSlugInLanguage } from "./path-metadata.ts";
import { titleOfSlug } from "../html/html-tree.ts";
import { describeHiding, whyHidden } from "../visibility.ts";
import { convertDialect } from "./dialects/dialects.ts";

/** Our own names, which no generator uses for anything else: used unchanged, and rejected if invalid. */
const OWN_FIELDS = ["seo_keywords", "target_keyword", "internal_links", "quality_metrics", "pipeline_steps", "user_id"];

/** Layouts of pages that are not articles. */
const PAGE_KINDS = /^(?:page|home|index|archives?|search|tags?|categor(?:y|ies)|404|list|redirect|about|contact)$/i;

/** A Markdown article, or HTML with front matter. `name`: its path within the import, with `/` on every system. */
export function readMarkdownFile(
  name: string,
  source: string,
  language: "markdown" | "html",
  context: ImportContext,
): ImportItem {
  try {
    const text = source.replace(/\r\n?/g, "\n");
    const { data, body } = splitFrontMatter(text);
    return toArticle(name, data, body, language, context);
  } catch (error) {
    return failedItem(name, error);
  }
}

function toArticle(
  name: string,
  data: Record<string, unknown> | null,
  rawBody: string,
  language: "markdown" | "html",
  context: ImportContext,
): ImportItem {
  const fields = new FrontMatterFields(withCascades(name, data, context.cascades ?? []));
  const place = parsePath(name);
  // Astro has a `layout` too, but there it is a file path.
  const isJekyll = place.isPost || /^[^/]+$/.test(toText(fields.get("layout")) ?? "");
  // Trims empty lines but keeps the indentation of a leading code line.
  const prose = name.endsWith(".mdx") ? rawBody.replace(/^(?:\s*import\s[^\n]*\n)+/, "") : rawBody;
  const { site = NO_SITE, dialect: chosen } = context;
  const converted = convertDialect({ name, fields, body: prose }, { language, site, dialect: chosen });
  const body = converted.body.replace(/^(?:[ \t]*\n)+/, "").trimEnd();
  const address = toText(fields.get("permalink", "path", "url"));
  const times = parseTimes(fields, place, address, context.now);

  const notAnArticle = whyNotAnArticle(fields, rawBody, body, times.date !== null, data !== null, language);
  if (notAnArticle !== null) return { kind: "skipped", source: name, reason: notAnArticle };

  const heading = language === "markdown" && fields.get("title", "headline") === undefined ? takeHeading(body) : null;
  const ownSlug = slugFrom(fields, address);
  const url = pageUrl(fields, address, context.websiteUrl);
  const image = findImage(fields, place.isBundle ? url : undefined, context.websiteUrl);
  const description = toText(fields.get("description"));
  const named = readLanguage(fields.get("lang", "language", "locale"));
  const byName = languageFields(place, context);
  const article: Record<string, unknown> = {
    id: asUuid(fields.get("id", "uuid")) ?? undefined,
    title: toText(fields.get("title", "headline")) ?? heading?.title ?? titleOfSlug(place.slug),
    slug: ownSlug ?? place.slug,
    [language === "markdown" ? "markdown" : "content"]: heading?.body ?? body,
    excerpt:
      toText(fields.get("excerpt", "summary", "subtitle", "subheading", "lede", "tldr")) ??
      description ??
      findTweet(fields),
    authors:
      parseAuthors(fields.get("authors"), true) ??
      parseAuthors(fields.get("author", "byline")) ??
      parseAuthors(fields.group("taxonomies").get("authors", "author")),
    meta_title: toText(fields.get("meta_title", "seo_title") ?? fields.group("seo").get("title")),
    meta_description: toText(
      fields.get("meta_description", "seo_description") ?? fields.group("seo").get("description") ?? description,
    ),
    seo_keywords: optional(parseLabels(fields.get("keywords") ?? fields.group("seo").get("keywords"))),
    categories: labelsFrom(fields, ["category", "categories"], isJekyll),
    tags: splitAtCommas(labelsFrom(fields, ["tag", "tags"], isJekyll)),
    featured_image_url: image.url,
    featured_image_alt: image.url === undefined ? undefined : image.alt,
    canonical_url: findOriginal(fields, context.websiteUrl),
    aliases: parseAliases(fields.get("aliases", "alias", "redirect_from", "redirects_from")),
    language: named ?? byName.language,
    translation_group:
      toText(fields.get("translation_group", "translation_key", "translation_id", "lang_ref")) ??
      // Only sites with several languages use these names for this.
      (named === undefined ? undefined : toText(fields.get("ref", "page_id"))) ??
      byName.translation_group,
    platform_url: url,
    platform_post_id: toText(fields.own("platform_post_id")),
    ...lifecycle(times, context.now),
    approved_at: isoTimeIfKnown(parseTime(fields.own("approved_at"))),
  };
  for (const key of OWN_FIELDS) {
    const value = fields.own(key);
    if (value !== undefined) article[key] = value;
  }
  const read = toDraft(name, fileRef("markdown", name), article, times.hidden);
  if (read.kind !== "draft") return read;
  const { dialect, warnings } = converted;
  const item = {
    ...read,
    ...(dialect === null ? {} : { dialect: dialect.label }),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
  const hasLanguageInName = place.language !== null && (named ?? place.language) === place.language;
  if (hasLanguageInName) return ownSlug === undefined ? withSlugInLanguage(item, place) : item;
  // `tea.md` may be the original of a `tea.de.md` that is imported by itself.
  const isOriginal = place.language === null && named === undefined && item.input.translationGroup == null;
  return isOriginal && place.translationGroup.length <= MAX_TRANSLATION_GROUP_CHARACTERS
    ? { ...item, inLanguages: { translationGroup: place.translationGroup } }
    : item;
}

function whyNotAnArticle(
  fields: FrontMatterFields,
  rawBody: string,
  body: string,
  isDated: boolean,
  hasFrontMatter: boolean,
  language: "markdown" | "html",
): string | null {
  const title = fields.get("title", "headline");
  const kind = toText(fields.get("layout")) ?? toText(fields.get("type"));
  if (kind !== undefined && PAGE_KINDS.test(kind) && !isDated)
    return `It is a page of the site (${kind}), not an article.`;
  if (body === "" && title === undefined) return "It is empty: a template makes this page.";
  if (language === "html" && hasFrontMatter && !isDated && (title === undefined || /\{%-?\s*for\b/.test(rawBody))) {
    return "It is a template of the site, not an article.";
  }
  return null;
}

interface Times extends LifecycleSource {
  date: number | null;
}

const PUBLISHED_AT = [
  "published_at",
  "date_published",
  "publish_date",
  "publish_at",
  "pub_date",
  "pub_datetime",
  "published_on",
];
const CREATED_AT = ["created_at", "created", "created_on", "date_created"];
const UPDATED_AT = [
  "updated_at",
  "updated",
  "lastmod",
  "last_modified_at",
  "last_modified",
  "last_updated",
  "modified",
  "updated_date",
  "mod_datetime",
  "updated_on",
  "date_modified",
];

function parseTimes(fields: FrontMatterFields, place: PathMetadata, address: string | undefined, now: number): Times {
  const created = parseTime(fields.get(...CREATED_AT));
  const flagTime = parseTime(fields.get("published"));
  const date =
    publicationTime(fields, PUBLISHED_AT) ??
    flagTime ??
    publicationTime(fields, ["date"]) ??
    created ??
    (address === undefined ? null : parsePath(`${address}/index.md`).date) ??
    place.date;
  const state = toState(fields);
  const isAhead = state !== "scheduled" && date !== null && date > now;
  const hidden =
    whyHidden(fields, now) ??
    (place.isDraft
      ? describeHiding("draft", "_drafts")
      : isAhead
        ? describeHiding("future", new Date(date).toISOString())
        : null);
  return { state, hidden, date, created, updated: parseTime(fields.get(...UPDATED_AT)) };
}

function toState(fields: FrontMatterFields): LifecycleSource["state"] {
  switch (toText(fields.get("status"))?.trim().toLowerCase()) {
    case "published":
    case "publish":
    case "public":
      return "published";
    case "approved":
    case "scheduled":
    case "future":
      return "scheduled";
    case "pending":
      return "draft";
    default:
      return null;
  }
}

/** Rejects an unreadable date, which would silently turn a published article into a pending one. */
function publicationTime(fields: FrontMatterFields, names: string[]): number | null {
  const found = fields.find(...names);
  // Hugo writes the year 1 if there is no date yet.
  if (found === null || toText(found.value)?.startsWith("0001-") === true) return null;
  const at = parseTime(found.value);
  if (at !== null) return at;
  const shown = typeof found.value === "string" ? ` "${found.value.slice(0, 60)}"` : "";
  throw new AppError("invalid", `Its ${found.name}${shown} is not a date that can be read: write it as 2026-01-31.`, {
    field: found.name,
  });
}

function slugFrom(fields: FrontMatterFields, address: string | undefined): string | undefined {
  const given = toText(fields.get("slug", "basename"));
  if (given !== undefined) return slugOfPath(given);
  return address === undefined || isPattern(address) ? undefined : slugOfPath(address);
}

/** The article's URL on its site; a `canonical_url` on another host is the original source instead. */
function pageUrl(
  fields: FrontMatterFields,
  address: string | undefined,
  websiteUrl: string | null,
): string | undefined {
  const given = absoluteUrl(fields.own("platform_url"), websiteUrl);
  if (given !== undefined) return given;
  const canonical = absoluteUrl(fields.get("canonical_url", "canonical"), websiteUrl);
  if (canonical !== undefined && (websiteUrl === null || getHost(canonical) === getHost(websiteUrl))) return canonical;
  return address === undefined || isPattern(address) ? undefined : absoluteUrl(address, websiteUrl);
}

/** A `canonical_url` on another host. */
function findOriginal(fields: FrontMatterFields, websiteUrl: string | null): string | undefined {
  const canonical = absoluteUrl(fields.get("canonical_url", "canonical"), websiteUrl);
  return websiteUrl === null || getHost(canonical) === getHost(websiteUrl) ? undefined : canonical;
}

/** Whether the generator would expand it to a URL, as in `/:categories/:title/` and `/blog/{{ page.slug }}/`. */
function isPattern(address: string): boolean {
  return /\/:\w|^:\w|\{/.test(address);
}

/** `folder`: the article's URL if its images are beside it; otherwise the URL of `./a.png` is unknown. */
function findImage(
  fields: FrontMatterFields,
  folder: string | undefined,
  websiteUrl: string | null,
): { url: string | undefined; alt: string | undefined } {
  const found =
    fields.get(
      "featured_image_url",
      "featured_image",
      "feature_image",
      "image",
      "cover",
      "cover_image",
      "hero_image",
      "hero",
      "banner",
      "thumbnail",
      "images",
      "og_image",
      "social_image",
    ) ?? fields.group("header").get("image", "overlay_image", "teaser", "og_image");
  const image: unknown = Array.isArray(found) ? found[0] : found;
  const inside = new FrontMatterFields(isRecord(image) ? image : {});
  const url = isRecord(image) ? inside.get("src", "url", "path", "image", "relative", "filename") : image;
  const alt =
    inside.get("alt") ?? fields.get("featured_image_alt", "image_alt", "cover_alt", "hero_image_alt", "thumbnail_alt");
  const isBesideFile = typeof url === "string" && /^\.\.?\//.test(url);
  return { url: absoluteUrl(url, folder ?? (isBesideFile ? null : websiteUrl)), alt: toText(alt) };
}

/** No tag has a comma: `["a, b"]` was meant as two. A category's name may have one. */
function splitAtCommas(labels: string[] | undefined): string[] | undefined {
  return labels?.flatMap((label) => label.split(",")).flatMap((label) => label.trim() || []);
}

/** `category: Breaking News` is one label; `categories: breaking news` is two in Jekyll. */
function labelsFrom(fields: FrontMatterFields, [one, many]: [string, string], isJekyll: boolean): string[] | undefined {
  const taxonomies = fields.group("taxonomies");
  const found = [
    ...parseLabels(fields.get(one)),
    ...parseLabels(fields.get(many), isJekyll),
    ...parseLabels(taxonomies.get(one)),
    ...parseLabels(taxonomies.get(many)),
  ];
  return optional(found);
}

/** A `tweet` may be a tweet's id or URL; only prose is a summary. */
function findTweet(fields: FrontMatterFields): string | undefined {
  const tweet = toText(fields.get("tweet"));
  return tweet !== undefined && /\p{L}\s+\p{L}/u.test(tweet) ? tweet : undefined;
}

function optional(labels: string[]): string[] | undefined {
  return labels.length === 0 ? undefined : labels;
}
