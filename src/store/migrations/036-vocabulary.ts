/**
 * `article_words_vocabulary`: the words of a website's articles, so that PostgreSQL finds those with the same beginning; SQLite's
 * word index can. It has those that a search can complete (domain/articles/content/measure/search.ts, `isCompletable`), also of earlier texts.
 */
const FILL = {
  table: "article_words",
  key: ["row_no"],
  sql: `INSERT INTO article_words_vocabulary (website_id, word)
    SELECT DISTINCT website_id, word FROM article_words, unnest(words) AS word
    WHERE {range} AND char_length(word) BETWEEN 5 AND 500 AND word !~ '^[0-9]'
      AND word <> 'website' || replace(website_id, '-', '')
    ON CONFLICT (website_id, word) DO NOTHING`,
} as const;

export const vocabulary = {
  name: "036-vocabulary",
  isAdditive: true,
  sql: "",
  sqlite: [],
  postgres: [
    `CREATE TABLE article_words_vocabulary (
      website_id TEXT NOT NULL,
      word TEXT NOT NULL,
      PRIMARY KEY (website_id, word)
    )`,
    FILL,
  ],
} as const;
