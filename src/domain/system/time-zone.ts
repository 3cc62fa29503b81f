/** Time zones by their IANA names. */
import { AppError } from "./errors.ts";
import type { Millis } from "./time.ts";

const MAX_NAME = 100;
const DAY_MS = 86_400_000;

/** @throws AppError `invalid` unless it is a zone that this service knows. @returns it in its usual spelling. */
export function parseTimeZone(text: string): string {
  const name = text.trim();
  try {
    // Offsets such as +01:00 would stay the same all year.
    if (/^[a-z]/i.test(name) && name.length <= MAX_NAME) {
      return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
    }
  } catch {
    // Reported below.
  }
  throw new AppError(
    "invalid",
    `"${name.slice(0, MAX_NAME)}" is not a time zone; write it like Europe/Berlin or UTC.`,
    {
      field: "time_zone",
    },
  );
}

/** When the day begins in the zone. @param day `2026-11-29`. @returns undefined unless it is a date. */
export function startOfDay(day: string, zone: string): Millis | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return undefined;
  const utc = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(utc) || new Date(utc).toISOString().slice(0, 10) !== day) return undefined;
  // Twice, since the offset may be another one at the first guess.
  const guess = utc - offsetAt(utc, zone);
  return utc - offsetAt(guess, zone);
}

/** When the day ends, exclusive. */
export function endOfDay(day: string, zone: string): Millis | undefined {
  const start = startOfDay(day, "UTC");
  return start === undefined ? undefined : startOfDay(new Date(start + DAY_MS).toISOString().slice(0, 10), zone);
}

/** What the zone's clocks are ahead of UTC. */
function offsetAt(at: Millis, zone: string): Millis {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(at);
  const get = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value);
  const local = Date.UTC(get("year"), get("month") - 1, get("day"), get("hour"), get("minute"), get("second"));
  return local - Math.floor(at / 1_000) * 1_000;
}
