import { setTimeout as sleep } from "node:timers/promises";
import type { Attempt } from "../../domain/webhooks/attempt.ts";
import type { FullArticle } from "../../domain/articles/article.ts";
import type { Origin } from "../../domain/system/audit.ts";
import type { Delivery, DeliveryState } from "../../domain/webhooks/delivery.ts";
import { AppError } from "../../domain/system/errors.ts";
import { deletedEvent, publishedEvent } from "../../domain/articles/api-format.ts";
import type { NewEvent } from "../../domain/webhooks/event.ts";
import { messageBody } from "../../domain/webhooks/webhook-message.ts";
import { insertAttempts, listAttempts } from "../../store/webhooks/attempts.ts";
import { findArticle, findBody, newestPublished, listTitles } from "../../store/articles/articles.ts";
import {
  findDeliveryAnywhere,
  insertDelivery,
  recordProgress,
  type StoredDelivery,
} from "../../store/webhooks/deliveries.ts";
import { type DeliveryRange, listDeliveries as listRows } from "../../store/webhooks/delivery-history.ts";
import { findEvent } from "../../store/webhooks/events.ts";
import type { Snapshot } from "../../store/store.ts";
import { isVisibleOnAllNodes, lastChange } from "../../store/system/heartbeats.ts";
import { makeAttempt, loadUnsealed } from "./send-attempt.ts";
import type { Deps } from "../system/deps.ts";
import { loadEndpoint, recordEndpointChange } from "./endpoints.ts";

export interface DeliveryWithAttempts {
  delivery: Delivery;
  attempts: Attempt[];
}

export interface DeliveryPage {
  deliveries: ShownDelivery[];
  /** Null: there is no further page. */
  next: number | null;
}

export interface ShownDelivery extends DeliveryWithAttempts {
  /** The article's current title; null if there is no such article. */
  title: string | null;
}

/** Newest first, with all attempts. @throws AppError `not_found`. */
export function listDeliveries(
  deps: Pick<Deps, "store">,
  endpointId: string,
  { state, limit }: { state?: DeliveryState; limit: number },
): Promise<DeliveryWithAttempts[]> {
  return deps.store.read(async (db) => {
    await loadEndpoint(db, endpointId);
    const found: StoredDelivery[] = [];
    const range: DeliveryRange = { limit, ...(state === undefined ? {} : { state }) };
    for (let next: number | null = Number.MAX_SAFE_INTEGER; next !== null && found.length < limit;) {
      const page = await listRows(db, endpointId, { ...range, before: next, limit: limit - found.length });
      found.push(...page.deliveries);
      next = page.next;
    }
    return withAttempts(db, found);
  });
}

/** Newest first, with all attempts; a page of a long history may be short. @throws AppError `not_found`. */
export function pageDeliveries(
  deps: Pick<Deps, "store">,
  endpointId: string,
  range: DeliveryRange,
): Promise<DeliveryPage> {
  return deps.store.read(async (db) => {
    const { websiteId } = await loadEndpoint(db, endpointId);
    const { deliveries, next } = await listRows(db, endpointId, range);
    return { deliveries: await withTitles(db, websiteId, await withAttempts(db, deliveries)), next };
  });
}

export interface DeliveryDetail extends ShownDelivery {
  /** The body that the endpoint is sent; null if it is not stored, as for a test, or no longer stored. */
  payload: string | null;
}

/** @throws AppError `not_found`. */
export function readDelivery(deps: Pick<Deps, "store">, id: string): Promise<DeliveryDetail> {
  return deps.store.read(async (db) => {
    const delivery = await loadDelivery(db, id);
    const { payload } = await loadEndpoint(db, delivery.endpointId);
    const [shown] = await withTitles(db, delivery.websiteId, await withAttempts(db, [delivery]));
    if (shown === undefined) throw new Error("a delivery that was found is shown");
    const event = await findEvent(db, delivery.websiteId, delivery.eventId);
    const isKept = event !== undefined && !event.isContentRemoved;
    return { ...shown, payload: isKept ? messageBody(event.payload, payload, event.extension) : null };
  });
}

/** @throws AppError `not_found`. */
export async function loadDelivery(db: Snapshot, id: string): Promise<StoredDelivery> {
  const delivery = await findDeliveryAnywhere(db, id);
  if (delivery === undefined) throw new AppError("not_found", `There is no delivery with the id ${id}.`);
  return delivery;
}

