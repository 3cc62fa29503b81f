import { Tooltip } from "@mantine/core";
import type { ReactNode } from "react";
import type { ApiKey } from "../../../../src/http/admin/contract/api-keys.ts";
import classes from "./request-days.module.css";

const WIDTH = 7;
const HEIGHT = 24;

/** A small bar chart of the requests per day; the numbers appear on hover and focus, and for screen readers. */
export function RequestDays({ days }: { days: ApiKey["requests"] }): ReactNode {
  const most = Math.max(1, ...days.map(({ count }) => count));
  const sum = days.reduce((total, { count }) => total + count, 0);
  return (
    <Tooltip events={{ hover: true, focus: true, touch: true }} label={<Numbers days={days} />}>
      <span className={classes.root} role="img" aria-label={describeDays(days, sum)} tabIndex={0}>
        <svg width={days.length * WIDTH} height={HEIGHT} aria-hidden>
          {days.map(({ day, count }, index) => {
            // One request must look different from none.
            const height = count === 0 ? 1 : Math.max(3, (count / most) * HEIGHT);
            return (
              <rect
                key={day}
                x={index * WIDTH}
                y={HEIGHT - height}
                width={WIDTH - 2}
                height={height}
                rx="1"
                data-empty={count === 0 || undefined}
              />
            );
          })}
        </svg>
        <span className={classes.sum}>{compact.format(sum)}</span>
      </span>
    </Tooltip>
  );
}

/** Newest first, back to the first day with a request. */
function Numbers({ days }: { days: ApiKey["requests"] }): ReactNode {
  const first = days.findIndex(({ count }) => count > 0);
  if (first === -1) return "No requests in 14 days";
  return (
    <span className={classes.numbers}>
      {days
        .slice(first)
        .toReversed()
        .map(({ day, count }) => (
          <span key={day} className={classes.number}>
            <span>{formatDay(day)}</span>
            <span>{count.toLocaleString("en")}</span>
          </span>
        ))}
      <span>Days are in UTC</span>
    </span>
  );
}

function describeDays(days: ApiKey["requests"], sum: number): string {
  if (sum === 0) return "No requests in 14 days";
  const told = days.filter(({ count }) => count > 0).toReversed();
  return `${requests(sum)} in 14 days: ${told.map(({ day, count }) => `${count.toLocaleString("en")} on ${formatDay(day)}`).join(", ")}`;
}

function requests(count: number): string {
  return count === 1 ? "1 request" : `${count.toLocaleString("en")} requests`;
}

/** @param day `2026-01-31`. */
function formatDay(day: string): string {
  return dayFormat.format(new Date(`${day}T00:00Z`));
}

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const dayFormat = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
