/**
 * Deleting websites for good, and finding what is past its retention.
 *
 * `websites.deleted_at`: the website is gone for everybody, and its rows are being deleted; its own row is the last.
 * `websites.purged_version`: articles with this content version or an earlier one were purged from the trash. Who holds an
 * earlier version of the website in memory cannot learn of them, and loads it anew.
 */
export const retention = {
  name: "018-retention",
  isAdditive: true,
  sql: `
ALTER TABLE websites ADD COLUMN deleted_at BIGINT;
ALTER TABLE websites ADD COLUMN purged_version BIGINT NOT NULL DEFAULT 0;
CREATE INDEX websites_deleted ON websites (id) WHERE deleted_at IS NOT NULL;
CREATE INDEX sessions_by_start ON sessions (created_at);
CREATE INDEX devices_by_use ON devices (last_used_at);
CREATE INDEX mails_by_end ON mails (expires_at);
CREATE INDEX dead_letters_by_failure ON dead_letters (failed_at);
CREATE INDEX replay_jobs_finished ON replay_jobs (finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX endpoint_secrets_by_end ON endpoint_secrets (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX key_requests_by_hour ON key_requests (hour);
`,
  sqlite: [],
  postgres: [
    // The row stays when the website is gone: nodes that have not polled since learn by it that its keys are revoked.
    "ALTER TABLE website_changes DROP CONSTRAINT website_changes_website_id_fkey",
  ],
} as const;
