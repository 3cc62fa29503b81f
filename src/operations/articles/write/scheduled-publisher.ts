/** Publishes scheduled articles when they are due. Queries the store when the next one may be due, and after commits. */
import type { Millis } from "../../../domain/system/time.ts";
import { findNextDue } from "../../../store/articles/articles.ts";
import type { OnError } from "../../system/set-aside.ts";
import type { Deps } from "../../system/deps.ts";

const AT_ONCE = 100;
/** Maximum interval between queries. Due articles that could not be published are checked again, too. */
const ASK_EVERY_MS = 10_000;
const TRY_AGAIN_AFTER_MS = 1_000;

export class DueArticles {
  readonly #deps: Pick<Deps, "store" | "clock" | "newId" | "deriveContent">;
  readonly #onError: OnError | undefined;
  readonly #onPublished: ((lateMs: number) => void) | undefined;
  /** The commit counter (`Store.activity`) at the last query; NaN forces one. */
  #seen = Number.NaN;
  #nextAt: Millis = 0;

  /** `onPublished` gets the delay of each article in milliseconds. */
  constructor(
    deps: Pick<Deps, "store" | "clock" | "newId" | "deriveContent">,
    onError?: OnError,
    onPublished?: (lateMs: number) => void,
  ) {
    this.#deps = deps;
    this.#onError = onError;
    this.#onPublished = onPublished;
  }

  /** Publishes due articles if this process is the leader. Call it several times a second. @returns how many. */
  async publish(): Promise<number> {
    const { store, clock } = this.#deps;
    if (!store.isLeader()) {
      this.#seen = Number.NaN;
      return 0;
    }
    const commitCounter = store.commitCounter();
    if (commitCounter === this.#seen && clock() < this.#nextAt) return 0;
    let nextAt = await store.read(findNextDue);
    const isDue = nextAt !== null && nextAt <= clock();
    const published = isDue ? await this.#publishDue() : 0;
    // More articles may be due than are published at once.
    if (published > 0) nextAt = clock();
    else if (isDue) nextAt = clock() + TRY_AGAIN_AFTER_MS;
    this.#nextAt = Math.min(nextAt ?? Number.POSITIVE_INFINITY, clock() + ASK_EVERY_MS);
    this.#seen = commitCounter;
    return published;
  }

  /** Loads what publishes with the first article that is due: a service that only serves reads saves it. */
  async #publishDue(): Promise<number> {
    const { publishDueArticles } = await import("./due-articles.ts");
    return publishDueArticles(this.#deps, AT_ONCE, this.#onError, this.#onPublished);
  }
}
