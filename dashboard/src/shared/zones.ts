/** Times on the clocks of a time zone (IANA name). */

interface Clock {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
}

/** “Europe/Berlin”. */
export function localZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Whether the zone's clocks show the same as the user's at this time. */
export function isLocal(zone: string, at: Date): boolean {
  return toField(at, zone) === toField(at, localZone());
}

/** “2026-11-21 09:00”. */
export function toField(at: Date, zone: string): string {
  return fieldOf(clockAt(at, zone));
}

const FIELD = /^\s*(\d{4})-(\d{1,2})-(\d{1,2})(?:[T,\s]+)(\d{1,2})[:.](\d{2})(?::00)?\s*$/;

export interface FieldTime {
  at: Date;
  /** `skipped`: the clocks are put forward over it, and `at` is as much later; `twice`: put back, and `at` is the first. */
  change: "skipped" | "twice" | null;
}

/** The time that a field names on the zone's clocks; null unless it is a date and a time. */
export function fromField(text: string, zone: string): FieldTime | null {
  const [, year, month, day, hour, minute] = (FIELD.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined || hour === undefined || minute === undefined) {
    return null;
  }
  const wanted = { year, month, day, hour, minute };
  const utc = new Date(Date.UTC(year, month - 1, day, hour, minute));
  if (fieldOf(clockAt(utc, "UTC")) !== fieldOf(wanted)) return null;
  // By the clocks' settings a day before and a day after.
  const [before, after] = [-DAY_MS, DAY_MS].map((by) => {
    const near = new Date(utc.getTime() + by);
    return new Date(utc.getTime() - offsetAt(near, zone));
  });
  if (before === undefined || after === undefined) return null;
  const fits = (at: Date) => toField(at, zone) === fieldOf(wanted);
  if (before.getTime() === after.getTime()) return { at: before, change: null };
  if (fits(before)) return { at: before, change: fits(after) ? "twice" : null };
  if (fits(after)) return { at: after, change: null };
  return { at: before, change: "skipped" };
}

/** 9:00 in the zone, `days` from now. */
export function morning(now: Date, days: number, zone: string): Date {
  const { year, month, day } = clockAt(now, zone);
  const then = new Date(Date.UTC(year, month - 1, day + days, 9));
  return fromField(toField(then, "UTC"), zone)?.at ?? then;
}

/** Days until the next Monday in the zone, 1 to 7. */
export function daysToMonday(now: Date, zone: string): number {
  const { year, month, day } = clockAt(now, zone);
  return (8 - new Date(Date.UTC(year, month - 1, day)).getUTCDay()) % 7 || 7;
}

/** “Tue, 1 Dec 2026, 09:00”. */
export function describeTime(at: Date, zone: string): string {
  return new Intl.DateTimeFormat("en-GB", {
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZone: zone,
  }).format(at);
}

/** The same with the zone, and for whoever has other clocks with theirs: “…, 09:00, Berlin time; for you …, UTC”. */
export function describeInZone(at: Date, zone: string): string {
  const own = localZone();
  const there = `${describeTime(at, zone)}, ${nameZone(zone)}`;
  return isLocal(zone, at) ? there : `${there}; for you ${describeTime(at, own)}, ${nameZone(own)}`;
}

const CHANGES = {
  skipped: " This time is skipped when the clocks go forward.",
  twice: " This time occurs twice, because the clocks go back. The first one is used.",
};

/** The time that is read from a field, as a sentence below it. */
export function describeFieldTime({ at, change }: FieldTime, zone: string): string {
  return `That is ${describeInZone(at, zone)}.${change === null ? "" : CHANGES[change]}`;
}

/** “Berlin time”, “UTC”. */
export function nameZone(zone: string): string {
  const city = zone.split("/").at(-1)?.replaceAll("_", " ") ?? zone;
  return zone.includes("/") && !zone.startsWith("Etc/") ? `${city} time` : city;
}

/** All that this browser knows; `current` is always among them. */
export function listZones(current: string): string[] {
  return [...new Set([current, "UTC", ...Intl.supportedValuesOf("timeZone")])].toSorted();
}

const DAY_MS = 86_400_000;

function offsetAt(at: Date, zone: string): number {
  const { year, month, day, hour, minute } = clockAt(at, zone);
  return Date.UTC(year, month - 1, day, hour, minute) - Math.floor(at.getTime() / 60_000) * 60_000;
}

function clockAt(at: Date, timeZone: string): Clock {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  }).formatToParts(at);
  const get = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value);
  return { year: get("year"), month: get("month"), day: get("day"), hour: get("hour"), minute: get("minute") };
}

function fieldOf({ year, month, day, hour, minute }: Clock): string {
  return `${year}-${twoDigits(month)}-${twoDigits(day)} ${twoDigits(hour)}:${twoDigits(minute)}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, "0");
}
