/**
 * `working_copies`: what somebody has typed in the editor and not saved. `id` was made by the page that it was typed in.
 * `article_id`: empty for an article that does not exist yet. `content`: JSON of the dashboard, which the service does not read.
 */
export const workingCopies = {
  name: "035-working-copies",
  isAdditive: true,
  sql: `
CREATE TABLE working_copies (
  account_id TEXT NOT NULL,
  id TEXT NOT NULL,
  website_id TEXT NOT NULL,
  article_id TEXT NOT NULL,
  content TEXT NOT NULL,
  saved_at BIGINT NOT NULL,
  PRIMARY KEY (account_id, id)
);
CREATE INDEX working_copies_by_article ON working_copies (website_id, article_id, account_id);
CREATE INDEX working_copies_by_time ON working_copies (saved_at);
`,
  sqlite: [],
  postgres: [],
} as const;
