/** Saves an article of 8 kB over the dashboard's API after a rest, and compares it with saves that follow another one. */
import { setTimeout as sleep } from "node:timers/promises";
import { openApp } from "../src/app/app.ts";
import { readConfig } from "../src/process/settings/config.ts";
import { openLog } from "../src/process/log.ts";
import { startService } from "../src/service/service.ts";
import { record } from "../test/helpers/http.ts";
import { people } from "../test/people/dashboard.ts";
import { benchArticle } from "./articles.ts";
import type { Bench } from "./bench.ts";
import { seedArticles } from "./seed.ts";
import { percentile } from "./statistics.ts";

const ARTICLES = 100;
const REST_MS = 21_000;
const ROUNDS = 5;
/** Saves after each rest, and the time between two: as quick as nobody types. */
const SAVES = 5;
const BETWEEN_MS = 500;
const MAX_RATIO = 2;

export const firstSave: Bench = async ({ place }) => {
  const { place: seeded, ids } = await seedArticles(await place("first-save"), ARTICLES);
  await using app = await openApp(readConfig({ PORT: "0", ...seeded.environment }, seeded.folder));
  await using service = await startService(app, openLog("error"));
  using all = people({ url: service.url, app });
  const owner = await all.owner();
  let number = ARTICLES;
  const path = `/articles/${ids[0] ?? ""}`;
  const save = async () => {
    const { version } = record((await owner.json("GET", path))["line"]);
    const changes = { content: benchArticle(number++).content };
    const startedAt = performance.now();
    await owner.json("PATCH", path, { version, draft_saved_at: null, as_draft: false, changes });
    return performance.now() - startedAt;
  };
  const firstMs = await save();
  const [warm, rested] = [[] as number[], [] as number[]];
  for (let round = 0; round < ROUNDS; round++) {
    for (let count = 0; count < SAVES; count++) {
      await sleep(BETWEEN_MS);
      warm.push(await save());
    }
    await sleep(REST_MS);
    rested.push(await save());
  }
  const [warmMs, restedMs] = [median(warm), median(rested)];
  const ratio = restedMs / warmMs;
  return {
    figures: [
      { what: "first save of the service's life", value: `${firstMs.toFixed(0)} ms` },
      { what: `save ${BETWEEN_MS / 1_000} s after another, median`, value: `${warmMs.toFixed(0)} ms` },
      { what: `save after ${REST_MS / 1_000} s of rest, median`, value: `${restedMs.toFixed(0)} ms` },
      {
        what: "ratio of the two",
        value: ratio.toFixed(1),
        goal: `≤ ${MAX_RATIO}`,
        met: ratio <= MAX_RATIO,
      },
    ],
    notes: [
      `${ROUNDS} rests, each after ${SAVES} saves; the saves after them took ${rested.map((ms) => ms.toFixed(0)).join(", ")} ms. ` +
        `Each is an edit of a published article of 8 kB over the dashboard's API, with its content, revision and event.`,
    ],
  };
};

function median(values: readonly number[]): number {
  return percentile(
    values.toSorted((a, b) => a - b),
    0.5,
  );
}
