/** How long after a publication in the service's own process its receiver has the message, while nothing else happens. */
import { setTimeout as wait } from "node:timers/promises";
import { openApp } from "../src/app/app.ts";
import { readConfig } from "../src/process/settings/config.ts";
import { openLog } from "../src/process/log.ts";
import { publishArticle } from "../src/operations/articles/write/articles.ts";
import { startService } from "../src/service/service.ts";
import type { Place } from "./place.ts";
import { percentile } from "./statistics.ts";
import { startReceiver } from "./webhook-jobs.ts";
import { createApproved, createWebsites, WEBHOOK_ENVIRONMENT } from "./webhook-seed.ts";

const WARM_UP = 50;
const COUNT = 300;
/** Long enough for the result of the delivery before to be recorded. */
const PAUSE_MS = 40;
const ACTOR = { id: "bench", mayApprove: true };

export interface IdleResult {
  /** From the call to the arrival. */
  p50Ms: number;
  p99Ms: number;
  /** From the call to its return. */
  doneP50Ms: number;
  doneP99Ms: number;
}

export async function measureIdle({ folder, environment }: Place): Promise<IdleResult> {
  const config = readConfig({ PORT: "0", ...environment, ...WEBHOOK_ENVIRONMENT }, folder);
  await using app = await openApp(config, { migrates: true });
  await using receiver = await startReceiver();
  const websites = await createWebsites(app, [[`http://127.0.0.1:${receiver.ports.answering}/idle`]]);
  const ids = await createApproved(app, websites, WARM_UP + COUNT);
  await using _service = await startService(app, openLog("error"));
  const arriving = receiver.run({ expected: ids.length, recordsArticles: true });
  const published = new Map<string, { at: number; doneMs: number }>();
  for (const id of ids) {
    const at = nowMs();
    await publishArticle(app, id, ACTOR);
    published.set(id, { at, doneMs: nowMs() - at });
    await wait(PAUSE_MS);
  }
  const { arrivals } = await arriving;
  const measured = arrivals.slice(WARM_UP);
  const arrivalMs = sorted(measured.map(([id, at]) => at - (published.get(id)?.at ?? Number.NaN)));
  const doneMs = sorted(measured.map(([id]) => published.get(id)?.doneMs ?? Number.NaN));
  if (arrivalMs.some(Number.isNaN)) throw new Error("something arrived that was not published");
  return {
    p50Ms: percentile(arrivalMs, 0.5),
    p99Ms: percentile(arrivalMs, 0.99),
    doneP50Ms: percentile(doneMs, 0.5),
    doneP99Ms: percentile(doneMs, 0.99),
  };
}

function sorted(values: readonly number[]): number[] {
  return values.toSorted((a, b) => a - b);
}

/** Milliseconds of the machine's monotonic clock, which all processes share. */
function nowMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}
