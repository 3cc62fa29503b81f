import type { Attempt } from "../domain/attempt.ts";
import type { FullArticle } from "../domain/article.ts";
import type { Delivery, DeliveryState } from "../domain/delivery.ts";
import { deletedEvent, type NewEvent, publishedEvent } from "../domain/event.ts";
import { insertAttempts, listAttempts } from "../store/attempts.ts";
import { findArticle, findBody, newestPublished } from "../store/articles.ts";
import { findDelivery, insertDelivery, listDeliveries as listRows, noteProgress } from "../store/deliveries.ts";
import type { Reader } from "../store/store.ts";
import { makeAttempt } from "./attempts.ts";
import { loadTarget } from "./delivering.ts";
import type { Actor, Deps } from "./deps.ts";
import { loadEndpoint } from "./endpoints.ts";

export interface DeliveryWithAttempts {
  delivery: Delivery;
  attempts: Attempt[];
}

/** The newest first, with every attempt. @throws AppError `not_found`. */
export function listDeliveries(
  deps: Pick<Deps, "store">,
  endpointId: string,
  { state, limit }: { state?: DeliveryState; limit: number },
): Promise<DeliveryWithAttempts[]> {
  return deps.store.read(async (db) => {
    await loadEndpoint(db, endpointId);
    const rows = await listRows(db, endpointId, { limit, ...(state === undefined ? {} : { state }) });
    const attempts = await listAttempts(
      db,
      rows.map(({ no }) => no),
    );
    return rows.map((delivery) => ({ delivery, attempts: attempts.get(delivery.no) ?? [] }));
  });
}

/**
 * Sends one message now, whatever the endpoint's state, and counts it nowhere: the newest published article once more,
 * or where there is none, the deletion of an article that never was; both change nothing for a receiver that is
 * idempotent, as it must be (specification, section 6.7).
 *
 * @throws AppError `not_found`.
 */
export async function testEndpoint(
  deps: Pick<Deps, "store" | "clock" | "newId" | "randomBytes" | "secrets" | "post">,
  endpointId: string,
  actor: Actor,
): Promise<DeliveryWithAttempts> {
  const { event, target } = await deps.store.read(async (db) => {
    const { websiteId } = await loadEndpoint(db, endpointId);
    return {
      event: await testEvent(db, deps, websiteId, actor),
      target: await loadTarget(db, deps, endpointId, deps.clock()),
    };
  });
  if (target === undefined) throw new Error("an endpoint that was found has a target");
  const { attempt } = await makeAttempt(
    deps,
    target,
    { endpointId, eventId: event.id, sequence: null, payload: event.payload, number: 1 },
    deps.randomBytes(8),
  );
  return deps.store.write(async (db) => {
    const id = deps.newId();
    const no = await insertDelivery(db, {
      id,
      websiteId: event.websiteId,
      endpointId,
      eventId: event.id,
      eventSequence: 0,
      kind: event.kind,
      articleId: event.articleId,
      origin: "test",
      state: "pending",
      createdAt: attempt.startedAt,
    });
    await insertAttempts(db, [{ no, websiteId: event.websiteId, attempt }]);
    const state = attempt.outcome === "success" ? "delivered" : "exhausted";
    await noteProgress(db, [{ no, attempts: attempt.number, state, finishedAt: deps.clock() }]);
    const delivery = await findDelivery(db, id);
    if (delivery === undefined) throw new Error("a delivery that was inserted is found");
    return { delivery, attempts: [attempt] };
  });
}

async function testEvent(
  db: Reader,
  deps: Pick<Deps, "clock" | "newId">,
  websiteId: string,
  actor: Actor,
): Promise<NewEvent> {
  const cause = { id: deps.newId(), at: deps.clock(), actor: actor.id };
  const newestId = await newestPublished(db, websiteId);
  const article = newestId === undefined ? undefined : await findArticle(db, newestId);
  if (article !== undefined) {
    const full: FullArticle = { article, body: await findBody(db, article.rowNo) };
    return publishedEvent(full, cause);
  }
  return deletedEvent({ id: deps.newId(), websiteId }, cause);
}
