/**
 * How many attempts ended how, by website and hour, so that nobody has to count deliveries. Each dispatcher has rows of
 * its own (`counted_by`): the transactions of two never wait for each other. `hour` is its beginning, in milliseconds.
 */
export const deliveryCounts = {
  name: "008-delivery-counts",
  isAdditive: true,
  sql: `
CREATE TABLE delivery_counts (
  website_id TEXT NOT NULL,
  hour BIGINT NOT NULL,
  counted_by TEXT NOT NULL,
  delivered BIGINT NOT NULL,
  exhausted BIGINT NOT NULL,
  retried BIGINT NOT NULL,
  first_delivered_at BIGINT,
  PRIMARY KEY (website_id, hour, counted_by)
);
CREATE INDEX delivery_counts_by_hour ON delivery_counts (hour);
`,
  sqlite: [],
  postgres: [
    // A row of the current hour is written again and again: beside itself, and in no index.
    `ALTER TABLE delivery_counts SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0,
       autovacuum_vacuum_threshold = 1000)`,
  ],
} as const;
