/**
 * What people and generators write of an article, as it was at some time. It is kept when something else takes its place,
 * so that it can be compared and restored; an article that nobody has changed since it came has no revisions.
 */
import type { Article, ArticleBody, ArticleInput, FullArticle, Millis } from "./article.ts";

/** Everything but the text. */
export type RevisionFields = Pick<
  Article,
  | "title"
  | "slug"
  | "authorExcerpt"
  | "metaDescription"
  | "targetKeyword"
  | "seoKeywords"
  | "categories"
  | "tags"
  | "featuredImageUrl"
  | "featuredImageAlt"
>;

export interface RevisionText {
  /** Sanitised. */
  html: string;
  /** Its source; null: it was written in HTML. */
  markdown: string | null;
}

export interface RevisionContent extends RevisionFields, RevisionText {}

/** By what an article came to be as it is: an action of the audit log, or a source. */
export type RevisionAction =
  | "article.created"
  | "article.edited"
  | "article.updated"
  | "article.restored"
  | "article.imported";

/** Who made it, when, and by what. */
export interface RevisionMark {
  /** Id of the audit entry that records it. The first revision has the article's id if there is no such entry. */
  id: string;
  at: Millis;
  actor: string;
  action: RevisionAction;
}

export function fieldsOf({ article }: FullArticle): RevisionFields {
  return {
    title: article.title,
    slug: article.slug,
    authorExcerpt: article.authorExcerpt,
    metaDescription: article.metaDescription,
    targetKeyword: article.targetKeyword,
    seoKeywords: article.seoKeywords,
    categories: article.categories,
    tags: article.tags,
    featuredImageUrl: article.featuredImageUrl,
    featuredImageAlt: article.featuredImageAlt,
  };
}

export function textOf({ html, markdown, source }: ArticleBody): RevisionText {
  return { html, markdown: source === "markdown" ? markdown : null };
}

export function contentOf(full: FullArticle): RevisionContent {
  return { ...fieldsOf(full), ...textOf(full.body) };
}

export function isSameText(one: RevisionText, other: RevisionText): boolean {
  return one.html === other.html && one.markdown === other.markdown;
}

/**
 * Whether what there is now was approved, also where that was taken back since. `since`: when it was written; null: it is
 * what the article came with.
 */
export function wasApproved({ article, body }: FullArticle, since: Millis | null): boolean {
  if (article.approvedHash !== null && article.approvedHash === article.contentHash) return true;
  const step = body.steps.find(({ name }) => name === "approve");
  if (step === undefined) return false;
  return since === null || (step.started_at !== null && Date.parse(step.started_at) >= since);
}

/** By what an article came to be that nobody has changed yet, as far as nothing else tells. */
export function firstMark({ article, body }: FullArticle): RevisionMark {
  const step = body.steps.find(({ name }) => name === "import");
  if (step?.completed_at == null) {
    return { id: article.id, at: article.createdAt, actor: article.userId ?? "unknown", action: "article.created" };
  }
  const { actor, completed_at } = step;
  return { id: article.id, at: Date.parse(completed_at), actor: actor ?? "import", action: "article.imported" };
}

/** The edit that brings it back: of a text in Markdown the HTML, too, as it was. */
export function restoringInput({ html, markdown, authorExcerpt, ...fields }: RevisionContent): ArticleInput {
  return { ...fields, excerpt: authorExcerpt, content: html, ...(markdown === null ? {} : { markdown }) };
}
