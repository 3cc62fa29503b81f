import type { Millis } from "../../domain/articles/article.ts";
import type { Target } from "../../operations/webhooks/record-attempts.ts";
import type { Claim } from "../../store/webhooks/claims.ts";

/** Claims ahead of the window cover so much time of a receiver that answers quickly. */
const AHEAD_MS = 60;
const MAX_AHEAD = 8;

/** What this process has claimed of one endpoint: under way, or waiting for its window. */
export class EndpointBuffer {
  /** Attempts that may be under way at once. */
  window = 1;
  #underWay = 0;
  /** Moving average of an attempt, milliseconds; NaN before the first. */
  #usualMs = Number.NaN;
  readonly #waiting: { claim: Claim; target: Target; until: Millis }[] = [];

  get waiting(): number {
    return this.#waiting.length;
  }

  get isIdle(): boolean {
    return this.#underWay === 0 && this.#waiting.length === 0;
  }

  /** How many more may be claimed: a slow receiver's window, or several of a quick one's. */
  room(window: number): number {
    const ahead = window < 8 || Number.isNaN(this.#usualMs) ? 1 : Math.min(MAX_AHEAD, AHEAD_MS / this.#usualMs);
    return Math.floor(window * Math.max(1, ahead)) - this.#underWay - this.#waiting.length;
  }

  /** `until`: the end of its lease. */
  add(claim: Claim, target: Target, until: Millis): void {
    this.#waiting.push({ claim, target, until });
  }

  /** The next to be sent, if the window allows one; it counts as under way until `ended`. */
  next(): { claim: Claim; target: Target } | undefined {
    if (this.#underWay >= this.window) return undefined;
    const next = this.#waiting.shift();
    if (next !== undefined) this.#underWay++;
    return next;
  }

  /** `ms`: null when nothing was sent. */
  ended(ms: number | null): void {
    this.#underWay--;
    if (ms === null) return;
    this.#usualMs = Number.isNaN(this.#usualMs) ? ms : this.#usualMs * 0.8 + ms * 0.2;
  }

  /** Takes out what was not sent yet. */
  clear(): Claim[] {
    return this.#waiting.splice(0).map(({ claim }) => claim);
  }

  /** Takes out what was not sent yet and whose lease ends before then. */
  clearLapsing(before: Millis): Claim[] {
    const index = this.#waiting.findIndex(({ until }) => until >= before);
    return this.#waiting.splice(0, index === -1 ? this.#waiting.length : index).map(({ claim }) => claim);
  }
}
