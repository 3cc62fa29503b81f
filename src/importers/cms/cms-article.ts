/** An article of a content management system, whose fields its makers named: they are found by what they evidently are. */
import { isRecord } from "../../domain/articles/json-values.ts";
import { MAX_TRANSLATION_GROUP_CHARACTERS } from "../../domain/articles/article-json.ts";
import type { Warnings } from "../../domain/articles/warnings.ts";
import type { ImportItem } from "../../operations/articles/import/import-items.ts";
import { parseAliases, parseAuthors, parseLabels, readKnownLanguage } from "../article-fields.ts";
import { lifecycle, type LifecycleSource, parseTime } from "../dates.ts";
import { plainLine } from "../html/html-tree.ts";
import { type ImportContext, toDraft, toText } from "../import-item.ts";
import { FrontMatterFields } from "../markdown/front-matter.ts";
import { absoluteUrl, getHost, slugOfPath } from "../urls.ts";
import { describeHiding, whyHidden } from "../visibility.ts";

/** Makes one item of the file; what fails is one failed item. */
export type CmsItem = (source: string, context: ImportContext) => ImportItem;

export type Body = { content: string } | { markdown: string };

export interface CmsArticle {
  source: string;
  ref: string;
  /** The system's name, as people know it. */
  label: string;
  /** The fields, with what they refer to in place of references. */
  fields: Record<string, unknown>;
  body: Body;
  warnings: Warnings;
  id?: string | undefined;
  /** What the system itself says of the state; undefined: nothing. */
  isPublished?: boolean | undefined;
  /** Dates of the system, for articles without a date of their own. */
  published?: unknown;
  created?: unknown;
  updated?: unknown;
  language?: unknown;
  translationGroup?: string | undefined;
}

const TITLES = ["title", "headline", "heading", "post_title", "blog_post_title", "article_title", "name"];
const BODIES = [
  ..."body_html html content_html body content text article main_content rich_text article_body post_body post_content rich_content introtext".split(
    " ",
  ),
  ..."body_markdown content_markdown markdown copy blocks sections modules dynamic_zone".split(" "),
];

/** Unnamed texts that are not an article's. */
const OTHER_TEXTS = /^(?:bio|biography|about|short_?bio|description|excerpt|summary|intro|teaser|caption|seo|slug)$/i;
const OTHER_TYPES =
  /^(?:author|person|people|team_?member|user|contributor|categor(?:y|ies)|tag|topic|section|settings?|site_?settings|navigation|menu|footer)$/i;
const PAGE_TYPE = /^(?:(?:landing|home|static|generic|basic)[-_]?)?pages?$/i;

/** Why an entry of a type is left out by the name that its makers gave to the type; null: it may be an article. */
export function whyNotOfType(type: string, { include }: ImportContext): string | null {
  if (OTHER_TYPES.test(type)) return `It is of the type ${type}, not an article.`;
  return PAGE_TYPE.test(type) && include?.includes("page") !== true ? "It is a page, not an article." : null;
}

export function titleOf(fields: Record<string, unknown>): string | undefined {
  const title = new FrontMatterFields(fields).find(...TITLES)?.value;
  return typeof title === "string" ? title : undefined;
}

/** The values that may be the text, the likeliest first; then all others, for makers who call it otherwise. */
export function bodiesOf(fields: Record<string, unknown>): unknown[] {
  const lookup = new FrontMatterFields(fields);
  const named = BODIES.map((name) => lookup.get(name)).filter((value) => value !== undefined);
  const others = Object.entries(fields).filter(([name]) => !OTHER_TEXTS.test(name));
  return [...named, ...others.map(([, value]) => value).filter((value) => typeof value === "object")];
}

/** A text is HTML if it begins with a block of it and closes one. */
export function textBody(text: string): Body | null {
  if (text.trim() === "") return null;
  const isHtml = /^\s*<(?:p|h[1-6]|div|ul|ol|figure|blockquote|section|article|table|pre)\b[^]*<\/\w+>/i.test(text);
  return isHtml ? { content: text } : { markdown: text };
}

export const NO_TEXT = "It has no title and text: it is an author, a category or the like.";

