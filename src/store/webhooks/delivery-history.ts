/** Pages of an endpoint's deliveries, newest first: all of them, or those in one state. */
import type { DeliveryState } from "../../domain/webhooks/delivery.ts";
import { findDeliveries, parkedIn, type StoredDelivery } from "./deliveries.ts";
import { countUnfinished } from "./delivery-queue.ts";
import { declareRow } from "../row.ts";
import type { Snapshot, Value } from "../store.ts";

export interface DeliveryRange {
  state?: DeliveryState;
  /** The number of a delivery: the page continues where an earlier one ended. */
  before?: number;
  limit: number;
}

/** Newest first, with where the next page begins; null: the end. A page may be short, as history is read in pieces. */
export async function listDeliveries(
  db: Snapshot,
  endpointId: string,
  range: DeliveryRange,
): Promise<{ deliveries: StoredDelivery[]; next: number | null }> {
  const { numbers, next } = await findNumbers(db, endpointId, range);
  return { deliveries: await findDeliveries(db, numbers), next };
}

/** From this many waiting or parked deliveries on, the newest of them are searched for among all deliveries. */
const FEW = 2_000;
/** Deliveries that are scanned at once: about ten milliseconds, even if the database has no statistics yet. */
const LOOKED_THROUGH = 3_000;

async function findNumbers(
  db: Snapshot,
  endpointId: string,
  { state, before = Number.MAX_SAFE_INTEGER, limit }: DeliveryRange,
): Promise<{ numbers: number[]; next: number | null }> {
  const take = async (query: string, ...params: Value[]) => {
    const found = await db.all(declareRow<{ no: number }>(`${query} LIMIT CAST(? AS BIGINT)`), ...params, limit + 1);
    return toPage(
      found.map(({ no }) => no),
      limit,
    );
  };
  switch (state) {
    case undefined:
      return take("SELECT no FROM deliveries WHERE endpoint_id = ? AND no < ? ORDER BY no DESC", endpointId, before);
    case "exhausted":
    case "coalesced":
    case "skipped":
      return take(
        "SELECT no FROM deliveries WHERE endpoint_id = ? AND failed_state = ? AND no < ? ORDER BY no DESC",
        endpointId,
        state,
        before,
      );
    case "pending":
      if ((await countUnfinished(db, endpointId, FEW)) === FEW) break;
      return take(
        `SELECT delivery_no AS no FROM delivery_queue WHERE endpoint_id = ? AND delivery_no + 0 < ?
         ORDER BY delivery_no + 0 DESC`,
        endpointId,
        before,
      );
    case "parked":
      if ((await countParked(db, endpointId, FEW)) === FEW) break;
      return take(
        `SELECT no FROM deliveries WHERE endpoint_id = ? AND ${parkedIn(db)} AND no + 0 < ? ORDER BY no + 0 DESC`,
        endpointId,
        before,
      );
    case "delivered":
  }
  const { numbers, next } = await take(
    `SELECT no FROM (SELECT endpoint_id, no, state FROM deliveries WHERE ${descendingScan(db)} LIMIT ${LOOKED_THROUGH}) AS newest
     WHERE endpoint_id = ? AND state = ?`,
    endpointId,
    before,
    endpointId,
    state,
  );
  if (next !== null) return { numbers, next };
  const last = await db.get(
    `SELECT endpoint_id, no FROM deliveries WHERE ${descendingScan(db)} LIMIT 1 OFFSET ${LOOKED_THROUGH - 1}`,
    endpointId,
    before,
  );
  return { numbers, next: last?.endpoint_id === endpointId ? last.no : null };
}

/** Follows the index: with the endpoint as a condition, PostgreSQL might read and sort all of its deliveries. */
function descendingScan({ engine }: Pick<Snapshot, "engine">): string {
  return engine === "postgres"
    ? "(endpoint_id, no) < (?, ?) ORDER BY endpoint_id DESC, no DESC"
    : "endpoint_id = ? AND no < ? ORDER BY no DESC";
}

/** Cuts a list that was read with one row more than needed. */
function toPage(found: readonly number[], limit: number): { numbers: number[]; next: number | null } {
  const numbers = found.slice(0, limit);
  return { numbers, next: found.length > limit ? (numbers.at(-1) ?? null) : null };
}

async function countParked(db: Snapshot, endpointId: string, most: number): Promise<number> {
  const row = await db.get(
    `SELECT COUNT(*) AS n FROM (
       SELECT 1 FROM deliveries WHERE endpoint_id = ? AND ${parkedIn(db)} ORDER BY article_id LIMIT CAST(? AS BIGINT)
     ) AS some_rows`,
    endpointId,
    most,
  );
  return row?.n ?? 0;
}
