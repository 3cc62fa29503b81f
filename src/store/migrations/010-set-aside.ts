const STATES = "'exhausted', 'coalesced', 'skipped'";

/**
 * What ended without having arrived is rare among what did, and people look for it. `set_aside` is the state of those, and
 * null for the others: so the index of it is not written when a delivery arrives, and PostgreSQL need not write the row's
 * other indexes either, as it would for an index of `state` itself.
 */
export const setAside = {
  name: "010-set-aside",
  isAdditive: true,
  sql: "",
  sqlite: [
    `ALTER TABLE deliveries ADD COLUMN set_aside TEXT
       GENERATED ALWAYS AS (CASE WHEN state IN (${STATES}) THEN state END) VIRTUAL`,
    "CREATE INDEX deliveries_set_aside ON deliveries (endpoint_id, set_aside, no) WHERE set_aside IS NOT NULL",
  ],
  postgres: [
    `ALTER TABLE deliveries ADD COLUMN set_aside TEXT
       GENERATED ALWAYS AS (CASE WHEN state IN (${STATES}) THEN state END) STORED`,
    "CREATE INDEX deliveries_set_aside ON deliveries (endpoint_id, set_aside, no) WHERE set_aside IS NOT NULL",
  ],
} as const;
