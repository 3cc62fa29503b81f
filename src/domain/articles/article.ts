import type { Millis } from "../system/time.ts";
import type { Integrity, Place } from "./findings.ts";

export const ARTICLE_STATUSES = ["published", "approved", "pending"] as const;
export type ArticleStatus = (typeof ARTICLE_STATUSES)[number];

/** The states inside `pending`, unseen by readers and receivers. `resubmitted`: changes were requested before. */
export const REVIEW_STATES = ["draft", "in_review", "resubmitted", "changes_requested"] as const;
export type ReviewState = (typeof REVIEW_STATES)[number];

/** How an article came in: written here, by the import command, as a dropped file, or from a machine: by an id of its own, as a file, or from a sender. */
export const ARTICLE_ORIGINS = ["written", "import", "file", "api", "push", "sender"] as const;
export type ArticleOrigin = (typeof ARTICLE_ORIGINS)[number];

/** Whether an access token or a sender delivered the article, or a generator reported how it made it. */
export function isMachineWritten(origin: ArticleOrigin, suppliedSteps: readonly PipelineStep[]): boolean {
  return origin === "api" || origin === "push" || origin === "sender" || suppliedSteps.length > 0;
}

/** Whether the article came from a website or a folder, which may lack what ours has a field for. */
export function isImported(origin: ArticleOrigin): boolean {
  return origin === "import" || origin === "file";
}

export const FIRST_STATES = ["draft", "in_review"] as const satisfies readonly ReviewState[];

export interface InternalLink {
  text: string;
  url: string;
}

export interface Author {
  name: string;
  /** An absolute http or https address. */
  url: string | null;
}

export const CHECK_STATUSES = ["pass", "warn", "fail"] as const;

/** One quality check, with the field names of the API (docs/api.md, `quality_metrics`). */
export interface QualityCheck {
  id: string;
  status: (typeof CHECK_STATUSES)[number];
  /** 0–100. */
  score: number;
  value: number | string | boolean | null;
  /** The documented limit in readable form, e.g. `25–65 characters`. */
  threshold: string;
  /** One sentence of advice or of praise. */
  message: string;
  /** Where in the text it is about. Absent: the whole article. */
  places?: Place[];
}

/** `quality_metrics` as delivered, except for `reported`, which is stored separately. */
export interface QualityMetrics {
  overall_score: number;
  dimensions: {
    seo: number;
    readability: number;
    structure: number;
    links: number;
    images: number;
    evidence: number;
    originality: number;
  };
  checks: QualityCheck[];
  facts: {
    /** `null` if there is no formula for the language. */
    flesch_reading_ease: number | null;
    average_sentence_words: number;
    keyword_count: number;
    /** Percent of the words, two decimals. */
    keyword_density: number;
    title_length: number;
    meta_description_length: number;
    headings: number;
    internal_links: number;
    external_links: number;
    images: number;
    images_without_alt: number;
  };
  integrity: Integrity;
  engine_version: string;
  content_hash: string;
  /** ISO 8601 UTC with milliseconds. */
  evaluated_at: string;
}

export const STEP_STATUSES = ["pending", "running", "completed", "failed", "skipped"] as const;

/** One step of `pipeline_steps` as delivered (docs/api.md). Times are ISO 8601 UTC with milliseconds. */
export interface PipelineStep {
  name: string;
  status: (typeof STEP_STATUSES)[number];
  started_at: string | null;
  completed_at: string | null;
  duration_ms: number | null;
  actor: string | null;
  error: { code: string; message: string } | null;
  metadata: Record<string, unknown>;
}

/** What a source, file or person supplies. A missing key changes nothing (new: the default); `null` or `[]` clears. */
export interface ArticleInput {
  /** A UUID in lower case. */
  id?: string;
  title?: string;
  /** HTML, not yet sanitised. */
  content?: string;
  /** GFM source. If `content` is present as well, it is the HTML rendered from this source. */
  markdown?: string;
  slug?: string | null;
  excerpt?: string | null;
  status?: ArticleStatus;
  /** Where a pending article begins; nothing but a new article takes it. */
  reviewState?: ReviewState;
  authors?: Author[];
  /** E-mail addresses of accounts; only a new article takes them, and unknown ones are ignored. */
  author?: string | null;
  assignee?: string | null;
  seoKeywords?: string[];
  metaTitle?: string | null;
  metaDescription?: string | null;
  targetKeyword?: string | null;
  featuredImageUrl?: string | null;
  featuredImageAlt?: string | null;
  categories?: string[];
  tags?: string[];
  internalLinks?: InternalLink[] | null;
  createdAt?: Millis;
  updatedAt?: Millis;
  approvedAt?: Millis | null;
  publishedAt?: Millis | null;
  publishAt?: Millis | null;
  canonicalUrl?: string | null;
  /** BCP 47. */
  language?: string | null;
  translationGroup?: string | null;
  /** Slugs, and paths with a slash in front. */
  aliases?: string[];
  platformUrl?: string | null;
  platformPostId?: string | null;
  /** Scores supplied by the generator; any JSON object. */
  reportedMetrics?: Record<string, unknown> | null;
  pipelineSteps?: PipelineStep[];
  userId?: string | null;
}

