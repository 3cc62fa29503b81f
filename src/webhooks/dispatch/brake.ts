/**
 * How many deliveries are given up. When one after another cannot be sent or recorded, and none is in between, the fault is
 * likely to be this program's own, and not theirs: a few are given up, and then one a minute, so that a later version finds
 * the others waiting, and one that is to blame does not stay in front of them for ever.
 */
import type { Millis } from "../../domain/articles/article.ts";

const AT_ONCE = 20;
const ONE_EVERY_MS = 60_000;

export class Brake {
  #left = AT_ONCE;
  #nextAt: Millis = 0;

  /** Something was sent, or recorded. */
  release(): void {
    this.#left = AT_ONCE;
  }

  /** Whether one more may be given up. To be asked once for each. */
  allows(now: Millis): boolean {
    if (this.#left === 0 && now < this.#nextAt) return false;
    this.#left = Math.max(0, this.#left - 1);
    this.#nextAt = now + ONE_EVERY_MS;
    return true;
  }
}
