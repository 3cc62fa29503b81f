/**
 * `authors`: the byline, as JSON; `article_authors`: its names, by which articles are found. `aliases`: former addresses, as JSON;
 * they are also in `redirects`. Earlier versions purge articles without knowing these rows, which are then deleted with them.
 */
export const authors = {
  name: "034-authors",
  isAdditive: true,
  sql: `
ALTER TABLE articles ADD COLUMN authors TEXT NOT NULL DEFAULT '[]';
ALTER TABLE articles ADD COLUMN meta_title TEXT;
ALTER TABLE articles ADD COLUMN canonical_url TEXT;
ALTER TABLE articles ADD COLUMN aliases TEXT NOT NULL DEFAULT '[]';
CREATE TABLE article_authors (
  website_id TEXT NOT NULL,
  name_key TEXT NOT NULL,
  row_no INTEGER NOT NULL REFERENCES articles (row_no) ON DELETE CASCADE,
  PRIMARY KEY (website_id, name_key, row_no)
);
CREATE INDEX article_authors_by_row ON article_authors (row_no);
`,
  sqlite: [],
  postgres: [],
} as const;
