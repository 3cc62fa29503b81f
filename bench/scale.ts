/** What a read costs with more and more articles, as a chart. */
import type { Bench } from "./bench.ts";
import { chart } from "./chart.ts";
import { startLoadGenerator } from "./load-job.ts";
import { noteTable, type Section, thousands } from "./report.ts";
import { seedMany } from "./seed.ts";
import { startRostrum } from "./servers.ts";
import { median, randomNumbers } from "./statistics.ts";
import { cpuSeconds } from "./usage.ts";

const COUNTS = [1_000, 10_000, 100_000];
const LIMIT = 50;
const ROUNDS = 5;
const REQUESTS = 2_000;
const MAX_S = 10;
const CONNECTIONS = 32;
const KINDS = ["an article at random", `a page of ${LIMIT} at a random offset`, "the first page, from memory"] as const;

export const scale: Bench = async ({ place }): Promise<Section> => {
  const costs: number[][] = KINDS.map(() => []);
  for (const count of COUNTS) {
    const seeded = await seedMany(await place(`scale-${count}`), count);
    await using rostrum = await startRostrum({ ...seeded, environment: { ROSTRUM_CACHE_MB: "1" } });
    await using load = startLoadGenerator();
    const random = randomNumbers(9);
    let asked = 0;
    const requests = {
      [KINDS[0]]: () => `/${seeded.ids[Math.floor(random() * seeded.ids.length)]}`,
      // A parameter without a meaning makes each address a new one.
      [KINDS[1]]: () => `?limit=${LIMIT}&offset=${Math.floor(random() * (count - LIMIT))}&n=${asked++}`,
      [KINDS[2]]: () => `?limit=${LIMIT}`,
    };
    for (const [index, kind] of KINDS.entries()) {
      const micros: number[] = [];
      for (let round = 0; round <= ROUNDS; round++) {
        const paths = Array.from({ length: REQUESTS }, () => ({ path: `/api/public/articles${requests[kind]()}` }));
        const before = cpuSeconds(rostrum.pid);
        const result = await load.run(
          {
            ports: [rostrum.port],
            connections: CONNECTIONS,
            seconds: MAX_S,
            mostRequests: REQUESTS,
            headers: { "X-API-Key": seeded.key },
            requests: paths,
          },
          200,
        );
        // The first round warms up.
        if (round > 0) micros.push(((cpuSeconds(rostrum.pid) - before) * 1e6) / result.requests);
      }
      costs[index]?.push(median(micros));
    }
  }
  return {
    figures: KINDS.map((what, index) => ({
      what: `${what}, ${thousands(COUNTS.at(-1) ?? 0)} articles against ${thousands(COUNTS[0] ?? 0)}`,
      value: ((costs[index]?.at(-1) ?? Number.NaN) / (costs[index]?.[0] ?? Number.NaN)).toFixed(2),
    })),
    notes: [
      `CPU µs of a request; articles with short bodies, the smallest cache. Medians of ${ROUNDS} rounds of ` +
        `${thousands(REQUESTS)} requests, ${CONNECTIONS} connections. [Chart](../docs/read-costs.svg).`,
      noteTable(
        ["articles", ...KINDS],
        COUNTS.map((count, at) => [thousands(count), ...costs.map((line) => (line[at] ?? Number.NaN).toFixed(0))]),
      ),
    ],
    chart: {
      file: "read-costs.svg",
      svg: chart({
        title: "CPU time of a read by the number of articles, µs",
        at: COUNTS.map(thousands),
        lines: KINDS.map((name, index) => ({ name, values: costs[index] ?? [] })),
      }),
    },
  };
};
