/** A revision is saved when something else replaces it: an article unchanged since it was created has none. */
import { type Article, type ArticleBody, type ArticleInput, type FullArticle, writtenMarkdown } from "./article.ts";
import type { Millis } from "../system/time.ts";

/** Everything but the text. */
export type RevisionFields = Pick<
  Article,
  | "title"
  | "slug"
  | "authorExcerpt"
  | "authors"
  | "metaTitle"
  | "metaDescription"
  | "targetKeyword"
  | "seoKeywords"
  | "categories"
  | "tags"
  | "featuredImageUrl"
  | "featuredImageAlt"
  | "canonicalUrl"
  | "aliases"
  | "language"
  | "translationGroup"
>;

export interface RevisionText {
  /** Sanitised. */
  html: string;
  /** The Markdown source; null if the text was written in HTML. */
  markdown: string | null;
}

export interface RevisionContent extends RevisionFields, RevisionText {}

/** How the content came about: an action of the audit log, or a source. */
export type RevisionAction =
  | "article.created"
  | "article.edited"
  | "article.updated"
  | "article.restored"
  | "article.imported";

/** Who made the revision, when, and how. */
export interface RevisionMark {
  /** Id of the audit entry that records it, or the article's id for a first revision without such an entry. */
  id: string;
  at: Millis;
  actor: string;
  action: RevisionAction;
}

export function toRevisionFields({ article }: FullArticle): RevisionFields {
  return {
    title: article.title,
    slug: article.slug,
    authorExcerpt: article.authorExcerpt,
    authors: article.authors,
    metaTitle: article.metaTitle,
    metaDescription: article.metaDescription,
    targetKeyword: article.targetKeyword,
    seoKeywords: article.seoKeywords,
    categories: article.categories,
    tags: article.tags,
    featuredImageUrl: article.featuredImageUrl,
    featuredImageAlt: article.featuredImageAlt,
    canonicalUrl: article.canonicalUrl,
    aliases: article.aliases,
    language: article.language,
    translationGroup: article.translationGroup,
  };
}

export function toRevisionText(body: ArticleBody): RevisionText {
  return { html: body.html, markdown: writtenMarkdown(body) };
}

export function toRevisionContent(full: FullArticle): RevisionContent {
  return { ...toRevisionFields(full), ...toRevisionText(full.body) };
}

export function isSameText(one: RevisionText, other: RevisionText): boolean {
  return one.html === other.html && one.markdown === other.markdown;
}

/** Whether the content was approved since `since`, when it was written (null: created with it), even if withdrawn. */
export function wasApproved({ article, body }: FullArticle, since: Millis | null): boolean {
  if (article.approvedHash !== null && article.approvedHash === article.contentHash) return true;
  const step = body.steps.find(({ name }) => name === "approve");
  if (step === undefined) return false;
  return since === null || (step.started_at !== null && Date.parse(step.started_at) >= since);
}

/** Who created an article that nobody has changed yet, when, and how, as far as its own data tell. */
export function firstMark({ article, body }: FullArticle): RevisionMark {
  const step = body.steps.find(({ name }) => name === "import");
  if (step?.completed_at == null) {
    return { id: article.id, at: article.createdAt, actor: article.userId ?? "unknown", action: "article.created" };
  }
  const { actor, completed_at } = step;
  return { id: article.id, at: Date.parse(completed_at), actor: actor ?? "import", action: "article.imported" };
}

/** The edit that restores the revision; for a text in Markdown, it also restores the HTML unchanged. */
export function restoringInput({ html, markdown, authorExcerpt, ...fields }: RevisionContent): ArticleInput {
  return { ...fields, excerpt: authorExcerpt, content: html, ...(markdown === null ? {} : { markdown }) };
}
