/** Formats the measurements of loops with several nodes. */
import { percentile } from "../../bench/statistics.ts";
import type { ClusterOutcome } from "./cluster-loop.ts";
import { FAULTS } from "./faults.ts";

/** One line for each measurement, over all loops. */
export function describeCluster(outcomes: readonly ClusterOutcome[]): string[] {
  const changes = outcomes.flatMap(({ journal }) => journal.changes);
  const marks = outcomes.flatMap(({ journal }) => journal.marks);
  const takeUps = outcomes.flatMap((one) => one.takeUps);
  const comebacks = outcomes.flatMap((one) => one.comebacks);
  const sum = (count: (outcome: ClusterOutcome) => number) => outcomes.reduce((all, one) => all + count(one), 0);
  const lines = [
    `${marks.filter(({ kind }) => kind === "kill").length} kills, ${comebacks.length} faults with a comeback; ` +
      `${changes.length} changes, ${changes.filter(({ outcome }) => outcome === "acknowledged").length} acknowledged, ` +
      `${changes.filter(({ outcome }) => outcome === "unknown").length} in doubt; ` +
      `${sum(({ facts }) => facts.deliveries.length)} deliveries, ${sum(({ journal }) => journal.arrivals.length)} ` +
      `arrivals, ${sum(({ duplicates }) => duplicates)} of them again without a kill; ` +
      `${sum(({ complaints }) => complaints)} times the database was taken for away while it was not`,
  ];
  const simple = takeUps.filter(({ isRepeated }) => !isRepeated);
  if (simple.length > 0) {
    lines.push(
      `sent again after a kill: ${distribution(simple.map(({ ms }) => ms))}; ` +
        `${takeUps.length - simple.length} more had another kill in between`,
    );
  }
  for (const fault of FAULTS) {
    const own = comebacks.filter((one) => one.fault === fault);
    if (own.length === 0) continue;
    lines.push(
      `back after ${fault}: ${distribution(own.map(({ ms }) => ms))}; ` +
        `every node: ${distribution(own.map(({ slowestMs }) => slowestMs))}`,
    );
  }
  return lines;
}

function distribution(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(percentile(sorted, share));
  return `${sorted.length} times, median ${at(0.5)} ms, 95 % ${at(0.95)} ms, slowest ${at(1)} ms`;
}
