/**
 * The read model: what each website's readers can see, held in memory and in sync with the store.
 *
 * A view shows one content version of one website. Callers get it only while no newer commit can be visible
 * (`current`), or have it brought up to date inside a read transaction (`read`): responses are never older than the
 * request. The changes between two versions are queried by version, so the cost of an update depends on their number
 * alone.
 */
import { AppError } from "../../../domain/system/errors.ts";
import type { ArticleEvent } from "../../../domain/webhooks/event.ts";
import { listEvents } from "../../../store/webhooks/events.ts";
import {
  type ArticleChange,
  changesSince,
  findDetail,
  findDetailSync,
  listForms,
  matchingRows,
  websiteState,
} from "../../../store/articles/article-queries.ts";
import type { ChangeFeed, ReadOptions, Snapshot, Store } from "../../../store/store.ts";
import {
  filterKey,
  findMatching,
  isDefaultSort,
  usesOnlyLabelsAndWords,
  type ListQuery,
  splitLabels,
} from "./list-query.ts";
import { ListForms, VersionedRows } from "./row-caches.ts";
import { OrderLoader, OrderMissingError, StaleSnapshotError } from "./order-loader.ts";
import { intersectRows, subtractRows } from "./intersect-rows.ts";
import { getPublishedVersion, CurrentView, CurrentViews, type View, type WebsiteState } from "./views.ts";

const WHOLE = { offset: 0, limit: Number.POSITIVE_INFINITY };
/** With more changes than this, everything is reloaded. */
const MAX_CHANGES = 5_000;
/** A read that finds the view newer than its snapshot this often uses a view of its own. */
const MAX_TRIES = 8;
/** Shares of the cache's memory. */
const LIST_FORMS_SHARE = 0.75;
const FILTERED_SHARE = 0.25;

export interface SnapshotPage {
  /** The list form of each article, as UTF-8 JSON. */
  rows: Buffer[];
  total: number;
}

export type Detail = NonNullable<Awaited<ReturnType<typeof findDetail>>>;

export interface ReadModelOptions {
  store: Store & Pick<ChangeFeed, "changeToken">;
  /** Maximum memory for list forms and for the orders of filtered lists, bytes. */
  cacheBytes: number;
  /** Called when a view in use has changed. */
  onChange: (websiteId: string, articleIds: readonly string[]) => void;
  /** An order of more rows is loaded in slices of as many. */
  sliceRows?: number;
}

type WholeList = Pick<ListQuery, "status" | "sort" | "filter">;

/** Reads inside `ReadModel.read`. */
export interface SnapshotReader {
  readonly view: View;
  /** The snapshot, for everything else in a response. */
  readonly db: Snapshot;
  page(query: ListQuery): Promise<SnapshotPage & { rowNos: Uint32Array }>;
  /** The list forms of the rows, in their order. */
  rows(rowNos: Iterable<number>): Promise<Buffer[]>;
  /** A copy of the row numbers of a whole list. */
  order(list: WholeList): Promise<Uint32Array>;
  /** The rows before and after one of the list; undefined at its ends, and both for a row that is not in it. */
  beside(list: WholeList, rowNo: number): Promise<[number | undefined, number | undefined]>;
  /** Row numbers by website and version, loaded once; do not modify them. `name` says what else they depend on. */
  cachedRows(name: string, load: () => Promise<Uint32Array>): Promise<Uint32Array>;
  detail(id: string): Promise<Detail | undefined>;
  /** Events after the sequence, in order. */
  events(range: { after: number; limit: number }): Promise<ArticleEvent[]>;
}

export class ReadModel {
  readonly #store: ReadModelOptions["store"];
  readonly #onChange: ReadModelOptions["onChange"];
  readonly #views: CurrentViews;
  readonly #listForms: ListForms;
  readonly #filtered: VersionedRows;
  readonly #orders: OrderLoader;
  #generations = 0;
  /** Counts the starts of reads and the updates of views, to tell which came first. */
  #sequence = 0;

