/**
 * Loads the sorted row numbers of a website and status. An order too large for one turn of the event loop is read in
 * slices, from a snapshot of its own; the read that needs it is then tried again.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ArticleStatus } from "../../../domain/articles/article.ts";
import { AppError } from "../../../domain/system/errors.ts";
import { changesSince, nextRows, sortKeys, websiteState } from "../../../store/articles/article-queries.ts";
import type { Snapshot, Store } from "../../../store/store.ts";
import { Order } from "./sorted-index.ts";
import type { CurrentView, CurrentViews } from "./views.ts";

/** With more changes than this, a large order is reloaded, which takes seconds. */
const MAX_CHANGES_OF_LARGE = 20_000;
/** Read in 4 ms, during which nobody else is answered. */
const SLICE_ROWS = 10_000;
/** A millisecond or two: the memory is mapped as it is written. */
const ROWS_COPIED_A_TURN = 500_000;

/** All articles of a website and status, in the default order, at a content version. */
interface LoadedOrder {
  epoch: string;
  version: number;
  rows: Uint32Array;
}

export class OrderLoader {
  readonly #store: Store;
  readonly #views: CurrentViews;
  readonly #sliceRows: number;
  readonly #loading = new Map<string, Promise<void>>();
  /** Large orders that are not in a view yet: reads that other reads overtake use them, too. */
  readonly #loaded = new Map<string, LoadedOrder>();
  #isClosed = false;

  /** `sliceRows`: an order of more rows is large, and loaded in slices of as many. */
  constructor(store: Store, views: CurrentViews, sliceRows = SLICE_ROWS) {
    this.#store = store;
    this.#views = views;
    this.#sliceRows = sliceRows;
  }

  /** Loads an order once for all concurrent callers: it is the most expensive part of a read. */
  async load(db: Snapshot, view: CurrentView, version: number, status: ArticleStatus): Promise<Order> {
    const name = `${version} ${status}`;
    const underWay = view.loading.get(name);
    if (underWay !== undefined) return underWay;
    const loading = this.#loadOnce(db, view, version, status);
    view.loading.set(name, loading);
    try {
      const order = await loading;
      if (view.isAt(version)) {
        view.orders.set(status, order);
        if (this.#views.isInUse(view)) this.#loaded.delete(nameOf(view.websiteId, status));
      }
      return order;
    } finally {
      view.loading.delete(name);
    }
  }

  /** Prepares the next `load`, outside any transaction, once for all callers. @throws AppError `unavailable`. */
  async loadLarge(websiteId: string, status: ArticleStatus): Promise<void> {
    const name = nameOf(websiteId, status);
    const underWay = this.#loading.get(name) ?? this.#loadInSlices(websiteId, status);
    this.#loading.set(name, underWay);
    try {
      await underWay;
    } finally {
      if (this.#loading.get(name) === underWay) this.#loading.delete(name);
    }
  }

  /** Ends what is being loaded. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#loading.values());
  }

  /** @throws OrderMissingError if it is large and not loaded yet. @throws StaleSnapshotError if it was loaded later. */
  async #loadOnce(db: Snapshot, view: CurrentView, version: number, status: ArticleStatus): Promise<Order> {
    const { websiteId } = view;
    // A read that was overtaken often: it ends, whatever that costs.
    const hasOwnView = !this.#views.isInUse(view);
    const large = await this.#findLarge(db, websiteId, status);
    if (large !== undefined && large.version > version) {
      // A standby without the latest commits took over.
      if (hasOwnView) this.#loaded.delete(nameOf(websiteId, status));
      throw new StaleSnapshotError();
    }
    if (large !== undefined) {
      const order = new Order(status, await copy(large.rows));
      const limit = hasOwnView ? Number.MAX_SAFE_INTEGER : MAX_CHANGES_OF_LARGE + 1;
      const changes = await changesSince(db, websiteId, large.version, limit);
      if (hasOwnView || (changes.length < limit && !order.isCheaperToLoad(changes.length))) {
        await order.apply(db, changes);
        return order;
      }
    }
    const rows = await nextRows(db, websiteId, status, null, this.#sliceRows + 1);
    if (rows.length > this.#sliceRows) throw new OrderMissingError(status);
    return new Order(status, rows);
  }

  async #findLarge(db: Snapshot, websiteId: string, status: ArticleStatus): Promise<LoadedOrder | undefined> {
    const loaded = this.#loaded.get(nameOf(websiteId, status));
    if (loaded === undefined) return undefined;
    const state = await websiteState(db, websiteId);
    // Articles were purged whose deletion it has not seen, or a backup was restored.
    const isUsable = loaded.epoch === state?.epoch && loaded.version >= state.purged_version;
    return isUsable ? loaded : undefined;
  }

  async #loadInSlices(websiteId: string, status: ArticleStatus): Promise<void> {
    await using db = await this.#store.openSnapshot();
    const state = await websiteState(db, websiteId);
    // The website was deleted: the caller's next read says so.
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
    this.#loaded.set(nameOf(websiteId, status), { epoch: state.epoch, version: state.content_version, rows });
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

function nameOf(websiteId: string, status: ArticleStatus): string {
  return `${websiteId} ${status}`;
}

/** The order is so large that it is loaded outside the transaction. */
export class OrderMissingError extends Error {
  readonly status: ArticleStatus;

  constructor(status: ArticleStatus) {
    super("the order is not loaded yet");
    this.status = status;
  }
}

/** The view is newer than the snapshot. */
export class StaleSnapshotError extends Error {
  constructor() {
    super("the website has moved on");
  }
}
