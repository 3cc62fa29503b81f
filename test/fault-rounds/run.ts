/**
 * `npm run fault-rounds -- [--rounds 9] [--fault "node killed"] [--nodes 3] [--seed N] [--minutes 60]`: so many rounds of each
 * fault, or of one, on three nodes with a PostgreSQL and its synchronous standby, under changes, webhooks and reads; of a full
 * disk, on SQLite as well. A judge that knows nothing of the service's code says what was lost, stale or out of order; it fails
 * when something was, or when it took more than five seconds to be back. No session begins after `--minutes`.
 */
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Fault, FAULTS, isFault } from "./faults.ts";
import { FAKETIME } from "./nodes.ts";
import { type Round, runSession, type SessionOptions, type SessionResult } from "./session.ts";

/** Keeps the records of a session small enough to judge quickly. */
const ROUNDS_PER_SESSION = 15;
const MAX_RECOVERY_MS = 5_000;

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "9" },
    fault: { type: "string", multiple: true },
    nodes: { type: "string", default: "3" },
    seed: { type: "string" },
    minutes: { type: "string", default: "60" },
  },
});
const say = (line: string) => process.stdout.write(`${line}\n`);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const random = randomNumbers(seed);
const deadline = performance.now() + Number(values.minutes) * 60_000;
const faults = (values.fault ?? Object.keys(FAULTS)).map((name) => {
  if (!isFault(name)) throw new Error(`--fault is ${name}; it must be one of ${Object.keys(FAULTS).join(", ")}`);
  return name;
});
const results: SessionResult[] = [];
say(`seed ${seed}`);
for (const session of sessions()) {
  if (performance.now() > deadline) {
    say("The time is over: the other rounds were left out.");
    break;
  }
  const result = await runSession({
    ...session,
    nodes: Number(values.nodes),
    random,
    onRound: ({ fault, webhookMs, nodesMs }) =>
      say(`${session.engine}, ${fault}: webhooks within ${seconds(webhookMs)}, every node after ${seconds(nodesMs)}`),
  }).catch((error: unknown) => {
    say(`  ${session.engine}, ${session.faults.join(", ")}: broken off: ${String(error)}`);
    return null;
  });
  if (result === null) {
    // A session that broke off has no result; the others continue.
    process.exitCode = 1;
    continue;
  }
  results.push(result);
  for (const { rule, detail } of result.violations) say(`  ${rule}: ${detail}`);
  for (const [what, count] of result.refusals) say(`  ${count} requests: ${what}`);
  if (result.violations.length > 0) for (const line of result.logged.slice(-20)) say(`  logged: ${line.slice(0, 400)}`);
}
summarise();

function sessions(): Pick<SessionOptions, "faults" | "engine">[] {
  const count = Number(values.rounds);
  const times = (some: readonly Fault[]) => some.flatMap((fault) => Array.from({ length: count }, () => fault));
  const all = [
    ...portions(shuffle(times(faults.filter((fault) => !isClock(fault) && fault !== "disk full")))),
    ...portions(times(faults.filter((fault) => isClock(fault)))),
  ].map((some) => ({ faults: some, engine: "postgres" as const }));
  if (faults.some((fault) => isClock(fault)) && !existsSync(FAKETIME)) {
    throw new Error("libfaketime is missing (Debian: apt-get install faketime)");
  }
  if (!faults.includes("disk full")) return all;
  return [
    ...all,
    ...portions(times(["disk full"])).flatMap((some) => [
      { faults: some, engine: "postgres" as const },
      { faults: some, engine: "sqlite" as const },
    ]),
  ];
}

function isClock(fault: Fault): boolean {
  return fault.startsWith("clock");
}

function portions(all: readonly Fault[]): Fault[][] {
  const count = Math.ceil(all.length / ROUNDS_PER_SESSION);
  return Array.from({ length: count }, (_, at) => all.slice(at * ROUNDS_PER_SESSION, (at + 1) * ROUNDS_PER_SESSION));
}

function shuffle<T>(all: readonly T[]): T[] {
  return all
    .map((one) => ({ one, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);
}

function summarise(): void {
  const rounds = results.flatMap((result) => result.rounds);
  const sum = (count: (result: SessionResult) => number) => results.reduce((all, one) => all + count(one), 0);
  say(`${"fault".padEnd(16)} rounds  webhooks: median, longest  every node: median, longest`);
  for (const fault of new Set(rounds.map((round) => round.fault))) {
    say(
      row(
        fault,
        rounds.filter((round) => round.fault === fault),
      ),
    );
  }
  say(row("all", rounds));
  say(
    `${sum((one) => one.changes)} changes ordered, ${sum((one) => one.acknowledged)} acknowledged, ` +
      `${sum((one) => one.unknown)} without an answer; ${sum((one) => one.arrivals)} webhooks, ` +
      `${sum((one) => one.repeats)} of them repeats; ${sum((one) => one.reads)} reads, ` +
      `${sum((one) => one.answeredReads)} answered`,
  );
  const violations = results.flatMap((result) => result.violations);
  const of = (rule: string) => violations.filter((one) => one.rule === rule).length;
  const others = violations.length - of("lost") - of("stale") - of("order");
  say(`${of("lost")} lost, ${of("stale")} stale, ${of("order")} out of order, ${others} other violations`);
  const isSlow = rounds.some((round) => Math.max(round.webhookMs, round.nodesMs) > MAX_RECOVERY_MS);
  if (isSlow) say(`Some rounds took more than ${seconds(MAX_RECOVERY_MS)}.`);
  if (violations.length > 0 || isSlow) process.exitCode = 1;
}

function row(name: string, rounds: readonly Round[]): string {
  const part = (get: (round: Round) => number) => {
    const sorted = rounds.map(get).sort((a, b) => a - b);
    const median = sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
    return `${seconds(median).padStart(8)}, ${seconds(sorted.at(-1) ?? Number.NaN).padStart(8)}`;
  };
  return `${name.padEnd(16)} ${String(rounds.length).padStart(6)}  ${part((one) => one.webhookMs)}          ${part((one) => one.nodesMs)}`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}

/** Repeatable for each seed (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