  constructor(options: ReadModelOptions) {
    this.#store = options.store;
    this.#onChange = options.onChange;
    this.#listForms = new ListForms(options.cacheBytes * LIST_FORMS_SHARE);
    this.#filtered = new VersionedRows(options.cacheBytes * FILTERED_SHARE);
    // Without the view, changes to a website's rows would go unnoticed.
    this.#views = new CurrentViews(() => this.#listForms.clear());
    this.#orders = new OrderLoader(options.store, this.#views, options.sliceRows);
  }

  /** The website's view, if certainly nothing newer is committed. `now`: `performance.now()`, if just read. */
  current(websiteId: string, now?: number): View | undefined {
    const view = this.#views.get(websiteId);
    return view !== undefined && view.seenAt === this.#store.changeToken(websiteId, now) ? view : undefined;
  }

  /** The page, if it needs no query. `view` must be current. */
  cachedPage(view: View, query: ListQuery): SnapshotPage | undefined {
    if (!(view instanceof CurrentView)) return undefined;
    const order = this.#cachedSlice(view, query);
    if (order === undefined) return undefined;
    const rows: Buffer[] = [];
    for (const rowNo of order.slice) {
      const row = this.#listForms.get(rowNo);
      if (row === undefined) return undefined;
      rows.push(row);
    }
    return { rows, total: order.total };
  }

