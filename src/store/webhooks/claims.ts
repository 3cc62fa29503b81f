import type { Millis } from "../../domain/system/time.ts";
import { type DeliveryOrigin, isRetrysTurn, RETRY_TURN, STREAK } from "../../domain/webhooks/delivery.ts";
import type { EventKind } from "../../domain/webhooks/event.ts";
import { ALIVE } from "../system/liveness.ts";
import { inBatches, placeholders } from "../system/sql-batch.ts";
import { declareRow, type Row } from "../row.ts";
import type { Snapshot, Writer } from "../store.ts";

/** The right to work on a delivery until `until`. Finishing it requires `token`. */
export interface Lease {
  token: string;
  until: Millis;
  /** The holder, which identifies the leases of dead workers. */
  worker: string;
}

/** A claimed delivery, with all that is needed to send it. */
export interface Claim {
  no: number;
  deliveryId: string;
  websiteId: string;
  endpointId: string;
  articleId: string;
  eventId: string;
  sequence: number;
  kind: EventKind;
  origin: DeliveryOrigin;
  /** The event's envelope as JSON in UTF-8. */
  payload: Uint8Array;
  extension?: string | null;
  /** The trace of the event's request. */
  traceparent: string | null;
  attempts: number;
  token: string;
}

/** Where an endpoint's waiting deliveries begin: searches skip the index entries removed since the last vacuum. */
interface QueueCursor {
  readyAt: Millis;
  no: number;
}

const FRONT: QueueCursor = { readyAt: 0, no: 0 };

/** An endpoint with waiting deliveries; `readyAt` is the earliest time at which one may be sent. */
export interface WaitingEndpoint {
  id: string;
  window: number;
  readyAt: Millis;
  /** The first waiting delivery, or the oldest due retry if it has its turn. */
  head: QueueCursor;
  /** Whether `head` may be such a retry, and earlier deliveries wait. */
  isRetry: boolean;
  /** Whether it has no backlog: all that waits came after the last claim, and no attempt has failed lately. */
  isFresh: boolean;
  /** Whether it lags behind by a moment only, as one does to which more is published than its window takes at once. */
  isRecent: boolean;
}

/** Asks for an endpoint's oldest deliveries from `head` on, at most `most`. */
export interface ClaimRequest {
  endpointId: string;
  most: number;
  head?: QueueCursor;
}

/**
 * Endpoints of which other workers hold leases. One query for all endpoints can only use the index of leases; endpoint
 * by endpoint, a plan that was made when the queue was empty may read all queued deliveries of each. The conditions are
 * below and above this worker, which is passed twice, as the index is full of its own earlier leases until the next
 * vacuum.
 */
const OTHERS = `SELECT endpoint_id FROM delivery_queue WHERE lease_token IS NOT NULL AND worker < ?
  UNION ALL SELECT endpoint_id FROM delivery_queue WHERE lease_token IS NOT NULL AND worker > ?`;

const CLAIMED = `d.no, d.id, d.website_id, d.endpoint_id, d.article_id, d.event_id, d.event_sequence, d.kind, d.origin,
  d.attempts`;
const OF_EVENT = "e.payload, e.traceparent";

type ClaimRow = Omit<
  Row<`SELECT ${typeof CLAIMED}, ${typeof OF_EVENT} FROM deliveries d JOIN events e ON e.id = d.event_id`>,
  "payload"
> & { payload: Uint8Array };

/**
 * Enabled endpoints with waiting deliveries that this worker may claim, the least recently claimed first. An endpoint
 * belongs to one worker while that worker holds leases of it, so that its window of concurrent attempts applies across
 * all processes. `starts`: by endpoint, a time; deliveries that were ready before it are skipped.
 *
 * An endpoint that is probed after failures in a row gets its oldest retry by turns: so a dead one soon has deliveries
 * without another retry, and is disabled, however many new events wait.
 */
export async function listWaiting(
  db: Snapshot,
  worker: string,
  now: Millis,
  starts: ReadonlyMap<string, Millis> = new Map(),
): Promise<WaitingEndpoint[]> {
  const rows = await (db.engine === "postgres"
    ? db.all(LIST_WAITING, JSON.stringify(Object.fromEntries(starts)), now, now, worker, worker)
    : db.all(LIST_WAITING_ALONE, now, now));
  return rows.map((row) => ({
    id: row.id,
    window: row.send_window,
    readyAt: Math.max(row.ready_at, row.not_before),
    head: { readyAt: row.ready_at, no: row.delivery_no },
    isRetry: isRetrysTurn({ failedAttempts: row.failed_attempts }),
    isFresh: row.failed_attempts === 0 && row.ready_at > row.last_claimed_at - COMMIT_MS,
    isRecent: row.failed_attempts === 0 && row.ready_at > now - RECENT_MS,
  }));
}

