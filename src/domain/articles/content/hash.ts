import { hash } from "node:crypto";

/** The content that quality metrics were computed from. */
export interface HashedContent {
  title: string;
  html: string;
  excerpt: string | null;
  metaDescription: string | null;
  featuredImageUrl: string | null;
  featuredImageAlt: string | null;
}

/** SHA-256 in hex of a JSON array, since joined strings can be equal where their parts differ. */
export function contentHash(content: HashedContent): string {
  const { title, html, excerpt, metaDescription, featuredImageUrl, featuredImageAlt } = content;
  return hash("sha256", JSON.stringify([title, html, excerpt, metaDescription, featuredImageUrl, featuredImageAlt]));
}
