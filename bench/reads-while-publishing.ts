/** Readers of a website on which articles are published all the time, compared with the same website at rest. */
import { CLI_ORIGIN } from "../src/domain/system/audit.ts";
import { createKey } from "../src/operations/people/api-keys.ts";
import type { Bench } from "./bench.ts";
import { pagesAndArticles, startLoadGenerator } from "./load-job.ts";
import { noteTable, type Section, thousands } from "./report.ts";
import { get, type Server, startRostrum } from "./servers.ts";
import { runPublisher } from "./webhook-jobs.ts";
import { createApproved, createWebsites, openWebhookApp } from "./webhook-seed.ts";

const PUBLISHED = 1_000;
const PER_SECOND = 100;
const READS_PER_SECOND = 2_000;
const SECONDS = 10;
const GOAL_P99 = 2;
const GOAL_MAX_MS = 20;

export const readsWhilePublishing: Bench = async ({ place }): Promise<Section> => {
  const where = await place("publishing");
  const { folder, environment } = where;
  await using app = await openWebhookApp(where);
  const websites = await createWebsites(app, [[]]);
  const newKey = { name: "Bench", scope: "all", expiresAt: null, rateLimit: null } as const;
  const { secret: key } = await createKey(app, websites[0]?.id ?? "", newKey, CLI_ORIGIN);
  const all = await createApproved(app, websites, PUBLISHED + PER_SECOND * SECONDS);
  const ids = all.slice(0, PUBLISHED);
  await runPublisher({ folder, environment, ids });
  await using rostrum = await startRostrum({ place: where, key });
  await using load = startLoadGenerator();
  const job = pagesAndArticles({ key, ids }, { port: rostrum.port, seconds: SECONDS, perSecond: READS_PER_SECOND });
  const measure = async () => {
    const before = await countReads(rostrum);
    const result = await load.run(job, 200);
    const after = await countReads(rostrum);
    return { ...result, hitRate: (after.hit - before.hit) / (after.hit + after.miss - before.hit - before.miss) };
  };
  await measure();
  const quiet = await measure();
  const publishing = runPublisher({ folder, environment, ids: all.slice(PUBLISHED), perSecond: PER_SECOND });
  const busy = await measure();
  const { published } = await publishing;
  const [first, last] = [published.at(0)?.[1] ?? Number.NaN, published.at(-1)?.[2] ?? Number.NaN];
  const ratio = busy.p99Ms / quiet.p99Ms;
  return {
    figures: [
      {
        what: `p99 while ${PER_SECOND} articles/s are published, times that of the website at rest`,
        value: `${ratio.toFixed(1)} (${busy.p99Ms.toFixed(2)} ms against ${quiet.p99Ms.toFixed(2)} ms)`,
        goal: `≤ ${GOAL_P99}`,
        met: ratio <= GOAL_P99,
      },
      {
        what: "the slowest of these requests",
        value: `${busy.maxMs.toFixed(1)} ms`,
        goal: `≤ ${GOAL_MAX_MS} ms`,
        met: busy.maxMs <= GOAL_MAX_MS,
      },
      { what: "answers that were ready in memory meanwhile", value: `${(busy.hitRate * 100).toFixed(0)} %` },
    ],
    notes: [
      `${thousands(READS_PER_SECOND)} reads a second, each timed from when it was due: ten pages of twenty, and ` +
        `${thousands(PUBLISHED)} articles in turn. Another process published ` +
        `${((published.length * 1_000) / (last - first)).toFixed(0)} articles a second on the same website, as a command does.`,
      noteTable(
        ["", "p50 ms", "p99 ms", "slowest ms", "ready in memory"],
        Object.entries({ "at rest": quiet, publishing: busy }).map(([what, { p50Ms, p99Ms, maxMs, hitRate }]) => [
          what,
          p50Ms.toFixed(2),
          p99Ms.toFixed(2),
          maxMs.toFixed(2),
          `${(hitRate * 100).toFixed(0)} %`,
        ]),
      ),
    ],
  };
};

async function countReads({ port }: Server): Promise<{ hit: number; miss: number }> {
  const { body } = await get(port, "/metrics", {});
  const count = (result: string) =>
    Number(new RegExp(`^rostrum_read_cache_total\\{result="${result}"\\} (\\d+)`, "m").exec(body.toString())?.[1] ?? 0);
  return { hit: count("hit"), miss: count("miss") };
}