/** How long before its commit a delivery becomes ready; as a rule it is less. */
const COMMIT_MS = 50;
/** Some cycles of the dispatcher on a busy machine. */
const RECENT_MS = 1_000;

interface WaitingRow {
  id: string;
  last_claimed_at: Millis;
  send_window: number;
  not_before: Millis;
  failed_attempts: number;
  ready_at: Millis;
  delivery_no: number;
}

/** The oldest due retry of an endpoint `e`, if its next probe is for a retry (`isRetrysTurn`). */
const DUE_RETRY = `FROM delivery_queue
  WHERE e.failed_attempts >= ${STREAK} AND e.failed_attempts % ${RETRY_TURN} = 0 AND e.not_before <= ?
    AND endpoint_id = e.id AND planned_at <= ? AND lease_token IS NULL
  ORDER BY delivery_no + 0 LIMIT 1`;

const LIST_WAITING = declareRow<WaitingRow>(`WITH known AS MATERIALIZED (SELECT CAST(? AS JSONB) AS starts)
  SELECT e.id, e.last_claimed_at, e.send_window, e.not_before, e.failed_attempts, q.ready_at, q.delivery_no
  FROM known CROSS JOIN endpoints e CROSS JOIN LATERAL (
    SELECT ready_at, delivery_no FROM (
      (SELECT 1 AS turn, ready_at, delivery_no ${DUE_RETRY})
      UNION ALL (
        SELECT 2 AS turn, ready_at, delivery_no FROM delivery_queue
        WHERE endpoint_id = e.id AND ready_at >= COALESCE(CAST(known.starts ->> e.id AS BIGINT), 0)
          AND lease_token IS NULL AND ready_at IS NOT NULL
        ORDER BY ready_at, delivery_no LIMIT 1
      )
    ) AS heads ORDER BY turn LIMIT 1
  ) AS q
  WHERE e.state = 'enabled' AND e.deleted_at IS NULL AND e.id NOT IN (${OTHERS})
  ORDER BY e.last_claimed_at, e.id`);

const LIST_WAITING_ALONE =
  declareRow<WaitingRow>(`SELECT e.id, e.last_claimed_at, e.send_window, e.not_before, e.failed_attempts, q.ready_at, q.delivery_no
  FROM endpoints e JOIN delivery_queue q ON q.delivery_no = COALESCE((SELECT delivery_no ${DUE_RETRY}), (
    SELECT delivery_no FROM delivery_queue
    WHERE endpoint_id = e.id AND lease_token IS NULL AND ready_at IS NOT NULL
    ORDER BY ready_at, delivery_no LIMIT 1
  ))
  WHERE e.state = 'enabled' AND e.deleted_at IS NULL
  ORDER BY e.last_claimed_at, e.id`);

/** Leases deliveries that are ready: at most `total`, the oldest of each endpoint, which the caller has reserved. */
export async function claim(
  db: Writer,
  requests: readonly ClaimRequest[],
  total: number,
  now: Millis,
  lease: Lease,
): Promise<Claim[]> {
  if (requests.length === 0) return [];
  const claimed = await (db.engine === "postgres" ? claimTogether : claimEach)(db, requests, total, now, lease);
  return claimed.map((row) => ({
    no: row.no,
    deliveryId: row.id,
    websiteId: row.website_id,
    endpointId: row.endpoint_id,
    articleId: row.article_id,
    eventId: row.event_id,
    sequence: row.event_sequence,
    kind: row.kind,
    origin: row.origin,
    payload: row.payload,
    traceparent: row.traceparent,
    attempts: row.attempts,
    token: lease.token,
  }));
}

