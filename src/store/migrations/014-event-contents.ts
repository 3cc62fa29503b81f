const PLAN_REMOVALS = {
  table: "events",
  key: ["website_id", "sequence"],
  sql: `INSERT INTO content_removals (website_id, article_id, before_sequence)
    SELECT website_id, article_id, MAX(sequence) FROM events
    WHERE {range} AND kind = 'article.deleted' GROUP BY website_id, article_id
    ON CONFLICT (website_id, article_id) DO UPDATE SET before_sequence = excluded.before_sequence
    WHERE content_removals.before_sequence < excluded.before_sequence`,
} as const;

/**
 * The content of an event is removed when its article was deleted or taken down, or when it is old; the event stays.
 * `content_removals` is what is to be removed as soon as no delivery needs it: of an article's events those before
 * `before_sequence`. `aged_to`: of the website's events those up to this sequence were looked at for their age.
 */
export const eventContents = {
  name: "014-event-contents",
  isAdditive: true,
  sql: `
ALTER TABLE events ADD COLUMN content_removed_at BIGINT;
CREATE INDEX events_with_content ON events (website_id, article_id, sequence) WHERE kind <> 'article.deleted' AND content_removed_at IS NULL;
ALTER TABLE websites ADD COLUMN aged_to BIGINT NOT NULL DEFAULT 0;
CREATE TABLE content_removals (
  website_id TEXT NOT NULL,
  article_id TEXT NOT NULL,
  before_sequence BIGINT NOT NULL,
  PRIMARY KEY (website_id, article_id)
);
`,
  sqlite: [PLAN_REMOVALS],
  postgres: [PLAN_REMOVALS],
} as const;
