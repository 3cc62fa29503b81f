import type { Millis } from "../../domain/system/time.ts";
import type { UnsealedEndpoint } from "../../operations/webhooks/record-attempts.ts";
import type { Claim } from "../../store/webhooks/claims.ts";

/** Time that claims ahead of the window cover for a fast receiver. */
const AHEAD_MS = 60;
const MAX_AHEAD = 8;

/** The deliveries of one endpoint that this process has claimed: in flight, or waiting for the window. */
export class EndpointBuffer {
  /** Maximum attempts in flight. */
  window = 1;
  #underWay = 0;
  /** Moving average of an attempt's duration, milliseconds; NaN before the first. */
  #usualMs = Number.NaN;
  readonly #waiting: { claim: Claim; endpoint: UnsealedEndpoint; until: Millis }[] = [];

  get waiting(): number {
    return this.#waiting.length;
  }

  get isIdle(): boolean {
    return this.#underWay === 0 && this.#waiting.length === 0;
  }

  /** How many more may be claimed: the window of a slow receiver, or several windows of a fast one. */
  room(window: number): number {
    const ahead = window < 8 || Number.isNaN(this.#usualMs) ? 1 : Math.min(MAX_AHEAD, AHEAD_MS / this.#usualMs);
    return Math.floor(window * Math.max(1, ahead)) - this.#underWay - this.#waiting.length;
  }

  /** `until`: the end of the lease. */
  add(claim: Claim, endpoint: UnsealedEndpoint, until: Millis): void {
    this.#waiting.push({ claim, endpoint, until });
  }

  /** Removes the next delivery to send, if the window allows; it counts as in flight until `ended`. */
  next(): { claim: Claim; endpoint: UnsealedEndpoint } | undefined {
    if (this.#underWay >= this.window) return undefined;
    const next = this.#waiting.shift();
    if (next !== undefined) this.#underWay++;
    return next;
  }

  /** `ms`: the attempt's duration; null if nothing was sent. */
  ended(ms: number | null): void {
    this.#underWay--;
    if (ms === null) return;
    this.#usualMs = Number.isNaN(this.#usualMs) ? ms : this.#usualMs * 0.8 + ms * 0.2;
  }

  /** Removes and returns the claims that were not sent yet. */
  clear(): Claim[] {
    return this.#waiting.splice(0).map(({ claim }) => claim);
  }

  /** Removes and returns the unsent claims whose lease ends before `before`. */
  clearLapsing(before: Millis): Claim[] {
    const index = this.#waiting.findIndex(({ until }) => until >= before);
    if (index === 0) return [];
    return this.#waiting.splice(0, index === -1 ? this.#waiting.length : index).map(({ claim }) => claim);
  }
}