/** Claims a delivery as `claim` would, and releases it. @throws when it cannot be claimed. */
export async function tryClaim(db: Writer, no: number): Promise<void> {
  const set = "UPDATE delivery_queue SET lease_token = ?, lease_until = ?, worker = ? WHERE delivery_no = ?";
  const locked = await db.get(
    "SELECT 1 AS found FROM delivery_queue WHERE delivery_no = ? AND lease_token IS NULL FOR UPDATE SKIP LOCKED",
    no,
  );
  if (locked === undefined) return;
  await db.get(
    `SELECT ${CLAIMED}, ${OF_EVENT} FROM deliveries d JOIN events e ON e.id = d.event_id WHERE d.no = ?`,
    no,
  );
  await db.run(set, "trial", 0, "trial", no);
  await db.run(set, null, null, null, no);
}

const CLAIM_EACH = declareRow<Omit<ClaimRow, keyof Content>>(`SELECT ${CLAIMED}
  FROM delivery_queue q JOIN deliveries d ON d.no = q.delivery_no
  WHERE q.endpoint_id = ? AND (q.ready_at, q.delivery_no) >= (?, ?) AND q.ready_at <= ?
    AND q.lease_token IS NULL AND q.ready_at IS NOT NULL
  ORDER BY q.ready_at, q.delivery_no LIMIT CAST(? AS BIGINT)`);

async function claimEach(
  db: Writer,
  requests: readonly ClaimRequest[],
  total: number,
  now: Millis,
  lease: Lease,
): Promise<ClaimRow[]> {
  const found: Omit<ClaimRow, keyof Content>[] = [];
  for (const { endpointId, most, head = FRONT } of requests) {
    if (found.length >= total) break;
    const room = Math.min(most, total - found.length);
    const ready = await db.all(CLAIM_EACH, endpointId, head.readyAt, head.no, now, room);
    found.push(...ready);
  }
  const contents = await findContents(
    db,
    found.map((row) => row.event_id),
  );
  const all = found.flatMap((row) => {
    const content = contents.get(row.event_id);
    return content === undefined ? [] : [Object.assign(row, content)];
  });
  await inBatches(all, (batch) =>
    db.run(
      `UPDATE delivery_queue SET lease_token = ?, lease_until = ?, worker = ?
       WHERE delivery_no IN (${placeholders(batch)}) AND lease_token IS NULL`,
      lease.token,
      lease.until,
      lease.worker,
      ...batch.map(({ no }) => no),
    ),
  );
  const served = [...new Set(all.map((row) => row.endpoint_id))];
  await inBatches(served, (batch) =>
    db.run(`UPDATE endpoints SET last_claimed_at = ? WHERE id IN (${placeholders(batch)})`, now, ...batch),
  );
  return all;
}

interface Content {
  payload: Uint8Array;
  traceparent: string | null;
}

/** Reads each event once. The payload stays bytes from row to socket: a text is copied at each step. */
async function findContents(db: Snapshot, eventIds: readonly string[]): Promise<Map<string, Content>> {
  const found = await inBatches([...new Set(eventIds)], (batch) =>
    db.all(
      declareRow<Content & { id: string }>(
        `SELECT id, CAST(payload AS BLOB) AS payload, traceparent FROM events WHERE id IN (${placeholders(batch)})`,
      ),
      ...batch,
    ),
  );
  return new Map(found.flat().map(({ id, payload, traceparent }) => [id, { payload, traceparent }]));
}

/**
 * One statement for all endpoints. Its parts, in order, with what PostgreSQL reads for each
 * (test/postgres/plans.test.ts):
 *
 * - `others`: endpoints of which other workers hold leases; two scans of `delivery_queue_leases`, which has only
 *   leases.
 * - `e`: the requests without those endpoints; no table.
 * - `ready`: per endpoint the oldest deliveries, at most its share; one scan of `delivery_queue_ready` that begins at
 *   the queue cursor and ends at the limit.
 * - `nodes`: what the living nodes have seen; `workers` has a row per process.
 * - `visible`: those deliveries whose event every living node has seen, as the receiver may request the article from
 *   any node (engine/postgres/node-sync.ts). An event with a transaction number that is yet to come was copied from
 *   another server, and is not new. `deliveries` and `events` by their keys, one row at a time.
 * - `leased`: takes them, unless another worker was faster or a newer event is replacing them; `delivery_queue` by its
 *   key. It never waits: the transaction has locked other deliveries, in the order of their numbers.
 * - `served`: puts their endpoints last in line.
 *
 * The payload of an event with several deliveries is returned once. `OFFSET 0`, `ANY` and `coalesce` make each row be
 * looked up by its key, whatever number of rows the plan was made for (delivery-queue.ts).
 */
