/** Articles at random that are not ready in memory, compared with a bare server that has its answers ready. */
import type { Bench } from "./bench.ts";
import {
  type Case,
  conditions,
  contest,
  outcomeTable,
  pinning,
  ratioFigure,
  startBareCopy,
  summarise,
} from "./contest.ts";
import { startLoadGenerator } from "./load-job.ts";
import { type Section, thousands } from "./report.ts";
import { seedArticles } from "./seed.ts";
import { startRostrum } from "./servers.ts";
import { randomNumbers } from "./statistics.ts";

const COUNT = 100_000;
const READY = 1_000;
const ROUNDS = 7;
const GOAL = 0.6;
const REQUESTS = 20_000;

export const coldDetails: Bench = async ({ place }): Promise<Section> => {
  const seeded = await seedArticles(await place("cold-details"), COUNT);
  const { key, ids } = seeded;
  // The least: room for some fifty answers, of which none is asked for again in time.
  await using rostrum = await startRostrum({ ...seeded, environment: { ROSTRUM_CACHE_MB: "1" } });
  const paths = ids.map((id) => `/api/public/articles/${id}`);
  const ready = paths.slice(0, READY);
  await using bare = await startBareCopy(rostrum, key, ready);
  await using load = startLoadGenerator();
  const random = randomNumbers(7);
  const detail: Case = {
    what: `details at random of ${thousands(COUNT)}, none ready in memory`,
    status: 200,
    headers: {},
    requests: () => Array.from({ length: REQUESTS }, () => ({ path: paths[Math.floor(random() * COUNT)] ?? "" })),
    bareRequests: () => ready.map((path) => ({ path })),
    mostRequests: REQUESTS,
  };
  const pair = await contest(load, { rostrum: [rostrum], bare: [bare] }, key, [detail], ROUNDS);
  const outcomes = summarise([detail.what], [pair]);
  return {
    figures: outcomes.map((outcome) => ratioFigure(outcome, GOAL)),
    notes: [
      `The bare server has ${thousands(READY)} of the articles in memory and sends them in turn. ` +
        `${conditions(ROUNDS, 1)} ${pinning()}`,
      outcomeTable(outcomes),
    ],
  };
};
