/**
 * Previews of unpublished articles on the customer's own website.
 *
 * `websites.preview_url`: where the website shows one. `preview_tokens.hash`: SHA-256 of the token, hexadecimal; a token
 * lets the read API answer with this one article, in whatever state it is.
 */
export const sitePreviews = {
  name: "021-site-previews",
  isAdditive: true,
  sql: `
ALTER TABLE websites ADD COLUMN preview_url TEXT;
CREATE TABLE preview_tokens (
  hash TEXT PRIMARY KEY,
  website_id TEXT NOT NULL,
  article_id TEXT NOT NULL,
  created_by TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX preview_tokens_by_end ON preview_tokens (expires_at);
CREATE INDEX preview_tokens_by_person ON preview_tokens (created_by);
`,
  sqlite: [],
  postgres: [],
} as const;
