/** HTTP dates. `Date.parse` is unsuitable: it reads asctime as local time, and accepts much that is not a date. */
import type { Millis } from "./time.ts";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** The three forms of RFC 9110 §5.6.7; the day of the week is not checked against the date. */
const FORMS = [
  // Sun, 06 Nov 1994 08:49:37 GMT
  /^[A-Z][a-z]{2}, (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  // Sunday, 06-Nov-94 08:49:37 GMT
  /^[A-Z][a-z]{5,8}, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  // Sun Nov  6 08:49:37 1994
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/,
];

/** @param now decides the century of a two-digit year. @returns null for anything that is not an HTTP date. */
export function parseHttpDate(text: string, now: Millis): Millis | null {
  const parts = FORMS.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  if (parts === undefined) return null;
  const { day = "", month = "", year = "", time = "" } = parts;
  const [hour = 0, minute = 0, second = 0] = time.split(":").map(Number);
  const fullYear = year.length === 2 ? inCentury(Number(year), now) : Number(year);
  const midnight = new Date(Date.UTC(fullYear, MONTHS.indexOf(month), Number(day)));
  // 31 Feb rolls over into March, and an unknown month is -1; 60 is a leap second.
  const isReal = MONTHS[midnight.getUTCMonth()] === month && midnight.getUTCDate() === Number(day);
  if (!isReal || hour > 23 || minute > 59 || second > 60) return null;
  return midnight.getTime() + ((hour * 60 + minute) * 60 + second) * 1_000;
}

/** A year more than fifty years ahead becomes the most recent one with these digits. */
function inCentury(year: number, now: Millis): number {
  const thisYear = new Date(now).getUTCFullYear();
  const candidate = thisYear - (thisYear % 100) + year;
  return candidate > thisYear + 50 ? candidate - 100 : candidate;
}
