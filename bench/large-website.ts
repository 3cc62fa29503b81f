/** What the benches of very large websites share: starts, memory under load, and times of single requests. */
import type { LoadGenerator } from "./load-job.ts";
import { loadedMemory } from "./memory.ts";
import { type Figure, thousands } from "./report.ts";
import type { Seeded } from "./seed.ts";
import type { Server } from "./servers.ts";
import { spread, timedStart } from "./start.ts";
import { median } from "./statistics.ts";

interface Goals {
  starts: number;
  requests: number;
  goalStartS: number;
  goalMb: number;
}

export async function measureStartAndMemory(
  seeded: Seeded,
  { starts, requests, goalStartS, goalMb }: Goals,
): Promise<Figure[]> {
  const seconds: number[] = [];
  for (let run = 0; run < starts; run++) seconds.push(await timedStart(seeded));
  const memory = await loadedMemory(seeded, requests, 1);
  return [
    {
      what: "start to the first 200",
      value: spread(seconds),
      goal: `≤ ${goalStartS} s`,
      met: median(seconds) <= goalStartS,
    },
    {
      what: `resident after ${thousands(requests)} mixed reads`,
      value: `${memory.loaded.toFixed(0)} MB`,
      goal: `≤ ${goalMb} MB`,
      met: memory.loaded <= goalMb,
    },
    { what: "resident with one page asked for", value: `${memory.idle.toFixed(0)} MB` },
  ];
}

/** Sends that many requests for the paths in turn, one at a time on one connection. @returns the median, ms. */
export async function medianTime(
  load: LoadGenerator,
  { port }: Server,
  key: string,
  paths: readonly string[],
  requests: number,
): Promise<number> {
  const { p50Ms } = await load.run(
    {
      ports: [port],
      connections: 1,
      seconds: 60,
      mostRequests: requests,
      headers: { "X-API-Key": key },
      requests: paths.map((path) => ({ path })),
    },
    200,
  );
  return p50Ms;
}

export function ms(value: number): string {
  return `${value.toFixed(2)} ms`;
}
