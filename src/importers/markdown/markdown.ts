import { parseAliases, parseAuthors, parseLabels, readLanguage } from "../article-fields.ts";
import { absoluteUrl } from "../urls.ts";
import { isRecord } from "../../domain/articles/json-values.ts";
import { asUuid } from "../../domain/articles/article.ts";
import { Warnings } from "../../domain/articles/warnings.ts";
import { isoTimeIfKnown, lifecycle, parseTime } from "../dates.ts";
import { addressField, findAddress, findOriginal, slugFrom } from "./article-address.ts";
import { toCascades, withCascades } from "./cascade.ts";
import { linkFiles } from "./file-links.ts";
import { FrontMatterFields, splitFrontMatter, type SplitText } from "./front-matter.ts";
import { splitHeaderLines } from "./header-lines.ts";
import { hugoLanguage, placeOf } from "./hugo-language.ts";
import { failedItem, type ImportContext, toDraft, toText } from "../import-item.ts";
import { NO_SITE, type Site } from "../site.ts";
import { fileRef, type ImportItem } from "../../operations/articles/import/import-items.ts";
import { takeHeading, withoutTitle } from "./structure.ts";
import { MAX_TRANSLATION_GROUP_CHARACTERS } from "../../domain/articles/article-json.ts";
import { languageFields, withSlugInLanguage } from "./path-metadata.ts";
import { plainField, titleOfSlug } from "../html/html-tree.ts";
import { convertDialect } from "./dialects/dialects.ts";
import { readTimes } from "./times.ts";
import { describeHiding } from "../visibility.ts";
import { AppError } from "../../domain/system/errors.ts";

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
    const split = splitFrontMatter(text);
    const isPlain = split.data === null && language === "markdown";
    return toArticle(name, isPlain ? splitHeaderLines(text) : split, language, context);
  } catch (error) {
    return failedItem(name, error);
  }
}

