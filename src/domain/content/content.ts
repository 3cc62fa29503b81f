import type { InternalLink, Millis, PipelineStep, QualityMetrics } from "../article.ts";

/** What the content pipeline needs to know of an article. */
export interface ContentSource {
  title: string;
  /** HTML, not yet sanitised; absent when the article was written in Markdown. */
  html?: string;
  /** GFM source; absent when the article was written in HTML. With `html` as well, `html` was made of it. */
  markdown?: string;
  /** The author's own summary. */
  excerpt: string | null;
  slug: string;
  metaDescription: string | null;
  targetKeyword: string | null;
  seoKeywords: readonly string[];
  featuredImageUrl: string | null;
  featuredImageAlt: string | null;
  /** Links that the source supplied; `null`: those found in the content. */
  internalLinks: readonly InternalLink[] | null;
  /** Address of the website; its host makes an absolute link internal. */
  websiteUrl: string | null;
}

/** Everything that is derived from an article's content, once, on save. */
export interface PreparedContent {
  /** Sanitised; what was already clean is kept byte for byte. */
  html: string;
  /** GFM: the source where there is one, else derived from `html`. */
  markdown: string;
  /** Visible text, paragraphs separated by one empty line. */
  text: string;
  excerpt: string;
  wordCount: number;
  /** Minutes, ≥ 1. */
  readingTime: number;
  internalLinks: InternalLink[];
  /** What sanitising took out, e.g. `<script>`, `onclick on <a>`, `javascript: URL in href on <a>`; each once. */
  removed: string[];
  /** ISO 639-1 code of the detected language; `null`: unsure. */
  language: string | null;
  metrics: QualityMetrics;
  /** The two steps of our own that this was: `sanitize` and `analyze`. */
  steps: PipelineStep[];
}
export type PrepareContent = (source: ContentSource, clock: () => Millis) => PreparedContent;
