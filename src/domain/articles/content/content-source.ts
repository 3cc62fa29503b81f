import type { InternalLink } from "../article.ts";

/** What the content pipeline needs to know about an article. */
export interface ContentSource {
  title: string;
  /** HTML, not yet sanitised; absent when the article was written in Markdown. */
  html?: string;
  /** GFM source; absent if the article was written in HTML. An `html` beside it was rendered from this source. */
  markdown?: string;
  excerpt: string | null;
  slug: string;
  metaDescription: string | null;
  targetKeyword: string | null;
  seoKeywords: readonly string[];
  categories: readonly string[];
  tags: readonly string[];
  featuredImageUrl: string | null;
  featuredImageAlt: string | null;
  /** Links that the source supplied; `null` to use those found in the content. */
  internalLinks: readonly InternalLink[] | null;
  /** The website's address; absolute links to its host are internal. */
  websiteUrl: string | null;
  /** BCP 47: the article's own language, else the website's; null: none is declared. */
  language: string | null;
  /** Whether a machine delivered it, or generated it as it says itself. */
  isMachineWritten: boolean;
  /** Whether it came by an import or as a file: then an empty field may be one that the source does not have. */
  isImported: boolean;
  /** Title of a published article that shares labels with it; absent or null: none, or the website has only few. */
  related?: string | null;
  /** Results of an earlier save that still hold: `html` and `markdown` are absent, and only the rest is derived. */
  known?: KnownContent;
}

/** Results that depend only on the text and on fields that have not changed, with the metrics of the earlier save. */
export interface KnownContent {
  html: string;
  markdown: string;
  markdownSource: string | null;
  text: string;
  excerpt: string;
  wordCount: number;
  readingTime: number;
  internalLinks: InternalLink[];
  /** `QualityMetrics` as JSON. */
  metricsJson: string;
}

/** An article without text or optional fields, as a base for warm-ups and tests. */
export const BLANK_SOURCE: ContentSource = {
  title: "A title",
  excerpt: null,
  slug: "a-title",
  metaDescription: null,
  targetKeyword: null,
  seoKeywords: [],
  categories: [],
  tags: [],
  featuredImageUrl: null,
  featuredImageAlt: null,
  internalLinks: null,
  websiteUrl: null,
  language: null,
  isMachineWritten: false,
  isImported: false,
};
