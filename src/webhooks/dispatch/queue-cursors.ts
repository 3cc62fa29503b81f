import type { Millis } from "../../domain/articles/article.ts";
import type { WaitingEndpoint } from "../../store/webhooks/claims.ts";

/** What becomes ready does so now, but in transactions that take their time, and by a clock that several processes know to within some milliseconds. */
const MARGIN_MS = 2_000;
/** What all the same becomes ready for a time long past is found that late at the most. */
const FORGET_EVERY_MS = 1_000;
/** Those of a few busy endpoints are worth knowing. */
const MOST = 256;

/**
 * Since when there may be something waiting of an endpoint: a hint, so that not all has to be skipped again and again that has
 * left the line and is not yet cleared away (store/claims.ts, `Head`).
 */
export class QueueCursors {
  readonly #starts = new Map<string, Millis>();
  /** `performance.now()`. */
  #forgottenAt = Number.NEGATIVE_INFINITY;

  /** For the next look, at `at` (`performance.now()`); every so often there are none. */
  known(at: number): ReadonlyMap<string, Millis> {
    if (at - this.#forgottenAt >= FORGET_EVERY_MS || this.#starts.size > MOST) this.forget(at);
    return this.#starts;
  }

  /** A look has found these, at `now`. */
  found(waiting: readonly WaitingEndpoint[], now: Millis): void {
    for (const { id, head } of waiting) {
      // What is ready later only may be overtaken.
      if (head.readyAt <= now) this.#starts.set(id, head.readyAt - MARGIN_MS);
      else this.#starts.delete(id);
    }
  }

  /** Something of the endpoint was given back. */
  givenBack(endpointId: string): void {
    this.#starts.delete(endpointId);
  }

  forget(at: number): void {
    this.#starts.clear();
    this.#forgottenAt = at;
  }
}
