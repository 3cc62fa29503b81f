import type { Millis } from "../../domain/articles/article.ts";
import { isParking, isReplacing } from "../../domain/webhooks/endpoint.ts";
import type { ArticleEvent } from "../../domain/webhooks/event.ts";
import { insertDelivery, setDeliveryState } from "../../store/webhooks/deliveries.ts";
import { enqueue, listUnsent, lockArticleQueues, removeFromQueue } from "../../store/webhooks/delivery-queue.ts";
import { findEndpointsHeld, listEndpoints, type StoredEndpoint } from "../../store/webhooks/endpoints.ts";
import type { Writer } from "../../store/store.ts";
import type { Deps } from "../system/deps.ts";

/** Creates a delivery for each endpoint that wants the event, in the transaction of the change. */
export async function fanOut(db: Writer, deps: Pick<Deps, "newId">, event: ArticleEvent): Promise<void> {
  const endpoints = await lockEndpoints(db, event);
  // Statements that need nothing of each other are sent together.
  const numbers = await Promise.all(
    endpoints.map((endpoint) =>
      insertDelivery(db, {
        id: deps.newId(),
        websiteId: event.websiteId,
        endpointId: endpoint.id,
        eventId: event.id,
        eventSequence: event.sequence,
        kind: event.kind,
        articleId: event.articleId,
        origin: "event",
        state: isParking(endpoint.state) ? "parked" : "pending",
        createdAt: event.createdAt,
      }),
    ),
  );
  const enqueued: Parameters<typeof enqueue>[1][] = [];
  for (const [index, no] of numbers.entries()) {
    const endpoint = endpoints[index];
    if (endpoint === undefined || isParking(endpoint.state)) continue;
    const { readyAt, failingSince } = isReplacing(endpoint)
      ? await replaceEarlier(db, endpoint, event)
      : { readyAt: event.createdAt, failingSince: null };
    const { websiteId, articleId } = event;
    enqueued.push({ no, websiteId, endpointId: endpoint.id, articleId, readyAt, failingSince });
  }
  await Promise.all(enqueued.map((delivery) => enqueue(db, delivery)));
}

/** The endpoints that want the event, in the state that they keep until the transaction ends. */
async function lockEndpoints(db: Writer, event: ArticleEvent): Promise<StoredEndpoint[]> {
  const listed = (await listEndpoints(db, event.websiteId)).filter(({ events }) => events.includes(event.kind));
  // Locks endpoints that park: a delivery parked after parking has ended would stay parked. The opposite case needs no lock,
  // because the delivery is parked soon.
  const parking = listed.filter(({ state }) => isParking(state));
  const held = await findEndpointsHeld(
    db,
    parking.map(({ id }) => id),
  );
  const endpoints = listed.flatMap((endpoint) =>
    isParking(endpoint.state) ? (held.get(endpoint.id) ?? []) : [endpoint],
  );
  await lockArticleQueues(
    db,
    endpoints.map(({ id }) => id),
    event.articleId,
    endpoints.some(isReplacing),
  );
  return endpoints;
}

/**
 * Ends the article's earlier deliveries that the new event replaces: one that waits for its retry, with those behind it, and
 * on a coalescing endpoint all that wait. There the new event is sent when the first of those was due, so that an article
 * that is edited all the time is still sent.
 *
 * @returns when the new event is due, and since when the article's events have failed.
 */
async function replaceEarlier(
  db: Writer,
  endpoint: StoredEndpoint,
  event: ArticleEvent,
): Promise<{ readyAt: Millis; failingSince: Millis | null }> {
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
