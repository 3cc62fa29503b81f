/**
 * A replay of what an endpoint has missed first takes in the deliveries that were exhausted from `exhausted_since` on, a
 * portion at a time; null: it has done so, or was not asked to.
 */
export const catchUp = {
  name: "012-catch-up",
  isAdditive: true,
  sql: "ALTER TABLE replay_jobs ADD COLUMN exhausted_since BIGINT",
  sqlite: [],
  postgres: [],
} as const;
