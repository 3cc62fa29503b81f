/**
 * A backlog of 1,000,000 deliveries: how long a claim takes while the backlog is drained, and how many deliveries are finished.
 */
import { randomBytes } from "node:crypto";
import type { App } from "../src/app/app.ts";
import { reserveUnsealed, UnsealedEndpoints } from "../src/operations/webhooks/send-attempt.ts";
import { claim, type Claim, listWaiting } from "../src/store/webhooks/claims.ts";
import { recordProgress } from "../src/store/webhooks/deliveries.ts";
import { completeAndPromoteNext } from "../src/store/webhooks/delivery-queue.ts";
import { QueueCursors } from "../src/webhooks/dispatch/claimer.ts";
import type { Bench } from "./bench.ts";
import { type Section, thousands } from "./report.ts";
import { percentile } from "./statistics.ts";
import { createWebsites, openWebhookApp } from "./webhook-seed.ts";

const COUNT = 1_000_000;
const WEBSITES = 8;
const ENDPOINTS_EACH = 4;
const EVENTS_AT_ONCE = 2_500;
const BYTES = 2 * 1024;
/** The dispatcher's batch size (src/webhooks/dispatch/dispatcher.ts). */
const AT_ONCE = 256;
const WINDOW = 64;
const WORKER = "bench";
const LEASE_MS = 600_000;
const GOAL_P99_MS = 20;

export const drain: Bench = async ({ place }): Promise<Section> => {
  await using app = await openWebhookApp(await place("drain"), { looksUp: true });
  const seconds = await fill(app, COUNT);
  const { claimsMs, turnsMs, drainedSeconds } = await drainQueue(app);
  const p99 = percentile(claimsMs, 0.99);
  return {
    figures: [
      {
        what: `a claim of ${AT_ONCE} while a backlog of ${thousands(COUNT)} is drained, p99`,
        value: `${p99.toFixed(1)} ms`,
        goal: `≤ ${GOAL_P99_MS} ms`,
        met: p99 <= GOAL_P99_MS,
      },
      {
        what: "the same, p50; the longest",
        value: `${percentile(claimsMs, 0.5).toFixed(1)} ms; ${(claimsMs.at(-1) ?? Number.NaN).toFixed(1)} ms`,
      },
      {
        what: "the whole transaction, p50; p99",
        value: `${percentile(turnsMs, 0.5).toFixed(1)} ms; ${percentile(turnsMs, 0.99).toFixed(1)} ms`,
      },
      { what: "deliveries claimed and finished, nothing sent", value: `${thousands(COUNT / drainedSeconds)}/s` },
    ],
    notes: [
      `${WEBSITES * ENDPOINTS_EACH} endpoints, written in ${seconds.toFixed(0)} s. One process claims, and finishes what ` +
        "it has claimed in the next transaction, as the dispatcher does; a claim is the one statement with its wait for " +
        "the answer.",
    ],
  };
};

async function fill(app: App, count: number): Promise<number> {
  const startedAt = performance.now();
  const urls = Array.from({ length: WEBSITES }, (_, website) =>
    Array.from({ length: ENDPOINTS_EACH }, (_, endpoint) => `http://127.0.0.1:9/${website}/${endpoint}`),
  );
  const websites = await createWebsites(app, urls);
  const events = count / WEBSITES / ENDPOINTS_EACH;
  const payload = JSON.stringify({ event: "article.published", data: randomBytes((BYTES * 3) / 8).toString("hex") });
  for (let from = 1; from <= events; from += EVENTS_AT_ONCE) {
    for (const { id } of websites) await append(app, id, from, Math.min(events, from + EVENTS_AT_ONCE - 1), payload);
  }
  return (performance.now() - startedAt) / 1_000;
}

