import type { ContentSource } from "./content.ts";

/** An article without text and fields: what a warm-up or a test sets is spread over it. */
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
};
