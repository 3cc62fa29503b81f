import {
  type ArticleOrigin,
  isImported,
  isMachineWritten,
  type Article,
  type ArticleBody,
  type ArticleInput,
  type FullArticle,
  parseMetrics,
  writtenMarkdown,
} from "./article.ts";
import type { Millis } from "../system/time.ts";
import type { DerivedContent } from "./content/content.ts";
import type { ContentSource, KnownContent } from "./content/content-source.ts";
import { ENGINE_VERSION } from "./content/limits.ts";
import { AppError } from "../system/errors.ts";
import { isoTimeOrNull } from "../system/time.ts";
import type { Website } from "../system/website.ts";
import { editorialAdditions, toListForm } from "./api-format.ts";
import { withStep } from "./workflow.ts";

/** The content source of a new article. @throws AppError `invalid` without a title or without content. */
export function buildNewSource(
  input: ArticleInput,
  website: Pick<Website, "url" | "language">,
  slug: string,
  origin: ArticleOrigin,
): ContentSource {
  if (input.title === undefined) {
    throw new AppError("invalid", "The article has no title; give one.", { field: "title" });
  }
  if (input.content === undefined && input.markdown === undefined) {
    throw new AppError("invalid", "The article has no content; give it as HTML in content or as markdown.", {
      field: "content",
    });
  }
  return {
    title: input.title,
    ...(input.content === undefined ? {} : { html: input.content }),
    ...(input.markdown === undefined ? {} : { markdown: input.markdown }),
    excerpt: input.excerpt ?? null,
    slug,
    metaDescription: input.metaDescription ?? null,
    targetKeyword: input.targetKeyword ?? null,
    seoKeywords: input.seoKeywords ?? [],
    categories: input.categories ?? [],
    tags: input.tags ?? [],
    featuredImageUrl: input.featuredImageUrl ?? null,
    featuredImageAlt: input.featuredImageAlt ?? null,
    internalLinks: input.internalLinks ?? null,
    websiteUrl: website.url,
    language: input.language ?? website.language,
    isMachineWritten: isMachineWritten(origin, input.pipelineSteps ?? []),
    isImported: isImported(origin),
  };
}

/** The content source of an edited article: the edit's fields, and the current values for all others. */
export function buildEditedSource(
  { article, body }: FullArticle,
  input: ArticleInput,
  website: Website,
  slug: string,
): ContentSource {
  const markdown = writtenMarkdown(body);
  const written: Pick<ContentSource, "html" | "markdown"> =
    input.content !== undefined || input.markdown !== undefined
      ? {
          ...(input.content === undefined ? {} : { html: input.content }),
          ...(input.markdown === undefined ? {} : { markdown: input.markdown }),
        }
      : { html: body.html, ...(markdown === null ? {} : { markdown }) };
  return {
    ...written,
    title: input.title ?? article.title,
    excerpt: orPrevious(input.excerpt, article.authorExcerpt),
    slug,
    metaDescription: orPrevious(input.metaDescription, article.metaDescription),
    targetKeyword: orPrevious(input.targetKeyword, article.targetKeyword),
    seoKeywords: input.seoKeywords ?? article.seoKeywords,
    categories: input.categories ?? article.categories,
    tags: input.tags ?? article.tags,
    featuredImageUrl: orPrevious(input.featuredImageUrl, article.featuredImageUrl),
    featuredImageAlt: orPrevious(input.featuredImageAlt, article.featuredImageAlt),
    internalLinks: orPrevious(input.internalLinks, body.linksSupplied ? body.internalLinks : null),
    websiteUrl: website.url,
    language: orPrevious(input.language, article.language) ?? website.language,
    isMachineWritten: isMachineWritten(article.origin, input.pipelineSteps ?? body.suppliedSteps),
    isImported: isImported(article.origin),
  };
}

/** What an edit leaves as it was derived before; undefined if the text has to be processed again. */
export function findKnown(
  { article, body }: FullArticle,
  input: ArticleInput,
  source: ContentSource,
  website: Website,
): KnownContent | undefined {
  const { html, markdown, markdownSource, text, internalLinks, metricsJson } = body;
  const hasSameFields =
    input.content === undefined &&
    input.markdown === undefined &&
    source.title === article.title &&
    source.slug === article.slug &&
    source.excerpt === article.authorExcerpt &&
    source.targetKeyword === article.targetKeyword &&
    source.language === (article.language ?? website.language) &&
    source.isMachineWritten === isMachineWritten(article.origin, body.suppliedSteps) &&
    isEqual(source.seoKeywords, article.seoKeywords) &&
    isEqual(source.internalLinks, body.linksSupplied ? internalLinks : null);
  if (!hasSameFields) return undefined;
  const metrics = parseMetrics(metricsJson);
  const isCurrent =
    metrics.engine_version === ENGINE_VERSION &&
    Date.parse(metrics.evaluated_at) > website.urlChangedAt + (website.urlChangedAt === 0 ? 0 : MAX_SAVING_MS);
  if (!isCurrent) return undefined;
  const { excerpt, wordCount, readingTime } = article;
  return { html, markdown, markdownSource, text, excerpt, wordCount, readingTime, internalLinks, metricsJson };
}

