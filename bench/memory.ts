/** Resident memory after the start and after a mixed load on 10,000 articles. */
import { setTimeout as sleep } from "node:timers/promises";
import { startLoadGenerator } from "./load-job.ts";
import type { Section } from "./report.ts";
import { thousands } from "./report.ts";
import type { Bench } from "./bench.ts";
import { startRostrum } from "./servers.ts";
import { median, randomNumbers } from "./statistics.ts";
import { peakMb, residentMb } from "./usage.ts";
import type { Seeded } from "./seed.ts";

const RUNS = 3;
const REQUESTS = 200_000;
const MAX_S = 240;
const SETTLE_MS = 2_000;
const GOAL_IDLE_MB = 75;
const GOAL_LOADED_MB = 200;

export const memory: Bench = async ({ articles }): Promise<Section> => {
  const seeded = await articles();
  const idle: number[] = [];
  const loaded: number[] = [];
  const peak: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const measured = await loadedMemory(seeded, REQUESTS, run);
    idle.push(measured.idle);
    loaded.push(measured.loaded);
    peak.push(measured.peak);
  }
  return {
    figures: [
      {
        what: "resident after the start, idle",
        value: megabytes(idle),
        goal: `≤ ${GOAL_IDLE_MB} MB`,
        met: median(idle) <= GOAL_IDLE_MB,
      },
      {
        what: `resident after ${thousands(REQUESTS)} mixed reads`,
        value: megabytes(loaded),
        goal: `≤ ${GOAL_LOADED_MB} MB`,
        met: median(loaded) <= GOAL_LOADED_MB,
      },
      { what: "the most that was ever resident", value: megabytes(peak) },
    ],
    notes: [
      `${RUNS} servers. Of the reads 5 in 10 are lists of 50 at random offsets, 3 details at random, 1 a gzip list ` +
        `of the first twenty pages, 1 a gzip detail at random. \`VmRSS\`, read as the load ends; median and range.`,
    ],
  };
};

/** Resident memory of one server from its start through the load, MB. */
export async function loadedMemory(
  seeded: Seeded,
  requests: number,
  seed: number,
): Promise<{ idle: number; loaded: number; peak: number }> {
  await using rostrum = await startRostrum(seeded);
  await sleep(SETTLE_MS);
  const idle = residentMb(rostrum.pid);
  await using load = startLoadGenerator();
  const { requests: done } = await load.run(
    {
      ports: [rostrum.port],
      connections: 10,
      seconds: MAX_S,
      mostRequests: requests,
      headers: { "X-API-Key": seeded.key },
      requests: mixedReads(seeded, Math.min(requests, 50_000), seed),
    },
    200,
  );
  if (done < requests) throw new Error(`only ${done} requests in the time`);
  return { idle, loaded: residentMb(rostrum.pid), peak: peakMb(rostrum.pid) };
}

export function mixedReads({ ids, count }: Seeded, requests: number, seed: number) {
  const random = randomNumbers(seed + 77);
  const below = (most: number) => Math.floor(random() * most);
  const gzip = { "Accept-Encoding": "gzip" };
  return Array.from({ length: requests }, (_, index) => {
    const detail = `/api/public/articles/${ids[below(ids.length)]}`;
    switch (index % 10) {
      case 0:
        return { path: detail, headers: gzip };
      case 5:
        return { path: `/api/public/articles?limit=50&offset=${below(20) * 50}`, headers: gzip };
      case 2:
      case 4:
      case 7:
        return { path: detail };
      default:
        return { path: `/api/public/articles?limit=50&offset=${below(count - 50)}` };
    }
  });
}

function megabytes(values: readonly number[]): string {
  return `${median(values).toFixed(0)} MB (${Math.min(...values).toFixed(0)}–${Math.max(...values).toFixed(0)})`;
}
