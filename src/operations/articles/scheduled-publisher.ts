/** Scheduled articles, published when their time has come. The store is asked when that may be, and when anybody has committed. */
import type { Millis } from "../../domain/articles/article.ts";
import { findNextDue } from "../../store/articles/articles.ts";
import { publishDueArticles } from "./articles.ts";
import type { OnError } from "../webhooks/dead-letters.ts";
import type { Deps } from "../system/deps.ts";

const AT_ONCE = 100;
/** Whether or not anything was heard of; and what is due and could not be published is looked at again. */
const ASK_EVERY_MS = 10_000;
const TRY_AGAIN_AFTER_MS = 1_000;

export class DueArticles {
  readonly #deps: Pick<Deps, "store" | "clock" | "newId" | "prepare">;
  readonly #onError: OnError | undefined;
  readonly #onPublished: ((lateMs: number) => void) | undefined;
  /** The store's activity when it was asked last; NaN: it must be asked. */
  #seen = Number.NaN;
  #nextAt: Millis = 0;

  /** `onPublished` is told how late each was, milliseconds. */
  constructor(
    deps: Pick<Deps, "store" | "clock" | "newId" | "prepare">,
    onError?: OnError,
    onPublished?: (lateMs: number) => void,
  ) {
    this.#deps = deps;
    this.#onError = onError;
    this.#onPublished = onPublished;
  }

  /** Publishes what is due, if that is for this process to do. To be called several times a second. @returns how many. */
  async publish(): Promise<number> {
    const { store, clock } = this.#deps;
    if (!store.isLeader()) {
      this.#seen = Number.NaN;
      return 0;
    }
    const activity = store.activity();
    if (activity === this.#seen && clock() < this.#nextAt) return 0;
    let nextAt = await store.read(findNextDue);
    const isDue = nextAt !== null && nextAt <= clock();
    const published = isDue ? await publishDueArticles(this.#deps, AT_ONCE, this.#onError, this.#onPublished) : 0;
    // There may be more than were published at once.
    if (published > 0) nextAt = clock();
    else if (isDue) nextAt = clock() + TRY_AGAIN_AFTER_MS;
    this.#nextAt = Math.min(nextAt ?? Number.POSITIVE_INFINITY, clock() + ASK_EVERY_MS);
    this.#seen = activity;
    return published;
  }
}
