/** The leases of all workers: which there are, and releasing them. Deliveries are leased by claims.ts. */
import type { Millis } from "../../domain/system/time.ts";
import { declareRow } from "../row.ts";
import { inBatches, isAnyOf, placeholders, valuesList } from "../system/sql-batch.ts";
import type { Snapshot, Writer } from "../store.ts";

/** The leases under one token. */
export interface ActiveLease {
  worker: string;
  token: string;
  /** The earliest expiry of these leases. */
  until: Millis;
  /** Time since the worker's last heartbeat, by the database's clock, milliseconds; null: there is none. */
  silentMs: number | null;
}

export interface QueueScan {
  claims: ActiveLease[];
  /** When a delivery that this worker might claim is ready; null: none, or the worker is busy, and finds it anyway. */
  readyAt: Millis | null;
  /** Whether an endpoint that is not enabled has queued deliveries. */
  hasToPark: boolean;
  hasReplays: boolean;
}

/** Leases with their workers' silence before the statement: a heartbeat that it does not see is even younger. */
const CLAIMS = declareRow<LeaseRow>(`SELECT q.worker, q.lease_token AS token, MIN(q.lease_until) AS until,
    MIN(EXTRACT(EPOCH FROM statement_timestamp() - w.seen_at)) * 1000 AS silent_ms
  FROM delivery_queue q LEFT JOIN workers w ON w.id = q.worker AND w.kind = 'dispatcher'
  WHERE q.lease_token IS NOT NULL GROUP BY q.worker, q.lease_token`);

/** The condition of `listToPark` (delivery-queue.ts), and whether there are replays. */
const HAS_WORK = `EXISTS (SELECT 1 FROM endpoints e WHERE e.state <> 'enabled' AND e.deleted_at IS NULL AND EXISTS (
    SELECT 1 FROM delivery_queue WHERE endpoint_id = e.id AND lease_token IS NULL)) AS has_to_park,
  EXISTS (SELECT 1 FROM replay_jobs WHERE finished_at IS NULL) AS has_replays`;

/** The conditions of `listWaiting` (claims.ts) and `listToPark` (delivery-queue.ts), reduced to one value each. */
const SCAN = declareRow<ScanRow>(`SELECT
  (SELECT json_agg(json_build_array(worker, token, until, silent_ms)) FROM (${CLAIMS}) AS c) AS claims,
  CASE WHEN CAST(? AS BIGINT) = 1 THEN (SELECT MIN(GREATEST(q.ready_at, e.not_before)) FROM endpoints e CROSS JOIN LATERAL (
     SELECT MIN(ready_at) AS ready_at FROM delivery_queue
     WHERE endpoint_id = e.id AND lease_token IS NULL AND ready_at IS NOT NULL
   ) AS q WHERE e.state = 'enabled' AND e.deleted_at IS NULL AND q.ready_at IS NOT NULL AND e.id NOT IN (
     SELECT endpoint_id FROM delivery_queue WHERE lease_token IS NOT NULL AND worker < ?
     UNION ALL SELECT endpoint_id FROM delivery_queue WHERE lease_token IS NOT NULL AND worker > ?
   )) END AS ready_at,
  ${HAS_WORK}`);

interface ScanRow {
  claims: [worker: string, token: string, until: Millis, silentMs: number | null][] | null;
  ready_at: Millis | null;
  has_to_park: boolean;
  has_replays: boolean;
}

interface LeaseRow {
  worker: string;
  token: string;
  until: Millis;
  silent_ms?: number | null;
}

/** One statement, as there is mostly nothing to do. `isIdle`: finds the next `readyAt`, too. */
export async function scanQueue(db: Pick<Snapshot, "all">, worker: string, isIdle: boolean): Promise<QueueScan> {
  const [row] = await db.all(SCAN, isIdle ? 1 : 0, worker, worker);
  return {
    claims: (row?.claims ?? []).map(([worker, token, until, silentMs]) => ({ worker, token, until, silentMs })),
    readyAt: row?.ready_at ?? null,
    hasToPark: row?.has_to_park ?? false,
    hasReplays: row?.has_replays ?? false,
  };
}

