import { VisuallyHidden } from "@mantine/core";
import { type KeyboardEvent, type ReactNode, useState } from "react";
import classes from "./hour-chart.module.css";

interface Series {
  label: string;
  /** Colour, and a pattern for users who cannot see it. */
  tone: "good" | "bad" | "waiting";
}

interface HourChartProps {
  /** The chart's title, for screen readers. */
  title: string;
  series: readonly Series[];
  /** One entry for each hour, oldest first; one number for each series. */
  hours: readonly { hour: string; values: readonly number[] }[];
}

const WIDTH = 480;
const HEIGHT = 96;
const GAP = 3;

/** The hour that a key moves to; `at` null: none is selected yet. */
const TO: Record<string, (at: number | null, last: number) => number> = {
  ArrowLeft: (at, last) => (at ?? last + 1) - 1,
  ArrowRight: (at) => (at ?? -1) + 1,
  Home: () => 0,
  End: (_, last) => last,
};

/** A stacked bar for each hour. An hour's numbers appear on hover or with the arrow keys. */
export function HourChart({ title, series, hours }: HourChartProps): ReactNode {
  const [at, setAt] = useState<number | null>(null);
  const [first, middle] = [hours[0], hours[Math.floor(hours.length / 2)]];
  const most = Math.max(1, ...hours.map(({ values }) => sum(values)));
  const text = describe(at === null ? null : hours[at], series, hours);
  const step = WIDTH / Math.max(1, hours.length);

  function move(event: KeyboardEvent): void {
    const to = TO[event.key]?.(at, hours.length - 1);
    if (to === undefined) return;
    event.preventDefault();
    setAt(Math.min(hours.length - 1, Math.max(0, to)));
  }

  if (first === undefined || hours.every(({ values }) => sum(values) === 0)) {
    return <p className={classes.none}>Nothing in the last 24 hours.</p>;
  }
  return (
    <figure className={classes.root}>
      <div
        className={classes.plot}
        tabIndex={0}
        role="slider"
        aria-label={`${title}, hour by hour`}
        aria-valuemin={1}
        aria-valuemax={hours.length}
        aria-valuenow={at === null ? hours.length : at + 1}
        aria-valuetext={text}
        onKeyDown={move}
        onBlur={() => setAt(null)}
        onPointerLeave={() => setAt(null)}
      >
        <span className={classes.most} aria-hidden>
          {most.toLocaleString("en")}
        </span>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden>
          {hours.map(({ hour, values }, index) => (
            <g key={hour} onPointerEnter={() => setAt(index)} data-at={index === at || undefined}>
              {/* Makes the whole height react to the pointer. */}
              <rect className={classes.hit} x={index * step} width={step} height={HEIGHT} />
              {stackBars(values, most).map(({ y, height }, part) => (
                <rect
                  key={series[part]?.label}
                  className={classes.bar}
                  data-tone={series[part]?.tone}
                  x={index * step + GAP / 2}
                  y={y}
                  width={step - GAP}
                  height={height}
                />
              ))}
            </g>
          ))}
        </svg>
      </div>
      <div className={classes.axis} aria-hidden>
        <span>{clock.format(new Date(first.hour))}</span>
        {middle !== undefined && <span>{clock.format(new Date(middle.hour))}</span>}
        <span>now</span>
      </div>
      <figcaption className={classes.caption}>
        <span aria-hidden>{text}</span>
        {series.length > 1 && (
          <span className={classes.legend}>
            {series.map(({ label, tone }) => (
              <span key={label} className={classes.key}>
                <span className={classes.swatch} data-tone={tone} />
                {label}
              </span>
            ))}
          </span>
        )}
      </figcaption>
      <VisuallyHidden>
        <table>
          <caption>{title}</caption>
          <thead>
            <tr>
              <th>Hour</th>
              {series.map(({ label }) => (
                <th key={label}>{label}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {hours.map(({ hour, values }) => (
              <tr key={hour}>
                <th>{clock.format(new Date(hour))}</th>
                {series.map(({ label }, index) => (
                  <td key={label}>{values[index]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </figure>
  );
}

/** Stacks bars from the bottom; a value above 0 is always visible. */
function stackBars(values: readonly number[], most: number): { y: number; height: number }[] {
  let ground = HEIGHT;
  return values.map((value) => {
    const height = value === 0 ? 0 : Math.max(2, (value / most) * (HEIGHT - 2));
    ground -= height;
    return { y: Math.max(0, ground), height };
  });
}

function describe(
  one: { hour: string; values: readonly number[] } | null | undefined,
  series: readonly Series[],
  hours: HourChartProps["hours"],
): string {
  const numbers = (values: readonly number[]) =>
    series.map(({ label }, index) => `${(values[index] ?? 0).toLocaleString("en")} ${label.toLowerCase()}`).join(", ");
  if (one != null) return `${clock.format(new Date(one.hour))}: ${numbers(one.values)}`;
  return `24 hours: ${numbers(series.map((_, index) => sum(hours.map(({ values }) => values[index] ?? 0))))}`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