function toArticle(
  name: string,
  { data, body: rawBody, guesses = [] }: SplitText,
  language: "markdown" | "html",
  context: ImportContext,
): ImportItem {
  const { site = NO_SITE, dialect: chosen, pathInSite = name } = context;
  const inSite = hugoLanguage(pathInSite, site);
  const cascades = [...toCascades("", site.values["cascade"]), ...(context.cascades ?? [])];
  const fields = new FrontMatterFields(withCascades(name, data, cascades, inSite?.key));
  const place = placeOf(name, inSite);
  // Astro has a `layout` too, but there it is a file path.
  const isJekyll = place.isPost || /^[^/]+$/.test(toText(fields.get("layout")) ?? "");
  // Trims empty lines but keeps the indentation of a leading code line.
  const { vault } = context;
  const file = { name, fields, body: rawBody };
  const converted = convertDialect(file, { language, site, dialect: chosen, pathInSite, vault });
  const warnings = new Warnings();
  warnings.addAll(converted.warnings);
  for (const guess of guesses) warnings.add("metadata_guessed", guess);
  const trimmed = converted.body.replace(/^(?:[ \t]*\n)+/, "").trimEnd();
  const body = linkFiles(trimmed, pathInSite, context, warnings);
  const times = readTimes(fields, place, addressField(fields), { now: context.now, site, warnings });

  const notAnArticle = whyNotAnArticle(fields, rawBody, body, times.date !== null, data !== null, language);
  if (notAnArticle !== null) return { kind: "skipped", source: name, reason: notAnArticle };

  const ownTitle = fields.get("title", "headline");
  const givenTitle = toPlain(ownTitle)?.replace(/\s+/g, " ");
  if (givenTitle === undefined && ownTitle != null && ownTitle !== "")
    warnings.add("metadata_guessed", `title: ${JSON.stringify(ownTitle)} (not a text)`);
  const heading = language === "markdown" && givenTitle === undefined ? takeHeading(body) : null;
  const ownSlug = slugFrom(fields);
  const title = givenTitle ?? heading?.title ?? titleOfSlug(place.slug);
  const { url, guess } = findAddress({ fields, place, path: pathInSite, day: times.day, title }, context);
  if (guess !== null) warnings.add("address_guessed", guess);
  const image = findImage(fields, place.isBundle ? url : undefined, context.websiteUrl);
  const description = toPlain(fields.get("description"));
  const named = readLanguage(fields.get("lang", "language", "locale"));
  const byName = languageFields(place, context);
  const article: Record<string, unknown> = {
    id: asUuid(fields.get("id", "uuid")) ?? undefined,
    title,
    slug: ownSlug ?? place.slug,
    [language === "markdown" ? "markdown" : "content"]:
      heading?.body ?? (givenTitle === undefined ? body : withoutTitle(body, givenTitle, language)),
    excerpt:
      toPlain(fields.get("excerpt", "summary", "subtitle", "subheading", "lede", "tldr")) ??
      description ??
      findTweet(fields),
    authors:
      parseAuthors(describeAuthors(fields.get("authors"), site, pathInSite), true) ??
      parseAuthors(describeAuthors(fields.get("author", "byline"), site, pathInSite)) ??
      parseAuthors(fields.group("taxonomies").get("authors", "author")),
    meta_title: toPlain(fields.get("meta_title", "seo_title") ?? fields.group("seo").get("title")),
    meta_description: toPlain(
      fields.get("meta_description", "seo_description") ?? fields.group("seo").get("description") ?? description,
    ),
    seo_keywords: optional(parseLabels(fields.get("keywords") ?? fields.group("seo").get("keywords"))),
    categories: labelsFrom(fields, ["category", "categories"], isJekyll),
    tags: splitAtCommas(labelsFrom(fields, ["tag", "tags"], isJekyll), warnings),
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
  const turnedOff = inSite?.isDisabled === true ? describeHiding("unlisted", `languages.${inSite.key}`) : null;
  const draft = toDraft(name, fileRef("markdown", name), article, times.hidden ?? turnedOff);
  if (draft.kind !== "draft") return draft;
  const { dialect } = converted;
  const item = {
    ...draft,
    ...(image.path === undefined || image.path === image.url
      ? {}
      : { mainPicture: { path: image.path, alt: image.alt } }),
    ...(dialect === null ? {} : { dialect: dialect.label }),
    ...(warnings.list.length === 0 ? {} : { warnings: warnings.list }),
  };
  const hasLanguageInName = place.language !== null && (named ?? place.language) === place.language;
  if (hasLanguageInName) return ownSlug === undefined ? withSlugInLanguage(item, place) : item;
  // `tea.md` may be the original of a `tea.de.md` that is imported by itself.
  const isOriginal = place.language === null && named === undefined && item.input.translationGroup == null;
  return isOriginal && place.translationGroup.length <= MAX_TRANSLATION_GROUP_CHARACTERS
    ? { ...item, inLanguages: { translationGroup: place.translationGroup } }
    : item;
}

/** Titles and summaries are plain text. */
function toPlain(value: unknown): string | undefined {
  const text = toText(value);
  return text === undefined ? undefined : toText(plainField(text));
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

/** `folder`: the article's URL if its images are beside it; otherwise the URL of `./a.png` is unknown. */
function findImage(
  fields: FrontMatterFields,
  folder: string | undefined,
  websiteUrl: string | null,
): { path: string | undefined; url: string | undefined; alt: string | undefined } {
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
  const absolute = absoluteUrl(url, folder ?? (isBesideFile ? null : websiteUrl));
  return { path: toText(url), url: absolute, alt: toText(alt) };
}

/** No tag has a comma: `["a, b"]` was meant as two. A category's name may have one. */
function splitAtCommas(labels: string[] | undefined, warnings: Warnings): string[] | undefined {
  for (const label of labels ?? []) if (label.includes(",")) warnings.add("metadata_guessed", `tags: ${label}`);
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

/** Authors that an article names by their ids, as a file of the site describes them: `authors.yml` of Docusaurus and Jekyll. */
function describeAuthors(value: unknown, site: Site, pathInSite: string): unknown {
  const items = typeof value === "string" ? value.split(",").map((item) => item.trim()) : [value].flat();
  if (site.root === null || !items.some(isId)) return value;
  const [folder = ""] = pathInSite.includes("/") ? pathInSite.split("/") : [];
  const places = [folder === "" ? "authors.yml" : `${folder}/authors.yml`, "_data/authors.yml"];
  const text = places.map((place) => site.readFile(place)).find((found) => found !== null);
  const known = text === undefined ? {} : readYaml(text);
  const isKnown = (item: unknown): item is string => isId(item) && Object.hasOwn(known, item) && isRecord(known[item]);
  return items.some(isKnown) ? items.map((item: unknown) => (isKnown(item) ? known[item] : item)) : value;
}

function isId(value: unknown): value is string {
  return typeof value === "string" && /^[\w-]{1,100}$/.test(value);
}

function readYaml(text: string): Record<string, unknown> {
  try {
    return splitFrontMatter(`---\n${text.replaceAll("\r", "").replace(/^---\n/, "")}\n---\n`).data ?? {};
  } catch (error) {
    if (error instanceof AppError) return {};
    throw error;
  }
}
