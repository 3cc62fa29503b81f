/**
 * `review_links`: links by which somebody without an account reviews one text of one article. `hash`: SHA-256 of the token,
 * hexadecimal. `content_hash`: the text that the link is about. `guest`: who used it to decide, in words; null until then.
 * What a guest does has the link's id as its actor.
 */
export const reviewLinks = {
  name: "029-review-links",
  isAdditive: true,
  sql: `
CREATE TABLE review_links (
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL,
  website_id TEXT NOT NULL,
  article_id TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  label TEXT NOT NULL,
  created_by TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  revoked_at BIGINT,
  guest TEXT,
  decision TEXT,
  decided_at BIGINT
);
CREATE UNIQUE INDEX review_links_by_hash ON review_links (hash);
CREATE INDEX review_links_by_article ON review_links (article_id, created_at);
CREATE INDEX review_links_by_end ON review_links (expires_at, id);
`,
  sqlite: [],
  postgres: [],
} as const;
