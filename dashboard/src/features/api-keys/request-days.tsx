import { Tooltip, VisuallyHidden } from "@mantine/core";
import type { ReactNode } from "react";
import type { ApiKey } from "../../../../src/http/admin/contract/api-keys.ts";
import classes from "./request-days.module.css";

const WIDTH = 7;
const HEIGHT = 24;

/** A small column for each day; the numbers on hover, on focus, and for those who listen. */
export function RequestDays({ days }: { days: ApiKey["requests"] }): ReactNode {
  const most = Math.max(1, ...days.map(({ count }) => count));
  const sum = days.reduce((total, { count }) => total + count, 0);
  const today = days.at(-1)?.count ?? 0;
  return (
    <Tooltip
      events={{ hover: true, focus: true, touch: true }}
      label={`${sum.toLocaleString("en")} in 14 days, ${today.toLocaleString("en")} today (UTC)`}
    >
      <span className={classes.root} tabIndex={0}>
        <svg width={days.length * WIDTH} height={HEIGHT} aria-hidden>
          {days.map(({ day, count }, index) => {
            // A day with one request differs from one with none.
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
        <VisuallyHidden>{`requests in 14 days. ${days.map(({ day, count }) => `${day}: ${count}`).join(", ")}`}</VisuallyHidden>
      </span>
    </Tooltip>
  );
}

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
