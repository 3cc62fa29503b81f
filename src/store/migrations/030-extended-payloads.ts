/**
 * Extended payloads. `endpoints.extended`: messages have them. `events.extension`: what they add to the event's `data`, as JSON,
 * frozen like the payload (domain/webhooks/event.ts); null: nothing was stored.
 */
export const extendedPayloads = {
  name: "030-extended-payloads",
  isAdditive: true,
  sql: `
ALTER TABLE endpoints ADD COLUMN extended INTEGER NOT NULL DEFAULT 0;
ALTER TABLE events ADD COLUMN extension TEXT;
CREATE INDEX events_deletions_extended ON events (website_id, article_id, sequence) WHERE kind = 'article.deleted' AND extension IS NOT NULL;
`,
  sqlite: [],
  postgres: [],
} as const;
