import type { EngineSql } from "./system.ts";

/**
 * Who may sign in, and what they may do. Tokens, recovery codes and challenges are stored as SHA-256.
 *
 * A membership counts once it was accepted, by a link whose makers could have granted it: `scope` and `trusted_for`
 * name websites by their ids, separated by spaces; `*` is every website.
 */
export const peopleTables = ({ postgres }: EngineSql): string => `
CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  email TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  password_hash TEXT,
  -- The websites that everybody may give access to who saw the link that set the password.
  trusted_for TEXT NOT NULL DEFAULT '',
  created_at BIGINT NOT NULL,
  disabled_at BIGINT,
  last_sign_in_at BIGINT
);

CREATE TABLE memberships (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  -- Null: every website.
  website_id TEXT REFERENCES websites (id),
  role TEXT NOT NULL CHECK (role IN ('viewer', 'editor', 'approver', 'owner')),
  created_at BIGINT NOT NULL,
  accepted_at BIGINT
);
CREATE UNIQUE INDEX memberships_once ON memberships (account_id, (COALESCE(website_id, '')));

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  token_hash TEXT NOT NULL UNIQUE,
  created_at BIGINT NOT NULL,
  last_seen_at BIGINT NOT NULL,
  -- When the person last proved who they are.
  confirmed_at BIGINT NOT NULL DEFAULT 0,
  -- 1: the person has shown a second factor.
  second_factor BIGINT NOT NULL DEFAULT 0,
  address TEXT NOT NULL,
  user_agent TEXT NOT NULL
);
CREATE INDEX sessions_by_account ON sessions (account_id);
CREATE INDEX sessions_by_use ON sessions (last_seen_at);
CREATE INDEX sessions_by_start ON sessions (created_at);

-- Browsers that an account has signed in with.
CREATE TABLE devices (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  token_hash TEXT NOT NULL UNIQUE,
  created_at BIGINT NOT NULL,
  last_used_at BIGINT NOT NULL
);
CREATE INDEX devices_by_account ON devices (account_id, last_used_at);
CREATE INDEX devices_by_use ON devices (last_used_at);

CREATE TABLE one_time_links (
  token_hash TEXT PRIMARY KEY,
  purpose TEXT NOT NULL CHECK (purpose IN ('set-up', 'invitation', 'reset')),
  account_id TEXT REFERENCES accounts (id),
  -- The websites that everybody who saw the link may give access to.
  scope TEXT NOT NULL DEFAULT '',
  membership_id TEXT,
  shown_to TEXT,
  -- What the account keeps beside its password when the link is used: a JSON array of passkeys' ids and totp:CREATED_AT.
  -- What was added since is removed; null: everything is kept.
  kept_factors TEXT,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX one_time_links_by_account ON one_time_links (account_id);
CREATE INDEX one_time_links_by_end ON one_time_links (expires_at);

-- Links that change the e-mail address of an account.
CREATE TABLE email_changes (
  token_hash TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  -- confirm: mailed to the new address; undo: to the previous one.
  kind TEXT NOT NULL,
  -- The address that using the link sets.
  email TEXT NOT NULL,
  -- The session that asked for the change, which stays signed in.
  session_id TEXT,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX email_changes_by_account ON email_changes (account_id);
CREATE INDEX email_changes_by_end ON email_changes (expires_at);

CREATE TABLE totp (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id),
  -- Sealed (domain/system/secret-box.ts).
  secret TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  confirmed_at BIGINT,
  -- The newest time step whose code was used: none is used twice.
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

-- One row for each person and event.
CREATE TABLE notifications (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  website_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  -- An article or a webhook; null: the row stands for several events.
  target_id TEXT,
  -- Identifies the event, or several that are shown as one.
  event_key TEXT NOT NULL,
  actor TEXT NOT NULL,
  detail TEXT NOT NULL,
  -- How many events the row stands for.
  total BIGINT NOT NULL,
  -- The time of the newest of them.
  at BIGINT NOT NULL,
  read_at BIGINT,
  -- 1 until it is e-mailed, or will not be.
  mail BIGINT NOT NULL
);
CREATE UNIQUE INDEX notifications_by_event ON notifications (account_id, event_key);
CREATE INDEX notifications_by_person ON notifications (account_id, at, id);
CREATE INDEX notifications_unread ON notifications (account_id, at) WHERE read_at IS NULL;
CREATE INDEX notifications_unmailed ON notifications (account_id, at) WHERE mail = 1;
CREATE INDEX notifications_by_target ON notifications (target_id);
CREATE INDEX notifications_by_age ON notifications (at, id);

-- Who wants e-mails, and of what; without a row, the defaults of domain/people/notification.ts.
CREATE TABLE notification_settings (
  account_id TEXT PRIMARY KEY,
  mail TEXT NOT NULL,
  muted TEXT NOT NULL,
  time_zone TEXT NOT NULL
);

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  website_id TEXT NOT NULL REFERENCES websites (id),
  name TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  prefix TEXT NOT NULL,
  last_four TEXT NOT NULL,
  scope TEXT NOT NULL,
  rate_limit INTEGER,
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  last_used_at BIGINT,
  revoked_at BIGINT
);
CREATE INDEX api_keys_by_website ON api_keys (website_id);

-- Requests of access tokens with an Idempotency-Key, written in the transaction of their change.
CREATE TABLE idempotency_keys (
  token_id TEXT NOT NULL,
  key TEXT NOT NULL,
  website_id TEXT NOT NULL,
  -- Tells the request itself from a repeat of it.
  request_id TEXT NOT NULL,
  -- Of method, path and body.
  hash TEXT NOT NULL,
  article_id TEXT NOT NULL,
  -- Of the answer.
  status INTEGER NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (token_id, key)
);
CREATE INDEX idempotency_keys_by_time ON idempotency_keys (created_at);
CREATE INDEX idempotency_keys_by_website ON idempotency_keys (website_id);

CREATE TABLE access_tokens (
  id TEXT PRIMARY KEY,
  website_id TEXT NOT NULL REFERENCES websites (id),
  name TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  prefix TEXT NOT NULL,
  last_four TEXT NOT NULL,
  scope TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  last_used_at BIGINT,
  revoked_at BIGINT,
  -- When the owners were told that it will expire.
  warned_at BIGINT
);
CREATE INDEX access_tokens_by_website ON access_tokens (website_id);
CREATE INDEX access_tokens_by_expiry ON access_tokens (expires_at);

-- Requests of each API key by UTC hour; "hour" is its beginning. The rows of the current hour are updated in place.
CREATE TABLE key_requests (
  website_id TEXT NOT NULL,
  hour BIGINT NOT NULL,
  key_id TEXT NOT NULL,
  requests BIGINT NOT NULL,
  PRIMARY KEY (website_id, hour, key_id)
)${postgres(" WITH (fillfactor = 70)")};
CREATE INDEX key_requests_by_hour ON key_requests (hour);
`;
