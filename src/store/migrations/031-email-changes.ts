/**
 * Links that change the e-mail address of an account. `kind`: `confirm` is mailed to the new address, `undo` to the earlier one;
 * `email` is the address that using it sets. `session_id`: the session that asked for the change, which stays signed in.
 */
export const emailChanges = {
  name: "031-email-changes",
  isAdditive: true,
  sql: `
CREATE TABLE email_changes (
  token_hash TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  email TEXT NOT NULL,
  session_id TEXT,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX email_changes_by_account ON email_changes (account_id);
CREATE INDEX email_changes_by_end ON email_changes (expires_at);
`,
  sqlite: [],
  postgres: [],
} as const;
