/** Tokens are made by our own rules, for both engines: SQLite uses FTS5, PostgreSQL an array with a GIN index. */
import { bandWords } from "../../domain/articles/content/measure/fingerprint.ts";
import { type IN_TITLE, isCompletable, wordForms } from "../../domain/articles/content/measure/search.ts";
import type { Snapshot, Writer } from "../store.ts";

/**
 * Replaces the article's words in the index. `words`: as `indexedWords` returns them; `minhash`: its fingerprint, null if it has none,
 * whose bands SQLite has among the words (quality/fingerprints.ts).
 */
export async function indexWords(
  db: Writer,
  { websiteId, rowNo }: { websiteId: string; rowNo: number },
  { words, minhash }: { words: string; minhash: string | null },
  isNew: boolean,
): Promise<void> {
  const line = `${siteWord(websiteId)} ${UNEVEN.test(words) ? words.replace(SEPARATORS, " ") : words}`;
  if (db.engine === "postgres") {
    const vocabulary = words.split(SEPARATORS).filter(isCompletable);
    await db.run(
      `INSERT INTO article_words_vocabulary (website_id, word) SELECT ?, word FROM unnest(string_to_array(?, ' ')) AS word
       ON CONFLICT (website_id, word) DO NOTHING`,
      websiteId,
      vocabulary.join(" "),
    );
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
  const bands = minhash === null ? [] : bandWords(websiteId, minhash);
  await db.run("INSERT INTO article_words (rowid, words) VALUES (?, ?)", rowNo, [line, ...bands].join(" "));
}

/**
 * A query for row numbers of the website's articles with each word in one of its forms. A word that ends with `*` also
 * begins longer ones. Without a website, which only SQLite can do: of all. `begin`: IN_TITLE for words of the title.
 */
export function wordsQuery(
  { engine }: Pick<Snapshot, "engine">,
  websiteId: string | null,
  words: readonly string[],
  begin: typeof IN_TITLE | "" = "",
): { sql: string; params: string[] } {
  const all = words.flatMap((text) => text.split(SEPARATORS).map((word) => ({ word, isPrefix: text.endsWith("*") })));
  const wanted = all.filter(({ word }) => word !== "");
  return engine === "postgres" ? postgresQuery(websiteId ?? "", wanted, begin) : sqliteQuery(websiteId, wanted, begin);
}

interface Wanted {
  word: string;
  isPrefix: boolean;
}

function postgresQuery(websiteId: string, wanted: readonly Wanted[], begin: string): { sql: string; params: string[] } {
  const single = [siteWord(websiteId)];
  const conditions = ["words @> string_to_array(?, ' ')"];
  const params: string[] = [];
  for (const { word, isPrefix } of wanted) {
    const forms = wordForms(word).map((form) => begin + form);
    if (isPrefix) {
      conditions.push(`words && (string_to_array(?, ' ') || ARRAY(SELECT ? || word FROM article_words_vocabulary
        WHERE website_id = ? AND word >= ? AND word < ? ORDER BY word LIMIT ${MAX_COMPLETIONS}))`);
      params.push(forms.join(" "), begin, websiteId, word, `${word}\u{10ffff}`);
    } else if (forms.length > 1) {
      conditions.push("words && string_to_array(?, ' ')");
      params.push(forms.join(" "));
    } else single.push(begin + word);
  }
  return {
    sql: `SELECT row_no FROM article_words WHERE ${conditions.join(" AND ")}`,
    params: [single.join(" "), ...params],
  };
}

/** Limit per prefix, as PostgreSQL looks up each completed word; further words of a prefix are not found. */
const MAX_COMPLETIONS = 5_000;

function sqliteQuery(
  websiteId: string | null,
  wanted: readonly Wanted[],
  begin: string,
): { sql: string; params: string[] } {
  const all = wanted.map(({ word, isPrefix }) => {
    const longer = isPrefix ? (begin === "" ? completions(word) : [`"${begin}${word}"*`]) : [];
    // The prefix finds these as well; searching for them again would add an eighth of the time.
    const isCovered = (form: string) => longer.length > 0 && form.startsWith(word);
    const forms = wordForms(word).filter((form) => !isCovered(form));
    return [...forms.map((form) => `"${begin}${form}"`), ...longer];
  });
  if (websiteId !== null) all.unshift([`"${siteWord(websiteId)}"`]);
  return {
    sql: "SELECT rowid AS row_no FROM article_words WHERE article_words MATCH ?",
    params: [all.map((some) => `(${some.join(" OR ")})`).join(" AND ")],
  };
}

/** FTS5 queries for the words that begin with this one, without matching any `siteWord`. */
function completions(word: string): string[] {
  if (!SITE.startsWith(word)) {
    const mayBeSite = word.startsWith(SITE) && isDigit(word.charAt(SITE.length));
    return mayBeSite ? [] : [`"${word}"*`];
  }
  const found: string[] = [];
  for (let length = word.length; length <= SITE.length; length++) {
    const start = SITE.slice(0, length);
    found.push(`"${start}"`);
    for (const next of LETTERS) {
      const isSite = length === SITE.length ? isDigit(next) : next === SITE[length];
      if (!isSite) found.push(`"${start}${next}"*`);
    }
  }
  return found;
}

const SITE = "website";
const LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz";
/** Ids of websites begin with the time, as UUIDv7: with a digit. */
const isDigit = (character: string): boolean => /^[0-9]$/.test(character);

/** Characters at which FTS5's `ascii` tokenizer splits. */
// oxlint-disable-next-line no-control-regex -- every ASCII character that is neither a letter nor a digit
const SEPARATORS = /[\u0000-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007f]+/g;

// oxlint-disable-next-line no-control-regex -- as above
const UNEVEN = /[\u0000-\u001f\u0021-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007f]| {2}/;

/** A token that restricts a search to one website within the index. */
function siteWord(websiteId: string): string {
  return `${SITE}${websiteId.replaceAll("-", "")}`;
}
