/**
 * The word index. It receives tokens made by our own rules (domain/articles/content/search.ts), so that search works the
 * same on every engine and in every script: SQLite uses FTS5, whose tokenizer only splits at spaces, PostgreSQL an array
 * with a GIN index.
 */
import { wordForms } from "../../domain/articles/content/search.ts";
import type { Reader, Writer } from "../store.ts";

/** Replaces the article's words in the index. `words`: as `indexedWords` returns them. */
export async function indexWords(
  db: Writer,
  websiteId: string,
  rowNo: number,
  words: string,
  isNew: boolean,
): Promise<void> {
  const line = `${siteWord(websiteId)} ${words}`.replace(SEPARATORS, " ");
  if (db.engine === "postgres") {
    await db.run(
      `INSERT INTO article_words (row_no, website_id, words) VALUES (?, ?, string_to_array(?, ' '))
       ON CONFLICT (row_no) DO UPDATE SET words = excluded.words`,
      rowNo,
      websiteId,
      line,
    );
    return;
  }
  if (!isNew) await db.run("DELETE FROM article_words WHERE rowid = ?", rowNo);
  await db.run("INSERT INTO article_words (rowid, words) VALUES (?, ?)", rowNo, line);
}

/** A query, with its parameters, for the row numbers of the website's articles that contain each word in one of its forms. */
export function wordsQuery(
  { engine }: Pick<Reader, "engine">,
  websiteId: string | null,
  words: readonly string[],
): { sql: string; params: string[] } {
  const forms = words
    .flatMap((word) => word.split(SEPARATORS))
    .filter((word) => word !== "")
    .map(wordForms);
  const all = websiteId === null ? forms : [[siteWord(websiteId)], ...forms];
  if (engine === "postgres") {
    const single = all.filter((some) => some.length === 1).flat();
    const several = all.filter((some) => some.length > 1);
    const conditions = ["words @> string_to_array(?, ' ')", ...several.map(() => "words && string_to_array(?, ' ')")];
    return {
      sql: `SELECT row_no FROM article_words WHERE ${conditions.join(" AND ")}`,
      params: [single.join(" "), ...several.map((some) => some.join(" "))],
    };
  }
  return {
    sql: "SELECT rowid AS row_no FROM article_words WHERE article_words MATCH ?",
    params: [all.map((some) => `(${some.map((word) => `"${word}"`).join(" OR ")})`).join(" AND ")],
  };
}

/** Characters at which FTS5's `ascii` tokenizer splits. */
// oxlint-disable-next-line no-control-regex -- every ASCII character that is neither a letter nor a digit
const SEPARATORS = /[\u0000-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007f]+/g;

/** A token that restricts a search to one website within the index. */
function siteWord(websiteId: string): string {
  return `website${websiteId.replaceAll("-", "")}`;
}
