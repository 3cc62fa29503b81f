import { DAY_MS, EARLIEST, type Millis, parseIsoTime } from "../domain/system/time.ts";
import type { ArticleStatus } from "../domain/articles/article.ts";

const LAST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const MONTHS = /\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b/i;
const ZONE = /(?:\b(?:UT|UTC|GMT|[ECMP][SD]T|Z)|[+-]\d{2}:?\d{2})$/i;
/** `Wed Sep 01 2021 10:00:00 GMT+0200 (Central European Summer Time)` has about 60 characters. */
const MAX_LENGTH = 200;

/**
 * Parses a time as people and generators write it: ISO 8601, `2021-9-1`, `2021/09/01 10:00 +0200`, `1 Sep 2021`,
 * `Wed, 01 Sep 2021 10:00:00 +0000`, or a number of seconds or milliseconds since 1970. A time without a zone is in
 * `timeZone`, so that an import gives the same result on every machine; a day without a time is one in UTC.
 * `null`: not readable, or ambiguous (`09/01/2021`).
 */
export function parseTime(value: unknown, timeZone = "UTC"): Millis | null {
  if (typeof value === "number") return inRange(value < 1e11 ? value * 1000 : value, value >= 1e8);
  if (typeof value !== "string") return null;
  if (value.length > MAX_LENGTH) return null;
  const text = value.trim();
  const at = parseIsoTime(text) ?? readLoose(text) ?? readCompact(text) ?? readWords(text);
  return at === null || timeZone === "UTC" || !isLocalTime(text) ? at : toZone(at, timeZone);
}

/** `17/01/2020`, and `17.1.2020`, `17-01-2020`, where only one order of day and month is possible, as an ISO date. */
export function clearDate(value: unknown): string | null {
  const [, first = "", separator, second = "", year = ""] =
    typeof value === "string" ? (/^\s*(\d{1,2})([/.-])(\d{1,2})\2(\d{4})\s*$/.exec(value) ?? []) : [];
  const isDayFirst = separator === "." || Number(first) > 12 || first === second;
  if (year === "" || (!isDayFirst && Number(second) <= 12)) return null;
  const [day, month] = isDayFirst ? [first, second] : [second, first];
  const date = `${year}-${twoDigits(month)}-${twoDigits(day)}`;
  return parseIsoTime(date) === null ? null : date;
}

