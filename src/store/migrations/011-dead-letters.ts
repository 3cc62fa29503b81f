/**
 * Work that was set aside because it failed by itself, whatever it was done together with: what it is, why, and how often.
 * A row here stands for somebody to look at; what it tells of is left out of the work that goes on.
 */
export const deadLetters = {
  name: "011-dead-letters",
  isAdditive: true,
  sql: `
CREATE TABLE dead_letters (
  kind TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  website_id TEXT,
  reason TEXT NOT NULL,
  failures INTEGER NOT NULL,
  created_at BIGINT NOT NULL,
  failed_at BIGINT NOT NULL,
  PRIMARY KEY (kind, subject_id)
);
`,
  sqlite: [],
  postgres: [],
} as const;
