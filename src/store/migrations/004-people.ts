/**
 * People: who may sign in, what they may, and what they did. Tokens, recovery codes and challenges are kept as SHA-256;
 * TOTP secrets are sealed (domain/secret-box.ts). `memberships.website_id` null: every website.
 *
 * `totp.last_step` is the newest time step whose code was used: none is used twice.
 */
export const people = {
  name: "004-people",
  isAdditive: true,
  sql: `
CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  email TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  password_hash TEXT,
  created_at BIGINT NOT NULL,
  disabled_at BIGINT,
  last_sign_in_at BIGINT
);

CREATE TABLE memberships (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  website_id TEXT REFERENCES websites (id),
  role TEXT NOT NULL CHECK (role IN ('viewer', 'editor', 'approver', 'owner')),
  created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX memberships_once ON memberships (account_id, (COALESCE(website_id, '')));

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  token_hash TEXT NOT NULL UNIQUE,
  created_at BIGINT NOT NULL,
  last_seen_at BIGINT NOT NULL,
  address TEXT NOT NULL,
  user_agent TEXT NOT NULL
);
CREATE INDEX sessions_by_account ON sessions (account_id);
CREATE INDEX sessions_by_use ON sessions (last_seen_at);

CREATE TABLE one_time_links (
  token_hash TEXT PRIMARY KEY,
  purpose TEXT NOT NULL CHECK (purpose IN ('set-up', 'invitation', 'reset')),
  account_id TEXT REFERENCES accounts (id),
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX one_time_links_by_account ON one_time_links (account_id);
CREATE INDEX one_time_links_by_end ON one_time_links (expires_at);

CREATE TABLE totp (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id),
  secret TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  confirmed_at BIGINT,
  last_step BIGINT NOT NULL
);

CREATE TABLE recovery_codes (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  code_hash TEXT NOT NULL,
  PRIMARY KEY (account_id, code_hash)
);

CREATE TABLE passkeys (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  public_key TEXT NOT NULL,
  counter BIGINT NOT NULL,
  transports TEXT NOT NULL,
  name TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  last_used_at BIGINT
);
CREATE INDEX passkeys_by_account ON passkeys (account_id);

CREATE TABLE challenges (
  hash TEXT PRIMARY KEY,
  account_id TEXT REFERENCES accounts (id),
  expires_at BIGINT NOT NULL
);
CREATE INDEX challenges_by_end ON challenges (expires_at);

CREATE TABLE audit_log (
  id TEXT PRIMARY KEY,
  at BIGINT NOT NULL,
  website_id TEXT,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  target_kind TEXT NOT NULL,
  target_id TEXT NOT NULL,
  detail TEXT NOT NULL,
  address TEXT
);
CREATE INDEX audit_log_by_time ON audit_log (at, id);
CREATE INDEX audit_log_by_website ON audit_log (website_id, at, id);
`,
  sqlite: [],
  postgres: [],
} as const;
