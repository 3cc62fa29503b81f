import type {
  Arrival,
  ArrivalOutcome,
  ArrivalRequest,
  ArrivalState,
  Sender,
} from "../../../domain/articles/senders/sender.ts";
import { inBatches, placeholders } from "../../system/sql-batch.ts";
import type { Millis } from "../../../domain/system/time.ts";
import { toCamelCase } from "../../../domain/system/camel-case.ts";
import { declareRow } from "../../row.ts";
import type { Snapshot, Writer } from "../../store.ts";

const COLUMNS = "id, sender_id, website_id, at, state, request, bytes, outcome";
const HAS_BODY = "EXISTS (SELECT 1 FROM arrival_bodies WHERE arrival_id = arrivals.id)";

/** @param claimedUntil until when the process that received it works on it. */
export async function insertArrival(
  db: Writer,
  arrival: Arrival,
  { body, claimedUntil }: { body: string; claimedUntil: Millis },
): Promise<void> {
  await db.run(
    `INSERT INTO arrivals (${COLUMNS}, claimed_until) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    arrival.id,
    arrival.senderId,
    arrival.websiteId,
    arrival.at,
    arrival.state,
    JSON.stringify(arrival.request),
    arrival.bytes,
    arrival.outcome === null ? null : JSON.stringify(arrival.outcome),
    claimedUntil,
  );
  await db.run(
    "INSERT INTO arrival_bodies (arrival_id, website_id, sender_id, bytes, body) VALUES (?, ?, ?, ?, ?)",
    arrival.id,
    arrival.websiteId,
    arrival.senderId,
    arrival.bytes,
    body,
  );
  db.markWebsiteChanged(arrival.websiteId);
}

export async function findArrivalAnywhere(db: Snapshot, id: string): Promise<Arrival | undefined> {
  const row = await db.get(`SELECT ${COLUMNS} FROM arrivals WHERE id = ?`, id);
  return row && toArrival(toCamelCase(row));
}

/** Whether a request of the sender waits in which this member, such as `path`, has this value. */
export async function hasWaiting(db: Snapshot, senderId: string, member: string, value: string): Promise<boolean> {
  // Quotes within a value are escaped, so that no value contains this.
  const part = JSON.stringify({ [member]: value }).slice(1, -1);
  const row = await db.get(
    "SELECT 1 AS one FROM arrivals WHERE sender_id = ? AND state = 'waiting' AND request LIKE ? LIMIT 1",
    senderId,
    `%${part}%`,
  );
  return row !== undefined;
}

/** Null: it was removed. */
export async function readArrivalBody(db: Snapshot, id: string): Promise<string | null> {
  return (await db.get("SELECT body FROM arrival_bodies WHERE arrival_id = ?", id))?.body ?? null;
}

/** Senders whose bodies have more than `maxBytes` together. `only`: this one. */
export async function listLargeSenders(
  db: Snapshot,
  maxBytes: number,
  only?: Pick<Arrival, "websiteId" | "senderId">,
): Promise<{ senderId: string; total: number }[]> {
  const rows = await db.all(
    declareRow<{ sender_id: string; total: number }>(
      `SELECT sender_id, CAST(SUM(bytes) AS BIGINT) AS total FROM arrival_bodies
       ${only === undefined ? "" : "WHERE website_id = ? AND sender_id = ?"}
       GROUP BY website_id, sender_id HAVING SUM(bytes) > CAST(? AS BIGINT) ORDER BY website_id, sender_id`,
    ),
    ...(only === undefined ? [] : [only.websiteId, only.senderId]),
    maxBytes,
  );
  return rows.map(toCamelCase);
}

/** The sender's oldest arrivals in these states that have their body. */
export function listOldestBodies(
  db: Snapshot,
  senderId: string,
  states: readonly ArrivalState[],
  limit: number,
): Promise<{ id: string; bytes: number }[]> {
  return db.all(
    declareRow<{ id: string; bytes: number }>(
      `SELECT id, bytes FROM arrivals WHERE sender_id = ? AND state IN (${placeholders(states)}) AND ${HAS_BODY}
       ORDER BY at, id LIMIT CAST(? AS BIGINT)`,
    ),
    senderId,
    ...states,
    limit,
  );
}

/** Forgets what these arrivals brought. One that is being understood keeps it. */
export async function forgetBodies(db: Writer, ids: readonly string[]): Promise<void> {
  await inBatches(ids, (batch) =>
    db.run(
      `DELETE FROM arrival_bodies WHERE arrival_id IN (
         SELECT id FROM arrivals WHERE id IN (${placeholders(batch)}) AND state <> 'waiting' FOR UPDATE)`,
      ...batch,
    ),
  );
}

export interface ArrivalPage {
  state: ArrivalState | null;
  /** Those before this one, the newest first; null: from the newest. */
  before: Pick<Arrival, "at" | "id"> | null;
  limit: number;
}

export async function listArrivals(
  db: Snapshot,
  senderId: string,
  { state, before, limit }: ArrivalPage,
): Promise<Arrival[]> {
  const page = before === null ? "" : "AND (at, id) < (?, ?)";
  const after = before === null ? [] : [before.at, before.id];
  const rows =
    state === null
      ? await db.all(
          `SELECT ${COLUMNS} FROM arrivals WHERE sender_id = ? ${page} ORDER BY at DESC, id DESC LIMIT CAST(? AS BIGINT)`,
          senderId,
          ...after,
          limit,
        )
      : await db.all(
          `SELECT ${COLUMNS} FROM arrivals WHERE sender_id = ? AND state = ? ${page}
           ORDER BY at DESC, id DESC LIMIT CAST(? AS BIGINT)`,
          senderId,
          state,
          ...after,
          limit,
        );
  return rows.map((row) => toArrival(toCamelCase(row)));
}

/** Up to a thousand of each. */
export interface ArrivalCounts {
  waiting: number;
  needsAttention: number;
}

const MAX_COUNTED = 1_000;

/** Of those that somebody, or the service, has still to do something about. */
export async function countOpenArrivals(db: Snapshot, senderId: string): Promise<ArrivalCounts> {
  const count = async (state: ArrivalState) =>
    (
      await db.get(
        "SELECT COUNT(*) AS n FROM (SELECT 1 FROM arrivals WHERE sender_id = ? AND state = ? LIMIT CAST(? AS BIGINT)) AS found",
        senderId,
        state,
        MAX_COUNTED,
      )
    )?.n ?? 0;
  return { waiting: await count("waiting"), needsAttention: await count("needs_attention") };
}

/** What became of the sender's last arrival before this one that brought something; undefined: there is none. */
export async function findStateBefore(
  db: Snapshot,
  { senderId, at, id }: Pick<Arrival, "senderId" | "at" | "id">,
): Promise<ArrivalState | undefined> {
  const row = await db.get(
    `SELECT state FROM arrivals WHERE sender_id = ? AND (at, id) < (?, ?) AND state IN ('stored', 'needs_attention')
     ORDER BY at DESC, id DESC LIMIT 1`,
    senderId,
    at,
    id,
  );
  return row?.state;
}

/** Records what became of it. @returns false if another process has done so meanwhile. */
export async function finishArrival(
  db: Writer,
  { id, websiteId }: Pick<Arrival, "id" | "websiteId">,
  state: ArrivalState,
  outcome: ArrivalOutcome,
): Promise<boolean> {
  const finished = await db.run(
    "UPDATE arrivals SET state = ?, outcome = ?, claimed_until = NULL WHERE id = ? AND state = 'waiting'",
    state,
    JSON.stringify(outcome),
    id,
  );
  if (finished === 0) return false;
  for (const { articleId } of outcome.articles) {
    if (articleId === null) continue;
    await db.run(
      `INSERT INTO arrived_articles (article_id, arrival_id, website_id) VALUES (?, ?, ?)
       ON CONFLICT (article_id, arrival_id) DO NOTHING`,
      articleId,
      id,
      websiteId,
    );
  }
  db.markWebsiteChanged(websiteId);
  return true;
}

/** Whether the sender has brought the article again since this arrival. */
export async function wasBroughtSince(
  db: Snapshot,
  articleId: string,
  { id, senderId, at }: Pick<Arrival, "id" | "senderId" | "at">,
): Promise<boolean> {
  const row = await db.get(
    `SELECT 1 AS one FROM arrived_articles JOIN arrivals ON arrivals.id = arrived_articles.arrival_id
     WHERE arrived_articles.article_id = ? AND arrivals.sender_id = ? AND (arrivals.at, arrivals.id) > (?, ?) LIMIT 1`,
    articleId,
    senderId,
    at,
    id,
  );
  return row !== undefined;
}

/** Makes it wait again, and claims it. @returns false if it waits already, or its body is gone. */
export async function queueAgain(
  db: Writer,
  { id, websiteId }: Pick<Arrival, "id" | "websiteId">,
  claimedUntil: Millis,
): Promise<boolean> {
  const changed = await db.run(
    `UPDATE arrivals SET state = 'waiting', claimed_until = ? WHERE id = ? AND state <> 'waiting' AND ${HAS_BODY}`,
    claimedUntil,
    id,
  );
  db.markWebsiteChanged(websiteId);
  return changed === 1;
}

/** Makes all of the sender's arrivals wait that need attention and have their body. @returns how many. */
export async function queueAllAgain(
  db: Writer,
  { id, websiteId }: Pick<Sender, "id" | "websiteId">,
  now: Millis,
): Promise<number> {
  db.markWebsiteChanged(websiteId);
  return db.run(
    `UPDATE arrivals SET state = 'waiting', claimed_until = ?
     WHERE sender_id = ? AND state = 'needs_attention' AND ${HAS_BODY}`,
    now,
    id,
  );
}

/**
 * Claims those that no process works on: each is given to one caller only. The oldest first. `senderId`: only of this
 * sender.
 */
export async function claimWaiting(
  db: Writer,
  now: Millis,
  claimedUntil: Millis,
  limit: number,
  senderId?: string,
): Promise<Arrival[]> {
  const rows =
    senderId === undefined
      ? await db.all(
          `SELECT ${COLUMNS} FROM arrivals WHERE state = 'waiting' AND claimed_until <= ?
           ORDER BY claimed_until, id LIMIT CAST(? AS BIGINT)`,
          now,
          limit,
        )
      : await db.all(
          `SELECT ${COLUMNS} FROM arrivals WHERE sender_id = ? AND state = 'waiting' AND claimed_until <= ?
           ORDER BY at, id LIMIT CAST(? AS BIGINT)`,
          senderId,
          now,
          limit,
        );
  const claimed: Arrival[] = [];
  for (const row of rows) {
    const taken = await db.run(
      "UPDATE arrivals SET claimed_until = ? WHERE id = ? AND state = 'waiting' AND claimed_until <= ?",
      claimedUntil,
      row.id,
      now,
    );
    if (taken === 1) claimed.push(toArrival(toCamelCase(row)));
  }
  return claimed;
}

/** How many wait, and since when the first. */
export async function measureWaiting(db: Snapshot): Promise<{ waiting: number; oldestAt: Millis | null }> {
  const row = await db.get(
    declareRow<{ waiting: number; oldest_at: Millis | null }>(
      "SELECT count(*) AS waiting, min(at) AS oldest_at FROM arrivals WHERE state = 'waiting'",
    ),
  );
  return { waiting: Number(row?.waiting), oldestAt: row?.oldest_at ?? null };
}

export async function hasClaimable(db: Snapshot, now: Millis): Promise<boolean> {
  const row = await db.get("SELECT 1 AS one FROM arrivals WHERE state = 'waiting' AND claimed_until <= ? LIMIT 1", now);
  return row !== undefined;
}

type StoredArrival = Omit<Arrival, "request" | "outcome"> & { request: string; outcome: string | null };

function toArrival({ request, outcome, ...arrival }: StoredArrival): Arrival {
  return {
    ...arrival,
    // Written by `insertArrival` and `finishArrival`.
    request: JSON.parse(request) as ArrivalRequest,
    outcome: outcome === null ? null : (JSON.parse(outcome) as ArrivalOutcome),
  };
}
