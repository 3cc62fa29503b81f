/**
 * The server's clock, as this process knows it from the times that the server has told: what several processes write and judge must
 * not depend on the clock of any of their machines.
 */
import type { Millis } from "../../../domain/articles/article.ts";

/** A column that `measured` takes. */
export const SERVER_TIME = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS FLOAT8)";

/** Whoever begins a transaction asks for the server's time if the last one is older. */
const MEASURE_INTERVAL_MS = 1_000;
/** How fast the clocks of two machines may drift apart, both adjusted by NTP: 500 ppm each. */
const MAX_DRIFT = 0.001;
/** `Date.now()` has no smaller unit. */
const RESOLUTION_MS = 1;

export class ServerClock {
  /** What to add to `performance.now()` for the server's time: at least, and at most. */
  #least = Number.NEGATIVE_INFINITY;
  #most = Number.POSITIVE_INFINITY;
  #measuredAt = Number.NEGATIVE_INFINITY;

  /** The server was asked at `askedAt`, answered `serverMs`, and the answer came at `answeredAt` (`performance.now()`). */
  measured(serverMs: number, askedAt: number, answeredAt: number): void {
    const least = serverMs - answeredAt;
    const most = serverMs - askedAt;
    const driftMs = MAX_DRIFT * Math.max(0, answeredAt - this.#measuredAt);
    const narrowedLeast = Math.max(least, this.#least - driftMs);
    const narrowedMost = Math.min(most, this.#most + driftMs);
    // It was set, or this is another server.
    const hasLeapt = narrowedLeast > narrowedMost;
    this.#least = hasLeapt ? least : narrowedLeast;
    this.#most = hasLeapt ? most : narrowedMost;
    this.#measuredAt = answeredAt;
  }

  /** Whether to measure again; both are `performance.now()`. */
  isOld(at: number): boolean {
    return at - this.#measuredAt > MEASURE_INTERVAL_MS;
  }

  /** This machine's own time as long as it may be the server's: then all processes of the machine have the same. */
  now(own: Millis, at: number): Millis {
    const most = Math.floor(at + this.#most) + RESOLUTION_MS;
    const least = Math.floor(at + this.#least) - RESOLUTION_MS;
    return Math.max(least, Math.min(most, own));
  }

  /** How far this machine's clock is ahead of the server's, milliseconds; null: the server was not asked yet. */
  skewMs(own: Millis, at: number): number | null {
    return this.#measuredAt === Number.NEGATIVE_INFINITY ? null : own - this.now(own, at);
  }
}
