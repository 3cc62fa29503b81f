/** How fast a backlog of deliveries is sent, compared with undici alone, and how it affects readers. */
import type { App } from "../src/app/app.ts";
import { type LoadResult, startLoadGenerator } from "./load-job.ts";
import type { Place } from "./place.ts";
import { seedArticles } from "./seed.ts";
import { startRostrum } from "./servers.ts";
import { median } from "./statistics.ts";
import { cpuSeconds, peakMb, residentMb } from "./usage.ts";
import { type Receiver, type ReceiverResult, runBare, startReceiver } from "./webhook-jobs.ts";
import { appendBacklog, bareBodies, createWebsites, openWebhookApp, WEBHOOK_ENVIRONMENT } from "./webhook-seed.ts";

const WEBSITES = 8;
const ENDPOINTS_EACH = 4;
const ROUNDS = 3;
/** Eight concurrent attempts per endpoint. */
const CONNECTIONS = WEBSITES * ENDPOINTS_EACH * 8;
const DISTINCT_BODIES = 200;
const ARTICLES = 500;
const READS_PER_SECOND = 200;
const IDLE_S = 10;
/** Bare undici sends this many times the deliveries in order to be busy for as long. */
const BARE_SPEED = 4;
/** Upper bound for a backlog that outlasts the concurrent reads. */
const MAX_S = 60;

interface Rate {
  perSecond: number;
  cpuMicros: number;
  /** Of the database's own processes; 0 for SQLite. */
  databaseMicros: number;
  receiverMicros: number;
}

export interface BacklogResult {
  rostrum: Rate;
  bare: Rate;
  /** `beside`: while another process, bare undici, sends at full speed. `busy`: while the server does. */
  reads: { idle: LoadResult; beside: LoadResult; busy: LoadResult };
  beforeMb: number;
  afterMb: number;
  peakMb: number;
}

/** `bytes`: size of each body; `count`: deliveries per round. */
export async function measureBacklog(place: Place, { bytes, count }: Wanted): Promise<BacklogResult> {
  const seeded = await seedArticles(place, ARTICLES);
  await using app = await openWebhookApp(place);
  await using receiver = await startReceiver();
  const address = `http://127.0.0.1:${receiver.ports.answering}`;
  const urls = Array.from({ length: WEBSITES }, (_, website) =>
    Array.from({ length: ENDPOINTS_EACH }, (_, endpoint) => `${address}/${website}/${endpoint}`),
  );
  const websites = await createWebsites(app, urls);
  await using rostrum = await startRostrum({ ...seeded, isPinned: false, environment: WEBHOOK_ENVIRONMENT });
  await using load = startLoadGenerator({ isPinned: false });
  const job = {
    ports: [rostrum.port],
    connections: 10,
    perSecond: READS_PER_SECOND,
    headers: { "X-API-Key": seeded.key },
    requests: seeded.ids.flatMap((id, index) => [
      { path: `/api/public/articles?limit=20&offset=${(index % 10) * 20}` },
      { path: `/api/public/articles/${id}` },
    ]),
  };
  const perWebsite = count / WEBSITES / ENDPOINTS_EACH;
  const deliver = async (onVisible?: () => void): Promise<Rate> => {
    const arrived = receiver.run({ expected: count, recordsArticles: false });
    await appendBacklog(app, websites, perWebsite, bytes);
    onVisible?.();
    const [cpuBefore, databaseBefore] = [cpuSeconds(rostrum.pid), place.databaseSeconds()];
    const result = await arrived;
    await settled(app);
    return rateOf(result, cpuSeconds(rostrum.pid) - cpuBefore, place.databaseSeconds() - databaseBefore);
  };
  const readsDuring = async (work: () => Promise<unknown>): Promise<LoadResult> => {
    const reading = load.run({ ...job, seconds: MAX_S }, 200);
    const [result] = await Promise.all([reading, work().finally(() => load.stop())]);
    return result;
  };
  const idle = await load.run({ ...job, seconds: IDLE_S }, 200);
  const beforeMb = residentMb(rostrum.pid);
  // The first round warms up the compilers of both.
  await deliver();
  await bareRound(receiver, app, bytes, count);
  const rounds: { rostrum: Rate; bare: Rate }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const bare = await bareRound(receiver, app, bytes, count);
    rounds.push({ bare, rostrum: await deliver() });
  }
  const afterMb = residentMb(rostrum.pid);
  const beside = await readsDuring(() => bareRound(receiver, app, bytes, count * BARE_SPEED));
  // Waits until the backlog is written because writing it also slows the readers.
  const visible = Promise.withResolvers<void>();
  const delivering = deliver(visible.resolve);
  await Promise.race([visible.promise, delivering]);
  const busy = await readsDuring(() => delivering);
  await checkHistory(app);
  return {
    rostrum: middle(rounds.map((one) => one.rostrum)),
    bare: middle(rounds.map((one) => one.bare)),
    reads: { idle, beside, busy },
    beforeMb,
    afterMb,
    peakMb: peakMb(rostrum.pid),
  };
}

interface Wanted {
  bytes: number;
  count: number;
}

async function bareRound(receiver: Receiver, app: App, bytes: number, count: number): Promise<Rate> {
  const arrived = receiver.run({ expected: count, recordsArticles: false });
  const bodies = bareBodies(app, DISTINCT_BODIES, bytes);
  const job = { port: receiver.ports.answering, connections: CONNECTIONS, count, bodies };
  const [result, { cpuSeconds }] = await Promise.all([arrived, runBare(job)]);
  return rateOf(result, cpuSeconds, 0);
}

function rateOf({ requests, marks, cpuSeconds }: ReceiverResult, senderSeconds: number, databaseSeconds: number): Rate {
  const [first, last] = [marks.at(0)?.[1] ?? Number.NaN, marks.at(-1)?.[1] ?? Number.NaN];
  return {
    perSecond: requests / ((last - first) / 1_000),
    cpuMicros: (senderSeconds * 1e6) / requests,
    databaseMicros: (databaseSeconds * 1e6) / requests,
    receiverMicros: (cpuSeconds * 1e6) / requests,
  };
}

function middle(rates: readonly Rate[]): Rate {
  return {
    perSecond: median(rates.map((one) => one.perSecond)),
    cpuMicros: median(rates.map((one) => one.cpuMicros)),
    databaseMicros: median(rates.map((one) => one.databaseMicros)),
    receiverMicros: median(rates.map((one) => one.receiverMicros)),
  };
}

/** Waits until every delivery is recorded as well as sent: recording is part of its cost. */
async function settled(app: App): Promise<void> {
  const isLeft = () => app.store.read((db) => db.get("SELECT 1 AS found FROM delivery_queue LIMIT 1"));
  while ((await isLeft()) !== undefined) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** @throws unless each delivery was delivered by its first attempt. */
async function checkHistory(app: App): Promise<void> {
  const sql = "SELECT COUNT(*) AS n FROM deliveries WHERE state <> 'delivered' OR attempts <> 1";
  const row = await app.store.read((db) => db.get(sql));
  if (row?.n !== 0) throw new Error(`${row?.n} deliveries took another way than one attempt`);
}
