/**
 * Pictures of articles. Their files are not in the database (docs/assets.md); `assets.hash` is the SHA-256 of the file.
 *
 * `deleted_at`: the picture is no longer served; its file and row are removed a day later. `source_url`: where an import copied
 * it from. `websites.asset_url`: the address before `/assets/…`, if it is not the service's own.
 */
export const assets = {
  name: "026-assets",
  isAdditive: true,
  sql: `
ALTER TABLE websites ADD COLUMN asset_url TEXT;
CREATE TABLE assets (
  id TEXT PRIMARY KEY,
  website_id TEXT NOT NULL,
  hash TEXT NOT NULL,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  bytes BIGINT NOT NULL,
  width BIGINT NOT NULL,
  height BIGINT NOT NULL,
  alt TEXT NOT NULL,
  source_url TEXT,
  created_by TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  deleted_at BIGINT
);
CREATE UNIQUE INDEX assets_by_hash ON assets (website_id, hash);
CREATE INDEX assets_by_source ON assets (website_id, source_url);
CREATE INDEX assets_by_deletion ON assets (deleted_at);
`,
  sqlite: [],
  postgres: [],
} as const;
