/** What the readers and receivers of one website notice of what those of others do, each beside the same at rest in one run. */
import { setTimeout as sleep } from "node:timers/promises";
import { CLI_ORIGIN } from "../src/domain/system/audit.ts";
import { RENDITION_WIDTHS } from "../src/domain/articles/assets/rendition.ts";
import { createKey } from "../src/operations/people/api-keys.ts";
import { createEndpoint } from "../src/operations/webhooks/endpoints.ts";
import { getWebsite } from "../src/operations/website/websites.ts";
import { png } from "../test/helpers/pictures.ts";
import { type Browser, people } from "../test/people/dashboard.ts";
import type { Bench } from "./bench.ts";
import { type LoadGenerator, pagesAndArticles, startLoadGenerator } from "./load-job.ts";
import { type Figure, noteTable, thousands } from "./report.ts";
import { seedWebsites, type SeededWebsite } from "./seed.ts";
import { get, type Server, startRostrum } from "./servers.ts";
import { percentile } from "./statistics.ts";
import { type Receiver, runPublisher, startReceiver } from "./webhook-jobs.ts";
import { appendBacklog, createApproved, createWebsites, openWebhookApp, WEBHOOK_ENVIRONMENT } from "./webhook-seed.ts";

const ARTICLES_EACH = 1_000;
const READS_PER_SECOND = 200;
const SECONDS = 10;
/** The neighbour's requests begin this long before: bursts are allowed. */
const BEFORE_MS = 5_000;
const LARGE_EVERY_MS = 50;
const VIEWERS = 4;
const PICTURES = 40;
const DRAINING = { websites: 20, endpointsEach: 20, deadEach: 1, eventsEach: 150, bytes: 2_048 };
const PUBLICATIONS = { perSecond: 20, seconds: 8 };
const GOAL = 3;

