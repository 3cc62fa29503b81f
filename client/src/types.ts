/** The types of the read API's answers, as in the service's openapi.json; the service's tests compare both. */

export type ArticleStatus = "published" | "approved" | "pending";

/** The list form: everything but the content. Times are ISO 8601 in UTC. */
export interface ArticleSummary {
  /** UUID; never changes, while the slug may. */
  id: string;
  title: string;
  excerpt: string;
  /** Unique within the website. */
  slug: string;
  status: ArticleStatus;
  seo_keywords: string[];
  meta_description: string | null;
  target_keyword: string | null;
  featured_image_url: string | null;
  featured_image_alt: string | null;
  word_count: number;
  /** Minutes, at least 1. */
  reading_time: number;
  categories: string[];
  tags: string[];
  created_at: string;
  /** Time of the first publication. */
  published_at: string | null;
  /** The article's URL on your website, if known. */
  platform_url: string | null;
  platform_post_id: string | null;
}

/** An author as readers are to see them. */
export interface Author {
  name: string;
  url: string | null;
}

/** Fields that an answer has only if `fields` or `include` names them. */
export interface RequestedFields {
  authors: Author[];
  /** For the page's `<title>` where it differs from the title. */
  meta_title: string | null;
  /** Where the original is; null: the article's own address. */
  canonical_url: string | null;
  /** Former addresses: slugs, and paths with a slash in front. */
  aliases: string[];
  updated_at: string;
  previous_slugs: string[];
  /** BCP 47; null: the website's own language. */
  language: string | null;
  /** The same for an article and its translations. */
  translation_group: string | null;
  /** The other published articles of its translation group. */
  translations: Translation[];
  /** Those beside it in the list without parameters, which begins with the newest. Lists do not have it. */
  neighbours: Neighbours;
  featured_image: FeaturedImage | null;
  /** The signed statement about its approval, a JWS; null: there is none. Lists do not have it. */
  review_record: string | null;
  /** The headings of the content, in order. */
  toc: TocEntry[];
}

export interface FeaturedImage {
  url: string;
  /** Pixels; null unless the picture is in the website's library. */
  width: number | null;
  height: number | null;
  alt: string | null;
}

export interface Translation {
  /** BCP 47; null: the website's own language. */
  language: string | null;
  id: string;
  slug: string;
}

/** An article with what a link to it needs. */
export interface Neighbour {
  id: string;
  title: string;
  slug: string;
  /** BCP 47; null: the website's own language. */
  language: string | null;
  published_at: string | null;
  platform_url: string | null;
}

export interface Neighbours {
  /** Published later, before it in the list; null: it is the first. */
  previous: Neighbour | null;
  /** Published earlier, after it in the list; null: it is the last. */
  next: Neighbour | null;
}

/** A heading of the content. */
export interface TocEntry {
  /** 1 to 6. */
  level: number;
  text: string;
  /** The heading's `id` in `content`; null: it has none. */
  id: string | null;
}

export interface InternalLink {
  text: string;
  url: string;
}

/** The detail form. */
export interface Article extends ArticleSummary {
  /** The whole body as sanitised HTML. */
  content: string;
  internal_links: InternalLink[];
  /** Time of the last approval. */
  approved_at: string | null;
  quality_metrics: QualityMetrics;
  pipeline_steps: PipelineStep[];
}

/** For editors and reports; a website can ignore it. Scores are 0 to 100. */
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
  facts: QualityFacts;
  integrity: Integrity;
  engine_version: string;
  content_hash: string;
  evaluated_at: string;
  /** Scores supplied by the article's generator, under its own names. */
  reported: Record<string, unknown> | null;
}

export interface QualityCheck {
  id: string;
  status: "pass" | "warn" | "fail";
  score: number;
  value: number | string | boolean | null;
  threshold: string;
  message: string;
  /** The passages that it is about; absent: the whole article. */
  places?: Place[];
}

/** A passage of the title, the meta description, or a block of the visible text. */
export interface Place {
  field: "title" | "meta_description" | "text";
  /** Index of the block; null: another field, or the whole text. */
  block: number | null;
  /** UTF-16 code units. */
  start: number;
  end: number;
  quote: string;
}

