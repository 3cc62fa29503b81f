/** Two caches of the read model, which are capped in bytes and differ in how long an entry is valid. */
import { LRUCache } from "lru-cache";

/** Memory of a buffer object and its cache entry. */
const ROW_OVERHEAD_BYTES = 250;
const LIST_OVERHEAD_BYTES = 200;

/** List forms by row number; applying a change removes the article's. Only for views that follow changes. */
export class ListForms {
  readonly #rows: LRUCache<number, Buffer>;

  constructor(maxBytes: number) {
    this.#rows = new LRUCache({
      maxSize: Math.max(1, Math.floor(maxBytes)),
      sizeCalculation: (row) => row.length + ROW_OVERHEAD_BYTES,
    });
  }

  get(rowNo: number): Buffer | undefined {
    return this.#rows.get(rowNo);
  }

  set(rowNo: number, row: Buffer): void {
    this.#rows.set(rowNo, row);
  }

  remove(rowNo: number): void {
    this.#rows.delete(rowNo);
  }

  clear(): void {
    this.#rows.clear();
  }
}

/** Row numbers of filtered lists, each valid for exactly one content version, and replaced by the next one's. */
export class VersionedRows {
  readonly #lists: LRUCache<string, { version: number; rows: Uint32Array }>;

  constructor(maxBytes: number) {
    this.#lists = new LRUCache({
      maxSize: Math.max(1, Math.floor(maxBytes)),
      sizeCalculation: ({ rows }, key) => rows.byteLength + key.length + LIST_OVERHEAD_BYTES,
    });
  }

  get(key: string, version: number): Uint32Array | undefined {
    const found = this.#lists.get(key);
    return found?.version === version ? found.rows : undefined;
  }

  async getOrLoad(key: string, version: number, load: () => Promise<Uint32Array>): Promise<Uint32Array> {
    const found = this.get(key, version);
    if (found !== undefined) return found;
    const rows = await load();
    this.#lists.set(key, { version, rows });
    return rows;
  }
}
