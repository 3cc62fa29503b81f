import type { Millis } from "../../domain/system/time.ts";
import type { WaitingEndpoint } from "../../store/webhooks/claims.ts";

/**
 * A delivery becomes ready at the current time, but its transaction may take a while and the clocks of several processes differ
 * by some milliseconds.
 */
const MARGIN_MS = 2_000;
/** Maximum delay to find a delivery whose ready time lies further back than the margin. */
const FORGET_EVERY_MS = 1_000;
/** Enough for the few busy endpoints that benefit. */
const MOST = 256;

/**
 * Earliest time at which each endpoint may have queued deliveries. A hint that spares queries from skipping index entries of
 * rows already removed but not yet vacuumed (store/webhooks/claims.ts, `QueueCursor`).
 */
export class QueueCursors {
  readonly #starts = new Map<string, Millis>();
  /** `performance.now()`. */
  #forgottenAt = Number.NEGATIVE_INFINITY;

  /** The cursors for a query at `at` (`performance.now()`); periodically empty. */
  known(at: number): ReadonlyMap<string, Millis> {
    if (at - this.#forgottenAt >= FORGET_EVERY_MS || this.#starts.size > MOST) this.forget(at);
    return this.#starts;
  }

  /** Updates the cursors from the result of a query at `now`. */
  found(waiting: readonly WaitingEndpoint[], now: Millis): void {
    for (const { id, head, isRetry } of waiting) {
      // Earlier deliveries may be waiting in front of a retry that has its turn, or behind a delivery that is not due yet.
      if (!isRetry && head.readyAt <= now) this.#starts.set(id, head.readyAt - MARGIN_MS);
      else this.#starts.delete(id);
    }
  }

  /** Forgets the endpoint's cursor after a release. */
  onLeasesReclaimed(endpointId: string): void {
    this.#starts.delete(endpointId);
  }

  forget(at: number): void {
    this.#starts.clear();
    this.#forgottenAt = at;
  }
}
