/** Edits an article of 8 kB again and again inside the service's process, as the dashboard's API does. */
import { openApp } from "../src/app/app.ts";
import { readConfig } from "../src/process/settings/config.ts";
import { updateArticle } from "../src/operations/articles/write/articles.ts";
import { benchArticle } from "./articles.ts";
import type { Bench } from "./bench.ts";
import { seedArticles } from "./seed.ts";
import { percentile } from "./statistics.ts";

const ARTICLES = 500;
const WARM_UP = 300;
const SAVES = 1_000;
const GOAL_MS = 0.8;
const GOAL_P99_MS = 10;
const EDITOR = { id: "bench", mayApprove: true } as const;

export const saves: Bench = async ({ place }) => {
  const seeded = await seedArticles(await place("saves"), ARTICLES);
  await using app = await openApp(readConfig(seeded.place.environment, seeded.place.folder));
  // Made before, because making one takes as long as a twentieth of a save.
  const contents = Array.from({ length: WARM_UP + SAVES }, (_none, number) => benchArticle(ARTICLES + number).content);
  const save = (number: number) =>
    updateArticle(app, seeded.ids[number % seeded.ids.length] ?? "", { content: contents[number] ?? "" }, EDITOR);
  for (let number = 0; number < WARM_UP; number++) await save(number);
  const times: number[] = [];
  const before = process.threadCpuUsage();
  for (let number = WARM_UP; number < WARM_UP + SAVES; number++) {
    const startedAt = performance.now();
    await save(number);
    times.push(performance.now() - startedAt);
  }
  const { user, system } = process.threadCpuUsage(before);
  const cpuMs = (user + system) / 1_000 / SAVES;
  const p99Ms = percentile(
    times.toSorted((a, b) => a - b),
    0.99,
  );
  return {
    figures: [
      {
        what: "CPU time of a save on the main thread",
        value: `${cpuMs.toFixed(2)} ms`,
        goal: `≤ ${GOAL_MS} ms`,
        met: cpuMs <= GOAL_MS,
      },
      {
        what: "p99 of saves, one after the other, durable",
        value: `${p99Ms.toFixed(1)} ms`,
        goal: `≤ ${GOAL_P99_MS} ms`,
        met: p99Ms <= GOAL_P99_MS,
      },
    ],
    notes: [
      `${SAVES} edits of published articles after ${WARM_UP} others: each replaces the content, and saves the one before as a ` +
        `revision, with the event of the change. The content process, whose CPU time is not counted, derives the content meanwhile.`,
    ],
  };
};