const CLAIM_TOGETHER = declareRow<
  Omit<ClaimRow, "payload"> & { payload: string | null }
>(`WITH others AS MATERIALIZED (${OTHERS}),
  e AS MATERIALIZED (
    SELECT id, most, ready_at, no FROM json_to_recordset(CAST(? AS JSON)) AS request (id TEXT, most BIGINT, ready_at BIGINT, no BIGINT)
    WHERE NOT EXISTS (SELECT 1 FROM others WHERE endpoint_id = id)
  ),
  ready AS (
    SELECT q.delivery_no FROM e CROSS JOIN LATERAL (
      SELECT delivery_no, row_number() OVER (ORDER BY ready_at, delivery_no) AS place FROM delivery_queue
      WHERE endpoint_id = e.id AND (ready_at, delivery_no) >= (e.ready_at, e.no) AND ready_at <= ?
        AND lease_token IS NULL AND ready_at IS NOT NULL
      ORDER BY ready_at, delivery_no LIMIT CAST(? AS BIGINT)
    ) AS q
    WHERE q.place <= e.most
    ORDER BY q.place LIMIT CAST(? AS BIGINT)
  ),
  nodes AS MATERIALIZED (SELECT applied_snapshot FROM workers WHERE kind = 'node' AND ${ALIVE}),
  visible AS MATERIALIZED (
    SELECT ${CLAIMED}, ${OF_EVENT} FROM ready
    CROSS JOIN LATERAL (SELECT * FROM deliveries WHERE no = ready.delivery_no OFFSET 0) AS d
    CROSS JOIN LATERAL (SELECT payload, traceparent, xid FROM events WHERE id = d.event_id OFFSET 0) AS e
    WHERE e.xid >= pg_snapshot_xmax(pg_current_snapshot()) OR NOT EXISTS (
      SELECT 1 FROM nodes WHERE applied_snapshot IS NULL OR NOT pg_visible_in_snapshot(e.xid, applied_snapshot)
    )
  ),
  leased AS (
    UPDATE delivery_queue SET lease_token = ?, lease_until = ?, worker = ?
    WHERE delivery_no = ANY (ARRAY(
      SELECT delivery_no FROM delivery_queue WHERE delivery_no = ANY (ARRAY(SELECT no FROM visible))
        AND coalesce(lease_token, '') = '' AND ready_at <= ?
      FOR NO KEY UPDATE SKIP LOCKED
    ))
    RETURNING delivery_no, endpoint_id
  ),
  served AS (UPDATE endpoints SET last_claimed_at = ? WHERE id = ANY (ARRAY(SELECT endpoint_id FROM leased)))
  SELECT ${CLAIMED}, d.traceparent,
    CASE WHEN row_number() OVER (PARTITION BY d.event_id ORDER BY d.no) = 1 THEN d.payload END AS payload
  FROM visible d WHERE no = ANY (ARRAY(SELECT delivery_no FROM leased)) ORDER BY d.no`);

async function claimTogether(
  db: Writer,
  requests: readonly ClaimRequest[],
  total: number,
  now: Millis,
  lease: Lease,
): Promise<ClaimRow[]> {
  const rows = requests.map(({ endpointId, most, head = FRONT }) => ({
    id: endpointId,
    most,
    ready_at: head.readyAt,
    no: head.no,
  }));
  const claimed = await db.all(
    CLAIM_TOGETHER,
    lease.worker,
    lease.worker,
    JSON.stringify(rows),
    now,
    maxOfEach(requests, total),
    total,
    lease.token,
    lease.until,
    lease.worker,
    now,
    now,
  );
  const payloads = new Map<string, Uint8Array>();
  return claimed.map((row) => {
    const payload = row.payload === null ? payloads.get(row.event_id) : Buffer.from(row.payload);
    if (payload === undefined) throw new Error("the first delivery of an event comes with its payload");
    payloads.set(row.event_id, payload);
    return Object.assign(row, { payload });
  });
}

/** How many deliveries to read per endpoint: twice its share, enough if some have few, and not far more. */
function maxOfEach(requests: readonly ClaimRequest[], total: number): number {
  return Math.min(Math.max(...requests.map(({ most }) => most)), Math.ceil((total * 2) / requests.length));
}
