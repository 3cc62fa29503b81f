/** Websites, the audit log, mails, and what coordinates the processes of one database. */
export const systemTables = ({ postgres }: EngineSql): string => `
CREATE TABLE settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
);

CREATE TABLE websites (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  url TEXT,
  url_pattern TEXT,
  -- Where the website itself shows an unpublished article.
  preview_url TEXT,
  -- The address before /assets/…, if it is not the service's own.
  asset_url TEXT,
  -- BCP 47: the language of articles that name none; null: unknown.
  language TEXT,
  -- IANA name: the zone in which its people plan.
  time_zone TEXT NOT NULL DEFAULT 'UTC',
  -- When the URL last changed, 0: never. It tells which articles' links were sorted by another URL.
  url_changed_at BIGINT NOT NULL DEFAULT 0,
  -- 1: a slug is unique within the website and a language, not within the website.
  slugs_per_language INTEGER NOT NULL DEFAULT 0,
  -- 1: everybody gets the website's feeds, sitemap and llms.txt from the service; null: nobody.
  serves_feeds BIGINT,
  -- Shows search engines that a ping comes from the website; null: none are sent.
  index_now_key TEXT,
  requires_second_factor BIGINT NOT NULL DEFAULT 0,
  requires_second_person BIGINT NOT NULL DEFAULT 0,
  -- Seconds for which a publication in the dashboard can be undone; null: the default (domain/system/website.ts).
  publish_delay BIGINT,
  -- Whose articles wait while they have blocking findings (domain/articles/findings.ts).
  integrity_gate TEXT NOT NULL DEFAULT 'machine' CHECK (integrity_gate IN ('machine', 'all', 'off')),
  -- JSON: tags and categories whose articles are alike on purpose.
  series_labels TEXT NOT NULL DEFAULT '[]',
  -- Who answers for what it publishes: a legal name, and the address of the imprint; null: not told.
  responsible_name TEXT,
  responsible_url TEXT,
  -- 1: review records name the people who approved; 0: each has a pseudonym.
  names_reviewers BIGINT NOT NULL DEFAULT 0,
  created_at BIGINT NOT NULL,
  -- The website is gone for everybody, and its rows are being deleted; this one is the last.
  deleted_at BIGINT,
  -- A new one at each restoration: versions of one epoch mean nothing in another.
  epoch TEXT NOT NULL,
  -- Increases with each change of an article.
  content_version BIGINT NOT NULL,
  -- How many of these changes concerned no published article: the content version less this number is the version of what is published.
  unpublished_changes BIGINT NOT NULL DEFAULT 0,
  -- Articles with this content version or a lower one were purged from the trash: a copy in memory at a lower version is loaded anew.
  purged_version BIGINT NOT NULL DEFAULT 0,
  -- Increases with changes that readers cannot see, which leave the content version unchanged.
  review_version BIGINT NOT NULL DEFAULT 0,
  event_sequence BIGINT NOT NULL,
  -- Events up to this sequence have been checked for content past its retention.
  aged_to BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX websites_with_second_factor ON websites (id) WHERE requires_second_factor = 1;
CREATE INDEX websites_deleted ON websites (id) WHERE deleted_at IS NOT NULL;

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
CREATE INDEX audit_log_by_target ON audit_log (target_id, at, id);
CREATE INDEX audit_log_invitations ON audit_log (at) WHERE action = 'member.invited';

-- Keys that sign review records (domain/articles/review-record.ts). None is ever deleted: records stay verifiable.
CREATE TABLE signing_keys (
  -- RFC 7638: thumbprint of the public key.
  id TEXT PRIMARY KEY,
  -- Ed25519: the value "x" of the JWK.
  public_key TEXT NOT NULL,
  -- Sealed; null: lost with the secret key, or destroyed.
  private_key TEXT,
  created_at BIGINT NOT NULL,
  -- It signs nothing since then, and what it has signed stays valid.
  retired_at BIGINT,
  -- What it signed since then is not valid.
  revoked_at BIGINT
);

-- E-mails to be sent, written in the transaction that they report on. One that was sent is deleted.
CREATE TABLE mails (
  id TEXT PRIMARY KEY,
  website_id TEXT,
  -- Sealed (domain/system/secret-box.ts): it has links that work once.
  content TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  tries INTEGER NOT NULL,
  -- When the next attempt is due; whoever makes it moves this on first.
  ready_at BIGINT NOT NULL
);
CREATE INDEX mails_by_readiness ON mails (ready_at);
CREATE INDEX mails_by_end ON mails (expires_at);

-- Work that fails whenever it is tried, and is left out of what goes on, until somebody has looked at it.
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
CREATE INDEX dead_letters_by_failure ON dead_letters (failed_at);

-- IndexNow: the sequence up to which each website's events have been submitted, and when the next try is due.
CREATE TABLE index_now (
  website_id TEXT PRIMARY KEY,
  sequence BIGINT NOT NULL,
  tries BIGINT NOT NULL,
  ready_at BIGINT NOT NULL
);

-- What was submitted, for people to see.
CREATE TABLE index_now_pings (
  id TEXT PRIMARY KEY,
  website_id TEXT NOT NULL,
  at BIGINT NOT NULL,
  addresses BIGINT NOT NULL,
  outcome TEXT NOT NULL,
  status BIGINT,
  error TEXT
);
CREATE INDEX index_now_pings_by_website ON index_now_pings (website_id, at);
CREATE INDEX index_now_pings_by_time ON index_now_pings (at);
${postgres(`
-- Heartbeats of the processes (engine/postgres/node-sync.ts).
CREATE TABLE workers (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('node', 'dispatcher')),
  seen_at TIMESTAMPTZ NOT NULL,
  -- The snapshot whose changes the node has applied.
  applied_snapshot pg_snapshot
) WITH (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

-- The last transaction that changed what a website's readers see. The row outlives the website: nodes that have not polled
-- since learn by it that the website's keys are revoked.
CREATE TABLE website_changes (
  website_id TEXT PRIMARY KEY,
  xid xid8 NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
CREATE INDEX website_changes_by_xid ON website_changes (xid);
`)}`;

/** Text of a statement for one engine alone: the other gets nothing in its place. */
export interface EngineSql {
  sqlite: (sql: string) => string;
  postgres: (sql: string) => string;
}
