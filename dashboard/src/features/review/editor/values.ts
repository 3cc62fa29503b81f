/** The values of the editor's fields, and their changes. */
import type { ArticleChanges, ReviewedArticle } from "../../../../../src/http/admin/contract/review.ts";

/** Missing texts are empty strings, not null. */
export interface EditorValues {
  title: string;
  source: "markdown" | "html";
  /** The content in the format of `source`. */
  text: string;
  slug: string;
  /** Each a name, or a name with its address: `Ada <https://ada.example>`. */
  authors: readonly string[];
  meta_title: string;
  meta_description: string;
  target_keyword: string;
  seo_keywords: readonly string[];
  excerpt: string;
  categories: readonly string[];
  tags: readonly string[];
  featured_image_url: string;
  featured_image_alt: string;
  canonical_url: string;
  aliases: readonly string[];
  language: string;
  translation_group: string;
  platform_url: string;
  platform_post_id: string;
}

export type FieldName = keyof EditorValues;

export const EMPTY: EditorValues = {
  title: "",
  source: "markdown",
  text: "",
  slug: "",
  authors: [],
  meta_title: "",
  meta_description: "",
  target_keyword: "",
  seo_keywords: [],
  excerpt: "",
  categories: [],
  tags: [],
  featured_image_url: "",
  featured_image_alt: "",
  canonical_url: "",
  aliases: [],
  language: "",
  translation_group: "",
  platform_url: "",
  platform_post_id: "",
};

/** The article's values, or its draft copy's if there is one. */
export function toEditorValues(reviewed: ReviewedArticle): EditorValues {
  const { article, author_excerpt, source, markdown, draft } = reviewed;
  const live: EditorValues = {
    title: article.title,
    source,
    text: source === "markdown" ? markdown : article.content,
    slug: article.slug,
    authors: reviewed.authors.map(writeAuthor),
    meta_title: reviewed.meta_title ?? "",
    meta_description: article.meta_description ?? "",
    target_keyword: article.target_keyword ?? "",
    seo_keywords: article.seo_keywords,
    excerpt: author_excerpt ?? "",
    categories: article.categories,
    tags: article.tags,
    featured_image_url: article.featured_image_url ?? "",
    featured_image_alt: article.featured_image_alt ?? "",
    canonical_url: reviewed.canonical_url ?? "",
    aliases: reviewed.aliases,
    language: reviewed.language ?? "",
    translation_group: reviewed.translation_group ?? "",
    platform_url: article.platform_url ?? "",
    platform_post_id: article.platform_post_id ?? "",
  };
  return draft === null ? live : withChanges(live, draft.changes);
}

/** The changed fields in the API's format; empty if there are none. */
export function diffValues(base: EditorValues, values: EditorValues): ArticleChanges {
  const changes: ArticleChanges = {};
  if (values.title !== base.title) changes.title = values.title;
  if (values.text !== base.text || values.source !== base.source) {
    changes[values.source === "markdown" ? "markdown" : "content"] = values.text;
  }
  for (const name of TEXTS) {
    if (values[name] !== base[name]) changes[name] = values[name].trim() === "" ? null : values[name];
  }
  if (!isSameValue(values.authors, base.authors)) changes.authors = values.authors.map(readAuthor);
  for (const name of LABELS) {
    if (!isSameValue(values[name], base[name])) changes[name] = [...values[name]];
  }
  return changes;
}

export function isUntouched(base: EditorValues, values: EditorValues): boolean {
  return base === values || Object.keys(diffValues(base, values)).length === 0;
}

export function isSameValue<T extends string | readonly string[]>(one: T, other: T): boolean {
  if (typeof one === "string" || typeof other === "string") return one === other;
  return one.length === other.length && one.every((label, index) => label === other[index]);
}

const TEXTS = [
  "slug",
  "meta_title",
  "meta_description",
  "target_keyword",
  "excerpt",
  "featured_image_url",
  "featured_image_alt",
  "canonical_url",
  "language",
  "translation_group",
  "platform_url",
  "platform_post_id",
] as const;
const LABELS = ["seo_keywords", "categories", "tags", "aliases"] as const;

type Author = ReviewedArticle["authors"][number];

/** An author as the form shows one. */
export function writeAuthor({ name, url }: Author): string {
  return url === null ? name : `${name} <${url}>`;
}

function readAuthor(written: string): Author {
  const [, name = "", url = null] = /^([^<>]*)<(https?:[^<>\s]+)>$/.exec(written.trim()) ?? [];
  return name.trim() === "" ? { name: written.trim(), url: null } : { name: name.trim(), url };
}

function withChanges(live: EditorValues, changes: ArticleChanges): EditorValues {
  const values = { ...live };
  if (changes.title !== undefined) values.title = changes.title;
  if (changes.markdown !== undefined) {
    values.source = "markdown";
    values.text = changes.markdown;
  } else if (changes.content !== undefined) {
    values.source = "html";
    values.text = changes.content;
  }
  for (const name of TEXTS) {
    const given = changes[name];
    if (given !== undefined) values[name] = given ?? "";
  }
  values.authors = changes.authors?.map(writeAuthor) ?? values.authors;
  for (const name of LABELS) values[name] = changes[name] ?? values[name];
  return values;
}

/** Fields that are edited on the page itself, not in the panel beside it. */
export const TEXT_FIELDS: ReadonlySet<string> = new Set(["title", "content", "markdown"]);
