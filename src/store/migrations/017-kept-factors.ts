/**
 * `one_time_links.kept_factors`: what the account keeps beside its password when the link is used, a JSON array of
 * passkeys' ids and `totp:<created_at>`; what was added since is removed. NULL: everything is kept.
 */
export const keptFactors = {
  name: "017-kept-factors",
  isAdditive: true,
  sql: "ALTER TABLE one_time_links ADD COLUMN kept_factors TEXT",
  sqlite: [],
  postgres: [],
} as const;
