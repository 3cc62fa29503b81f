/** Requests per API key and UTC hour: a minute behind at most, as each process counts in memory first. */
import type { Millis } from "../../domain/system/time.ts";
import { inBatches, valuesList } from "../system/sql-batch.ts";
import type { Snapshot, Writer } from "../store.ts";

export interface KeyRequests {
  websiteId: string;
  keyId: string;
  /** Start of the UTC hour. */
  hour: Millis;
  requests: number;
}

/** Adds to the counts; `counts` has each key and hour once. A fixed order of writes prevents deadlocks. */
export async function addKeyRequests(db: Writer, counts: readonly KeyRequests[]): Promise<void> {
  await inBatches(counts.toSorted(byKey), (batch) =>
    db.run(
      `INSERT INTO key_requests (website_id, hour, key_id, requests) VALUES ${valuesList(batch, "(?, ?, ?, ?)")}
       ON CONFLICT (website_id, hour, key_id) DO UPDATE SET requests = key_requests.requests + excluded.requests`,
      ...batch.flatMap(({ websiteId, hour, keyId, requests }) => [websiteId, hour, keyId, requests]),
    ),
  );
}

function byKey(a: KeyRequests, b: KeyRequests): number {
  if (a.websiteId !== b.websiteId) return a.websiteId < b.websiteId ? -1 : 1;
  if (a.hour !== b.hour) return a.hour - b.hour;
  return a.keyId < b.keyId ? -1 : 1;
}

/** Requests of each key of the website by day; days without requests are left out. `day`: the start of the UTC day. */
export function requestsByDay(
  db: Snapshot,
  websiteId: string,
  since: Millis,
): Promise<{ key_id: string; day: Millis; requests: number }[]> {
  return db.all(
    `SELECT key_id, hour / 86400000 * 86400000 AS day, CAST(SUM(requests) AS BIGINT) AS requests FROM key_requests
     WHERE website_id = ? AND hour >= ? GROUP BY key_id, hour / 86400000 ORDER BY key_id, day`,
    websiteId,
    since,
  );
}

/** Requests of all keys of the website by hour, oldest first; hours without requests are left out. */
export function readsByHour(
  db: Snapshot,
  websiteId: string,
  since: Millis,
): Promise<{ hour: Millis; requests: number }[]> {
  return db.all(
    `SELECT hour, CAST(SUM(requests) AS BIGINT) AS requests FROM key_requests
     WHERE website_id = ? AND hour >= ? GROUP BY hour ORDER BY hour`,
    websiteId,
    since,
  );
}

/** When a key of the website was first used, to the hour; null: never. Later if that hour has been pruned. */
export async function firstRequestAt(db: Snapshot, websiteId: string): Promise<Millis | null> {
  const row = await db.get(
    `SELECT (SELECT MIN(hour) FROM key_requests WHERE website_id = ?) AS hour,
       (SELECT MIN(last_used_at) FROM api_keys WHERE website_id = ?) AS used_at,
       (SELECT MIN(created_at) FROM api_keys WHERE website_id = ?) AS created_at`,
    websiteId,
    websiteId,
    websiteId,
  );
  const known = [row?.hour, row?.used_at].filter((at) => typeof at === "number");
  // Within the hour, but not before the first key was created.
  return known.length === 0 ? null : Math.max(Math.min(...known), row?.created_at ?? 0);
}
