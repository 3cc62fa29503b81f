/**
 * Websites that ask their members for a second factor, and sessions that have shown one. Sessions of before have shown none:
 * their people sign in again once a website asks.
 */
export const secondFactor = {
  name: "015-second-factor",
  isAdditive: true,
  sql: `
ALTER TABLE websites ADD COLUMN requires_second_factor BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN second_factor BIGINT NOT NULL DEFAULT 0;
CREATE INDEX websites_with_second_factor ON websites (id) WHERE requires_second_factor = 1;
`,
  sqlite: [],
  postgres: [],
} as const;
