/** `websites.language`: BCP 47, the language of articles that name none; null: unknown. */
export const websiteLanguages = {
  name: "039-website-languages",
  isAdditive: true,
  sql: "ALTER TABLE websites ADD COLUMN language TEXT",
  sqlite: [],
  postgres: [],
} as const;