/** As `scanQueue`, on SQLite, where the dispatcher's own queries find `readyAt`. */
export async function scanAlone(db: Snapshot): Promise<Omit<QueueScan, "readyAt">> {
  const [claims, row] = await Promise.all([listHeldClaims(db), db.get(SCAN_ALONE)]);
  return { claims, hasToPark: row?.has_to_park === 1, hasReplays: row?.has_replays === 1 };
}

const SCAN_ALONE = declareRow<{ has_to_park: number; has_replays: number }>(`SELECT
  ${HAS_WORK}`);

/** SQLite has no heartbeats; process liveness is checked locally. */
export async function listHeldClaims(db: Snapshot): Promise<ActiveLease[]> {
  const rows = await db.all(
    db.engine === "postgres"
      ? CLAIMS
      : declareRow<LeaseRow>(
          `SELECT worker, lease_token AS token, MIN(lease_until) AS until FROM delivery_queue
           WHERE lease_token IS NOT NULL GROUP BY worker, lease_token`,
        ),
  );
  return rows.map(({ worker, token, until, silent_ms: silentMs = null }) => ({ worker, token, until, silentMs }));
}

export async function releaseUnused(db: Writer, leases: readonly { no: number; token: string }[]): Promise<void> {
  const inOrder = leases.toSorted((a, b) => a.no - b.no);
  await inBatches(inOrder, (batch) =>
    db.run(
      `WITH v (no, token) AS (VALUES ${valuesList(batch, "(CAST(? AS BIGINT), ?)")})
       UPDATE delivery_queue SET lease_token = NULL, lease_until = NULL, worker = NULL
       FROM v WHERE delivery_queue.delivery_no = v.no AND delivery_queue.lease_token = v.token`,
      ...batch.flatMap(({ no, token }) => [no, token]),
    ),
  );
}

/** Releases the worker's leases. @returns how many. */
export function releaseLeases(db: Writer, worker: string): Promise<number> {
  return db.run(
    `UPDATE delivery_queue SET lease_token = NULL, lease_until = NULL, worker = NULL
     WHERE delivery_no ${isAnyOf(
       db,
       `SELECT delivery_no FROM delivery_queue WHERE lease_token IS NOT NULL AND worker = ?
        ORDER BY delivery_no + 0 FOR NO KEY UPDATE`,
     )}`,
    worker,
  );
}

/** Later claims of the worker are not touched, and locked deliveries skipped. @returns how many. */
export async function releaseClaims(db: Writer, tokens: readonly string[]): Promise<number> {
  const counts = await inBatches(tokens, (batch) =>
    db.run(
      `UPDATE delivery_queue SET lease_token = NULL, lease_until = NULL, worker = NULL
       WHERE delivery_no ${isAnyOf(
         db,
         `SELECT delivery_no FROM delivery_queue WHERE lease_token IS NOT NULL AND lease_token IN (${placeholders(batch)})
          FOR NO KEY UPDATE SKIP LOCKED`,
       )}`,
      ...batch,
    ),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

export function listLeases(db: Snapshot): Promise<{ no: number; token: string; until: Millis }[]> {
  return db.all(
    declareRow<{ no: number; token: string; until: Millis }>(
      "SELECT delivery_no AS no, lease_token AS token, lease_until AS until FROM delivery_queue WHERE lease_token IS NOT NULL",
    ),
  );
}

/** Releases the expired leases. Skips locked deliveries. @returns how many. */
export function releaseExpired(db: Writer, now: Millis): Promise<number> {
  return db.run(
    `UPDATE delivery_queue SET lease_token = NULL, lease_until = NULL, worker = NULL
     WHERE delivery_no ${isAnyOf(
       db,
       `SELECT delivery_no FROM delivery_queue WHERE lease_token IS NOT NULL AND lease_until < ?
        FOR NO KEY UPDATE SKIP LOCKED`,
     )}`,
    now,
  );
}