/** An article whose save began before the website's URL changed has its links sorted by the earlier one. */
const MAX_SAVING_MS = 10 * 60_000;

export function derivesNothing({ article }: FullArticle, source: ContentSource): boolean {
  return (
    source.metaDescription === article.metaDescription &&
    source.featuredImageUrl === article.featuredImageUrl &&
    source.featuredImageAlt === article.featuredImageAlt &&
    isEqual(source.categories, article.categories) &&
    isEqual(source.tags, article.tags)
  );
}

export interface Composed {
  source: ContentSource;
  /** Without words: those of the search have not changed. */
  prepared: Omit<DerivedContent, "words"> & { words?: string };
}

/** Composes a new article, without its hash; always `pending`: other statuses are reached by transitions. */
export function composeNew(
  input: ArticleInput,
  { source, prepared }: Composed,
  made: {
    id: string;
    websiteId: string;
    now: Millis;
    actor: string;
    origin: ArticleOrigin;
    authorId?: string | null;
    assigneeId?: string | null;
  },
): FullArticle {
  const article: Article = {
    id: made.id,
    websiteId: made.websiteId,
    status: "pending",
    reviewState: input.reviewState ?? "in_review",
    origin: made.origin,
    authorId: made.authorId ?? null,
    assigneeId: made.assigneeId ?? null,
    ...editorial(source, prepared),
    authors: input.authors ?? [],
    metaTitle: input.metaTitle ?? null,
    canonicalUrl: input.canonicalUrl ?? null,
    aliases: input.aliases ?? [],
    language: input.language ?? null,
    translationGroup: input.translationGroup ?? null,
    categories: input.categories ?? [],
    tags: input.tags ?? [],
    createdAt: input.createdAt ?? made.now,
    updatedAt: input.updatedAt ?? made.now,
    stateSince: made.now,
    approvedAt: null,
    publishedAt: input.publishedAt ?? null,
    publishAt: null,
    platformUrl: input.platformUrl ?? null,
    platformPostId: input.platformPostId ?? null,
    userId: input.userId === undefined ? made.actor : input.userId,
    contentHash: "",
    approvedHash: null,
    deletedAt: null,
    version: 0,
  };
  const body: ArticleBody = {
    ...derivedBody(source, prepared),
    reportedMetrics: input.reportedMetrics ?? null,
    suppliedSteps: input.pipelineSteps ?? [],
    steps: prepared.steps,
  };
  return { article, body };
}

/** The editable fields of an article, as an edit that would change nothing; the text is in both formats. */
export function writtenInput({ article, body }: FullArticle): ArticleInput {
  return {
    title: article.title,
    slug: article.slug,
    excerpt: article.authorExcerpt,
    content: body.html,
    markdown: writtenMarkdown(body) ?? body.markdown,
    authors: article.authors,
    metaTitle: article.metaTitle,
    canonicalUrl: article.canonicalUrl,
    aliases: article.aliases,
    language: article.language,
    translationGroup: article.translationGroup,
    seoKeywords: article.seoKeywords,
    metaDescription: article.metaDescription,
    targetKeyword: article.targetKeyword,
    featuredImageUrl: article.featuredImageUrl,
    featuredImageAlt: article.featuredImageAlt,
    categories: article.categories,
    tags: article.tags,
    publishedAt: article.publishedAt,
    platformUrl: article.platformUrl,
    platformPostId: article.platformPostId,
  };
}

/** The fields of an edit that differ. A text given in both formats is kept in both, or in neither. */
export function diffInputs(written: ArticleInput, edit: ArticleInput): ArticleInput {
  const names = Object.keys(edit) as (keyof ArticleInput)[];
  const differs = (name: keyof ArticleInput) => !isEqual(edit[name], written[name]);
  const isNewText = TEXTS.some((name) => edit[name] !== undefined && differs(name));
  const kept = names.filter((name) => (TEXTS.some((text) => text === name) ? isNewText : differs(name)));
  return Object.fromEntries(kept.map((name) => [name, edit[name]]));
}

const TEXTS = ["content", "markdown"] as const;

/** Merges two edits. A later text replaces the earlier one, whatever formats they are in. */
export function mergeChanges(earlier: ArticleInput | undefined, later: ArticleInput): ArticleInput {
  if (later.content === undefined && later.markdown === undefined) return { ...earlier, ...later };
  const { content: _content, markdown: _markdown, ...others } = earlier ?? {};
  return { ...others, ...later };
}

