/** The three states of an article (specification, section 3). */
export const ARTICLE_STATUSES = ["published", "approved", "pending"] as const;
export type ArticleStatus = (typeof ARTICLE_STATUSES)[number];

/** A moment in milliseconds since the Unix epoch, UTC. */
export type Millis = number;

export interface InternalLink {
  text: string;
  url: string;
}

export const CHECK_STATUSES = ["pass", "warn", "fail"] as const;

/** One quality check; the names are those of the wire (decisions, `quality_metrics`). */
export interface QualityCheck {
  id: string;
  status: (typeof CHECK_STATUSES)[number];
  /** 0–100. */
  score: number;
  value: number | string | boolean | null;
  /** The documented limit in words a person can read, e.g. `30–60 characters`. */
  threshold: string;
  /** One sentence of advice, or what is good about it. */
  message: string;
}

/** `quality_metrics` as it is delivered, except for `reported`, which is kept apart. */
export interface QualityMetrics {
  overall_score: number;
  dimensions: { seo: number; readability: number; structure: number; links: number; images: number };
  checks: QualityCheck[];
  facts: {
    /** `null` where the language has no formula here. */
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
  engine_version: string;
  content_hash: string;
  /** ISO 8601 UTC with milliseconds. */
  evaluated_at: string;
}

export const STEP_STATUSES = ["pending", "running", "completed", "failed", "skipped"] as const;

/** One step of `pipeline_steps`, as it is delivered (decisions). Times are ISO 8601 UTC with milliseconds. */
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

/**
 * What a source, a file or a person says about an article, before our rules have touched it. An absent key says
 * nothing (a new article gets the default, an existing one keeps what it has); `null` or `[]` clears.
 */
export interface ArticleInput {
  /** A UUID in lower case. */
  id?: string;
  title?: string;
  /** HTML, not yet sanitised. */
  content?: string;
  /** GFM source. With `content` as well, `content` is the HTML that was made of it. */
  markdown?: string;
  slug?: string | null;
  excerpt?: string | null;
  status?: ArticleStatus;
  seoKeywords?: string[];
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
  platformUrl?: string | null;
  platformPostId?: string | null;
  /** Scores that the generator supplied; any JSON object. */
  reportedMetrics?: Record<string, unknown> | null;
  /** Steps that the generator supplied. */
  pipelineSteps?: PipelineStep[];
  userId?: string | null;
}