  /** The article as it is now, if that needs no waiting; it may be newer than `view`, which must be current. */
  detailSync(view: View, id: string): { row: Detail | undefined } | null {
    return findDetailSync(this.#store, view.websiteId, id);
  }

  /**
   * Reads from one snapshot that is as new as the call. Several reads run concurrently, on SQLite if they are in parts,
   * each with a snapshot of its own, and one at a time updates the view: a read that finds the view newer than its
   * snapshot takes a new snapshot and calls `work` again.
   *
   * @throws AppError `not_found` when the website does not exist.
   */
  async read<T>(websiteId: string, work: (snapshot: SnapshotReader) => Promise<T>, options?: ReadOptions): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#store.read((db) => this.#readOnce(db, websiteId, work, tries >= MAX_TRIES), options);
      } catch (error) {
        // Others read meanwhile.
        if (error instanceof OrderMissingError) await this.#orders.loadLarge(websiteId, error.status);
        else if (!(error instanceof StaleSnapshotError)) throw error;
      }
    }
  }

  /** `hasOwnView`: reads from a view that no other read updates. */
  async #readOnce<T>(
    db: Snapshot,
    websiteId: string,
    work: (snapshot: SnapshotReader) => Promise<T>,
    hasOwnView: boolean,
  ): Promise<T> {
    const beganAt = ++this.#sequence;
    // Taken before the snapshot: a commit in between makes the next request check again, and is never missed.
    const changeToken = this.#store.changeToken(websiteId);
    const state = await websiteState(db, websiteId);
    if (state === undefined) {
      this.#views.remove(websiteId);
      throw new AppError("not_found", "There is no such website.");
    }
    const current = hasOwnView ? this.#newView(websiteId, state) : await this.#refresh(db, websiteId, state, beganAt);
    const { generation, epoch } = current;
    const contentVersion = state.content_version;
    // Another read that waited for the same update, with a later snapshot, may already be updating the view again.
    if (!hasOwnView && current.isAt(contentVersion)) current.seenAt = changeToken;
    const view = {
      generation,
      websiteId,
      epoch,
      contentVersion,
      publishedVersion: getPublishedVersion(state),
      eventSequence: state.event_sequence,
      language: state.language,
      seenAt: changeToken,
    };
    return work({
      view,
      db,
      page: (query) => this.#page(db, current, contentVersion, query),
      rows: (rowNos) => this.#rows(db, current, contentVersion, Uint32Array.from(rowNos)),
      order: async (list) => (await this.#slice(db, current, contentVersion, { ...list, ...WHOLE })).slice.slice(),
      beside: async (list, rowNo) => {
        const { slice } = await this.#slice(db, current, contentVersion, { ...list, ...WHOLE });
        const at = slice.indexOf(rowNo);
        return at < 0 ? [undefined, undefined] : [slice[at - 1], slice[at + 1]];
      },
      cachedRows: (name, load) => this.#filtered.getOrLoad(`${websiteId} ${epoch} ${name}`, contentVersion, load),
      detail: (id) => findDetail(db, websiteId, id),
      events: (range) => listEvents(db, websiteId, range),
    });
  }

  /** Brings the views in use up to date, so that no reader has to wait for a long list of changes. */
  async refresh(): Promise<void> {
    for (const websiteId of this.#views.websiteIds()) {
      if (this.current(websiteId) !== undefined) continue;
      try {
        await this.read(websiteId, () => Promise.resolve());
      } catch (error) {
        // The website was deleted.
        if (!(error instanceof AppError) || error.code !== "not_found") throw error;
      }
    }
  }

  /** @returns the view, at the version of the snapshot. @throws StaleSnapshotError when the view is newer. */
  async #refresh(db: Snapshot, websiteId: string, state: WebsiteState, beganAt: number): Promise<CurrentView> {
    let view = this.#views.get(websiteId);
    while (view?.advancing !== undefined) {
      await view.advancing;
      view = this.#views.get(websiteId);
    }
    const isOther = view !== undefined && (view.epoch !== state.epoch || view.contentVersion < state.purged_version);
    if (view !== undefined && (isOther || view.contentVersion > state.content_version)) {
      if (view.advancedAt > beganAt) throw new StaleSnapshotError();
      // The state that the view shows is gone: a backup was restored, a standby without the latest commits took over,
      // or articles were purged whose deletion the view has not seen.
      view = undefined;
    }
    if (view === undefined) return this.#views.add(this.#newView(websiteId, state));
    if (view.contentVersion < state.content_version) {
      const changes = await this.#advance(db, view, state);
      if (changes > MAX_CHANGES) return this.#views.add(this.#newView(websiteId, state));
    }
    view.eventSequence = Math.max(view.eventSequence, state.event_sequence);
    return view;
  }

  /** Updates the view; other reads wait. @returns how many changes; above MAX_CHANGES nothing is updated. */
  async #advance(db: Snapshot, view: CurrentView, state: WebsiteState): Promise<number> {
    const advanced = Promise.withResolvers<void>();
    view.advancing = advanced.promise;
    view.expire();
    try {
      const changes = await changesSince(db, view.websiteId, view.contentVersion, MAX_CHANGES + 1);
      if (changes.length <= MAX_CHANGES) {
        await this.#apply(db, view, changes);
        view.contentVersion = state.content_version;
        view.publishedVersion = getPublishedVersion(state);
        view.language = state.language;
        view.advancedAt = ++this.#sequence;
      }
      return changes.length;
    } catch (error) {
      // The view may be half updated.
      view.invalidate();
      if (this.#views.isInUse(view)) this.#views.remove(view.websiteId);
      throw error;
    } finally {
      view.advancing = undefined;
      advanced.resolve();
    }
  }

  #newView(websiteId: string, state: WebsiteState): CurrentView {
    return new CurrentView(++this.#generations, websiteId, state, ++this.#sequence);
  }

  async #apply(db: Snapshot, view: CurrentView, changes: readonly ArticleChange[]): Promise<void> {
    for (const { rowNo } of changes) this.#listForms.remove(rowNo);
    for (const order of view.orders.values()) {
      if (order.isCheaperToLoad(changes.length)) {
        view.orders.delete(order.status);
      } else {
        await order.apply(db, changes);
      }
    }
    this.#onChange(
      view.websiteId,
      changes.map((change) => change.id),
    );
  }

  async #page(db: Snapshot, view: CurrentView, version: number, query: ListQuery) {
    const { slice, total } = await this.#slice(db, view, version, query);
    // A copy: the order keeps changing in place.
    const rowNos = slice.slice();
    return { rows: await this.#rows(db, view, version, rowNos), rowNos, total };
  }

  async #rows(db: Snapshot, view: CurrentView, version: number, rowNos: Uint32Array): Promise<Buffer[]> {
    // Rows of another version, or outside the current view, are not invalidated: do not cache them.
    const isCurrent = () => view.isAt(version) && this.#views.isInUse(view);
    const found = new Map<number, Buffer>();
    const missing: number[] = [];
    for (const rowNo of rowNos) {
      const row = isCurrent() ? this.#listForms.get(rowNo) : undefined;
      if (row === undefined) missing.push(rowNo);
      else found.set(rowNo, row);
    }
    if (missing.length > 0) {
      for (const { row_no, list_form } of await listForms(db, missing)) {
        const row = Buffer.from(list_form);
        if (isCurrent()) this.#listForms.set(row_no, row);
        found.set(row_no, row);
      }
    }
    return Array.from(rowNos, (rowNo) => {
      const row = found.get(rowNo);
      if (row === undefined) throw new Error(`row ${rowNo} is in an order but not in the store`);
      return row;
    });
  }

  /** To be read or copied at once: an order changes in place. */
  async #slice(
    db: Snapshot,
    view: CurrentView,
    version: number,
    query: ListQuery,
  ): Promise<{ slice: Uint32Array; total: number }> {
    if (!view.isAt(version)) throw new StaleSnapshotError();
    return this.#cachedSlice(view, query) ?? (await this.#loadOrder(db, view, version, query));
  }

  #cachedSlice(view: CurrentView, query: ListQuery): { slice: Uint32Array; total: number } | undefined {
    const key = filterKey(query);
    if (key === null) {
      const order = view.orders.get(query.status);
      return order && { slice: order.slice(query.offset, query.limit), total: order.total };
    }
    const filtered = this.#filtered.get(`${view.websiteId} ${view.epoch} ${key}`, view.contentVersion);
    return filtered && { slice: filtered.subarray(query.offset, query.offset + query.limit), total: filtered.length };
  }

  async #loadOrder(
    db: Snapshot,
    view: CurrentView,
    version: number,
    query: ListQuery,
  ): Promise<{ slice: Uint32Array; total: number }> {
    const key = filterKey(query);
    const isOwnLanguage = query.filter.language !== undefined && query.filter.language === view.language;
    if (key === null) {
      const order = await this.#orders.load(db, view, version, query.status);
      return { slice: order.slice(query.offset, query.limit), total: order.total };
    }
    const rows = await this.#filtered.getOrLoad(`${view.websiteId} ${view.epoch} ${key}`, version, async () => {
      const split = await splitLabels(db, view.websiteId, query);
      const filter = isOwnLanguage ? { ...split, isOwnLanguage } : split;
      return isDefaultSort(query) && usesOnlyLabelsAndWords(filter)
        ? this.#loadMatching(db, view, version, { ...query, filter })
        : matchingRows(db, view.websiteId, query.status, query.sort, filter);
    });
    return { slice: rows.subarray(query.offset, query.offset + query.limit), total: rows.length };
  }

  /** The rows in default order that have all labels and words: 2 ms for a million, half a second in SQL. */
  async #loadMatching(
    db: Snapshot,
    view: CurrentView,
    version: number,
    { status, filter }: ListQuery,
  ): Promise<Uint32Array> {
    const { total } = view.orders.get(status) ?? (await this.#orders.load(db, view, version, status));
    const { included, excluded } = await findMatching(db, view.websiteId, filter, total);
    if (!view.isAt(version)) throw new StaleSnapshotError();
    const order = view.orders.get(status) ?? (await this.#orders.load(db, view, version, status));
    const all = order.slice(0, order.total);
    const rows = included === undefined ? all : intersectRows(all, included);
    return subtractRows(rows, excluded).slice();
  }

  /** Ends what is being loaded. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#orders[Symbol.asyncDispose]();
  }
}