/** What no article should have, such as placeholders and marks of AI tools. */
export interface Integrity {
  /** `fail`: a finding blocks. `warn`: there are only others. */
  status: "pass" | "warn" | "fail";
  /** Numbers of kinds. */
  blocking: number;
  warnings: number;
  findings: Finding[];
}

export interface Finding extends Place {
  kind: FindingKind;
  severity: "block" | "warn";
  message: string;
  /** How the dashboard can mend it; absent: somebody has to write. */
  fix?: "delete" | "unwrap" | "strip_parameter" | "decode" | "remove_copy";
}

/** There may be new ones at any time. */
export type FindingKind =
  | "chatbot_voice"
  | "knowledge_cutoff"
  | "chat_opener"
  | "chat_closer"
  | "tool_marker"
  | "prompt_echo"
  | "tool_tracking_link"
  | "placeholder"
  | "todo"
  | "lorem_ipsum"
  | "gibberish"
  | "cut_off"
  | "unclosed_code"
  | "outline_only"
  | "no_article"
  | "very_short"
  | "empty_section"
  | "raw_markup"
  | "fenced_article"
  | "json_wrapper"
  | "template_code"
  | "mojibake"
  | "escaped_characters"
  | "invisible_characters"
  | "placeholder_image"
  | "placeholder_link"
  | "dangling_citation"
  | "repeated_paragraph"
  | "repeated_sentence"
  | "near_repeated_paragraph"
  | "word_loop"
  | "repeated_heading"
  | "mixed_language"
  | "wrong_language"
  | "keyword_stuffing"
  | "title_mismatch"
  | "near_duplicate";

export interface QualityFacts {
  flesch_reading_ease: number | null;
  average_sentence_words: number;
  keyword_count: number;
  /** Percentage of all words. */
  keyword_density: number;
  title_length: number;
  meta_description_length: number;
  headings: number;
  internal_links: number;
  external_links: number;
  images: number;
  images_without_alt: number;
}

export interface PipelineStep {
  name: string;
  status: "pending" | "running" | "completed" | "failed" | "skipped";
  started_at: string | null;
  completed_at: string | null;
  duration_ms: number | null;
  actor: string | null;
  error: { code: string; message: string } | null;
  metadata: Record<string, unknown>;
}

export interface Pagination {
  /** Number of all matching articles. */
  total: number;
  limit: number;
  offset: number;
}

/** How up to date the website's articles are, and its language. */
export interface WebsiteState {
  /** Changes whenever something that the key reads changes. */
  version: string;
  /** Sequence of the newest event. */
  latest_sequence: number;
  /** The language of articles that name none, a BCP 47 tag; null: nobody has set it. */
  language: string | null;
}

/** The article at the time of an event. */
export interface EventArticle {
  article_id: string;
  title: string;
  slug: string;
  /** Path of the detail endpoint. */
  api_url: string;
  content: { html: string; markdown: string; text: string };
  meta_description: string | null;
  seo_keywords: string[];
  target_keyword: string | null;
  categories: string[];
  tags: string[];
  featured_image_url: string | null;
  featured_image_alt: string | null;
  status: ArticleStatus;
  created_at: string;
  /** The person, key or schedule that caused the event. */
  user_id: string;
}

export interface PublishedData extends EventArticle {
  published_at: string;
}

export interface UpdatedData extends EventArticle {
  updated_at: string;
  /** Names of the changed fields; never empty. */
  updated_fields: string[];
}

export interface DeletedData {
  article_id: string;
  deleted_at: string;
  api_url: string;
}

interface Envelope<Kind extends string, Data> {
  event: Kind;
  timestamp: string;
  website_id: string;
  data: Data;
}

export type ArticlePublishedEvent = Envelope<"article.published", PublishedData>;
export type ArticleUpdatedEvent = Envelope<"article.updated", UpdatedData>;
export type ArticleDeletedEvent = Envelope<"article.deleted", DeletedData>;

/** The body of a webhook. `event` says which of the three it is. */
export type ArticleEvent = ArticlePublishedEvent | ArticleUpdatedEvent | ArticleDeletedEvent;

/** An event in the feed: the body of a webhook, with its id and its sequence within the website. */
export type FeedEvent = ArticleEvent & {
  /** Same as the header `webhook-id` of the webhook. */
  id: string;
  sequence: number;
  /** `content_removed`: the texts are empty, because the article was deleted later or the event is old. */
  data: { content_removed?: true };
};