async function withAttempts(db: Snapshot, deliveries: readonly StoredDelivery[]): Promise<DeliveryWithAttempts[]> {
  const attempts = await listAttempts(
    db,
    deliveries.map(({ no }) => no),
  );
  return deliveries.map((delivery) => ({ delivery, attempts: attempts.get(delivery.no) ?? [] }));
}

async function withTitles(
  db: Snapshot,
  websiteId: string,
  all: readonly DeliveryWithAttempts[],
): Promise<ShownDelivery[]> {
  const ids = [...new Set(all.map(({ delivery }) => delivery.articleId))];
  const titles = await listTitles(db, websiteId, ids);
  return all.map((one) => ({ ...one, title: titles.get(one.delivery.articleId) ?? null }));
}

/** How long a test waits until the newest change is visible on all nodes, which takes some ten milliseconds. */
const VISIBLE_WITHIN_MS = 4_000;
const RETRY_AFTER_MS = 20;

/**
 * Sends one message now, whatever the endpoint's state, counted nowhere: the newest published article again, else the
 * deletion of one that never existed. Neither changes anything for an idempotent receiver (docs/specification.md,
 * section 6.7). @throws AppError `not_found`, `misconfigured`; `conflict` while the newest change is not visible on all
 * nodes.
 */
export async function testEndpoint(
  deps: Pick<Deps, "store" | "clock" | "newId" | "randomBytes" | "secrets" | "post">,
  endpointId: string,
  origin: Origin,
): Promise<DeliveryDetail> {
  const { event, endpoint, title, change } = await deps.store.read(async (db) => {
    const { websiteId } = await loadEndpoint(db, endpointId);
    return {
      ...(await testEvent(db, deps, websiteId, origin)),
      endpoint: await loadUnsealed(db, deps, endpointId, deps.clock()),
      change: await lastChange(db, websiteId),
    };
  });
  if (endpoint === undefined) throw new Error("an endpoint that was found could not be loaded");
  if (change !== null) await waitUntilVisible(deps, change);
  const { attempt } = await makeAttempt(
    deps,
    endpoint,
    {
      endpointId,
      eventId: event.id,
      sequence: null,
      payload: event.payload,
      extension: event.extension,
      traceparent: null,
    },
    1,
    deps.randomBytes(8),
  );
  const delivery = await deps.store.write(async (db) => {
    const endpoint = await loadEndpoint(db, endpointId);
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
    await recordProgress(db, [{ no, attempts: attempt.number, state, finishedAt: deps.clock() }]);
    const { outcome, status } = attempt;
    await recordEndpointChange(db, deps, origin, "webhook.tested", endpoint, { outcome, status });
    return loadDelivery(db, id);
  });
  return {
    delivery,
    attempts: [attempt],
    title,
    payload: messageBody(event.payload, endpoint.payload, event.extension),
  };
}

/** The same check as for deliveries (store/webhooks/claims.ts). @throws AppError `conflict`. */
async function waitUntilVisible({ store }: Pick<Deps, "store">, change: string): Promise<void> {
  const endsAt = performance.now() + VISIBLE_WITHIN_MS;
  while (!(await store.read((db) => isVisibleOnAllNodes(db, change)))) {
    if (performance.now() > endsAt) {
      throw new AppError("conflict", "Another process has not seen the newest change yet; try again in a moment.");
    }
    await sleep(RETRY_AFTER_MS);
  }
}

async function testEvent(
  db: Snapshot,
  deps: Pick<Deps, "clock" | "newId">,
  websiteId: string,
  origin: Origin,
): Promise<{ event: NewEvent; title: string | null }> {
  const cause = { id: deps.newId(), at: deps.clock(), actor: origin.actor, traceparent: null };
  const newestId = await newestPublished(db, websiteId);
  const article = newestId === undefined ? undefined : await findArticle(db, websiteId, newestId);
  if (article !== undefined) {
    const full: FullArticle = { article, body: await findBody(db, article.rowNo) };
    return { event: publishedEvent(full, cause), title: article.title };
  }
  return { event: deletedEvent({ id: deps.newId(), websiteId }, cause), title: null };
}
