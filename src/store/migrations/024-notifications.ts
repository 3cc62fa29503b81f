/**
 * `notifications`: what people are told, one row for each person and event. `event_key` identifies the event, or several
 * that are told of as one, which `total` counts; `target_id` is then null, otherwise an article or a webhook. `at` is the
 * time of the newest. `mail` is 1 until it is e-mailed, or it is settled that it is not.
 *
 * `notification_settings`: who wants e-mails, and of what; without a row, the defaults of domain/people/notification.ts.
 */
export const notifications = {
  name: "024-notifications",
  isAdditive: true,
  sql: `
CREATE TABLE notifications (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  website_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  target_id TEXT,
  event_key TEXT NOT NULL,
  actor TEXT NOT NULL,
  detail TEXT NOT NULL,
  total BIGINT NOT NULL,
  at BIGINT NOT NULL,
  read_at BIGINT,
  mail BIGINT NOT NULL
);
CREATE UNIQUE INDEX notifications_by_event ON notifications (account_id, event_key);
CREATE INDEX notifications_by_person ON notifications (account_id, at, id);
CREATE INDEX notifications_unread ON notifications (account_id, at) WHERE read_at IS NULL;
CREATE INDEX notifications_unmailed ON notifications (account_id, at) WHERE mail = 1;
CREATE INDEX notifications_by_target ON notifications (target_id);
CREATE INDEX notifications_by_age ON notifications (at, id);
CREATE TABLE notification_settings (
  account_id TEXT PRIMARY KEY,
  mail TEXT NOT NULL,
  muted TEXT NOT NULL,
  time_zone TEXT NOT NULL
);
`,
  sqlite: [],
  postgres: [],
} as const;
