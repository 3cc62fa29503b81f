import type { Millis } from "../../domain/system/time.ts";
import { isParking, isReplacing } from "../../domain/webhooks/endpoint.ts";
import type { ArticleEvent } from "../../domain/webhooks/event.ts";
import { insertDelivery, setDeliveryState } from "../../store/webhooks/deliveries.ts";
import { enqueue, listUnsent, lockArticleQueues, removeFromQueue } from "../../store/webhooks/delivery-queue.ts";
import { findEndpointsHeld, type StoredEndpoint } from "../../store/webhooks/endpoints.ts";
import type { Writer } from "../../store/store.ts";
import { waitForAll } from "../../store/system/sql-batch.ts";
import type { Deps } from "../system/deps.ts";

/** Inserts deliveries for endpoints that want it, in the event's transaction. @param all read after locking. */
export async function fanOut(
  db: Writer,
  deps: Pick<Deps, "newId">,
  event: ArticleEvent,
  all: readonly StoredEndpoint[],
): Promise<void> {
  const endpoints = await lockEndpoints(db, event, all);
  if (endpoints.length === 0) return;
  const replacing = endpoints.filter(isReplacing);
  const locking = lockArticleQueues(
    db,
    endpoints.map(({ id }) => id),
    event.articleId,
    replacing.length > 0,
  );
  const replaced = new Map<string, QueueEntry>();
  if (replacing.length > 0) await locking;
  for (const endpoint of replacing) replaced.set(endpoint.id, await replaceEarlier(db, endpoint, event));
  // Sent together: none waits for another's response.
  const adding = endpoints.flatMap((endpoint) => {
    const id = deps.newId();
    const isParked = isParking(endpoint.state);
    const inserting = insertDelivery(db, {
      id,
      websiteId: event.websiteId,
      endpointId: endpoint.id,
      eventId: event.id,
      eventSequence: event.sequence,
      kind: event.kind,
      articleId: event.articleId,
      origin: "event",
      state: isParked ? "parked" : "pending",
      createdAt: event.createdAt,
    });
    if (isParked) return [inserting];
    const { readyAt, failingSince } = replaced.get(endpoint.id) ?? { readyAt: event.createdAt, failingSince: null };
    return [inserting, enqueue(db, id, readyAt, failingSince)];
  });
  await waitForAll([locking, ...adding]);
}

interface QueueEntry {
  readyAt: Millis;
  failingSince: Millis | null;
}

/** The endpoints that want the event, in the state that they keep until the transaction ends. */
async function lockEndpoints(
  db: Writer,
  event: ArticleEvent,
  all: readonly StoredEndpoint[],
): Promise<StoredEndpoint[]> {
  const listed = all.filter(({ events }) => events.includes(event.kind));
  // Locks endpoints that park: a delivery parked after parking has ended would stay parked. The opposite case needs no
  // lock, because the delivery is parked soon.
  const parking = listed.filter(({ state }) => isParking(state));
  const held = await findEndpointsHeld(
    db,
    parking.map(({ id }) => id),
  );
  return listed.flatMap((endpoint) => (isParking(endpoint.state) ? (held.get(endpoint.id) ?? []) : [endpoint]));
}

/**
 * Ends deliveries that the event replaces: a waiting retry with those behind it, and on a coalescing endpoint all that
 * wait. There it is due when the first of those was, so that an article that is edited all the time is still sent.
 */
async function replaceEarlier(db: Writer, endpoint: StoredEndpoint, event: ArticleEvent): Promise<QueueEntry> {
  const unsent = await listUnsent(db, endpoint.id, event.articleId);
  let readyAt = event.createdAt + endpoint.coalesceMs;
  if (endpoint.coalesceMs === 0 && !unsent.some(({ tries }) => tries > 0)) return { readyAt, failingSince: null };
  const failingSince = unsent.find((earlier) => earlier.failing_since !== null)?.failing_since ?? null;
  for (const { delivery_no: no, ready_at: dueAt } of unsent) {
    await removeFromQueue(db, [no]);
    await setDeliveryState(db, no, "coalesced", event.createdAt);
    if (dueAt !== null) readyAt = Math.min(readyAt, dueAt);
  }
  return { readyAt, failingSince };
}
