/** Translates our SQL into PostgreSQL's dialect. */

const TYPES: readonly (readonly [RegExp, string])[] = [
  // Numbers of deliveries can exceed 32 bits within a day.
  [/\bINTEGER\b/g, "BIGINT"],
  // Sorts by bytes, as SQLite does, whatever the database's own collation is.
  [/\bTEXT\b(?!\[\])/g, 'TEXT COLLATE "C"'],
  [/\bREAL\b/g, "DOUBLE PRECISION"],
];

/** Replaces each `?` with `$1`, `$2`, …, and in table definitions the types. In our SQL every `?` is a parameter. */
export function toDialect(sql: string): string {
  let number = 0;
  const numbered = sql.replaceAll("?", () => `$${++number}`);
  if (!/^\s*(?:CREATE|ALTER) TABLE/.test(numbered)) return numbered;
  return TYPES.reduce((text, [word, own]) => text.replace(word, own), numbered);
}
