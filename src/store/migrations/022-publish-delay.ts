/**
 * `websites.publish_delay`: how many seconds a publication in the dashboard waits, so that it can be undone. Null: the default
 * (domain/system/website.ts).
 */
export const publishDelay = {
  name: "022-publish-delay",
  isAdditive: true,
  sql: "ALTER TABLE websites ADD COLUMN publish_delay BIGINT",
  sqlite: [],
  postgres: [],
} as const;
