/**
 * Orders that are too large to be read in one turn of the event loop: from the file of an earlier process (order-files.ts), else from the
 * database in slices, with a snapshot of their own, while other requests are answered.
 */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ArticleStatus } from "../../../domain/articles/article.ts";
import { AppError } from "../../../domain/system/errors.ts";
import { nextRows, sortKeys, websiteState } from "../../../store/articles/article-queries.ts";
import { saveOrderToken } from "../../../store/system/saved-orders.ts";
import type { Snapshot, Store } from "../../../store/store.ts";
import { listWebsites } from "../../../store/system/websites.ts";
import type { LoadedOrder } from "./order-files.ts";
import type { WebsiteState } from "../review/views.ts";

/** Added to the database's path: the folder of the files. */
export const ORDERS_SUFFIX = ".orders";

/** A millisecond or two: the memory is mapped as it is written. */
const ROWS_COPIED_A_TURN = 500_000;

export class LargeOrders {
  readonly #store: Store;
  readonly #folder: string | null;
  readonly #sliceRows: number;
  readonly #loading = new Map<string, Promise<void>>();
  /** Not in a view yet: reads that other reads overtake use them, too. */
  readonly #loaded = new Map<string, LoadedOrder>();
  readonly #saved = new Map<string, Pick<LoadedOrder, "epoch" | "version">>();
  #isClosed = false;

  /** `folder`: where they are saved; null: nowhere. */
  constructor(store: Store, folder: string | null, sliceRows: number) {
    this.#store = store;
    this.#folder = folder;
    this.#sliceRows = sliceRows;
  }

  /** The order as `load` has loaded it or an earlier process saved it: the caller's own. `drop` it once it is in a view. */
  async find(db: Snapshot, websiteId: string, status: ArticleStatus): Promise<LoadedOrder | undefined> {
    const loaded = this.#loaded.get(keyOf(websiteId, status));
    const found = loaded ?? (await this.#readFile(db, websiteId, status));
    if (found === undefined) return undefined;
    const state = await websiteState(db, websiteId);
    // Articles were purged whose deletion it has not seen, or a backup was restored.
    const isUsable = found.epoch === state?.epoch && found.version >= state.purged_version;
    if (!isUsable) return undefined;
    return loaded === undefined ? found : { ...loaded, rows: await copy(loaded.rows) };
  }

  drop(websiteId: string, status: ArticleStatus): void {
    this.#loaded.delete(keyOf(websiteId, status));
  }

  /** Loads it, for `find`, once for all concurrent callers. @throws AppError `unavailable` when this is closed. */
  async load(websiteId: string, status: ArticleStatus): Promise<void> {
    const key = keyOf(websiteId, status);
    const underWay = this.#loading.get(key) ?? this.#load(websiteId, status);
    this.#loading.set(key, underWay);
    try {
      await underWay;
    } finally {
      if (this.#loading.get(key) === underWay) this.#loading.delete(key);
    }
  }

  /** Whether the order is large, and differs from its file by that many content versions. */
  isDue(
    websiteId: string,
    { status, total }: { status: ArticleStatus; total: number },
    { epoch, contentVersion }: { epoch: string; contentVersion: number },
    minChanges: number,
  ): boolean {
    if (this.#folder === null || total <= this.#sliceRows) return false;
    const saved = this.#saved.get(keyOf(websiteId, status));
    return saved?.epoch !== epoch || contentVersion - saved.version >= minChanges;
  }

  /** `find`: the order, if it is in this state. @returns whether it was. */
  async save(
    websiteId: string,
    status: ArticleStatus,
    find: (state: WebsiteState) => Uint32Array | undefined,
  ): Promise<boolean> {
    const path = this.#pathOf(websiteId, status);
    if (path === null) return false;
    const token = crypto.randomUUID();
    const order = await this.#store.write(
      async (db) => {
        const state = await websiteState(db, websiteId);
        const found = state && find(state);
        if (state === undefined || found === undefined) return undefined;
        // Nobody else writes until this commits, so that the order stays as it is.
        const rows = await copy(found);
        await saveOrderToken(db, websiteId, status, token);
        return { epoch: state.epoch, version: state.content_version, rows };
      },
      { waitsForDisk: false },
    );
    if (order === undefined) return false;
    const { removeOrphans, writeOrder } = await import("./order-files.ts");
    await writeOrder(path, websiteId, status, token, order);
    this.#saved.set(keyOf(websiteId, status), { epoch: order.epoch, version: order.version });
    await removeOrphans(dirname(path), new Set((await this.#store.read(listWebsites)).map(({ id }) => id)));
    return true;
  }

  /** Ends what is being loaded. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#loading.values());
  }

  async #readFile(db: Snapshot, websiteId: string, status: ArticleStatus): Promise<LoadedOrder | undefined> {
    const path = this.#pathOf(websiteId, status);
    if (path === null || !existsSync(path)) return undefined;
    const { readOrder } = await import("./order-files.ts");
    const order = await readOrder(path, db, websiteId, status);
    if (order !== undefined) this.#saved.set(keyOf(websiteId, status), { epoch: order.epoch, version: order.version });
    return order;
  }

  #pathOf(websiteId: string, status: ArticleStatus): string | null {
    return this.#folder && join(this.#folder, `${websiteId}.${status}`);
  }

  async #load(websiteId: string, status: ArticleStatus): Promise<void> {
    await using db = await this.#store.openSnapshot();
    const state = await websiteState(db, websiteId);
    // It was deleted: the caller's next read says so.
    if (state === undefined) return;
    const slices: Uint32Array[] = [];
    let last = null;
    for (;;) {
      const rows: Uint32Array = await nextRows(db, websiteId, status, last, this.#sliceRows);
      slices.push(rows);
      const lastRow = rows.at(-1);
      if (lastRow === undefined || rows.length < this.#sliceRows) break;
      last = (await sortKeys(db, status, [lastRow])).get(lastRow) ?? null;
      await nextTurn();
      if (this.#isClosed) throw new AppError("unavailable", "The service is stopping.");
    }
    const rows = await concatenate(slices);
    this.#loaded.set(keyOf(websiteId, status), { epoch: state.epoch, version: state.content_version, rows });
  }
}

async function concatenate(slices: readonly Uint32Array[]): Promise<Uint32Array> {
  const rows = new Uint32Array(slices.reduce((sum, slice) => sum + slice.length, 0));
  let at = 0;
  for (const slice of slices) {
    rows.set(slice, at);
    at += slice.length;
    if (at % ROWS_COPIED_A_TURN < slice.length) await nextTurn();
  }
  return rows;
}

async function copy(rows: Uint32Array): Promise<Uint32Array> {
  const copied = new Uint32Array(rows.length);
  for (let at = 0; at < rows.length; at += ROWS_COPIED_A_TURN) {
    copied.set(rows.subarray(at, at + ROWS_COPIED_A_TURN), at);
    await nextTurn();
  }
  return copied;
}

function keyOf(websiteId: string, status: ArticleStatus): string {
  return `${websiteId} ${status}`;
}