/** Appends events with these sequences, each of its own article, and their deliveries. */
async function append(app: App, websiteId: string, from: number, to: number, payload: string): Promise<void> {
  const now = app.clock();
  await app.store.write(
    async (db) => {
      await db.run(
        `WITH RECURSIVE numbers (n) AS (
           SELECT CAST(? AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < CAST(? AS BIGINT)
         )
         INSERT INTO events (website_id, sequence, id, kind, article_id, created_at, payload)
         SELECT w.id, n, w.id || '-' || n, 'article.published', w.id || '-' || n, CAST(? AS BIGINT), CAST(? AS TEXT)
         FROM numbers CROSS JOIN websites w WHERE w.id = ?`,
        from,
        to,
        now,
        payload,
        websiteId,
      );
      await db.run(
        `INSERT INTO deliveries (id, website_id, endpoint_id, event_id, event_sequence, kind, article_id, origin, state,
           attempts, created_at)
         SELECT v.id || e.id, v.website_id, e.id, v.id, v.sequence, v.kind, v.article_id, 'event', 'pending', 0,
           v.created_at
         FROM events v JOIN endpoints e ON e.website_id = v.website_id
         WHERE v.website_id = ? AND v.sequence BETWEEN ? AND ? ORDER BY v.sequence, e.id`,
        websiteId,
        from,
        to,
      );
      await db.run(
        `INSERT INTO delivery_queue (delivery_no, website_id, endpoint_id, article_id, tries, ready_at)
         SELECT no, website_id, endpoint_id, article_id, 0, created_at FROM deliveries
         WHERE website_id = ? AND event_sequence BETWEEN ? AND ?`,
        websiteId,
        from,
        to,
      );
    },
    { notify: false },
  );
}

interface Drained {
  claimsMs: number[];
  turnsMs: number[];
  drainedSeconds: number;
  finished: number;
}

/** Claims and finishes all that is queued, and sends nothing. */
export async function drainQueue(app: App): Promise<Drained> {
  const [claimsMs, turnsMs]: [number[], number[]] = [[], []];
  let finished = 0;
  const startedAt = performance.now();
  const starts = new QueueCursors();
  let held: Claim[] = [];
  do {
    const turnAt = performance.now();
    const { claimed, ms } = await turn(app, held, starts);
    turnsMs.push(performance.now() - turnAt);
    if (claimed.length > 0) claimsMs.push(ms);
    held = claimed;
    finished += claimed.length;
  } while (held.length > 0);
  const drainedSeconds = (performance.now() - startedAt) / 1_000;
  return { claimsMs: sorted(claimsMs), turnsMs: sorted(turnsMs), drainedSeconds, finished };
}

function sorted(values: readonly number[]): number[] {
  return values.toSorted((a, b) => a - b);
}

const targetCache = new UnsealedEndpoints();

/** Finishes the held claims, then claims the next ones. */
function turn(app: App, held: readonly Claim[], starts: QueueCursors): Promise<{ claimed: Claim[]; ms: number }> {
  return app.store.write(
    async (db) => {
      const now = app.clock();
      const finished = { attempts: 1, state: "delivered", finishedAt: now } as const;
      await Promise.all([
        recordProgress(
          db,
          held.map(({ no }) => ({ no, ...finished })),
        ),
        completeAndPromoteNext(db, held, now),
      ]);
      const waiting = await listWaiting(db, WORKER, now, starts.known(performance.now()));
      starts.found(waiting, now);
      const ready = waiting.filter(({ readyAt }) => readyAt <= now);
      const targets = await reserveUnsealed(
        db,
        app,
        ready.map(({ id }) => id),
        now,
        targetCache,
      );
      const wishes = ready
        .filter(({ id }) => targets.has(id))
        .map(({ id, head }) => ({ endpointId: id, most: WINDOW, head }));
      if (wishes.length === 0) return { claimed: [], ms: 0 };
      const token = app.newId();
      const claimAt = performance.now();
      const claimed = await claim(db, wishes, AT_ONCE, now, { token, until: now + LEASE_MS, worker: WORKER });
      return { claimed, ms: performance.now() - claimAt };
    },
    { notify: false },
  );
}
