/** The backlog of endpoints, as it is shown to people. */
import type { Millis } from "../../domain/system/time.ts";
import { parkedIn } from "./deliveries.ts";
import { inBatches, placeholders } from "../system/sql-batch.ts";
import type { Snapshot } from "../store.ts";

export interface EndpointLoad {
  /** Deliveries that are waiting or being sent, and those that are parked, each counted up to a limit. */
  waiting: number;
  parked: number;
  /** When the first waiting delivery is due; null: none is waiting. */
  dueAt: Millis | null;
}

/** By endpoint. `most`: the limit of each count. */
export async function measureLoads(
  db: Snapshot,
  endpointIds: readonly string[],
  most: number,
): Promise<Map<string, EndpointLoad>> {
  const found = await inBatches(endpointIds, (batch) =>
    db.all(
      `SELECT e.id,
         (SELECT COUNT(*) FROM (
            SELECT endpoint_id FROM delivery_queue WHERE ${ascendingScan(db)} LIMIT CAST(? AS BIGINT)
          ) AS w WHERE w.endpoint_id = e.id) AS waiting,
         (SELECT COUNT(*) FROM (
            SELECT endpoint_id FROM deliveries WHERE ${parkedIn(db)} AND ${ascendingScan(db)} LIMIT CAST(? AS BIGINT)
          ) AS p WHERE p.endpoint_id = e.id) AS parked,
         (SELECT MIN(q.ready_at) FROM delivery_queue q
          WHERE q.endpoint_id = e.id AND q.lease_token IS NULL AND q.ready_at IS NOT NULL) AS due_at
       FROM endpoints e WHERE e.id IN (${placeholders(batch)})`,
      most,
      most,
      ...batch,
    ),
  );
  return new Map(found.flat().map(({ id, waiting, parked, due_at: dueAt }) => [id, { waiting, parked, dueAt }]));
}

/** Scans by an index; on PostgreSQL on into the next endpoint's, as in delivery-history.ts. */
function ascendingScan({ engine }: Pick<Snapshot, "engine">): string {
  return engine === "postgres"
    ? "(endpoint_id, article_id) >= (e.id, '') ORDER BY endpoint_id, article_id"
    : "endpoint_id = e.id ORDER BY article_id";
}
