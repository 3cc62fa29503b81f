/**
 * The word index. Words reach it as tokens that our own rules have made (domain/content/search.ts), so that every
 * engine and every script is searched alike: SQLite by FTS5, whose tokenizer only splits at spaces, PostgreSQL by an array
 * under a GIN index.
 */
import type { Reader, Writer } from "../store.ts";

/** Puts the article's words in place of those it had. `words`: as `indexedWords` gives them. */
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

/** A query of the row numbers of the website's articles in which all words occur, with its parameter. */
export function wordsQuery(
  { engine }: Pick<Reader, "engine">,
  websiteId: string,
  words: readonly string[],
): { sql: string; param: string } {
  const all = [siteWord(websiteId), ...words.flatMap((word) => word.split(SEPARATORS)).filter((word) => word !== "")];
  if (engine === "postgres") {
    return {
      sql: "SELECT row_no FROM article_words WHERE words @> string_to_array(?, ' ')",
      param: all.join(" "),
    };
  }
  return {
    sql: "SELECT rowid AS row_no FROM article_words WHERE article_words MATCH ?",
    param: all.map((word) => `"${word}"`).join(" AND "),
  };
}

/** What FTS5's `ascii` tokenizer splits at. */
// oxlint-disable-next-line no-control-regex -- every ASCII character that is no letter and no digit
const SEPARATORS = /[\u0000-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007f]+/g;

/** Narrows a search to one website inside the index. */
function siteWord(websiteId: string): string {
  return `website${websiteId.replaceAll("-", "")}`;
}