interface Times {
  count: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

export const neighbours: Bench = async ({ place }) => {
  const where = await place("neighbours");
  const [clean, other] = await seedWebsites(where, 2, ARTICLES_EACH);
  if (clean === undefined || other === undefined) throw new Error("no websites");
  await using app = await openWebhookApp(where);
  const unlimited = { name: "Clean", scope: "published", expiresAt: null, rateLimit: 0 } as const;
  const { secret: key } = await createKey(app, clean.id, unlimited, CLI_ORIGIN);
  await using rostrum = await startRostrum({
    place: where,
    key,
    isPinned: false,
    environment: { ...WEBHOOK_ENVIRONMENT, ROSTRUM_RATE_LIMIT: "50" },
  });
  using all = people({ url: `http://127.0.0.1:${rostrum.port}`, app });
  const owner = await all.owner();
  const viewers: Browser[] = [];
  for (let no = 0; no < VIEWERS; no++) {
    viewers.push(await all.person("viewer", other.id, `viewer${no}@example.com`));
  }
  await using load = startLoadGenerator({ isPinned: false });
  const read = () => reads(load, rostrum, { key, ids: clean.ids });
  const results: [what: string, rest: Times, beside: Times][] = [];
  await read();

  const rest = await read();
  results.push([
    "reads, beside a key that asks for contents",
    rest,
    await beside([askForContents(rostrum, other)], read),
  ]);
  const download = (viewer: Browser) => downloadExports(viewer, other);
  results.push([
    "reads, beside a viewer that downloads exports",
    rest,
    await beside(viewers.slice(0, 1).map(download), read),
  ]);
  results.push(["reads, beside four such viewers", rest, await beside(viewers.map(download), read)]);

  const uploaded = { rest: await upload(owner, clean.id, 600, 400), busy: await upload(owner, clean.id, 601, 400) };
  const wide = await upload(owner, other.id, 16_000, 700);
  const picturesAtRest = await renditions(rostrum, uploaded.rest);
  const forPictures = [askForWidths(rostrum, wide)];
  results.push([
    "pictures, beside very wide ones",
    picturesAtRest,
    await beside(forPictures, () => renditions(rostrum, uploaded.busy)),
  ]);

  await using receiver = await startReceiver();
  await using others = await startReceiver();
  await createEndpoint(app, clean.id, { url: `http://127.0.0.1:${receiver.ports.answering}/clean` }, CLI_ORIGIN);
  const count = PUBLICATIONS.perSecond * PUBLICATIONS.seconds;
  const website = await getWebsite(app, clean.id);
  const ids = await createApproved(app, [website], count * 3);
  const publish = (no: number) => publications(receiver, where, ids.slice(no * count, (no + 1) * count));
  const draining = await createWebsites(
    app,
    Array.from({ length: DRAINING.websites }, (_, no) => [
      ...addresses(others.ports.answering, DRAINING.endpointsEach, no),
      ...addresses(others.ports.hanging, DRAINING.deadEach, no),
    ]),
  );
  await publish(0);
  const heardAtRest = await publish(1);
  await appendBacklog(app, draining, DRAINING.eventsEach, DRAINING.bytes);
  await sleep(2_000);
  const heard = await publish(2);
  const left = await app.store.read((db) => db.get("SELECT count(*) AS n FROM delivery_queue"));
  results.push(["webhooks, beside backlogs of others", heardAtRest, heard]);

  return {
    figures: results.map(([what, before, busy]): Figure => {
      const ratio = busy.p99Ms / before.p99Ms;
      return {
        what: `${what}: p99, times that at rest`,
        value: `${ratio.toFixed(1)} (${busy.p99Ms.toFixed(1)} ms against ${before.p99Ms.toFixed(1)} ms)`,
        goal: `≤ ${GOAL}`,
        met: ratio <= GOAL,
      };
    }),
    notes: [
      `One service, nothing pinned. ${READS_PER_SECOND} reads a second of one website, each timed from when it was due, for ${SECONDS} s. Beside ` +
        "them, of another website: a key of the usual limit that asks 20 times a second for a hundred articles with contents in three forms; viewers " +
        `who download all ${thousands(ARTICLES_EACH)} articles, again and again; pictures of 16,000 × 700 in all widths and formats; ` +
        `${DRAINING.websites * DRAINING.endpointsEach} webhooks with ${DRAINING.eventsEach} deliveries each, beside ` +
        `${DRAINING.websites * DRAINING.deadEach} that hang (${thousands(left?.n ?? 0)} deliveries were left). Publications are made by a process of its ` +
        `own, ${PUBLICATIONS.perSecond} a second, and timed from when they were due until they arrive.`,
      noteTable(
        ["", "timed", "p50 ms", "p99 ms", "most ms"],
        results.flatMap(([what, before, busy]) => [row(`${what}: at rest`, before), row("meanwhile", busy)]),
      ),
    ],
  };
};

async function reads(load: LoadGenerator, { port }: Server, website: { key: string; ids: string[] }): Promise<Times> {
  const job = pagesAndArticles(website, { port, seconds: SECONDS, perSecond: READS_PER_SECOND });
  const { requests, ...times } = await load.run(job, 200);
  return { count: requests, ...times };
}

/** Repeats something until the signal. */
type Repeated = (signal: AbortSignal) => Promise<void>;

async function beside<T>(work: readonly Repeated[], measure: () => Promise<T>): Promise<T> {
  const stopping = new AbortController();
  const running = work.map((one) => one(stopping.signal));
  await sleep(BEFORE_MS);
  try {
    return await measure();
  } finally {
    stopping.abort();
    await Promise.all(running);
  }
}

function askForContents({ port }: Server, { key }: SeededWebsite): Repeated {
  return async (signal) => {
    const pending = new Set<Promise<unknown>>();
    for (let offset = 0; !signal.aborted; offset = (offset + 100) % ARTICLES_EACH) {
      const path = `/api/public/articles?limit=100&offset=${offset}&include=content&format=html,markdown,text`;
      const one: Promise<unknown> = get(port, path, { "X-API-Key": key }).finally(() => pending.delete(one));
      pending.add(one);
      await sleep(LARGE_EVERY_MS);
    }
    await Promise.all(pending);
  };
}

function downloadExports(viewer: Browser, { id }: SeededWebsite): Repeated {
  return async (signal) => {
    while (!signal.aborted) {
      const { status } = await viewer.send("GET", `/exports?website_id=${id}`);
      // Others of the website are under way.
      if (status !== 200) await sleep(LARGE_EVERY_MS);
    }
  };
}

async function upload(owner: Browser, websiteId: string, width: number, height: number): Promise<string[]> {
  const urls: string[] = [];
  for (let no = 0; no < PICTURES; no++) {
    const reply = await owner.sendFile(`/assets?website_id=${websiteId}&name=${no}.png`, png(width, height, no));
    const [url] = /\/assets\/[^"?]+/.exec(reply.text) ?? [];
    if (url === undefined) throw new Error(reply.text);
    urls.push(url);
  }
  return urls;
}

function askForWidths({ port }: Server, paths: readonly string[]): Repeated {
  return async (signal) => {
    await Promise.all(
      paths.map(async (path) => {
        for (const width of RENDITION_WIDTHS) {
          for (const format of ["webp", "jpeg"]) {
            if (!signal.aborted) await get(port, `${path}?w=${width}&format=${format}`, {});
          }
        }
      }),
    );
  };
}

/** One after the other, each for the first time. */
async function renditions({ port }: Server, paths: readonly string[]): Promise<Times> {
  const times: number[] = [];
  for (const path of paths) {
    const startedAt = performance.now();
    await get(port, `${path}?w=320&format=webp`, {});
    times.push(performance.now() - startedAt);
  }
  return summarise(times);
}

async function publications(
  receiver: Receiver,
  { folder, environment }: Parameters<typeof openWebhookApp>[0],
  ids: string[],
): Promise<Times> {
  const arriving = receiver.run({ expected: ids.length, recordsArticles: true });
  const { published } = await runPublisher({ folder, environment, ids, perSecond: PUBLICATIONS.perSecond });
  const { arrivals } = await arriving;
  const dueAt = new Map(published.map(([id, due]) => [id, due]));
  return summarise(arrivals.map(([id, at]) => at - (dueAt.get(id) ?? Number.NaN)));
}

function addresses(port: number, each: number, website: number): string[] {
  return Array.from({ length: each }, (_, endpoint) => `http://127.0.0.1:${port}/${website}/${endpoint}`);
}

function summarise(times: readonly number[]): Times {
  const sorted = times.toSorted((a, b) => a - b);
  return {
    count: sorted.length,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    maxMs: percentile(sorted, 1),
  };
}

function row(what: string, { count, p50Ms, p99Ms, maxMs }: Times): string[] {
  return [what, thousands(count), ...[p50Ms, p99Ms, maxMs].map((ms) => ms.toFixed(2))];
}
