import type { Millis } from "../articles/article.ts";

/** `YYYY-MM-DDTHH:mm:ss.sssZ`, the only form of a time on the wire. */
export function isoTime(at: Millis): string {
  return new Date(at).toISOString();
}

export function isoTimeOrNull(at: Millis | null): string | null {
  return at === null ? null : isoTime(at);
}

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** A process whose clock differs from the database's by more warns of that. */
export const MAX_CLOCK_SKEW_MS = 5_000;

/** `300 s ahead of`, as a part of a sentence. */
export function describeSkew(skewMs: number): string {
  return `${Math.round(Math.abs(skewMs) / 1_000)} s ${skewMs < 0 ? "behind" : "ahead of"}`;
}

/** The beginning of the UTC hour in which the moment lies. */
export function hourOf(at: Millis): Millis {
  return at - (at % HOUR_MS);
}

/** The beginning of the UTC day in which the moment lies. */
export function dayOf(at: Millis): Millis {
  return at - (at % DAY_MS);
}
