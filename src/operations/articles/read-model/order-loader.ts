/**
 * Loads the orders of a view: the row numbers of a website's articles of one status, sorted. An order of many rows is read
 * outside the transaction, in slices or from its file (`large-orders.ts`); the read that needs it is then tried again.
 */
import type { ArticleStatus } from "../../../domain/articles/article.ts";
import { type ArticleChange, changesSince, nextRows } from "../../../store/articles/article-queries.ts";
import type { Snapshot, Store } from "../../../store/store.ts";
import { LargeOrders } from "./large-orders.ts";
import { Order } from "./sorted-index.ts";
import type { LiveView, LiveViews, WebsiteState } from "../review/views.ts";

/** With more changes than this, a large order is reloaded, which takes seconds. */
const MAX_CHANGES_OF_LARGE = 20_000;
/** Read in 4 ms, during which nobody else is answered. */
const SLICE_ROWS = 10_000;
/** A read that finds the view newer than its snapshot this often uses a view of its own. */
export const MAX_TRIES = 8;

export class OrderLoader {
  readonly #views: LiveViews;
  readonly #large: LargeOrders;
  readonly #sliceRows: number;

  /** `folder`: SQLite only: where orders are saved. `sliceRows`: an order of more rows is loaded in slices of as many. */
  constructor(store: Store, views: LiveViews, folder: string | null, sliceRows = SLICE_ROWS) {
    this.#views = views;
    this.#sliceRows = sliceRows;
    this.#large = new LargeOrders(store, folder, sliceRows);
  }

  /** Loads an order once for all concurrent callers: it is the most expensive part of a read. */
  async load(db: Snapshot, view: LiveView, version: number, status: ArticleStatus): Promise<Order> {
    const name = `${version} ${status}`;
    const underWay = view.loading.get(name);
    if (underWay !== undefined) return underWay;
    const loading = this.#loadNow(db, view, version, status);
    view.loading.set(name, loading);
    try {
      const order = await loading;
      if (view.isAt(version)) {
        view.orders.set(status, order);
        if (this.#views.isInUse(view)) this.#large.drop(view.websiteId, status);
      }
      return order;
    } finally {
      view.loading.delete(name);
    }
  }

  /** @throws OrderMissingError when it is large and must be loaded first. @throws StaleSnapshotError when it was loaded later. */
  async #loadNow(db: Snapshot, view: LiveView, version: number, status: ArticleStatus): Promise<Order> {
    const { websiteId } = view;
    // A read that was overtaken often: it ends, whatever that costs.
    const isAlone = !this.#views.isInUse(view);
    const large = await this.#large.find(db, websiteId, status);
    if (large !== undefined && large.version > version) {
      // A standby without the latest commits took over.
      if (isAlone) this.#large.drop(websiteId, status);
      throw new StaleSnapshotError();
    }
    if (large !== undefined) {
      const order = new Order(status, large.rows);
      const limit = isAlone ? Number.MAX_SAFE_INTEGER : MAX_CHANGES_OF_LARGE + 1;
      const changes = await changesSince(db, websiteId, large.version, limit);
      if (isAlone || (changes.length < limit && !order.isCheaperToLoad(changes.length))) {
        await applyChanges(db, order, changes);
        return order;
      }
    }
    const rows = await nextRows(db, websiteId, status, null, this.#sliceRows + 1);
    if (rows.length > this.#sliceRows) throw new OrderMissingError(status);
    return new Order(status, rows);
  }

  /** Loads a large order for the next read, outside any transaction. */
  async loadLarge(websiteId: string, status: ArticleStatus): Promise<void> {
    await this.#large.load(websiteId, status);
  }

  /** Saves the large orders that differ from their files by that many content versions. `refresh`: brings the website's view up to date. */
  async save(minChanges: number, refresh: (websiteId: string) => Promise<void>): Promise<void> {
    for (const websiteId of this.#views.websiteIds()) {
      for (const status of this.#views.peek(websiteId)?.orders.keys() ?? []) {
        for (let tries = 0; tries < MAX_TRIES; tries++) {
          const view = this.#views.peek(websiteId);
          const order = view?.orders.get(status);
          if (view === undefined || order === undefined) break;
          if (!this.#large.isDue(websiteId, order, view, minChanges)) break;
          await refresh(websiteId);
          const find = (state: WebsiteState) => this.#findOrder(websiteId, status, state);
          if (await this.#large.save(websiteId, status, find)) break;
        }
      }
    }
  }

  /** Ends what is being loaded. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#large[Symbol.asyncDispose]();
  }

  #findOrder(websiteId: string, status: ArticleStatus, state: WebsiteState): Uint32Array | undefined {
    const view = this.#views.peek(websiteId);
    const order = view?.orders.get(status);
    const isSame = view?.epoch === state.epoch && view.isAt(state.content_version);
    return isSame ? order?.slice(0, order.total) : undefined;
  }
}

/** Applies changes of articles of any status. */
export function applyChanges(db: Snapshot, order: Order, changes: readonly ArticleChange[]): Promise<void> {
  return order.move(
    db,
    changes.map((change) => change.rowNo),
    changes.filter((change) => change.status === order.status).map((change) => change.rowNo),
  );
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
