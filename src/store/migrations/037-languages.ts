/**
 * `articles.language`: a BCP 47 tag; null: the website's own language. `translation_group`: the same text for an article and its
 * translations.
 */
export const languages = {
  name: "037-languages",
  isAdditive: true,
  sql: `
ALTER TABLE articles ADD COLUMN language TEXT;
ALTER TABLE articles ADD COLUMN translation_group TEXT;
CREATE INDEX articles_by_language ON articles (website_id, language) WHERE language IS NOT NULL;
CREATE INDEX articles_by_translation ON articles (website_id, translation_group) WHERE translation_group IS NOT NULL;
`,
  sqlite: [],
  postgres: [],
} as const;
