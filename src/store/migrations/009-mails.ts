/**
 * Mails that are to be sent, each written down with what it tells of. `content` is sealed (domain/secret-box.ts): links are
 * in it that work once. `ready_at` is when it may be tried; whoever tries it has moved that on first. A mail that was sent
 * is deleted.
 */
export const mails = {
  name: "009-mails",
  isAdditive: true,
  sql: `
CREATE TABLE mails (
  id TEXT PRIMARY KEY,
  website_id TEXT,
  content TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  tries INTEGER NOT NULL,
  ready_at BIGINT NOT NULL
);
CREATE INDEX mails_by_readiness ON mails (ready_at);
`,
  sqlite: [],
  postgres: [],
} as const;
