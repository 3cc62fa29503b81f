/**
 * Limits how many deliveries are given up. When several in a row cannot be sent or recorded, with no success in between, the
 * cause is probably a bug in this program. A few are given up, then one a minute: the others stay queued for a fixed version,
 * and a faulty delivery does not block them forever.
 */
import type { Millis } from "../../domain/system/time.ts";

const AT_ONCE = 20;
const ONE_EVERY_MS = 60_000;

export class Brake {
  #left = AT_ONCE;
  #nextAt: Millis = 0;

  /** Resets the limit: something was sent or recorded. */
  release(): void {
    this.#left = AT_ONCE;
  }

  /** Whether one more may be given up. Call it once for each delivery. */
  allows(now: Millis): boolean {
    if (this.#left === 0 && now < this.#nextAt) return false;
    this.#left = Math.max(0, this.#left - 1);
    this.#nextAt = now + ONE_EVERY_MS;
    return true;
  }
}
