/**
 * IndexNow. `websites.index_now_key`: shows search engines that a ping comes from the website; null: none are sent.
 * `index_now`: how far the events of each website that is turned on have been told, and when the next try is due.
 * `index_now_pings`: what was sent, for people to see.
 */
export const indexNow = {
  name: "038-index-now",
  isAdditive: true,
  sql: `
ALTER TABLE websites ADD COLUMN index_now_key TEXT;
CREATE TABLE index_now (
  website_id TEXT PRIMARY KEY,
  sequence BIGINT NOT NULL,
  tries BIGINT NOT NULL,
  ready_at BIGINT NOT NULL
);
CREATE TABLE index_now_pings (
  id TEXT PRIMARY KEY,
  website_id TEXT NOT NULL,
  at BIGINT NOT NULL,
  addresses BIGINT NOT NULL,
  outcome TEXT NOT NULL,
  status BIGINT,
  error TEXT
);
CREATE INDEX index_now_pings_by_website ON index_now_pings (website_id, at);
CREATE INDEX index_now_pings_by_time ON index_now_pings (at);
`,
  sqlite: [],
  postgres: [],
} as const;
