/**
 * `npm run test:kill -- --kills 1000 [--seed N]`: the kill loop, for as long as one likes.
 * `npm run test:kill -- --engine postgres [--nodes 3] [--kills 200] [--faults 20] [--seed N]`: that of several nodes on a
 * PostgreSQL of its own; `--faults`: so many of each.
 * `npm run test:kill -- --senders [--kills 200] [--seed N]`: that of what senders deliver.
 */
import { parseArgs } from "node:util";
import { type LoopOptions, type Outcome, runLoop, TAKEN_UP_WITHIN_MS } from "./kill-loop.ts";
import { POINTS } from "./kill-points.ts";
import { runClusters } from "./run-cluster.ts";
import { runSenderLoop } from "./sender-loop.ts";
import { SENDER_POINTS } from "./sender-messages.ts";

/** Keeps the database and the journal of a loop small enough to check quickly. */
const KILLS_PER_LOOP = 50;

const { values } = parseArgs({
  options: {
    engine: { type: "string", default: "sqlite" },
    kills: { type: "string" },
    nodes: { type: "string", default: "3" },
    senders: { type: "boolean", default: false },
    faults: { type: "string", default: "20" },
    seed: { type: "string" },
  },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const isPostgres = values.engine === "postgres";
const kills = Number(values.kills ?? (isPostgres || values.senders ? "200" : "1000"));
process.stdout.write(`${kills} kills, seed ${seed}\n`);
const isGood = values.senders
  ? await runSenders()
  : isPostgres
    ? await runClusters({ seed, kills, nodes: Number(values.nodes), faults: Number(values.faults) })
    : await runLoops();
if (!isGood) process.exitCode = 1;

/** @returns whether nothing was wrong. */
async function runSenders(): Promise<boolean> {
  let isGood = true;
  for (let done = 0, loop = 0; done < kills; loop++) {
    const count = Math.min(KILLS_PER_LOOP, kills - done);
    const points = Array.from({ length: count }, (_, index) =>
      loop % 4 === 3 ? "random" : (SENDER_POINTS[index % SENDER_POINTS.length] ?? "random"),
    );
    const { violations, errors, ...counts } = await runSenderLoop(points, seed + loop);
    done += count;
    process.stdout.write(`${done} kills: ${JSON.stringify(counts)}\n`);
    for (const problem of [...violations, ...errors]) process.stdout.write(`  ${problem}\n`);
    isGood &&= violations.length === 0 && errors.length === 0;
  }
  return isGood;
}

/** @returns whether nothing was wrong. */
async function runLoops(): Promise<boolean> {
  const takeUpsMs: number[] = [];
  let isGood = true;
  for (let done = 0, loop = 0; done < kills; loop++) {
    const count = Math.min(KILLS_PER_LOOP, kills - done);
    const isNamed = loop % 2 === 1;
    const options: LoopOptions = {
      seed: seed + loop,
      takenUpWithinMs: TAKEN_UP_WITHIN_MS,
      script: isNamed ? "dispatcher" : "service",
      kills: Array.from({ length: count }, (_, index) =>
        isNamed ? (POINTS[index % POINTS.length] ?? "random") : "random",
      ),
    };
    const outcome = await runLoop(options);
    done += count;
    takeUpsMs.push(...outcome.takeUpsMs);
    process.stdout.write(`${done} kills; ${describe(options, outcome)}\n`);
    for (const { rule, detail } of outcome.violations) process.stdout.write(`  ${rule}: ${detail}\n`);
    for (const error of outcome.errors) process.stdout.write(`  ${error}\n`);
    isGood &&= outcome.violations.length === 0 && outcome.errors.length === 0;
  }
  const sorted = takeUpsMs.toSorted((a, b) => a - b);
  const at = (part: number) => Math.round(sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN);
  process.stdout.write(
    `sent again after ready: ${sorted.length} attempts, median ${at(0.5)} ms, slowest ${at(1)} ms\n`,
  );
  return isGood;
}

function describe({ script, seed }: LoopOptions, { journal, facts }: Outcome): string {
  const again =
    journal.arrivals.length - new Set(journal.arrivals.map((one) => `${one.endpointId} ${one.eventId}`)).size;
  return (
    `${script} with seed ${seed}: ${journal.changes.length} changes, ${facts.deliveries.length} deliveries, ` +
    `${journal.arrivals.length} arrivals, ${again} of them not the first`
  );
}
