import { VisuallyHidden } from "@mantine/core";
import { type KeyboardEvent, type ReactNode, useState } from "react";
import classes from "./time-chart.module.css";

interface Series {
  label: string;
  /** Colour, and a pattern for users who cannot see it. */
  tone: "good" | "bad" | "waiting";
}

interface TimeChartProps {
  /** The chart's title, for screen readers. */
  title: string;
  series: readonly Series[];
  /** One entry for each step of time, oldest first, with when it began; one number for each series. */
  steps: readonly Step[];
  /** How long all steps take together: `hours` of one day, or parts of several `days`. */
  span?: "hours" | "days";
  /** What the numbers mean in all steps together. Default: their sums. */
  total?: string | undefined;
  /** Follows a number: “ ms”. */
  unit?: string;
}

interface Step {
  start: string;
  values: readonly number[];
}

const WIDTH = 480;
const HEIGHT = 96;
const GAP = 3;

/** The step that a key moves to; `at` null: none is selected yet. */
const TO: Record<string, (at: number | null, last: number) => number> = {
  ArrowLeft: (at, last) => (at ?? last + 1) - 1,
  ArrowRight: (at) => (at ?? -1) + 1,
  Home: () => 0,
  End: (_, last) => last,
};

/** A stacked bar for each step of time. Its numbers appear on hover or with the arrow keys. */
export function TimeChart(props: TimeChartProps): ReactNode {
  const { title, series, steps, span = "hours", total, unit = "" } = props;
  const name = SPANS[span];
  const [at, setAt] = useState<number | null>(null);
  const [first, middle] = [steps[0], steps[Math.floor(steps.length / 2)]];
  const most = Math.max(1, ...steps.map(({ values }) => sum(values)));
  const numbers = (values: readonly number[]) =>
    series
      .map(({ label }, index) => `${(values[index] ?? 0).toLocaleString("en")}${unit} ${label.toLowerCase()}`)
      .join(", ");
  const sums = series.map((_, index) => sum(steps.map(({ values }) => values[index] ?? 0)));
  const current = at === null ? undefined : steps[at];
  const text = current
    ? `${name.format(current.start)}: ${numbers(current.values)}`
    : `${name.whole}: ${total ?? numbers(sums)}`;
  const width = WIDTH / Math.max(1, steps.length);

  function move(event: KeyboardEvent): void {
    const to = TO[event.key]?.(at, steps.length - 1);
    if (to === undefined) return;
    event.preventDefault();
    setAt(Math.min(steps.length - 1, Math.max(0, to)));
  }

  if (first === undefined || steps.every(({ values }) => sum(values) === 0)) {
    return <p className={classes.none}>Nothing in the last {name.whole}.</p>;
  }
  return (
    <figure className={classes.root}>
      <div
        className={classes.plot}
        tabIndex={0}
        role="slider"
        aria-label={`${title}, ${name.step}`}
        aria-valuemin={1}
        aria-valuemax={steps.length}
        aria-valuenow={at === null ? steps.length : at + 1}
        aria-valuetext={text}
        onKeyDown={move}
        onBlur={() => setAt(null)}
        onPointerLeave={() => setAt(null)}
      >
        <span className={classes.most} aria-hidden>
          {most.toLocaleString("en")}
          {unit}
        </span>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden>
          {steps.map(({ start, values }, index) => (
            <g key={start} onPointerEnter={() => setAt(index)} data-at={index === at || undefined}>
              {/* Makes the whole height react to the pointer. */}
              <rect className={classes.hit} x={index * width} width={width} height={HEIGHT} />
              {stackBars(values, most).map(({ y, height }, part) => (
                <rect
                  key={series[part]?.label}
                  className={classes.bar}
                  data-tone={series[part]?.tone}
                  x={index * width + GAP / 2}
                  y={y}
                  width={width - GAP}
                  height={height}
                />
              ))}
            </g>
          ))}
        </svg>
      </div>
      <div className={classes.axis} aria-hidden>
        <span>{name.format(first.start)}</span>
        {middle !== undefined && <span>{name.format(middle.start)}</span>}
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
              <th>From</th>
              {series.map(({ label }) => (
                <th key={label}>{label}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {steps.map(({ start, values }) => (
              <tr key={start}>
                <th>{name.format(start)}</th>
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

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const dayAndClock = new Intl.DateTimeFormat(undefined, {
  weekday: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
});

const SPANS = {
  hours: { whole: "24 hours", step: "hour by hour", format: (start: string) => clock.format(new Date(start)) },
  days: { whole: "7 days", step: "step by step", format: (start: string) => dayAndClock.format(new Date(start)) },
};
