import type { Attempt } from "../../../domain/webhooks/attempt.ts";
import { AppError } from "../../../domain/system/errors.ts";
import { isoTime, isoTimeOrNull } from "../../../domain/system/time.ts";
import {
  type DeliveryDetail,
  pageDeliveries,
  readDelivery,
  type ShownDelivery,
} from "../../../operations/webhooks/deliveries.ts";
import { redeliver } from "../../../operations/webhooks/replays.ts";
import { idParams } from "../contract/session.ts";
import { delivery, deliveryDetail, deliveryPage, deliveryParameters } from "../contract/webhooks.ts";
import { type Admin, type AdminServer, getOrigin } from "../routes.ts";

const DELIVERIES = 25;
const onWebhook = { access: { may: "webhooks.manage", on: "webhook" } } as const;
const onDelivery = { access: { may: "webhooks.manage", on: "delivery" } } as const;

export function deliveryRoutes(app: AdminServer, admin: Admin): void {
  const { deps } = admin;

  app.get(
    "/webhooks/:id/deliveries",
    {
      config: onWebhook,
      schema: { params: idParams, querystring: deliveryParameters, response: { 200: deliveryPage } },
    },
    async (request) => {
      const { state, cursor, limit } = request.query;
      const { deliveries, next } = await pageDeliveries(deps, request.params.id, {
        limit: limit === undefined ? DELIVERIES : Number(limit),
        ...(state === undefined ? {} : { state }),
        ...(cursor === undefined ? {} : { before: readCursor(cursor) }),
      });
      return { deliveries: deliveries.map(present), next_cursor: next === null ? null : String(next) };
    },
  );

  app.get(
    "/deliveries/:id",
    { config: onDelivery, schema: { params: idParams, response: { 200: deliveryDetail } } },
    async (request) => presentDelivery(await readDelivery(deps, request.params.id)),
  );

  app.post(
    "/deliveries/:id/redeliver",
    { config: onDelivery, schema: { params: idParams, response: { 201: delivery } } },
    async (request, reply) => {
      const again = await redeliver(deps, request.params.id, getOrigin(admin, request));
      return reply.code(201).send(present(await readDelivery(deps, again)));
    },
  );
}

/** @throws AppError `invalid`. */
function readCursor(text: string): number {
  if (!/^\d{1,15}$/.test(text)) {
    throw new AppError("invalid", "cursor must be the next_cursor of an earlier page.", { field: "cursor" });
  }
  return Number(text);
}

export function presentDelivery({ payload, ...shown }: DeliveryDetail) {
  return { delivery: present(shown), payload };
}

function present({ delivery: one, attempts, title }: ShownDelivery) {
  return {
    id: one.id,
    webhook_id: one.endpointId,
    // The id as receivers and the event feed show it.
    event_id: `msg_${one.eventId}`,
    event: one.kind,
    article_id: one.articleId,
    article_title: title,
    origin: one.origin,
    state: one.state,
    created_at: isoTime(one.createdAt),
    finished_at: isoTimeOrNull(one.finishedAt),
    next_attempt_at: isoTimeOrNull(one.nextAttemptAt),
    attempts: attempts.map(presentAttempt),
  };
}

function presentAttempt(attempt: Attempt) {
  const { dns, connect, firstByte, total } = attempt.timings;
  return {
    number: attempt.number,
    at: isoTime(attempt.startedAt),
    outcome: attempt.outcome,
    status: attempt.status,
    error: attempt.error,
    request_headers: attempt.requestHeaders,
    response_headers: attempt.responseHeaders.map(([name, value]) => ({ name, value })),
    response_body: attempt.responseBody,
    timings: { dns, connect, first_byte: firstByte, total },
  };
}