/** An article without its body: all that lists, rules and transitions need. */
export interface Article {
  id: string;
  websiteId: string;
  status: ArticleStatus;
  /** Set only while `pending`. Readers and receivers never see it. */
  reviewState: ReviewState | null;
  /** How it came in first; an edit does not change it. */
  origin: ArticleOrigin;
  /** As shown to readers, in order. */
  authors: Author[];
  /** Ids of accounts; null if there is none. */
  authorId: string | null;
  assigneeId: string | null;
  title: string;
  slug: string;
  excerpt: string;
  /** The author's own summary; null: there is none. */
  authorExcerpt: string | null;
  seoKeywords: string[];
  /** The title for search results where it differs from `title`. */
  metaTitle: string | null;
  metaDescription: string | null;
  targetKeyword: string | null;
  featuredImageUrl: string | null;
  featuredImageAlt: string | null;
  categories: string[];
  tags: string[];
  wordCount: number;
  /** Minutes. */
  readingTime: number;
  createdAt: Millis;
  updatedAt: Millis;
  /** Since when it has its status and review state here, whatever dates an import brought. */
  stateSince: Millis;
  approvedAt: Millis | null;
  /** Time of the first publication; kept when the article is unpublished and published again. */
  publishedAt: Millis | null;
  /** Scheduled time of publication; set only while `approved`. */
  publishAt: Millis | null;
  /** Where the original is, if it is not this article's own address. */
  canonicalUrl: string | null;
  /** Former addresses: slugs, and paths with a slash in front. */
  aliases: string[];
  /** BCP 47; null: the website's own language. */
  language: string | null;
  /** An id that an article and its translations share. */
  translationGroup: string | null;
  platformUrl: string | null;
  platformPostId: string | null;
  userId: string | null;
  /** Hash of everything that is delivered (approval.ts). */
  contentHash: string;
  /** The content hash that was approved. The article can be published only while the two are equal. */
  approvedHash: string | null;
  deletedAt: Millis | null;
  /** The website's content version at the last change of this article that readers can see. */
  version: number;
}

export function parseMetrics(metricsJson: string): QualityMetrics {
  return JSON.parse(metricsJson) as QualityMetrics;
}

/** The overall score alone. It comes first (content/measure/metrics.ts), and parsing all the rest takes fifty times as long. */
export function parseScore(metricsJson: string): number {
  const score = /^\{"overall_score":(\d+),/.exec(metricsJson)?.[1];
  return score === undefined ? parseMetrics(metricsJson).overall_score : Number(score);
}

/** The large part of an article, stored separately so that lists never read it. */
export interface ArticleBody {
  html: string;
  /** As it is delivered. */
  markdown: string;
  /** The author's Markdown, where other Markdown is delivered. */
  markdownSource: string | null;
  text: string;
  /** The format the author wrote in. For `html`, the Markdown is derived. */
  source: "html" | "markdown";
  internalLinks: InternalLink[];
  /** Whether the links were supplied rather than found in the content. */
  linksSupplied: boolean;
  /** `QualityMetrics` as JSON: stored, hashed and delivered as they are, and parsed only to be looked at. */
  metricsJson: string;
  reportedMetrics: Record<string, unknown> | null;
  suppliedSteps: PipelineStep[];
  /** Our own steps: `import`, `sanitize`, `analyze`, `approve`, `publish`; each at most once, in this order. */
  steps: PipelineStep[];
}

/** The Markdown in which an article was written; null for HTML. */
export function writtenMarkdown({ source, markdown, markdownSource }: ArticleBody): string | null {
  return source === "markdown" ? (markdownSource ?? markdown) : null;
}

export interface FullArticle {
  article: Article;
  body: ArticleBody;
}

/** Any 36-character UUID, whatever its version: generators and exports use all of them. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The UUID in lower case, or `null` if it is not one. */
export function asUuid(given: unknown): string | null {
  if (typeof given !== "string") return null;
  const id = given.trim().toLowerCase();
  return UUID.test(id) ? id : null;
}
