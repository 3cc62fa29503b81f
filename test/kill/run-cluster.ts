/** Runs loops with several nodes on PostgreSQL, any number of them. */
import { type ClusterOptions, type ClusterOutcome, runCluster } from "./cluster-loop.ts";
import { describeCluster } from "./describe-cluster.ts";
import { FAULTS } from "./faults.ts";
import { TAKEN_UP_WITHIN_MS } from "./kill-loop.ts";

/** Keeps the database and the journal of a loop small enough to check quickly. */
const TROUBLES_PER_LOOP = 25;

/** `faults`: number of each. @returns whether nothing was wrong. */
export async function runClusters(all: {
  seed: number;
  nodes: number;
  kills: number;
  faults: number;
}): Promise<boolean> {
  const { nodes, kills, faults } = all;
  const loops: Omit<ClusterOptions, "seed" | "nodes">[] = [
    ...portions(Array.from({ length: kills }, () => "kill" as const)),
    ...portions(Array.from({ length: faults }, () => FAULTS).flat()),
  ].map((troubles) => ({ troubles }));
  if (faults > 0) loops.push({ troubles: ["failover"], hasManyHosts: true });
  const outcomes: ClusterOutcome[] = [];
  let isGood = true;
  for (const [index, loop] of loops.entries()) {
    const seed = all.seed + index;
    const outcome = await runCluster({ ...loop, seed, nodes, takenUpWithinMs: TAKEN_UP_WITHIN_MS });
    outcomes.push(outcome);
    const { violations, errors } = outcome;
    say(`with seed ${seed}: ${describeCluster([outcome])[0]}; ${violations.length} violations`);
    for (const { rule, detail } of violations) say(`  ${rule}: ${detail}`);
    for (const error of errors) say(`  ${error}`);
    isGood &&= violations.length === 0 && errors.length === 0;
  }
  for (const line of describeCluster(outcomes)) say(line);
  return isGood;
}

function portions<T>(all: readonly T[]): T[][] {
  const count = Math.ceil(all.length / TROUBLES_PER_LOOP);
  return Array.from({ length: count }, (_, at) => all.slice(at * TROUBLES_PER_LOOP, (at + 1) * TROUBLES_PER_LOOP));
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
