import { createHash } from "node:crypto";

/** What an approval is bound to, and what the quality metrics were computed of. */
export interface HashedContent {
  title: string;
  html: string;
  excerpt: string | null;
  metaDescription: string | null;
  featuredImageUrl: string | null;
  featuredImageAlt: string | null;
}

/** SHA-256 in hex; a JSON array, because joined strings can be equal where the parts differ. */
export function contentHash(content: HashedContent): string {
  const { title, html, excerpt, metaDescription, featuredImageUrl, featuredImageAlt } = content;
  return createHash("sha256")
    .update(JSON.stringify([title, html, excerpt, metaDescription, featuredImageUrl, featuredImageAlt]))
    .digest("hex");
}
