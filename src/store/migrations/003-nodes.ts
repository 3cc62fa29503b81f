/**
 * Several processes on one PostgreSQL: who lives and what each has taken in, and which transaction was the last to change
 * what a website's readers see (engines/postgres-following.ts). SQLite needs neither.
 */
export const nodes = {
  name: "003-nodes",
  isAdditive: false,
  sql: "ALTER TABLE migrations ADD COLUMN additive INTEGER NOT NULL DEFAULT 0",
  sqlite: [],
  postgres: [
    `CREATE TABLE workers (
      id TEXT PRIMARY KEY,
      kind TEXT NOT NULL CHECK (kind IN ('node', 'dispatcher')),
      seen_at TIMESTAMPTZ NOT NULL,
      passed pg_snapshot
    ) WITH (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500)`,
    `CREATE TABLE website_changes (
      website_id TEXT PRIMARY KEY REFERENCES websites (id),
      xid xid8 NOT NULL
    ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)`,
    "CREATE INDEX website_changes_by_xid ON website_changes (xid)",
  ],
} as const;
