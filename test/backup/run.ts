/**
 * `npm run test:backup -- [--rounds 200] [--kind folder|bucket] [--allowed-loss-ms 1000]`: so many times the machine is lost.
 * `npm run test:backup -- --away 60`: the bucket is away for so many minutes, and then the machine is lost.
 */
import { parseArgs } from "node:util";
import { runLongOutage } from "./long-outage.ts";
import { runLossRounds, type RoundFacts } from "./loss-rounds.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "200" },
    kind: { type: "string", default: "folder" },
    "allowed-loss-ms": { type: "string", default: "1000" },
    away: { type: "string" },
  },
});
if (values.away !== undefined) {
  const outage = await runLongOutage(Number(values.away));
  process.stdout.write(`${JSON.stringify(outage)}\n`);
  process.exit(outage.problems.length > 0 ? 1 : 0);
}
const rounds = Number(values.rounds);
process.stdout.write(`${rounds} rounds, copies in a ${values.kind}\n`);
let count = 0;
const facts = await runLossRounds({
  rounds,
  kind: values.kind === "bucket" ? "bucket" : "folder",
  allowedLossMs: Number(values["allowed-loss-ms"]),
  onRound({ problems, ...round }) {
    process.stdout.write(`${++count}: ${JSON.stringify(round)}\n`);
    for (const problem of problems) process.stdout.write(`  ${problem}\n`);
  },
});
const sorted = (what: (one: RoundFacts) => number) => facts.map(what).toSorted((a, b) => a - b);
const describe = (values: number[]) =>
  `median ${values[Math.floor(values.length / 2)]} ms, slowest ${values.at(-1)} ms`;
const sum = (what: (one: RoundFacts) => number) => facts.reduce((total, one) => total + what(one), 0);
process.stdout.write(
  `${facts.length} machines lost: ${sum(({ acknowledged }) => acknowledged)} changes acknowledged, ${sum(({ lost }) => lost)} of them lost, ` +
    `all within ${Math.max(...sorted(({ lossMs }) => lossMs))} ms before the kill; restored and serving again: ` +
    `${describe(sorted(({ backMs }) => backMs))}; ${sum(({ problems }) => problems.length)} problems\n`,
);
if (facts.some(({ problems }) => problems.length > 0)) process.exitCode = 1;
