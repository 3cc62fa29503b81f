/**
 * MinHash of articles' texts, and the bands by which near duplicates are found (domain/articles/content/measure/fingerprint.ts). On PostgreSQL
 * bands are a table. On SQLite they are words of the word index (store/articles/search.ts): in a table, each of them would change a page of its own.
 */
import { BANDS, bands, bandWords } from "../../../domain/articles/content/measure/fingerprint.ts";
import { inBatches, insertRows, OF_WEBSITE, placeholders } from "../../system/sql-batch.ts";
import { declareRow } from "../../row.ts";
import type { Snapshot, StoredArticle, Writer } from "../../store.ts";

type Fingerprinted = Pick<StoredArticle, "rowNo" | "websiteId">;

export async function insertFingerprint(db: Writer, { rowNo, websiteId }: Fingerprinted, minhash: string) {
  await db.run("INSERT INTO fingerprints (row_no, website_id, minhash) VALUES (?, ?, ?)", rowNo, websiteId, minhash);
  if (db.engine === "postgres") await insertBands(db, { rowNo, websiteId }, minhash);
}

/** On PostgreSQL. */
export async function insertBands(db: Writer, { rowNo, websiteId }: Fingerprinted, minhash: string): Promise<void> {
  const rows = bands(websiteId, minhash).map((band) => [band, rowNo] as const);
  await insertRows(db, "fingerprint_bands (band, row_no)", rows);
}

/** Writes nothing if it is the same. @param minhash null: the text is too short. */
export async function replaceFingerprint(
  db: Writer,
  article: Fingerprinted,
  stored: string | null,
  minhash: string | null,
): Promise<void> {
  if (stored === minhash) return;
  if (stored !== null) {
    if (db.engine === "postgres") await db.run("DELETE FROM fingerprint_bands WHERE row_no = ?", article.rowNo);
    await db.run("DELETE FROM fingerprints WHERE row_no = ?", article.rowNo);
  }
  if (minhash !== null) await insertFingerprint(db, article, minhash);
}

export async function findFingerprint(db: Snapshot, rowNo: number): Promise<string | undefined> {
  return (await db.get("SELECT minhash FROM fingerprints WHERE row_no = ?", rowNo))?.minhash;
}

/** By row number. */
export async function listFingerprints(db: Snapshot, rowNos: readonly number[]): Promise<Map<number, string>> {
  const found = await inBatches(rowNos, (batch) =>
    db.all(`SELECT row_no, minhash FROM fingerprints WHERE row_no IN (${placeholders(batch)})`, ...batch),
  );
  return new Map(found.flat().map((row) => [row.row_no, row.minhash]));
}

export interface Near {
  id: string;
  title: string;
  language: string | null;
  minhash: string;
  /** JSON. */
  categories: string;
  /** JSON. */
  tags: string;
}

/**
 * Other articles of the website with a band in common, those in the trash left out: of each band the newest MAX_PER_BAND,
 * and of all MAX_NEAR with the most bands. A series of thousands costs no more on PostgreSQL; on SQLite, one of 5,000 takes some
 * milliseconds, as the word index goes through most articles of a word to find the newest.
 */
export async function listNear(db: Snapshot, { rowNo, websiteId }: Fingerprinted, minhash: string): Promise<Near[]> {
  const near =
    db.engine === "postgres"
      ? await db.all(NEAR.postgres, ...bands(websiteId, minhash), rowNo)
      : await db.all(NEAR.sqlite, ...bandWords(websiteId, minhash).map((word) => `"${word}"`), rowNo);
  // Joined to the statement above, SQLite would begin with the website's articles.
  const found = await inBatches(near, (batch) =>
    db.all(
      declareRow<Near>(`SELECT id, title, language, minhash, categories, tags FROM articles
        JOIN (SELECT row_no, minhash FROM fingerprints) AS compared USING (row_no)
        WHERE articles.row_no IN (${placeholders(batch)}) AND ${OF_WEBSITE} AND deleted_at IS NULL`),
      ...batch.map((one) => one.row_no),
      websiteId,
    ),
  );
  return found.flat();
}

const MAX_PER_BAND = 100;
const MAX_NEAR = 64;

const NEAR = {
  postgres: nearQuery(`SELECT row_no FROM fingerprint_bands WHERE band = ? ORDER BY row_no DESC LIMIT ${MAX_PER_BAND}`),
  sqlite: nearQuery(
    `SELECT rowid AS row_no FROM article_words WHERE article_words MATCH ? ORDER BY rowid DESC LIMIT ${MAX_PER_BAND}`,
  ),
} as const;

function nearQuery(ofBand: string) {
  const each = Array.from({ length: BANDS }, () => `SELECT row_no FROM (${ofBand}) AS newest`);
  return declareRow<{ row_no: number }>(`SELECT row_no FROM (${each.join(" UNION ALL ")}) AS shared
    WHERE row_no <> ? GROUP BY row_no ORDER BY COUNT(*) DESC, row_no DESC LIMIT ${MAX_NEAR}`);
}
