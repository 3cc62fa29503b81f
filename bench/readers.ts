/** One process, and two that share a port and a SQLite file (ROSTRUM_READERS=2), answering the same requests. */
import { cpSync } from "node:fs";
import { availableParallelism } from "node:os";
import type { Bench } from "./bench.ts";
import {
  type Case,
  conditions,
  contest,
  type Outcome,
  outcomeTable,
  type Pair,
  pinning,
  summarise,
} from "./contest.ts";
import { type LoadJob, startLoadGenerator } from "./load-job.ts";
import type { Section } from "./report.ts";
import { startRostrum } from "./servers.ts";
import { median } from "./statistics.ts";
import { childrenOf, residentMb } from "./usage.ts";

const PAIRS = 3;
const ROUNDS = 2;
const WARM_UP_S = 5;
const DETAILS = 1_000;
/** Two for the processes and one for the load. */
const CORES_FOR_THROUGHPUT = 3;
/**
 * With fewer cores both services get the same one, so that both are always busy: a process with time to spare wakes up for fewer
 * requests at once, which costs more for each.
 */
const isPinned = availableParallelism() < CORES_FOR_THROUGHPUT;
const THROUGHPUT_GOAL = 1.8;
const CPU_GOAL = 1.1;
const LIST = "/api/public/articles?limit=50";

export const readers: Bench = async ({ articles, place }): Promise<Section> => {
  const seeded = await articles();
  const other = await place("readers");
  cpSync(seeded.place.folder, other.folder, { recursive: true });
  const details = seeded.ids.slice(0, DETAILS).map((id) => ({ path: `/api/public/articles/${id}` }));
  const cases: Case[] = [
    { what: "detail", status: 200, headers: {}, requests: () => details },
    { what: "list", status: 200, headers: {}, requests: () => [{ path: LIST }] },
    { what: "gzip list", status: 200, headers: { "Accept-Encoding": "gzip" }, requests: () => [{ path: LIST }] },
  ];
  const pairs: Pair[] = [];
  const memoryMb: { main: number; reader: number; alone: number }[] = [];
  for (let pair = 0; pair < PAIRS; pair++) {
    await using owned = new AsyncDisposableStack();
    const load = owned.use(startLoadGenerator({ isPinned }));
    const alone = owned.use(await startRostrum({ ...seeded, isPinned }));
    const environment = { ROSTRUM_READERS: "2" };
    const both = owned.use(await startRostrum({ ...seeded, place: other, isPinned, environment }));
    // Each process compiles its code and fills its cache.
    for (const { port } of [alone, both]) await load.run(warmUp(port, seeded.key, details), 200);
    pairs.push(await contest(load, { rostrum: [both], bare: [alone] }, seeded.key, cases, ROUNDS));
    const [reader = 0] = childrenOf(both.pid);
    memoryMb.push({ main: residentMb(both.pid), reader: residentMb(reader), alone: residentMb(alone.pid) });
  }
  const outcomes = summarise(
    cases.map(({ what }) => what),
    pairs,
  );
  const memory = (of: "main" | "reader" | "alone") => median(memoryMb.map((one) => one[of])).toFixed(0);
  return {
    figures: [
      ...outcomes.flatMap((outcome) => [throughput(outcome), cpu(outcome)]),
      {
        what: "memory after this load: alone; with two processes, the main one and the other",
        value: `${memory("alone")} MB; ${memory("main")} MB and ${memory("reader")} MB`,
      },
    ],
    notes: [
      `${conditions(ROUNDS, PAIRS)} ${isPinned ? pinning() : "Nothing is pinned."} "Rostrum" is the service with two processes, "bare" the one with one.`,
      outcomeTable(outcomes),
    ],
  };
};

function warmUp(port: number, key: string, details: LoadJob["requests"]): LoadJob {
  const list = { path: LIST, headers: { "Accept-Encoding": "gzip" } };
  const requests = [...details, ...details.map(() => list), ...details.map(() => ({ path: LIST }))];
  return { ports: [port], connections: 32, seconds: WARM_UP_S, headers: { "X-API-Key": key }, requests };
}

function throughput({ what, rostrum, bare }: Outcome): Section["figures"][number] {
  const ratio = rostrum.perSecond / bare.perSecond;
  return {
    what: `${what}, requests/s of two processes, times those of one`,
    value: isPinned ? `none: both have one core (it was ${ratio.toFixed(2)})` : ratio.toFixed(2),
    goal: `≥ ${THROUGHPUT_GOAL}`,
    met: isPinned ? null : ratio >= THROUGHPUT_GOAL,
  };
}

function cpu({ what, cpuRatio }: Outcome): Section["figures"][number] {
  const ratio = 1 / cpuRatio;
  return {
    what: `${what}, CPU of a request with two processes, times that with one`,
    value: ratio.toFixed(2),
    goal: `≤ ${CPU_GOAL}`,
    met: ratio <= CPU_GOAL,
  };
}
