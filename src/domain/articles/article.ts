/** The three states of an article (docs/specification.md, section 3). */
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

/** An article without its body: what lists, rules and transitions need. */
export interface Article {
  id: string;
  websiteId: string;
  status: ArticleStatus;
  title: string;
  slug: string;
  /** As delivered: the author's own, else derived from the text. */
  excerpt: string;
  /** The author's own summary, if there is one. */
  authorExcerpt: string | null;
  seoKeywords: string[];
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
  /** Last approval. */
  approvedAt: Millis | null;
  /** First publication; kept when the article is taken down and published again. */
  publishedAt: Millis | null;
  /** When the service will publish it by itself; only while `approved`. */
  publishAt: Millis | null;
  platformUrl: string | null;
  platformPostId: string | null;
  userId: string | null;
  /** Hash of everything that is delivered (approval.ts). */
  contentHash: string;
  /** The content hash that was approved; an article is published only while the two are equal. */
  approvedHash: string | null;
  /** When it went to the trash. */
  deletedAt: Millis | null;
  /** The website's content version of its last change that readers can see. */
  version: number;
}

/** The large part of an article, stored apart so that lists never read it. */
export interface ArticleBody {
  html: string;
  markdown: string;
  text: string;
  /** What the author wrote: `markdown` is the source, or was derived from HTML. */
  source: "html" | "markdown";
  internalLinks: InternalLink[];
  /** Whether the links were supplied, not found. */
  linksSupplied: boolean;
  metrics: QualityMetrics;
  reportedMetrics: Record<string, unknown> | null;
  /** Steps that the generator supplied. */
  suppliedSteps: PipelineStep[];
  /** Our own steps: `import`, `sanitize`, `analyze`, `approve`, `publish`, each at most once and in this order. */
  steps: PipelineStep[];
}

/** A whole article. */
export interface FullArticle {
  article: Article;
  body: ArticleBody;
}
