/** The inputs of a simulation: streams of events, and receivers that fail. Times in milliseconds. */
import type { Scenario } from "./model.ts";

export interface Stream {
  perSecond: number;
  untilMs: number;
  articles: number;
  /** A burst of events, spread over all articles. */
  bursts: readonly { at: number; size: number }[];
}

/** Events at exponential intervals, each of a random article. */
export function stream({ perSecond, untilMs, articles, bursts }: Stream, random: () => number): Scenario["events"] {
  const article = () => Math.floor(random() * articles);
  const events = bursts.flatMap(({ at, size }) =>
    Array.from({ length: size }, (_, n) => ({ at, article: n % articles })),
  );
  const interval = () => Math.ceil((-Math.log(1 - random()) / perSecond) * 1_000);
  for (let at = interval(); at < untilMs; at += interval()) events.push({ at, article: article() });
  return events.sort((a, b) => a.at - b.at);
}

export interface Outage {
  from: number;
  to: number;
}

/** While it is down, it either refuses at once or hangs until the deadline of ten seconds. */
export interface Receiver {
  outages: readonly Outage[];
  failsAfterMs: number;
  answersAfterMs: number;
}

export const REFUSES_MS = 5;
export const HANGS_MS = 10_000;

export function receive({ outages, failsAfterMs, answersAfterMs }: Receiver): Scenario["receive"] {
  return (at) =>
    outages.some(({ from, to }) => from <= at && at < to)
      ? { isOk: false, tookMs: failsAfterMs }
      : { isOk: true, tookMs: answersAfterMs };
}

/** Alternates between down for `downMs` and up for `upMs`, between `from` and `to`. */
export function flapping(from: number, to: number, downMs: number, upMs: number): Outage[] {
  const outages: Outage[] = [];
  for (let at = from; at < to; at += downMs + upMs) outages.push({ from: at, to: Math.min(at + downMs, to) });
  return outages;
}
