/** Our SQL in PostgreSQL's words. */

const TYPES: readonly (readonly [RegExp, string])[] = [
  // A day of deliveries can have more numbers than 32 bits hold.
  [/\bINTEGER\b/g, "BIGINT"],
  // Ordered by bytes, as SQLite does, whatever the database's own collation is.
  [/\bTEXT\b(?!\[\])/g, 'TEXT COLLATE "C"'],
  [/\bREAL\b/g, "DOUBLE PRECISION"],
  [/ WITHOUT ROWID\b/g, ""],
];

/** `$1`, `$2`, … for each `?`; and of what makes tables, the types. No text of ours holds a `?` that is no parameter. */
export function toDialect(sql: string): string {
  let number = 0;
  const numbered = sql.replaceAll("?", () => `$${++number}`);
  if (!/^\s*(?:CREATE|ALTER) TABLE/.test(numbered)) return numbered;
  return TYPES.reduce((text, [word, own]) => text.replace(word, own), numbered);
}
