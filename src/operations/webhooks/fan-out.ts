import type { Millis } from "../../domain/system/time.ts";
import { isParking, isReplacing } from "../../domain/webhooks/endpoint.ts";
import type { ArticleEvent } from "../../domain/webhooks/event.ts";
import { insertDelivery, setDeliveryState } from "../../store/webhooks/deliveries.ts";
import type { LeasedDelivery } from "../../store/webhooks/claims.ts";
import {
  enqueue,
  enqueueLeased,
  listUnsent,
  lockArticleQueues,
  removeFromQueue,
} from "../../store/webhooks/delivery-queue.ts";
import {
  findEndpointsHeld,
  reserveIdleEndpoints,
  type StoredEndpoint,
  type StoredSecret,
} from "../../store/webhooks/endpoints.ts";
import type { OfferedLease, Writer } from "../../store/store.ts";
import { waitForAll } from "../../store/system/sql-batch.ts";
import type { Deps } from "../system/deps.ts";

/**
 * Creates a delivery for each endpoint that wants the event, in the transaction of the change.
 *
 * @param all the website's endpoints, read after it was locked. @param idle from `prepareHandOver`.
 */
export async function fanOut(
  db: Writer,
  deps: Pick<Deps, "newId">,
  event: ArticleEvent,
  all: readonly StoredEndpoint[],
  idle: IdleEndpoints | null,
): Promise<void> {
  const endpoints = await lockEndpoints(db, event, all);
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
    const secrets = idle?.secrets.get(endpoint.id);
    if (idle !== null && secrets !== undefined) {
      const { lease, payload } = idle;
      return [
        enqueueLeased(db, id, event.createdAt, lease),
        handOver(db, event, inserting, { id, endpoint, secrets, lease, payload }),
      ];
    }
    const { readyAt, failingSince } = replaced.get(endpoint.id) ?? { readyAt: event.createdAt, failingSince: null };
    return [inserting, enqueue(db, id, readyAt, failingSince)];
  });
  await waitForAll([locking, ...adding]);
}

/** Endpoints whose deliveries are stored under a lease of this process's dispatcher, with the secrets that sign. */
interface IdleEndpoints {
  lease: OfferedLease;
  /** The event's; one copy for all deliveries. */
  payload: Uint8Array;
  secrets: ReadonlyMap<string, StoredSecret[]>;
}

/**
 * Reserves the website's idle endpoints for this process's dispatcher, which sends their deliveries right after the commit,
 * without a transaction of its own for the claim. Null if there is no such dispatcher, or it has other deliveries to send. The
 * caller has locked the website.
 */
export async function prepareHandOver(
  db: Writer,
  { websiteId, createdAt, payload }: Pick<ArticleEvent, "websiteId" | "createdAt" | "payload">,
): Promise<IdleEndpoints | null> {
  const lease = payload.length > MAX_CHARACTERS ? null : db.offerLease();
  if (lease === null) return null;
  const idle = await reserveIdleEndpoints(db, websiteId, createdAt);
  return { lease, secrets: new Map([...idle].slice(0, MAX_ENDPOINTS)), payload: new TextEncoder().encode(payload) };
}

/** Longer payloads are left to claims, because handing over copies them on the thread that answers readers. */
const MAX_CHARACTERS = 256 * 1_024;
/** The dispatcher claims for further endpoints, as many as it may send at once. */
const MAX_ENDPOINTS = 16;

/** Hands the delivery over once its number is known. */
async function handOver(
  db: Writer,
  { articleId, id: eventId, kind, extension, sequence, traceparent, websiteId }: ArticleEvent,
  inserting: Promise<number>,
  { id, endpoint, secrets, lease, payload }: Omit<LeasedDelivery, "claim"> & { id: string; payload: Uint8Array },
): Promise<void> {
  const ofEvent = { articleId, eventId, kind, payload, extension, sequence, traceparent, websiteId };
  const ofDelivery = {
    deliveryId: id,
    endpointId: endpoint.id,
    origin: "event",
    attempts: 0,
    token: lease.token,
  } as const;
  const leased: LeasedDelivery = {
    claim: { ...ofEvent, ...ofDelivery, no: await inserting },
    endpoint,
    secrets,
    lease,
  };
  db.handOver(leased);
}

interface QueueEntry {
  /** When the event is due. */
  readyAt: Millis;
  /** Since when the article's events have failed. */
  failingSince: Millis | null;
}

/** The endpoints that want the event, in the state that they keep until the transaction ends. */
async function lockEndpoints(
  db: Writer,
  event: ArticleEvent,
  all: readonly StoredEndpoint[],
): Promise<StoredEndpoint[]> {
  const listed = all.filter(({ events }) => events.includes(event.kind));
  // Locks endpoints that park: a delivery parked after parking has ended would stay parked. The opposite case needs no lock,
  // because the delivery is parked soon.
  const parking = listed.filter(({ state }) => isParking(state));
  const held = await findEndpointsHeld(
    db,
    parking.map(({ id }) => id),
  );
  return listed.flatMap((endpoint) => (isParking(endpoint.state) ? (held.get(endpoint.id) ?? []) : [endpoint]));
}

/**
 * Ends the article's earlier deliveries that the new event replaces: one that waits for its retry, with those behind it, and
 * on a coalescing endpoint all that wait. There the new event is sent when the first of those was due, so that an article
 * that is edited all the time is still sent.
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
