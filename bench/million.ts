/** A website of 1,000,000 articles: deep pages, totals, start, memory. */
import type { Bench } from "./bench.ts";
import { measureStartAndMemory, medianTime, ms } from "./large-website.ts";
import { startLoadGenerator } from "./load-job.ts";
import { pinning } from "./contest.ts";
import { noteTable, type Section, thousands } from "./report.ts";
import { seedMany, type Seeded } from "./seed.ts";
import { get, type Server, startRostrum } from "./servers.ts";
import { median } from "./statistics.ts";

const COUNT = 1_000_000;
const DEEP = 750_000;
const LIMIT = 50;
const ROUNDS = 21;
const REQUESTS_A_ROUND = 100;
const GOAL_RATIO = 1.2;
const GOALS = { starts: 7, requests: 200_000, goalStartS: 0.5, goalMb: 180 };

export const million: Bench = async ({ place }): Promise<Section> => {
  const seedStartedAt = performance.now();
  const seeded = await seedMany(await place("million"), COUNT);
  const seedSeconds = (performance.now() - seedStartedAt) / 1_000;
  const depths = await measureDepths(seeded);
  const startAndMemory = await measureStartAndMemory(seeded, GOALS);
  return {
    figures: [
      ...depths.map(({ what, first, deep }) => ({
        what: `page at offset ${thousands(DEEP)} against the first, ${what}`,
        value: `${(deep / first).toFixed(2)} (${ms(deep)} against ${ms(first)})`,
        goal: `≤ ${GOAL_RATIO}`,
        met: deep / first <= GOAL_RATIO,
      })),
      { what: "totals", value: "exact", goal: "exact", met: true },
      ...startAndMemory,
    ],
    notes: [
      `${thousands(COUNT)} articles with short bodies, written in ${seedSeconds.toFixed(0)} s. Pages of ${LIMIT}, one ` +
        `request at a time on one connection; ${ROUNDS} interleaved rounds of ${REQUESTS_A_ROUND} each; medians of the ` +
        `rounds' medians. ${pinning()}`,
      noteTable(
        ["", "first page", `at ${thousands(DEEP)}`],
        depths.map(({ what, first, deep }) => [what, ms(first), ms(deep)]),
      ),
    ],
  };
};

interface Depth {
  what: string;
  /** Median times, ms. */
  first: number;
  deep: number;
}

async function measureDepths(seeded: Pick<Seeded, "place" | "key">): Promise<Depth[]> {
  await using rostrum = await startRostrum(seeded);
  await using load = startLoadGenerator();
  for (const offset of [0, DEEP, COUNT + 10]) await checkTotal(rostrum, seeded.key, offset);
  let asked = 0;
  /** The pages after `from`, none of which has been read before. */
  const unseen = (from: number) => {
    const begin = from + asked;
    return Array.from({ length: REQUESTS_A_ROUND }, (_, index) => begin + index * LIMIT);
  };
  const cases = [
    { what: "pages nobody has asked for", offsets: unseen },
    { what: "a page asked for again and again", offsets: (from: number) => [from] },
  ];
  const depths: Depth[] = [];
  for (const { what, offsets } of cases) {
    const first: number[] = [];
    const deep: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      first.push(await medianTime(load, rostrum, seeded.key, toPaths(offsets(0)), REQUESTS_A_ROUND));
      deep.push(await medianTime(load, rostrum, seeded.key, toPaths(offsets(DEEP)), REQUESTS_A_ROUND));
      asked += REQUESTS_A_ROUND * LIMIT;
    }
    depths.push({ what, first: median(first), deep: median(deep) });
  }
  return depths;
}

function toPaths(offsets: readonly number[]): string[] {
  return offsets.map((offset) => `/api/public/articles?limit=${LIMIT}&offset=${offset}`);
}

/** @throws unless the page reports the expected total. */
async function checkTotal({ port }: Server, key: string, offset: number): Promise<void> {
  const { body } = await get(port, `/api/public/articles?limit=1&offset=${offset}`, { "X-API-Key": key });
  const { data } = JSON.parse(body.toString()) as { data: { articles: unknown[]; pagination: { total: number } } };
  if (data.pagination.total !== COUNT) throw new Error(`the total at ${offset} is ${data.pagination.total}`);
  if (data.articles.length !== (offset < COUNT ? 1 : 0)) throw new Error(`wrong page at ${offset}`);
}
