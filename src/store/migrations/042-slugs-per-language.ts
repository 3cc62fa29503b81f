/**
 * `websites.slugs_per_language`: 1: a slug is unique within the website and a language, not within the website.
 * `articles.slug_scope`: "" if the slug was saved as unique within the website, else the article's language, or "-" if it names
 * none. Earlier versions leave it at "", and so keep to the stricter rule. `redirects.language`: that of the article when it
 * ceased to have the slug, "" if it named none; null: that of the article today. `language_redirects`: the same for further
 * languages in which the article had that slug. Earlier versions purge articles without knowing these rows, which are then deleted
 * with them.
 */
export const slugsPerLanguage = {
  name: "042-slugs-per-language",
  isAdditive: true,
  sql: `
ALTER TABLE websites ADD COLUMN slugs_per_language INTEGER NOT NULL DEFAULT 0;
ALTER TABLE articles ADD COLUMN slug_scope TEXT NOT NULL DEFAULT '';
ALTER TABLE redirects ADD COLUMN language TEXT;
CREATE TABLE language_redirects (
  website_id TEXT NOT NULL,
  source TEXT NOT NULL,
  row_no INTEGER NOT NULL REFERENCES articles (row_no) ON DELETE CASCADE,
  language TEXT NOT NULL,
  version BIGINT NOT NULL,
  PRIMARY KEY (website_id, source, row_no, language)
);
CREATE INDEX language_redirects_by_row ON language_redirects (row_no);
CREATE UNIQUE INDEX articles_by_slug_scope ON articles (website_id, slug, slug_scope) WHERE deleted_at IS NULL;
DROP INDEX articles_by_slug;
`,
  sqlite: [],
  postgres: [],
} as const;
