/**
 * What a waiting retry is brought forward by (operations/webhooks/record-attempts.ts).
 *
 * `delivery_queue.planned_at` is null from now on for a retry that must not be brought forward again.
 * `delivery_queue.not_before`: no attempt before this time, because the receiver asked for it; null: it did not.
 * `delivery_queue.failing_since`: when the first attempt failed of this delivery, or of those that it has replaced.
 */
export const retryPlans = {
  name: "025-retry-plans",
  isAdditive: true,
  sql: `
ALTER TABLE delivery_queue ADD COLUMN not_before BIGINT;
ALTER TABLE delivery_queue ADD COLUMN failing_since BIGINT;
CREATE INDEX delivery_queue_retries ON delivery_queue (endpoint_id, planned_at, delivery_no) WHERE planned_at IS NOT NULL AND lease_token IS NULL;
`,
  sqlite: [],
  postgres: [],
} as const;
