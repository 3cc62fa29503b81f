/** `websites.serves_feeds`: 1 if everybody gets the website's feeds, sitemap and llms.txt from the service; null: no. */
export const servedFeeds = {
  name: "033-served-feeds",
  isAdditive: true,
  sql: "ALTER TABLE websites ADD COLUMN serves_feeds BIGINT",
  sqlite: [],
  postgres: [],
} as const;
