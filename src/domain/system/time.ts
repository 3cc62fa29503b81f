import type { Millis } from "../articles/article.ts";

/** `YYYY-MM-DDTHH:mm:ss.sssZ`, the only time format on the wire. */
export function isoTime(at: Millis): string {
  return new Date(at).toISOString();
}

export function isoTimeOrNull(at: Millis | null): string | null {
  return at === null ? null : isoTime(at);
}

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** If a process's clock differs from the database's by more than this, it logs a warning. */
export const MAX_CLOCK_SKEW_MS = 5_000;

/** A phrase for use in a sentence, e.g. `300 s ahead of`. */
export function describeSkew(skewMs: number): string {
  return `${Math.round(Math.abs(skewMs) / 1_000)} s ${skewMs < 0 ? "behind" : "ahead of"}`;
}

/** The start of the UTC hour that contains the moment. */
export function startOfHour(at: Millis): Millis {
  return at - (at % HOUR_MS);
}

/** The start of the UTC day that contains the moment. */
export function startOfDay(at: Millis): Millis {
  return at - (at % DAY_MS);
}
