/** How often each API key was used: requests by UTC hour, `hour` being its beginning. */
export const keyRequests = {
  name: "007-key-requests",
  isAdditive: true,
  sql: `
CREATE TABLE key_requests (
  website_id TEXT NOT NULL,
  hour BIGINT NOT NULL,
  key_id TEXT NOT NULL,
  requests BIGINT NOT NULL,
  PRIMARY KEY (website_id, hour, key_id)
);
`,
  sqlite: [],
  postgres: [
    // The rows of this hour are written again and again, each in place.
    "ALTER TABLE key_requests SET (fillfactor = 70)",
  ],
} as const;