/** A time of day without a zone. What is in brackets behind it is the zone's name. */
function isLocalTime(text: string): boolean {
  const start = text.search(/\d{1,2}:\d\d|T\d/);
  if (start === -1) return false;
  const [time = ""] = text.slice(start).split(/[[(]/, 1);
  return !/(?:\b(?:UTC?|GMT|[ECMP][SD]T)|\dZ|[+-]\d{1,2}(?::?\d{2})?)$/i.test(time.trim());
}

/** `local`: a wall clock's time as if it were in UTC. */
function toZone(local: Millis, timeZone: string): Millis {
  const near = local - offsetOf(local, timeZone);
  return local - offsetOf(near, timeZone);
}

/** The wall clock in a text's own zone; null if it names none, or only its letters. */
export function writtenParts(value: unknown, at: Millis): ZonedParts | null {
  const [, sign, hours = "0", minutes = "0"] =
    typeof value === "string" ? (/:\d\d(?:\.\d+)?\s?([+-])(\d{2}):?(\d{2})?$/.exec(value.trim()) ?? []) : [];
  if (sign === undefined) return null;
  const offset = (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  return zonedParts(at + offset, "UTC");
}

export interface ZonedParts {
  year: string;
  month: string;
  day: string;
  hour: string;
  minute: string;
  second: string;
  /** `001` to `366`. */
  yearDay: string;
}

/** The wall clock of a zone at that time, with leading zeros. */
export function zonedParts(at: Millis, timeZone: string): ZonedParts {
  const local = new Date(at + offsetOf(at, timeZone));
  const [year = "", month = "", day = "", hour = "", minute = "", second = ""] = local.toISOString().split(/[-T:.]/);
  const days = Math.floor((local.getTime() - Date.UTC(local.getUTCFullYear(), 0)) / DAY_MS) + 1;
  return { year, month, day, hour, minute, second, yearDay: String(days).padStart(3, "0") };
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** How far the zone's clock is ahead of UTC at that time. */
function offsetOf(at: Millis, timeZone: string): Millis {
  if (timeZone === "UTC") return 0;
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" });
  formats.set(timeZone, format);
  const name = format.formatToParts(at).find(({ type }) => type === "timeZoneName")?.value ?? "";
  const [, sign = "+", hours = "0", minutes = "0", seconds = "0"] =
    /GMT([+-])(\d{2}):(\d{2})(?::(\d{2}))?/.exec(name) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000;
}

/** Formats `published_at` and similar fields of the JSON article. */
export function isoTimeIfKnown(at: Millis | null | undefined): string | undefined {
  return at == null ? undefined : new Date(at).toISOString();
}

function readLoose(text: string): Millis | null {
  const parts =
    /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?:[T\s]+(\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?)\s*(Z|UTC|GMT|[+-]\d{1,2}(?::?\d{2})?)?(?:\s*\[[^\]]*\])?)?$/i.exec(
      text,
    );
  if (parts === null) return null;
  const date = `${parts[1]}-${twoDigits(parts[3])}-${twoDigits(parts[4])}`;
  if (parts[5] === undefined) return parseIsoTime(date);
  const zone = (parts[6] ?? "Z").replace(/UTC|GMT/i, "Z").replace(/^([+-])(\d)(?!\d)/, "$10$2");
  return parseIsoTime(`${date}T${parts[5].padStart(5, "0").replace(/^(\d):/, "0$1:")}${zone}`);
}

/** `20260131T093000Z`, and with colons, as XML-RPC writes it. */
function readCompact(text: string): Millis | null {
  const parts = /^(\d{4})(\d{2})(\d{2})T(\d{2}):?(\d{2}):?(\d{2})(Z|[+-]\d{2}:?\d{2})?$/.exec(text);
  if (parts === null) return null;
  const [, year, month, day, hour, minute, second, zone = "Z"] = parts;
  return parseIsoTime(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`);
}

function readWords(text: string): Millis | null {
  if (!MONTHS.test(text) || !/\d{4}/.test(text)) return null;
  const plain = text.replace(/(\d)(?:st|nd|rd|th)\b/gi, "$1");
  // Text in brackets at the end is the zone's name.
  const dated = plain.endsWith(")") ? plain.slice(0, plain.lastIndexOf("(")).trimEnd() : plain;
  return inRange(Date.parse(ZONE.test(dated) ? plain : `${plain} UTC`), true);
}

function inRange(at: number, isMeant: boolean): Millis | null {
  return isMeant && at >= EARLIEST && at <= LAST ? Math.trunc(at) : null;
}

function twoDigits(digits: string | undefined): string {
  return (digits ?? "").padStart(2, "0");
}

export interface LifecycleSource {
  /** Null: the source gives none. */
  state: "draft" | "scheduled" | "published" | null;
  /** Why the site does not show the article to everybody: then it is pending, whatever its state. */
  hidden?: string | null;
  /** Past or planned publication date. */
  date: Millis | null;
  created?: Millis | null;
  updated?: Millis | null;
}

export interface Lifecycle {
  status: ArticleStatus;
  created_at: string | undefined;
  updated_at: string | undefined;
  published_at: string | undefined;
  publish_at: string | undefined;
}

/** Without a state in the source the date decides: past is published, future approved and scheduled, none pending. */
export function lifecycle(source: LifecycleSource, now: Millis): Lifecycle {
  const { date } = source;
  const state = source.hidden == null ? (source.state ?? (date === null ? "draft" : "published")) : "draft";
  const isScheduled = state === "scheduled" || (state === "published" && date !== null && date > now);
  const isPublished = state === "published" && !isScheduled;
  // A missed schedule is not made up for: a person decides about such an article.
  const isAhead = isScheduled && date !== null && date > now;
  // A time to come is none at which it was changed.
  const changed = [source.updated, date, source.created].find((at) => at != null && at <= now);
  return {
    status: isPublished ? "published" : isScheduled ? "approved" : "pending",
    created_at: isoTimeIfKnown(source.created ?? (isAhead ? null : date)),
    // Without a time here it would be that of the import, and sitemaps would say that everything has just changed.
    updated_at: isoTimeIfKnown(changed),
    published_at: isPublished ? isoTimeIfKnown(date) : undefined,
    publish_at: isAhead ? isoTimeIfKnown(date) : undefined,
  };
}
