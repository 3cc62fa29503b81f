/**
 * Comments on articles. A thread is about a passage of the article's text (domain/articles/passages.ts) or, without a quote,
 * about the whole article.
 *
 * `comment_threads.start_at`, `end_at`: where the passage is in `comment_texts.text`. Null: nowhere; `lost` is then what it was,
 * as JSON, or null if that is not known or the thread is about the whole article. `quote`: as it was selected.
 * `replacement`: a suggested text for it. `requested_in`: the entry of the audit log by which changes were requested with it.
 *
 * `comments.actor`: an account, or who else wrote it. `body` has mentions as `<@account>`; `mentions`: the accounts, as JSON.
 *
 * `comment_texts`: the text, without white space, that the places of an article's threads refer to, with the version of the
 * article and the time of its draft copy (null: none).
 */
export const comments = {
  name: "028-comments",
  isAdditive: true,
  sql: `
CREATE TABLE comment_threads (
  id TEXT PRIMARY KEY,
  website_id TEXT NOT NULL,
  row_no BIGINT NOT NULL,
  quote TEXT NOT NULL,
  start_at BIGINT,
  end_at BIGINT,
  lost TEXT,
  replacement TEXT,
  created_at BIGINT NOT NULL,
  resolved_at BIGINT,
  resolved_by TEXT,
  applied_at BIGINT,
  requested_in TEXT
);
CREATE INDEX comment_threads_by_article ON comment_threads (row_no, resolved_at);
CREATE TABLE comments (
  id TEXT PRIMARY KEY,
  website_id TEXT NOT NULL,
  row_no BIGINT NOT NULL,
  thread_id TEXT NOT NULL,
  actor TEXT NOT NULL,
  body TEXT NOT NULL,
  mentions TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  edited_at BIGINT,
  deleted_at BIGINT
);
CREATE INDEX comments_by_article ON comments (row_no);
CREATE TABLE comment_texts (
  row_no BIGINT PRIMARY KEY,
  website_id TEXT NOT NULL,
  version BIGINT NOT NULL,
  drafted_at BIGINT,
  text TEXT NOT NULL
);
`,
  sqlite: [],
  postgres: [],
} as const;
