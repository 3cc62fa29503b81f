/** Slugs of earlier revisions that were published: the article was so before the next revision replaced it. */
const fill = (slug: string) =>
  ({
    table: "revisions",
    key: ["row_no", "number"],
    sql: `INSERT INTO redirects (website_id, source, row_no, is_alias, version)
      SELECT DISTINCT old.website_id, ${slug}, old.row_no, 0, 0
      FROM (SELECT website_id, row_no, number, fields FROM revisions WHERE {range} AND fields IS NOT NULL) old
        JOIN revisions next ON next.row_no = old.row_no AND next.number = old.number + 1
        JOIN articles ON articles.row_no = old.row_no
      WHERE articles.published_at <= next.at AND articles.slug <> ${slug}
      ON CONFLICT (website_id, source, row_no) DO NOTHING`,
  }) as const;

/**
 * `redirects.source`: a slug under which the article was published, or an earlier address of it (`is_alias`). `version`: the
 * website's content version when it ceased to be the slug; of several articles the one with the highest has it.
 */
export const redirects = {
  name: "027-redirects",
  isAdditive: true,
  sql: `
CREATE TABLE redirects (
  website_id TEXT NOT NULL,
  source TEXT NOT NULL,
  row_no INTEGER NOT NULL REFERENCES articles (row_no),
  is_alias INTEGER NOT NULL,
  version BIGINT NOT NULL,
  PRIMARY KEY (website_id, source, row_no)
);
CREATE INDEX redirects_by_row ON redirects (row_no);
`,
  sqlite: [fill("json_extract(old.fields, '$.slug')")],
  postgres: [fill("(old.fields::json ->> 'slug')")],
} as const;
