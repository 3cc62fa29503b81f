/** Shows times: recent ones as relative times, with the exact time on hover and focus. */
import { Tooltip } from "@mantine/core";
import { useTimeZone } from "./session.tsx";
import { describeTime, isLocal, nameZone } from "./zones.ts";
import { createContext, type ReactNode, useContext, useEffect, useState } from "react";

interface TimeProps {
  /** ISO 8601; null shows `none`. */
  at: string | null;
  none?: string | undefined;
  /** Shows the exact time instead of the relative one; `minute`: without seconds. */
  exact?: boolean | "minute" | undefined;
  /** For long lists, and inside focusable elements: not a tab stop, the exact time only on hover. */
  bare?: boolean | undefined;
  /** Whether the time is planned: the next seconds are then “in a moment”, not “just now”. */
  isPlanned?: boolean | undefined;
}

export function Time({ at, none = "never", exact = false, bare = false, isPlanned = false }: TimeProps): ReactNode {
  const now = useNow();
  const zone = useTimeZone();
  if (at === null) return none;
  const date = new Date(at);
  if (exact === "minute") return <time dateTime={at}>{minuteFormat.format(date)}</time>;
  const exactly = withZone(date, zone);
  if (exact) return <time dateTime={at}>{exactly}</time>;
  if (bare) {
    return (
      <time dateTime={at} title={exactly}>
        {relativeTime(date, now, isPlanned)}
      </time>
    );
  }
  return (
    <Tooltip label={exactly} events={{ hover: true, focus: true, touch: true }}>
      {/* Focusable, because the exact time appears nowhere else. */}
      <time dateTime={at} tabIndex={0}>
        {relativeTime(date, now, isPlanned)}
      </time>
    </Tooltip>
  );
}

const MINUTE = 60_000;
const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["day", 24 * 60 * MINUTE],
  ["hour", 60 * MINUTE],
  ["minute", MINUTE],
];
const OLDEST_DISTANCE = 7 * 24 * 60 * MINUTE;

/** “3 hours ago”, “in 5 minutes”; the date from a week on. */
export function relativeTime(date: Date, now: number, isPlanned = false): string {
  const distance = date.getTime() - now;
  if (Math.abs(distance) >= OLDEST_DISTANCE) return day(date, now);
  for (const [unit, size] of UNITS) {
    if (Math.abs(distance) >= size) return relative.format(Math.trunc(distance / size), unit);
  }
  // The page's clock lags up to half a minute, so a new event can appear to be in the future.
  return isPlanned || distance > MINUTE / 2 ? "in a moment" : "just now";
}

/** A time less than this ahead is shown as now. */
const SOON_MS = 20_000;

export function isAhead(at: string | null): boolean {
  return at !== null && Date.parse(at) > Date.now() + SOON_MS;
}

/** “21 November 2026, 14:05:09 GMT+1”. */
export function exactTime(date: Date): string {
  return exactFormat.format(date);
}

/** The exact time, with that on the clocks of the website's zone if they show another. */
function withZone(date: Date, zone: string | null): string {
  const isOther = zone !== null && !isLocal(zone, date);
  return isOther ? `${exactTime(date)} (${describeTime(date, zone)}, ${nameZone(zone)})` : exactTime(date);
}

function day(date: Date, now: number): string {
  return date.getFullYear() === new Date(now).getFullYear() ? dayFormat.format(date) : dayAndYearFormat.format(date);
}

// The interface is English; date order and hours follow the user's locale.
const LOCALE = navigator.language.startsWith("en") ? navigator.language : "en-GB";
const relative = new Intl.RelativeTimeFormat(LOCALE, { numeric: "auto" });
const dayFormat = new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short" });
const dayAndYearFormat = new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short", year: "numeric" });
const TO_THE_MINUTE = {
  day: "numeric",
  month: "long",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZoneName: "short",
} as const;
const minuteFormat = new Intl.DateTimeFormat(LOCALE, TO_THE_MINUTE);
const exactFormat = new Intl.DateTimeFormat(LOCALE, { ...TO_THE_MINUTE, second: "2-digit" });

/** One clock for all times on the page, so that they update together, every half minute. */
export function ClockProvider({ children }: { children: ReactNode }): ReactNode {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), MINUTE / 2);
    return () => clearInterval(timer);
  }, []);
  return <ClockContext value={now}>{children}</ClockContext>;
}

const ClockContext = createContext<number | null>(null);

/** Milliseconds; without a `ClockProvider` the time of the first rendering. */
function useNow(): number {
  const [first] = useState(() => Date.now());
  return useContext(ClockContext) ?? first;
}
