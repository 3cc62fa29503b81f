/** Migrations of a version to come: each kind of step that one may have. */
import { join } from "node:path";
import { type Migration, MIGRATIONS } from "../../../src/store/migrations.ts";

const COUNT_DELETIONS = {
  table: "events",
  key: ["website_id", "sequence"],
  sql: `INSERT INTO later_deletions (website_id, article_id, last_sequence)
    SELECT website_id, article_id, MAX(sequence) FROM events
    WHERE {range} AND kind = 'article.deleted' GROUP BY website_id, article_id
    ON CONFLICT (website_id, article_id) DO UPDATE SET last_sequence = excluded.last_sequence
    WHERE later_deletions.last_sequence < excluded.last_sequence`,
} as const;

const LATER_MIGRATIONS: readonly Migration[] = [
  {
    name: "901-later-columns",
    isAdditive: true,
    sql: `
ALTER TABLE events ADD COLUMN later_note TEXT;
ALTER TABLE websites ADD COLUMN later_count BIGINT NOT NULL DEFAULT 0;
`,
    sqlite: [],
    postgres: [
      "ALTER TABLE deliveries ADD CONSTRAINT deliveries_later CHECK (attempts >= 0) NOT VALID",
      "ALTER TABLE deliveries VALIDATE CONSTRAINT deliveries_later",
    ],
  },
  {
    name: "902-later-tables",
    isAdditive: true,
    sql: `
CREATE TABLE later_deletions (
  website_id TEXT NOT NULL,
  article_id TEXT NOT NULL,
  last_sequence BIGINT NOT NULL,
  PRIMARY KEY (website_id, article_id)
);
CREATE INDEX later_deletions_by_sequence ON later_deletions (last_sequence);
CREATE INDEX events_by_later_note ON events (later_note) WHERE later_note IS NOT NULL;
`,
    sqlite: [COUNT_DELETIONS],
    postgres: [COUNT_DELETIONS],
  },
];

/** All migrations of that version. */
export const ALL_MIGRATIONS: readonly Migration[] = [...MIGRATIONS, ...LATER_MIGRATIONS];
export const LATER_NAMES: readonly string[] = LATER_MIGRATIONS.map(({ name }) => name);

/** Makes a command or service that a test starts one of that version. */
export const LATER_VERSION = { NODE_OPTIONS: `--import=${join(import.meta.dirname, "preload.ts")}` };