/** Applies an edit to the article; its status and hash do not change. */
export function composeEdited(
  before: FullArticle,
  input: ArticleInput,
  { source, prepared }: Composed,
  now: Millis,
): FullArticle {
  const { article, body } = before;
  if (input.publishedAt === null && article.status === "published") {
    throw new AppError(
      "invalid",
      "A published article must have a time of publication; give another one, or leave it out.",
      {
        field: "published_at",
      },
    );
  }
  const edited: Article = {
    ...article,
    ...editorial(source, prepared),
    authors: input.authors ?? article.authors,
    metaTitle: orPrevious(input.metaTitle, article.metaTitle),
    canonicalUrl: orPrevious(input.canonicalUrl, article.canonicalUrl),
    aliases: input.aliases ?? article.aliases,
    language: orPrevious(input.language, article.language),
    translationGroup: orPrevious(input.translationGroup, article.translationGroup),
    categories: input.categories ?? article.categories,
    tags: input.tags ?? article.tags,
    createdAt: input.createdAt ?? article.createdAt,
    updatedAt: input.updatedAt ?? now,
    // A published article must have a publication time: it can be changed, not cleared.
    publishedAt:
      article.status === "published"
        ? (input.publishedAt ?? article.publishedAt)
        : orPrevious(input.publishedAt, article.publishedAt),
    platformUrl: orPrevious(input.platformUrl, article.platformUrl),
    platformPostId: orPrevious(input.platformPostId, article.platformPostId),
    userId: orPrevious(input.userId, article.userId),
  };
  return {
    article: edited,
    body: {
      ...derivedBody(source, prepared),
      reportedMetrics: orPrevious(input.reportedMetrics, body.reportedMetrics),
      suppliedSteps: input.pipelineSteps ?? body.suppliedSteps,
      steps: prepared.steps.reduce(withStep, body.steps),
    },
  };
}

/** For `updated_fields`, in API order: `content` stands for all that follows from it, such as counts and links. */
function changedFields(before: FullArticle, after: FullArticle): string[] {
  const old: Record<string, unknown> = suppliedForm(before);
  return Object.entries(suppliedForm(after)).flatMap(([name, value]) => (isEqual(value, old[name]) ? [] : [name]));
}

/** Like `changedFields`, for receivers: their `content` includes the Markdown. */
export function deliveredFields(before: FullArticle, after: FullArticle): string[] {
  const fields = changedFields(before, after);
  if (before.body.markdown === after.body.markdown || fields.includes("content")) return fields;
  // In API order, `content` is the first of the fields that only the detail form has.
  const later = fields.findIndex((name) => DETAIL_FIELDS.has(name));
  return fields.toSpliced(later < 0 ? fields.length : later, 0, "content");
}

const DETAIL_FIELDS: ReadonlySet<string> = new Set(["internal_links", "quality_metrics", "pipeline_steps"]);

/** Like `changedFields`, for people who edit: includes what readers do not see. */
export function editedFields(before: FullArticle, after: FullArticle): string[] {
  const fields = changedFields(before, after);
  if (writtenMarkdown(before.body) !== writtenMarkdown(after.body) && !fields.includes("content"))
    fields.push("markdown");
  if (before.article.publishAt !== after.article.publishAt) fields.push("publish_at");
  if (before.article.userId !== after.article.userId) fields.push("user_id");
  return fields;
}

export function isSame(before: FullArticle, after: FullArticle): boolean {
  return (
    unseenForm(before) === unseenForm(after) &&
    before.body.markdown === after.body.markdown &&
    before.body.markdownSource === after.body.markdownSource &&
    changedFields(before, after).length === 0
  );
}

/** The detail form with supplied values in place of derived ones. */
function suppliedForm({ article, body }: FullArticle) {
  return {
    ...toListForm(article),
    content: body.html,
    internal_links: body.linksSupplied ? body.internalLinks : null,
    approved_at: null,
    quality_metrics: body.reportedMetrics,
    pipeline_steps: body.suppliedSteps,
    ...editorialAdditions(article),
    status: null,
    word_count: null,
    reading_time: null,
    excerpt: article.authorExcerpt,
  };
}

function unseenForm({ article, body }: FullArticle): string {
  return JSON.stringify([article.userId, isoTimeOrNull(article.publishAt), body.source]);
}

function editorial(source: ContentSource, prepared: Composed["prepared"]) {
  return {
    title: source.title,
    slug: source.slug,
    excerpt: prepared.excerpt,
    authorExcerpt: source.excerpt,
    seoKeywords: [...source.seoKeywords],
    metaDescription: source.metaDescription,
    targetKeyword: source.targetKeyword,
    featuredImageUrl: source.featuredImageUrl,
    featuredImageAlt: source.featuredImageAlt,
    wordCount: prepared.wordCount,
    readingTime: prepared.readingTime,
  };
}

function derivedBody(source: ContentSource, prepared: Composed["prepared"]) {
  return {
    html: prepared.html,
    markdown: prepared.markdown,
    markdownSource: prepared.markdownSource,
    text: prepared.text,
    source: source.markdown === undefined ? ("html" as const) : ("markdown" as const),
    internalLinks: prepared.internalLinks,
    linksSupplied: source.internalLinks !== null,
    metricsJson: prepared.metricsJson,
  };
}

/** Compares strings directly, since texts may be long; serialises only other values. */
function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one === "string" || typeof other === "string") return false;
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The input's value, or the previous one if the input has none. */
function orPrevious<T>(value: T | undefined, before: T): T {
  return value === undefined ? before : value;
}
