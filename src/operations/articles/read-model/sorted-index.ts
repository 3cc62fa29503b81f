/**
 * Row numbers of a website's articles of one status in default order: 4 MB for a million. The length is the exact
 * total, and a page is a slice. Changes only inside a read transaction, so that it shows one snapshot.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ArticleStatus } from "../../../domain/articles/article.ts";
import { type ArticleChange, type SortKey, sortKeys } from "../../../store/articles/article-queries.ts";
import type { Snapshot } from "../../../store/store.ts";

const LOOK_UPS_AT_ONCE = 100;
/** 5 ms, after which other requests have their turn. */
const LOOK_UPS_A_TURN = 2_000;

export class Order {
  readonly status: ArticleStatus;
  #rows: Uint32Array;
  #length: number;

  /** `rows`: all of them, in order. The index modifies the array. */
  constructor(status: ArticleStatus, rows: Uint32Array) {
    this.status = status;
    this.#rows = rows;
    this.#length = rows.length;
  }

  get total(): number {
    return this.#length;
  }

  /** The row numbers from `offset` on, at most `limit`; none past the end. */
  slice(offset: number, limit: number): Uint32Array {
    return this.#rows.subarray(Math.min(offset, this.#length), Math.min(offset + limit, this.#length));
  }

  /** Whether moving this many entries one by one costs more than reloading all (measured: 0.4 µs per row). */
  isCheaperToLoad(changes: number): boolean {
    const roundsOfSearch = Math.ceil(Math.log2(this.#length + 2));
    return changes * roundsOfSearch * 3 > this.#length * 0.4 + 200;
  }

  /** Applies changes of articles of any status: removes their rows, and inserts those that belong here anew. */
  async apply(db: Snapshot, changes: readonly Pick<ArticleChange, "rowNo" | "status">[]): Promise<void> {
    this.#remove(changes.map((change) => change.rowNo));
    const belonging = changes.filter((change) => change.status === this.status).map((change) => change.rowNo);
    if (belonging.length === 0) return;
    const newcomers = await this.#sortKeys(db, belonging);
    const entries = belonging
      .map((rowNo) => ({ rowNo, place: getSortKey(newcomers, rowNo) }))
      .sort((a, b) => compare(a.place, b.place));
    this.#insert(
      entries.map((entry) => entry.rowNo),
      await this.#search(
        db,
        entries.map((entry) => entry.place),
      ),
    );
  }

  #remove(changed: readonly number[]): void {
    const rows = this.#rows;
    if (changed.length <= 4) {
      for (const rowNo of changed) {
        const at = rows.subarray(0, this.#length).indexOf(rowNo);
        if (at >= 0) rows.copyWithin(at, at + 1, this.#length--);
      }
      return;
    }
    const gone = new Set(changed);
    let kept = 0;
    for (let at = 0; at < this.#length; at++) {
      const rowNo = rows[at] ?? 0;
      if (!gone.has(rowNo)) rows[kept++] = rowNo;
    }
    this.#length = kept;
  }

  /** Binary search for all entries at once, a query a round. @returns ascending indexes before which they belong. */
  async #search(db: Snapshot, wanted: readonly SortKey[]): Promise<number[]> {
    const low = wanted.map(() => 0);
    const high = wanted.map(() => this.#length);
    for (;;) {
      const open = wanted.flatMap((place, index) => {
        const from = low[index] ?? 0;
        const to = high[index] ?? 0;
        return from < to ? [{ place, index, middle: (from + to) >>> 1 }] : [];
      });
      if (open.length === 0) return low;
      const known = await this.#sortKeys(db, [...new Set(open.map((one) => this.#rows[one.middle] ?? 0))]);
      for (const { place, index, middle } of open) {
        if (compare(getSortKey(known, this.#rows[middle] ?? 0), place) < 0) low[index] = middle + 1;
        else high[index] = middle;
      }
    }
  }

  async #sortKeys(db: Snapshot, rowNos: readonly number[]): Promise<Map<number, SortKey>> {
    const all = new Map<number, SortKey>();
    for (let at = 0; at < rowNos.length; at += LOOK_UPS_AT_ONCE) {
      if (at > 0 && at % LOOK_UPS_A_TURN === 0) await nextTurn();
      for (const entry of await sortKeys(db, this.status, rowNos.slice(at, at + LOOK_UPS_AT_ONCE))) all.set(...entry);
    }
    return all;
  }

  /** `before`: for each new row, in sort order, the index before which it goes, ascending. */
  #insert(rowNos: readonly number[], before: readonly number[]): void {
    const length = this.#length + rowNos.length;
    let rows = this.#rows;
    if (length > rows.length) {
      rows = new Uint32Array(length + Math.max(64, length >>> 4));
      rows.set(this.#rows.subarray(0, this.#length));
    }
    let end = this.#length;
    for (let index = rowNos.length - 1; index >= 0; index--) {
      const at = before[index] ?? 0;
      rows.copyWithin(at + index + 1, at, end);
      rows[at + index] = rowNos[index] ?? 0;
      end = at;
    }
    this.#rows = rows;
    this.#length = length;
  }
}

function getSortKey(known: Map<number, SortKey>, rowNo: number): SortKey {
  const place = known.get(rowNo);
  if (place === undefined) throw new Error(`row ${rowNo} is in an order but not in the store`);
  return place;
}

/** Newest first, then by id. */
function compare(a: SortKey, b: SortKey): number {
  if (a.at !== b.at) return b.at - a.at;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
