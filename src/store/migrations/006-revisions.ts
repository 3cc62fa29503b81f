import { smallerWith } from "./compression.ts";

/**
 * `revisions` has a row for each state that an article's content has had since somebody first changed it; `number` counts
 * them within the article. `fields` null: it is what the article has now. A text is kept once, when another takes its place:
 * the one that a `text_hash` names and that is not in `revision_texts` is the article's own.
 *
 * `receipt_versions`: of an article whose newest change is what a receiver told of it, the version that it had before that,
 * and before those that followed one another.
 */
export const revisions = {
  name: "006-revisions",
  isAdditive: true,
  sql: `
CREATE TABLE revisions (
  row_no INTEGER NOT NULL REFERENCES articles (row_no),
  number INTEGER NOT NULL,
  website_id TEXT NOT NULL,
  id TEXT NOT NULL,
  at BIGINT NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  fields TEXT,
  text_hash TEXT,
  was_approved INTEGER NOT NULL,
  PRIMARY KEY (row_no, number)
);

CREATE TABLE revision_texts (
  row_no INTEGER NOT NULL REFERENCES articles (row_no),
  hash TEXT NOT NULL,
  website_id TEXT NOT NULL,
  html TEXT NOT NULL,
  markdown TEXT,
  PRIMARY KEY (row_no, hash)
);

CREATE TABLE receipt_versions (
  row_no INTEGER PRIMARY KEY REFERENCES articles (row_no),
  website_id TEXT NOT NULL,
  since_version BIGINT NOT NULL,
  version BIGINT NOT NULL
);

CREATE INDEX audit_log_by_target ON audit_log (target_id, at, id);
`,
  sqlite: [],
  postgres: [smallerWith("revisions", ["fields"]), smallerWith("revision_texts", ["html", "markdown"])],
} as const;
