/** Resident memory of a service with many websites, from its start through reads of all of them. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Bench } from "./bench.ts";
import { type LoadGenerator, startLoadGenerator } from "./load-job.ts";
import { type Section, thousands } from "./report.ts";
import { seedWebsites, type SeededWebsite } from "./seed.ts";
import { get, type Server, startRostrum } from "./servers.ts";
import { randomNumbers } from "./statistics.ts";
import { peakMb, residentMb } from "./usage.ts";

const WEBSITES = 100;
const ARTICLES_EACH = 1_000;
const READS = 100_000;
const MAX_S = 240;
const SETTLE_MS = 3_000;
const GOAL_MB = 200;

export const memoryOfWebsites: Bench = async ({ place }): Promise<Section> => {
  const seeded = await place("websites");
  const websites = await seedWebsites(seeded, WEBSITES, ARTICLES_EACH);
  const key = websites[0]?.key ?? "";
  await using rostrum = await startRostrum({ place: seeded, key, isPinned: false });
  await sleep(SETTLE_MS);
  const idle = residentMb(rostrum.pid);
  for (const website of websites) {
    await get(rostrum.port, "/api/public/articles?limit=50", { "X-API-Key": website.key });
  }
  const listed = residentMb(rostrum.pid);
  await using load = startLoadGenerator({ isPinned: false });
  await read(load, rostrum, mixedReads(websites));
  const mixed = residentMb(rostrum.pid);
  await read(load, rostrum, everyArticle(websites));
  const crawled = residentMb(rostrum.pid);
  return {
    figures: [
      { what: "resident after the start, idle", value: megabytes(idle) },
      { what: "after one list of each website", value: megabytes(listed) },
      {
        what: `after ${thousands(READS)} mixed reads of all of them`,
        value: megabytes(mixed),
        goal: `≤ ${GOAL_MB} MB`,
        met: mixed <= GOAL_MB,
      },
      {
        what: "after each article was read once",
        value: megabytes(crawled),
        goal: `≤ ${GOAL_MB} MB`,
        met: crawled <= GOAL_MB,
      },
      { what: "the most that was ever resident", value: megabytes(peakMb(rostrum.pid)) },
    ],
    notes: [
      `${WEBSITES} websites of ${thousands(ARTICLES_EACH)} published articles of 6 to 8 kB, each with a key of its own. The reads are mixed ` +
        "as in `memory`. `VmRSS` of the one process of the service with all its threads, read as the load ends: there is no webhook, and nobody " +
        "writes, so that neither the dispatcher's thread nor a process for content has started.",
    ],
  };
};

async function read(load: LoadGenerator, { port }: Server, requests: Request[]): Promise<void> {
  const job = { ports: [port], connections: 10, seconds: MAX_S, mostRequests: READS, headers: {}, requests };
  const { requests: done } = await load.run(job, 200);
  if (done < READS) throw new Error(`only ${done} requests in the time`);
}

interface Request {
  path: string;
  headers: Record<string, string>;
}

function mixedReads(websites: readonly SeededWebsite[]): Request[] {
  const random = randomNumbers(77);
  const below = (most: number) => Math.floor(random() * most);
  return Array.from({ length: READS / 2 }, (_, index) => {
    const { key = "", ids = [] } = websites[below(websites.length)] ?? {};
    const headers = { "X-API-Key": key, ...(index % 5 === 0 ? { "Accept-Encoding": "gzip" } : {}) };
    switch (index % 10) {
      case 0:
      case 2:
      case 4:
      case 7:
        return { path: `/api/public/articles/${ids[below(ids.length)]}`, headers };
      case 5:
        return { path: `/api/public/articles?limit=50&offset=${below(20) * 50}`, headers };
      default:
        return { path: `/api/public/articles?limit=50&offset=${below(ARTICLES_EACH - 50)}`, headers };
    }
  });
}

function everyArticle(websites: readonly SeededWebsite[]): Request[] {
  return websites.flatMap(({ key, ids }) =>
    ids.map((id) => ({ path: `/api/public/articles/${id}`, headers: { "X-API-Key": key } })),
  );
}

function megabytes(value: number): string {
  return `${value.toFixed(0)} MB`;
}
