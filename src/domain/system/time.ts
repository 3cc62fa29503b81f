/** `YYYY-MM-DDTHH:mm:ss.sssZ`, the only time format on the wire. */
export function isoTime(at: Millis): string {
  return new Date(at).toISOString();
}

export function isoTimeOrNull(at: Millis | null): string | null {
  return at === null ? null : isoTime(at);
}

/** For sentences that people read: “23 November 2026 at 18:26 UTC”. */
export function describeTime(at: Millis): string {
  const date = new Date(at);
  const day = date.toLocaleDateString("en-GB", { dateStyle: "long", timeZone: "UTC" });
  return `${day} at ${date.toLocaleTimeString("en-GB", { timeStyle: "short", timeZone: "UTC" })} UTC`;
}

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** If a process's clock differs from the database's by more than this, it logs a warning. */
export const MAX_CLOCK_SKEW_MS = 5_000;

/** A phrase for use in a sentence, e.g. `300 s ahead of`. */
export function describeSkew(skewMs: number): string {
  return `${Math.round(Math.abs(skewMs) / 1_000)} s ${skewMs < 0 ? "behind" : "ahead of"}`;
}

export function startOfHour(at: Millis): Millis {
  return at - (at % HOUR_MS);
}

export function startOfDay(at: Millis): Millis {
  return at - (at % DAY_MS);
}

/** Programs write years before it, 0000 and 0001, where they have no time. */
export const EARLIEST = Date.UTC(1000, 0, 1);

/** An ISO 8601 date, perhaps with a time, from the year 1000 to 9999; without a zone it is UTC. Null for anything else. */
export function parseIsoTime(given: string): Millis | null {
  const parts =
    /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?: ?([Zz]|[+-]\d{2}(?::?\d{2})?))?)?$/.exec(
      given.trim(),
    );
  if (parts === null) return null;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map((part) => Number(part ?? 0));
  const fraction = Math.trunc(Number(`0.${parts[7] ?? "0"}`) * 1000);
  const local = Date.UTC(year ?? 0, (month ?? 0) - 1, day, hour, minute, second, fraction);
  const date = new Date(local);
  // `Date.UTC` takes the year 1 for 1901.
  const exists = date.getUTCFullYear() === year && date.getUTCMonth() + 1 === month && date.getUTCDate() === day;
  if (!exists || (hour ?? 0) > 23 || (minute ?? 0) > 59 || (second ?? 0) > 59) return null;
  const at = local - parseOffset(parts[8]);
  return at >= EARLIEST && at <= Date.UTC(9999, 11, 31, 23, 59, 59, 999) ? at : null;
}

function parseOffset(zone: string | undefined): Millis {
  const parts = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone ?? "");
  if (parts === null) return 0;
  const minutes = Number(parts[2]) * 60 + Number(parts[3] ?? 0);
  return (parts[1] === "-" ? -1 : 1) * minutes * 60_000;
}

/** A moment in milliseconds since the Unix epoch, UTC. */
export type Millis = number;
