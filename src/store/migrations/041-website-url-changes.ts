/** `websites.url_changed_at`: when its URL last changed; 0: never. It tells which articles' links were sorted by another URL. */
export const websiteUrlChanges = {
  name: "041-website-url-changes",
  isAdditive: true,
  sql: "ALTER TABLE websites ADD COLUMN url_changed_at BIGINT NOT NULL DEFAULT 0",
  // Of websites that exist, nobody knows when it last changed.
  sqlite: ["UPDATE websites SET url_changed_at = CAST(strftime('%s', 'now') AS INTEGER) * 1000"],
  postgres: ["UPDATE websites SET url_changed_at = CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)"],
} as const;
