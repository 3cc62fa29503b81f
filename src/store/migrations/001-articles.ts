/**
 * Times are milliseconds since the epoch. `row_no` is an article's number in the order arrays; it never leaves the
 * process. Lists of text are JSON. What a list needs and what only the detail needs are two tables, so that a page of
 * fifty reads fifty small rows.
 */
export const articles = {
  name: "001-articles",
  sql: `
CREATE TABLE websites (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  url TEXT,
  url_pattern TEXT,
  created_at BIGINT NOT NULL,
  content_version BIGINT NOT NULL,
  event_sequence BIGINT NOT NULL,
  epoch TEXT NOT NULL
);

CREATE TABLE articles (
  row_no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  website_id TEXT NOT NULL REFERENCES websites (id),
  status TEXT NOT NULL CHECK (status IN ('published', 'approved', 'pending')),
  title TEXT NOT NULL,
  title_key TEXT NOT NULL,
  slug TEXT NOT NULL,
  excerpt TEXT NOT NULL,
  author_excerpt TEXT,
  seo_keywords TEXT NOT NULL,
  meta_description TEXT,
  target_keyword TEXT,
  featured_image_url TEXT,
  featured_image_alt TEXT,
  categories TEXT NOT NULL,
  tags TEXT NOT NULL,
  word_count INTEGER NOT NULL,
  reading_time INTEGER NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  saved_at BIGINT NOT NULL,
  approved_at BIGINT,
  published_at BIGINT,
  publish_at BIGINT,
  platform_url TEXT,
  platform_post_id TEXT,
  user_id TEXT,
  content_hash TEXT NOT NULL,
  approved_hash TEXT,
  deleted_at BIGINT,
  version BIGINT NOT NULL,
  source_ref TEXT,
  source_hash TEXT,
  list_form TEXT NOT NULL
);
CREATE INDEX articles_by_publication ON articles (website_id, status, published_at DESC, id) WHERE deleted_at IS NULL;
CREATE INDEX articles_by_creation ON articles (website_id, status, created_at DESC, id) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX articles_by_slug ON articles (website_id, slug) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX articles_by_source ON articles (website_id, source_ref) WHERE source_ref IS NOT NULL;
CREATE INDEX articles_by_version ON articles (website_id, version);
CREATE INDEX articles_due ON articles (publish_at) WHERE publish_at IS NOT NULL;

CREATE TABLE article_bodies (
  row_no INTEGER PRIMARY KEY REFERENCES articles (row_no),
  website_id TEXT NOT NULL,
  html TEXT NOT NULL,
  markdown TEXT NOT NULL,
  text TEXT NOT NULL,
  source TEXT NOT NULL,
  internal_links TEXT NOT NULL,
  links_supplied INTEGER NOT NULL,
  metrics TEXT NOT NULL,
  reported_metrics TEXT,
  supplied_steps TEXT NOT NULL,
  steps TEXT NOT NULL
);

CREATE TABLE draft_copies (
  row_no INTEGER PRIMARY KEY REFERENCES articles (row_no),
  website_id TEXT NOT NULL,
  changes TEXT NOT NULL,
  actor TEXT NOT NULL,
  saved_at BIGINT NOT NULL
);

CREATE TABLE article_labels (
  website_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('category', 'tag', 'keyword')),
  label_key TEXT NOT NULL,
  row_no INTEGER NOT NULL REFERENCES articles (row_no),
  PRIMARY KEY (website_id, kind, label_key, row_no)
) WITHOUT ROWID;
CREATE INDEX article_labels_by_row ON article_labels (row_no);

CREATE TABLE events (
  website_id TEXT NOT NULL REFERENCES websites (id),
  sequence BIGINT NOT NULL,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  article_id TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  payload TEXT NOT NULL,
  PRIMARY KEY (website_id, sequence)
);

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  website_id TEXT NOT NULL REFERENCES websites (id),
  name TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  prefix TEXT NOT NULL,
  last_four TEXT NOT NULL,
  scope TEXT NOT NULL,
  rate_limit INTEGER,
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  last_used_at BIGINT,
  revoked_at BIGINT
);
CREATE INDEX api_keys_by_website ON api_keys (website_id);

CREATE TABLE settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
);

CREATE VIRTUAL TABLE article_words USING fts5 (words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii');
`,
} as const;
