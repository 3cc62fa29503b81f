/** Sorts what a search has found: first the article with this title, then titles that begin so, then titles with the words. */
import { IN_TITLE, searchTokens } from "../../../domain/articles/content/measure/search.ts";
import { sortKey } from "../../../domain/system/collation.ts";
import { listTitles, titleRows, wordRowsOfAny } from "../../../store/articles/article-lists.ts";
import { intersectRows, subtractRows } from "../read-model/intersect-rows.ts";
import type { SnapshotReader } from "../read-model/read-model.ts";

export interface Query {
  words: readonly string[];
  /** As it was typed. */
  text: string;
}

/** Of more titles only those that are equal are told from the others: comparing them all would take too long. */
const MAX_COMPARED = 1_000;

/** @param rows what was found, in an order that stays within each group. */
export async function byRelevance(
  snapshot: SnapshotReader,
  rows: Uint32Array,
  { words, text }: Query,
): Promise<Uint32Array> {
  const { db, view } = snapshot;
  const titled = await snapshot.cachedRows(JSON.stringify(["title words", ...words]), () =>
    wordRowsOfAny(db, view.websiteId, words, rows.length, IN_TITLE),
  );
  const inTitle = intersectRows(rows, titled);
  if (inTitle.length === 0) return rows;
  const phrase = searchTokens(text).join(" ");
  const isFew = inTitle.length <= MAX_COMPARED;
  const [same, begun] = isFew
    ? await compareTitles(snapshot, inTitle, phrase)
    : [intersectRows(inTitle, await titleRows(db, view.websiteId, sortKey(text.trim(), null))), new Uint32Array()];
  const others = subtractRows(subtractRows(inTitle, same), begun);
  return concat([same, begun, others, subtractRows(rows, titled)], rows.length);
}

/** The rows with this title, and those whose title begins with it. */
async function compareTitles(
  { db }: SnapshotReader,
  rows: Uint32Array,
  phrase: string,
): Promise<[same: Uint32Array, begun: Uint32Array]> {
  const titles = await listTitles(db, [...rows]);
  const phrases = new Map(titles.map(({ row_no: rowNo, title }) => [rowNo, searchTokens(title).join(" ")]));
  return [
    rows.filter((rowNo) => phrases.get(rowNo) === phrase),
    rows.filter((rowNo) => phrases.get(rowNo) !== phrase && phrases.get(rowNo)?.startsWith(phrase) === true),
  ];
}

function concat(parts: readonly Uint32Array[], length: number): Uint32Array {
  const all = new Uint32Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
