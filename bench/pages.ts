/** Pages at offsets that have not been requested before, compared with a bare server that has its pages ready. */
import type { Bench } from "./bench.ts";
import { startLoadGenerator } from "./load-job.ts";
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
import type { Section } from "./report.ts";
import { startRostrum } from "./servers.ts";
import { randomNumbers } from "./statistics.ts";

const ROUNDS = 7;
const LIMIT = 50;
const GOAL = 0.7;
const MAX_REQUESTS = 40_000;

export const pages: Bench = async ({ articles }): Promise<Section> => {
  const seeded = await articles();
  const { key, count } = seeded;
  await using rostrum = await startRostrum(seeded);
  const address = (offset: string) => `/api/public/articles?limit=${LIMIT}&offset=${offset}`;
  const inMemory = Array.from({ length: Math.ceil(count / LIMIT) }, (_, index) => address(String(index * LIMIT)));
  await using bare = await startBareCopy(rostrum, key, inMemory);
  await using load = startLoadGenerator();

  const offsets = shuffled(count - LIMIT + 1);
  let asked = 0;
  // Never requests the same URL twice: when the offsets are used up, they repeat with one more leading zero.
  const newAddress = () => {
    const zeros = Math.floor(asked / offsets.length) + 1;
    const offset = offsets[asked++ % offsets.length] ?? 0;
    return { path: address(`${"0".repeat(zeros)}${offset}`) };
  };
  const random: Case = {
    what: `pages of ${LIMIT} at random offsets, never asked before`,
    status: 200,
    headers: {},
    requests: () => Array.from({ length: MAX_REQUESTS }, newAddress),
    bareRequests: () => inMemory.map((path) => ({ path })),
    mostRequests: MAX_REQUESTS,
  };
  const ready: Case = {
    what: "the first page, plain",
    status: 200,
    headers: {},
    requests: () => inMemory.slice(0, 1).map((path) => ({ path })),
  };
  const cases = [random, ready];
  const pair = await contest(load, { rostrum: [rostrum], bare: [bare] }, key, cases, ROUNDS);
  const outcomes = summarise(
    cases.map(({ what }) => what),
    [pair],
  );
  return {
    figures: outcomes.map((outcome, index) => ratioFigure(outcome, index === 0 ? GOAL : null)),
    notes: [
      `${count.toLocaleString("en-US")} articles. The bare server has all ${inMemory.length} pages in memory and sends ` +
        `them in turn. ${conditions(ROUNDS, 1)} ${pinning()}`,
      outcomeTable(outcomes),
    ],
  };
};

/** The numbers 0 to `count` − 1 in an order that is the same in every run. */
function shuffled(count: number): number[] {
  const random = randomNumbers(5);
  return Array.from({ length: count }, (_, number) => ({ number, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ number }) => number);
}
