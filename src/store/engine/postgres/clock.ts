/** The server's clock, estimated from its reports: what processes compare must not depend on their machines. */
import type { Millis } from "../../../domain/system/time.ts";

/** A column with the server's time, for `measured`. */
export const SERVER_TIME = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS FLOAT8)";

/** A transaction measures the server's time if the last measurement is older than this. */
const MEASURE_INTERVAL_MS = 1_000;
/** How fast the clocks of two machines may drift apart, both adjusted by NTP: 500 ppm each. */
const MAX_DRIFT = 0.001;
/** The resolution of `Date.now()`. */
const RESOLUTION_MS = 1;

export class ServerClock {
  /** Lower and upper bound of the difference between the server's time and `performance.now()`. */
  #least = Number.NEGATIVE_INFINITY;
  #most = Number.POSITIVE_INFINITY;
  #measuredAt = Number.NEGATIVE_INFINITY;

  /** Records a measurement, from `askedAt` to `answeredAt` (both `performance.now()`), of `serverMs`. */
  measured(serverMs: number, askedAt: number, answeredAt: number): void {
    const least = serverMs - answeredAt;
    const most = serverMs - askedAt;
    const driftMs = MAX_DRIFT * Math.max(0, answeredAt - this.#measuredAt);
    const narrowedLeast = Math.max(least, this.#least - driftMs);
    const narrowedMost = Math.min(most, this.#most + driftMs);
    // The server's clock was set, or this is another server.
    const hasLeapt = narrowedLeast > narrowedMost;
    this.#least = hasLeapt ? least : narrowedLeast;
    this.#most = hasLeapt ? most : narrowedMost;
    this.#measuredAt = answeredAt;
  }

  /** Whether to measure again. `at`: `performance.now()`. */
  isOld(at: number): boolean {
    return at - this.#measuredAt > MEASURE_INTERVAL_MS;
  }

  /** This machine's time while within the bounds, so that its processes agree; else the nearest bound. */
  now(own: Millis, at: number): Millis {
    const most = Math.floor(at + this.#most) + RESOLUTION_MS;
    const least = Math.floor(at + this.#least) - RESOLUTION_MS;
    return Math.max(least, Math.min(most, own));
  }

  /** How far this machine's clock is ahead of the server's, milliseconds; null before the first measurement. */
  skewMs(own: Millis, at: number): number | null {
    return this.#measuredAt === Number.NEGATIVE_INFINITY ? null : own - this.now(own, at);
  }
}
