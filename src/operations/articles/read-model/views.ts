/** The views of the websites in use, each updated in place by one read at a time, and current by its change token. */
import { LRUCache } from "lru-cache";
import type { ArticleStatus } from "../../../domain/articles/article.ts";
import type { websiteState } from "../../../store/articles/article-queries.ts";
import type { Order } from "./sorted-index.ts";

const MAX_VIEWS = 1_000;
const NEVER = -1;
/** No website has this version: the view is unusable. */
const NO_VERSION = -1;

export type WebsiteState = NonNullable<Awaited<ReturnType<typeof websiteState>>>;

export function getPublishedVersion(state: WebsiteState): number {
  return state.content_version - state.unpublished_changes;
}

export interface View {
  /** Unique per view: what was cached from an earlier view is not valid for this one. */
  readonly generation: number;
  readonly websiteId: string;
  readonly epoch: string;
  readonly contentVersion: number;
  /** Version of the published articles; unaffected by other changes. */
  readonly publishedVersion: number;
  readonly eventSequence: number;
  /** The website's own language (BCP 47); null: unknown. */
  readonly language: string | null;
  /** The store's change token when this was last brought up to date. */
  readonly seenAt: number;
}

export class CurrentView implements View {
  readonly generation: number;
  readonly websiteId: string;
  readonly epoch: string;
  contentVersion: number;
  publishedVersion: number;
  eventSequence: number;
  language: string | null;
  seenAt = NEVER;
  /** Settles when the update ends; undefined if there is none. */
  advancing: Promise<void> | undefined;
  /** When it was last updated, as counted by the read model. */
  advancedAt: number;
  readonly orders = new Map<ArticleStatus, Order>();
  readonly loading = new Map<string, Promise<Order>>();

  constructor(generation: number, websiteId: string, state: WebsiteState, advancedAt: number) {
    this.generation = generation;
    this.websiteId = websiteId;
    this.epoch = state.epoch;
    this.contentVersion = state.content_version;
    this.publishedVersion = getPublishedVersion(state);
    this.eventSequence = state.event_sequence;
    this.language = state.language;
    this.advancedAt = advancedAt;
  }

  isAt(version: number): boolean {
    return this.contentVersion === version && this.advancing === undefined;
  }

  expire(): void {
    this.seenAt = NEVER;
  }

  /** From now on it is at no version: reads that hold it take another one. */
  invalidate(): void {
    this.contentVersion = NO_VERSION;
  }
}

export class CurrentViews {
  readonly #views: LRUCache<string, CurrentView>;

  /** `onRemove`: called when a view is replaced, removed or evicted. */
  constructor(onRemove: () => void) {
    this.#views = new LRUCache({
      max: MAX_VIEWS,
      dispose: (view) => {
        view.expire();
        onRemove();
      },
    });
  }

  get(websiteId: string): CurrentView | undefined {
    return this.#views.get(websiteId);
  }

  add(view: CurrentView): CurrentView {
    this.#views.set(view.websiteId, view);
    return view;
  }

  remove(websiteId: string): void {
    this.#views.delete(websiteId);
  }

  /** Whether changes to the view's website are applied to this view. */
  isInUse(view: CurrentView): boolean {
    return this.#views.peek(view.websiteId) === view;
  }

  /** A copy: reading a view makes it the newest, so iterating over the cache itself would never end. */
  websiteIds(): string[] {
    return Array.from(this.#views.keys());
  }
}
