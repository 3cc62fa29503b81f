import type { ContentSource } from "./content.ts";

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
};
