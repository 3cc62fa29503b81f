/**
 * What outages do to deliveries, as the tables of docs/delivery-simulation.md. Run by itself
 * (`node test/simulation/table.ts`), it puts them into that file.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_POLICY } from "../../src/domain/webhooks/delivery.ts";
import { type Course, type Scenario, simulate } from "./model.ts";
import { randomNumbers } from "../../bench/statistics.ts";
import { flapping, HANGS_MS, type Outage, receive, REFUSES_MS, stream } from "./receivers.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Until then the receiver works, and the window grows to its limit. */
const TROUBLE_AT = 10 * MINUTE;
/** How long events continue after the outage. */
const AFTER_MS = 10 * MINUTE;
const SEEDS = 10;
const ARTICLES = 1_000;
const RATES = [0.01, 0.1, 1, 5];

const OUTAGES: readonly [name: string, ms: number][] = [
  ["2 s", 2 * SECOND],
  ["30 s", 30 * SECOND],
  ["2 min", 2 * MINUTE],
  ["10 min", 10 * MINUTE],
  ["30 min", 30 * MINUTE],
  ["2 h", 2 * HOUR],
];

const TROUBLES: readonly { name: string; outages: Outage[]; answersAfterMs: number }[] = [
  ...OUTAGES.map(([name, ms]) => trouble(`down for ${name}`, [{ from: TROUBLE_AT, to: TROUBLE_AT + ms }])),
  trouble("1 h: down 60 s, up 60 s", flapping(TROUBLE_AT, TROUBLE_AT + HOUR, MINUTE, MINUTE)),
  trouble("1 h: down 20 s, up 2 s", flapping(TROUBLE_AT, TROUBLE_AT + HOUR, 20 * SECOND, 2 * SECOND)),
  trouble("down for 10 min, answers in 3 s", [{ from: TROUBLE_AT, to: TROUBLE_AT + 10 * MINUTE }], 3 * SECOND),
];

const HEAD = [
  "| Receiver | events/s | delivered % | exhausted % | parked % | disabled % | recovery p50 | recovery max |",
  "|---|---|---|---|---|---|---|---|",
];

const DEAD_HEAD = [
  "| Dead receiver: events/s | refuses: disabled after | hangs: disabled after | refuses, if what was due first always went first |",
  "|---|---|---|---|",
];
/** How long there are events. */
const DEAD_FOR_MS = 1.5 * HOUR;
const DEAD_RATES = [0.01, 0.1, 0.3, 1, 5, 20];

/** Returns the same text at each call, because every random number comes from a seed. */
export function renderTable(): string {
  return [...HEAD, ...TROUBLES.flatMap((one) => RATES.map((perSecond) => row(one, perSecond)))].join("\n");
}

/** How long a receiver that never answers stays enabled, when every event is of an article of its own. */
export function renderDeadTable(): string {
  const rows = DEAD_RATES.map((perSecond) =>
    [
      perSecond,
      untilDisabled(perSecond, REFUSES_MS, "by turns"),
      untilDisabled(perSecond, HANGS_MS, "by turns"),
      untilDisabled(perSecond, REFUSES_MS, "due first"),
    ].join(" | "),
  );
  return [...DEAD_HEAD, ...rows.map((row) => `| ${row} |`)].join("\n");
}

/** The longest of three runs. */
function untilDisabled(perSecond: number, failsAfterMs: number, claims: Scenario["claims"]): string {
  const times = Array.from({ length: 3 }, (_, seed) => {
    const random = randomNumbers(seed + 1);
    const { health } = simulate({
      events: stream({ perSecond, untilMs: DEAD_FOR_MS, articles: 1e9, bursts: [] }, random),
      receive: receive({ outages: [{ from: 0, to: Infinity }], answersAfterMs: 50, failsAfterMs }),
      policy: DEFAULT_POLICY,
      random,
      claims,
    });
    return health.disabledAt ?? Infinity;
  });
  const longest = Math.max(...times);
  return longest <= DEAD_FOR_MS ? `${Math.ceil(longest / MINUTE)} min` : `more than ${DEAD_FOR_MS / MINUTE} min`;
}

function trouble(name: string, outages: Outage[], answersAfterMs = 50) {
  return { name, outages, answersAfterMs };
}

function row({ name, outages, answersAfterMs }: (typeof TROUBLES)[number], perSecond: number): string {
  const backAt = outages.at(-1)!.to;
  const made = { delivered: 0, exhausted: 0, parked: 0, pending: 0 };
  const recoveries: number[] = [];
  let disabled = 0;
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const random = randomNumbers(seed);
    const course = simulate({
      events: stream({ perSecond, untilMs: backAt + AFTER_MS, articles: ARTICLES, bursts: [] }, random),
      receive: receive({ outages, answersAfterMs, failsAfterMs: seed % 2 === 0 ? HANGS_MS : REFUSES_MS }),
      policy: DEFAULT_POLICY,
      random,
      claims: "by turns",
    });
    for (const { madeAt, state } of course.deliveries) if (madeAt >= TROUBLE_AT && madeAt < backAt) made[state] += 1;
    if (course.health.state === "disabled") disabled += 1;
    else recoveries.push(recovery(course, backAt));
  }
  const total = made.delivered + made.exhausted + made.parked;
  const parts = [made.delivered, made.exhausted, made.parked].map((part) => percent(part, total));
  return `| ${[name, perSecond, ...parts, percent(disabled, SEEDS), ...spread(recoveries)].join(" | ")} |`;
}

/** Time from the end of the outage until everything queued by then is delivered. */
function recovery({ deliveries }: Course, backAt: number): number {
  return deliveries.reduce((last, sent) => (sent.madeAt < backAt ? Math.max(last, sent.endedAt - backAt) : last), 0);
}

function spread(times: number[]): string[] {
  const sorted = times.toSorted((a, b) => a - b);
  return [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)].map((ms) =>
    ms === undefined ? "–" : `${Math.ceil(ms / SECOND)} s`,
  );
}

function percent(part: number, of: number): string {
  return of === 0 ? "–" : String(Math.round((part / of) * 1_000) / 10);
}

if (import.meta.main) {
  const file = join(import.meta.dirname, "..", "..", "docs", "delivery-simulation.md");
  const text = readFileSync(file, "utf8");
  writeFileSync(file, withTable(withTable(text, "Receiver", renderTable()), "Dead receiver", renderDeadTable()));
}

function withTable(text: string, head: string, table: string): string {
  return text.replace(new RegExp(`^\\| ${head}.*\\n(?:\\|.*\\n)*`, "m"), () => `${table}\n`);
}
