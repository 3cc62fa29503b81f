/** How long after a publication its webhook receivers are notified. */
import { CLI_ORIGIN } from "../src/domain/system/audit.ts";
import { createKey } from "../src/operations/people/api-keys.ts";
import type { Place } from "./place.ts";
import { startRostrum } from "./servers.ts";
import { percentile } from "./statistics.ts";
import { type PublisherResult, type ReceiverResult, runPublisher, startReceiver } from "./webhook-jobs.ts";
import { createApproved, createWebsites, openWebhookApp, WEBHOOK_ENVIRONMENT } from "./webhook-seed.ts";

/** Published one after the other, to warm up and to measure the rate that the disk sustains. */
const WARM_UP = 1_000;
/** Share of that rate. */
const SHARE = 0.8;
const AFTERWARDS_MS = 1_000;

export interface Publications {
  websites: number;
  /** Endpoints of each website that respond, and those that accept and never respond. */
  answering: number;
  hanging: number;
  /** Across all websites. */
  perSecond: number;
  seconds: number;
}

export interface Heard {
  wantedPerSecond: number;
  /** Lower than wanted if the machine cannot publish that fast. */
  perSecond: number;
  /** Messages received by the responding endpoints. */
  count: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  /** Time until the publication itself was acknowledged. */
  doneP50Ms: number;
  doneP99Ms: number;
}

/** @throws when a responding receiver was not notified of a publication. */
export async function measurePublications(place: Place, wanted: Publications): Promise<Heard> {
  const { websites: count, answering, hanging, seconds } = wanted;
  const { folder, environment } = place;
  await using app = await openWebhookApp(place);
  await using receiver = await startReceiver();
  const urls = Array.from({ length: count }, (_, website) => [
    ...addresses(receiver.ports.answering, answering, website),
    ...addresses(receiver.ports.hanging, hanging, website),
  ]);
  const websites = await createWebsites(app, urls);
  const [first] = websites;
  if (first === undefined) throw new Error("no website");
  const { secret: key } = await createKey(
    app,
    first.id,
    {
      name: "Bench",
      scope: "all",
      expiresAt: null,
      rateLimit: null,
    },
    CLI_ORIGIN,
  );
  const ids = await createApproved(app, websites, WARM_UP + wanted.perSecond * seconds);
  await using _rostrum = await startRostrum({ place, key, isPinned: false, environment: WEBHOOK_ENVIRONMENT });
  const warming = receiver.run({ expected: WARM_UP * answering, recordsArticles: true });
  const warm = await runPublisher({ folder, environment, ids: ids.slice(0, WARM_UP) });
  await warming;
  const perSecond = Math.min(wanted.perSecond, Math.floor(rateOf(warm) * SHARE));
  const published = ids.slice(WARM_UP, WARM_UP + perSecond * seconds);
  const arriving = receiver.run({ expected: published.length * answering, recordsArticles: true });
  const result = await runPublisher({ folder, environment, ids: published, perSecond });
  // Waits so that duplicate or late messages are not counted in the next round.
  const arrived = await arriving;
  await new Promise((resolve) => setTimeout(resolve, AFTERWARDS_MS));
  return { wantedPerSecond: wanted.perSecond, perSecond, ...summarise(result, arrived) };
}

function addresses(port: number, each: number, website: number): string[] {
  return Array.from({ length: each }, (_, endpoint) => `http://127.0.0.1:${port}/${website}/${endpoint}`);
}

function rateOf({ published }: PublisherResult): number {
  const [first, last] = [published.at(0)?.[1] ?? Number.NaN, published.at(-1)?.[2] ?? Number.NaN];
  return (published.length * 1_000) / (last - first);
}

function summarise({ published }: PublisherResult, { arrivals }: ReceiverResult) {
  const dueAt = new Map(published.map(([id, due]) => [id, due]));
  const heard = arrivals.map(([id, at]) => at - (dueAt.get(id) ?? Number.NaN)).toSorted((a, b) => a - b);
  if (heard.some(Number.isNaN)) throw new Error("something arrived that was not published");
  const done = published.map(([, due, at]) => at - due).toSorted((a, b) => a - b);
  return {
    count: heard.length,
    p50Ms: percentile(heard, 0.5),
    p99Ms: percentile(heard, 0.99),
    maxMs: heard.at(-1) ?? Number.NaN,
    doneP50Ms: percentile(done, 0.5),
    doneP99Ms: percentile(done, 0.99),
  };
}