export function toCmsDraft(article: CmsArticle, context: ImportContext): ImportItem {
  const { fields: given, warnings, source } = article;
  const fields = new FrontMatterFields(given);
  const seo = fields.group(fields.find("seo", "meta", "seo_fields", "metadata")?.name ?? "seo");
  const description = line(fields.get("description"));
  const image = toPicture(
    fields.get(
      ..."featured_image hero_image main_image cover_image cover banner image thumbnail feature_image field_image".split(
        " ",
      ),
      ..."field_media_image social_image".split(" "),
    ),
    context.websiteUrl,
  );
  const published = fields.get(
    ..."published_at publish_date publication_date published_date date_published date_added published_on pub_date date".split(
      " ",
    ),
  );
  const date = parseTime(published) ?? parseTime(article.published) ?? null;
  if (published !== undefined && typeof published !== "boolean" && parseTime(published) === null)
    warnings.add("date_guessed", toText(published) ?? "a date");
  const created = parseTime(article.created ?? fields.get("created_at", "created_on", "created"));
  const hidden =
    article.isPublished === false ? describeHiding("draft", "not published") : whyHidden(fields, context.now);
  const times: LifecycleSource = {
    state: article.isPublished === true ? "published" : null,
    hidden,
    date: date ?? (article.isPublished === true ? created : null),
    created,
    updated: parseTime(
      article.updated ?? fields.get("updated_at", "updated_on", "modified", "updated", "date_updated"),
    ),
  };
  const url = absoluteUrl(fields.get("url", "full_url", "post_url"), context.websiteUrl);
  const original = absoluteUrl(fields.get("canonical_url", "canonical", "original_url"), context.websiteUrl);
  const group = article.translationGroup;
  const item = toDraft(
    source,
    article.ref,
    {
      title: line(titleOf(given)),
      slug: slugFrom(fields.get("slug", "post_slug", "permalink", "url_slug", "handle", "uri", "path", "page_path")),
      ...article.body,
      excerpt:
        line(fields.get(..."excerpt summary intro teaser brief lede standfirst subtitle post_summary".split(" "))) ??
        description,
      authors: parseAuthors(peopleOf(fields.get(..."authors author writers writer byline field_author".split(" ")))),
      meta_title: line(fields.get("meta_title", "seo_title") ?? seo.get("meta_title", "title", "seo_title")),
      meta_description:
        line(fields.get("meta_description", "seo_description") ?? seo.get("meta_description", "description")) ??
        description,
      seo_keywords: labels(fields.get("keywords", "seo_keywords") ?? seo.get("keywords")),
      categories: labels(fields.get(..."categories category section field_category".split(" "))),
      tags: labels(fields.get(..."tag_list tags tag topics field_tags".split(" "))),
      featured_image_url: image?.url,
      featured_image_alt: image?.alt,
      // An address of the site itself is where the article is, not its original.
      canonical_url:
        context.websiteUrl !== null && getHost(original) === getHost(context.websiteUrl) ? undefined : original,
      aliases: parseAliases(fields.get("aliases", "redirect_from")),
      language: readKnownLanguage(article.language ?? fields.get("locale", "language", "lang", "langcode")),
      translation_group: (group?.length ?? 0) <= MAX_TRANSLATION_GROUP_CHARACTERS ? group : undefined,
      platform_url: url,
      platform_post_id: article.id,
      ...lifecycle(times, context.now),
    },
    hidden,
  );
  return item.kind === "draft" ? { ...item, dialect: article.label, warnings: warnings.list } : item;
}

function line(value: unknown): string | undefined {
  return typeof value === "string" ? toText(plainLine(value)) : undefined;
}

/** Sanity's slug is an object, Drupal's path has an alias. */
function slugFrom(value: unknown): string | undefined {
  const text = toText(isRecord(value) ? (value["current"] ?? value["alias"]) : value);
  return text === undefined || !text.includes("/") ? text : slugOfPath(text);
}

/** With the name under which each system has it. */
function peopleOf(value: unknown): unknown[] {
  return [value].flat().map((person: unknown) => {
    if (!isRecord(person)) return person;
    const fields = new FrontMatterFields(person);
    const whole = fields.get("name", "full_name", "display_name", "title");
    const parts = [fields.get("first_name"), fields.get("last_name")].flatMap((part) => toText(part) ?? []);
    const name = toText(whole) ?? toText(parts.join(" ")) ?? fields.get("username");
    return { name, url: person["url"] ?? person["website"] };
  });
}

function labels(value: unknown): string[] | undefined {
  const found = parseLabels(value).filter((label) => label !== "");
  return found.length === 0 ? undefined : found;
}

function toPicture(value: unknown, base: string | null): { url: string; alt: string | undefined } | undefined {
  const picture: unknown = Array.isArray(value) ? value[0] : value;
  const isObject = isRecord(picture);
  const url = absoluteUrl(isObject ? (picture["url"] ?? picture["src"]) : picture, base);
  if (url === undefined) return undefined;
  return {
    url,
    alt: isObject ? toText(picture["alt"] ?? picture["alternativeText"] ?? picture["description"]) : undefined,
  };
}
