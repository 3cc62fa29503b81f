/**
 * `deliveries` is the history, `delivery_queue` only what is unfinished: small and hot. A queue row is one of
 *
 * - waiting: `ready_at` is when it may be claimed. `planned_at` is when its retry was planned for, null before the first
 *   one; `ready_at` is earlier when the endpoint's retries were pulled forward;
 * - behind an earlier delivery of the same endpoint and article: `ready_at` is null;
 * - leased: `lease_token` says to whom; whoever finishes it must still hold that lease.
 *
 * Secrets and the endpoint's own headers are sealed (domain/secret-box.ts).
 */
export const webhooks = {
  name: "002-webhooks",
  sql: `
CREATE TABLE endpoints (
  id TEXT PRIMARY KEY,
  website_id TEXT NOT NULL REFERENCES websites (id),
  url TEXT NOT NULL,
  events TEXT NOT NULL,
  thin INTEGER NOT NULL,
  coalesce_ms INTEGER NOT NULL,
  headers TEXT,
  ca TEXT,
  state TEXT NOT NULL CHECK (state IN ('enabled', 'paused', 'disabled')),
  disabled_reason TEXT,
  disabled_at BIGINT,
  consecutive_failures INTEGER NOT NULL,
  failed_attempts INTEGER NOT NULL,
  send_window INTEGER NOT NULL,
  not_before BIGINT NOT NULL,
  last_success_at BIGINT,
  last_failure_at BIGINT,
  last_error TEXT,
  served_at BIGINT NOT NULL,
  replaying INTEGER NOT NULL,
  created_at BIGINT NOT NULL,
  deleted_at BIGINT
);
CREATE INDEX endpoints_by_website ON endpoints (website_id);

CREATE TABLE endpoint_secrets (
  id TEXT PRIMARY KEY,
  website_id TEXT NOT NULL,
  endpoint_id TEXT NOT NULL REFERENCES endpoints (id),
  secret TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT
);
CREATE INDEX endpoint_secrets_by_endpoint ON endpoint_secrets (endpoint_id, created_at);

CREATE TABLE deliveries (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  website_id TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  event_sequence BIGINT NOT NULL,
  kind TEXT NOT NULL,
  article_id TEXT NOT NULL,
  origin TEXT NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  created_at BIGINT NOT NULL,
  finished_at BIGINT
);
CREATE INDEX deliveries_by_endpoint ON deliveries (endpoint_id, no);
CREATE INDEX deliveries_parked ON deliveries (endpoint_id, article_id, no) WHERE state = 'parked';

CREATE TABLE delivery_queue (
  delivery_no INTEGER PRIMARY KEY REFERENCES deliveries (no),
  website_id TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  article_id TEXT NOT NULL,
  tries INTEGER NOT NULL,
  ready_at BIGINT,
  planned_at BIGINT,
  lease_token TEXT,
  lease_until BIGINT,
  worker TEXT
);
CREATE INDEX delivery_queue_ready ON delivery_queue (endpoint_id, ready_at, delivery_no) WHERE lease_token IS NULL AND ready_at IS NOT NULL;
CREATE INDEX delivery_queue_lanes ON delivery_queue (endpoint_id, article_id, delivery_no);
CREATE INDEX delivery_queue_leases ON delivery_queue (lease_until) WHERE lease_token IS NOT NULL;

CREATE TABLE attempts (
  delivery_no INTEGER NOT NULL REFERENCES deliveries (no),
  number INTEGER NOT NULL,
  website_id TEXT NOT NULL,
  started_at BIGINT NOT NULL,
  outcome TEXT NOT NULL,
  status INTEGER,
  error TEXT,
  request_headers TEXT NOT NULL,
  response_headers TEXT NOT NULL,
  response_body TEXT NOT NULL,
  dns_ms REAL,
  connect_ms REAL,
  first_byte_ms REAL,
  total_ms REAL NOT NULL,
  PRIMARY KEY (delivery_no, number)
);

CREATE TABLE replay_jobs (
  id TEXT PRIMARY KEY,
  website_id TEXT NOT NULL,
  endpoint_id TEXT NOT NULL REFERENCES endpoints (id),
  kind TEXT NOT NULL CHECK (kind IN ('latest', 'all', 'none', 'range')),
  next_no BIGINT NOT NULL,
  until_no BIGINT,
  created_at BIGINT NOT NULL,
  finished_at BIGINT
);
CREATE INDEX replay_jobs_open ON replay_jobs (created_at) WHERE finished_at IS NULL;
`,
} as const;
