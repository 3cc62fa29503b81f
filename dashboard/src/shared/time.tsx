/** Times: near ones by distance, with the exact time on hover and focus. */
import { Tooltip } from "@mantine/core";
import { createContext, type ReactNode, useContext, useEffect, useState } from "react";

interface TimeProps {
  /** ISO 8601; null: `none` is shown. */
  at: string | null;
  none?: string | undefined;
  /** The exact time at once, instead of the distance. */
  exact?: boolean | undefined;
  /** In long lists, and inside of what takes the focus itself: no stop of the Tab key, the exact time only on hover. */
  bare?: boolean | undefined;
}

export function Time({ at, none = "never", exact = false, bare = false }: TimeProps): ReactNode {
  const now = useNow();
  if (at === null) return none;
  const date = new Date(at);
  if (exact) return <time dateTime={at}>{exactTime(date)}</time>;
  if (bare) {
    return (
      <time dateTime={at} title={exactTime(date)}>
        {relativeTime(date, now)}
      </time>
    );
  }
  return (
    <Tooltip label={exactTime(date)} events={{ hover: true, focus: true, touch: true }}>
      {/* Reached by the keyboard, as the exact time is nowhere else. */}
      <time dateTime={at} tabIndex={0}>
        {relativeTime(date, now)}
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

/** “3 hours ago”, “in 5 minutes”; beyond a week the date. */
export function relativeTime(date: Date, now: number): string {
  const distance = date.getTime() - now;
  if (Math.abs(distance) >= OLDEST_DISTANCE) return day(date, now);
  for (const [unit, size] of UNITS) {
    if (Math.abs(distance) >= size) return relative.format(Math.trunc(distance / size), unit);
  }
  // What has just arrived is not in the future because the page's time is half a minute old.
  return distance > MINUTE / 2 ? "in a moment" : "just now";
}

/** “21 November 2026, 14:05:09 GMT+1”. */
export function exactTime(date: Date): string {
  return exactFormat.format(date);
}

function day(date: Date, now: number): string {
  return date.getFullYear() === new Date(now).getFullYear() ? dayFormat.format(date) : dayAndYearFormat.format(date);
}

// The interface is English; order and hours are those of where the person is.
const LOCALE = navigator.language.startsWith("en") ? navigator.language : "en-GB";
const relative = new Intl.RelativeTimeFormat(LOCALE, { numeric: "auto" });
const dayFormat = new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short" });
const dayAndYearFormat = new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short", year: "numeric" });
const exactFormat = new Intl.DateTimeFormat(LOCALE, {
  day: "numeric",
  month: "long",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  timeZoneName: "short",
});

/** One clock for all times on the screen: they go on together, each half minute. */
export function ClockProvider({ children }: { children: ReactNode }): ReactNode {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), MINUTE / 2);
    return () => clearInterval(timer);
  }, []);
  return <ClockContext value={now}>{children}</ClockContext>;
}

const ClockContext = createContext<number | null>(null);

/** Milliseconds; without a clock those of the first rendering. */
function useNow(): number {
  const [first] = useState(() => Date.now());
  return useContext(ClockContext) ?? first;
}
