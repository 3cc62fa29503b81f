import { toCamelCase } from "../../../domain/system/camel-case.ts";
import { AppError } from "../../../domain/system/errors.ts";
import { HOUR_MS, isoTime, isoTimeOrNull } from "../../../domain/system/time.ts";
import { shownState } from "../../../domain/webhooks/endpoint.ts";
import { countMissedByEndpoint, enableEndpoint } from "../../../operations/webhooks/catch-up.ts";
import { loadActivity, STEP_MS } from "../../../operations/webhooks/endpoint-activity.ts";
import { testEndpoint } from "../../../operations/webhooks/deliveries.ts";
import { checkEndpointAddress, updateEndpoint } from "../../../operations/webhooks/update-endpoint.ts";
import { type EndpointView, viewEndpoint, viewEndpoints } from "../../../operations/webhooks/endpoint-views.ts";
import {
  createEndpoint,
  DEFAULT_OVERLAP_MS,
  deleteEndpoint,
  type NewEndpoint,
  pauseEndpoint,
  rotateSecret,
} from "../../../operations/webhooks/endpoints.ts";
import { countSince, replaySince, retryNow } from "../../../operations/webhooks/replays.ts";
import { idParams } from "../contract/session.ts";
import {
  activity,
  addressCheck,
  addressInput,
  deliveryDetail,
  enableInput,
  missed,
  replayed,
  replayInput,
  rotated,
  rotationInput,
  webhook,
  type WebhookChange,
  webhookChange,
  webhookInput,
  webhookList,
  webhookMade,
} from "../contract/webhooks.ts";
import { ofWebsite } from "../contract/websites.ts";
import { presentDelivery } from "./deliveries.ts";
import { parseTimeParam } from "../parameters.ts";
import { type Admin, type AdminServer, getOrigin } from "../routes.ts";

const onNamed = { access: { may: "webhooks.manage", on: "named" } } as const;
const onWebhook = { access: { may: "webhooks.manage", on: "webhook" } } as const;

export function webhookRoutes(app: AdminServer, admin: Admin): void {
  const { disableAfter } = admin;
  const deps = { ...admin.deps, disableAfter };
  const shown = async (id: string) => present(await viewEndpoint(deps, id), disableAfter);

  app.get(
    "/webhooks",
    { config: onNamed, schema: { querystring: ofWebsite, response: { 200: webhookList } } },
    async ({ query }) => {
      const views = await viewEndpoints(deps, query.website_id);
      return { webhooks: views.map((view) => present(view, disableAfter)) };
    },
  );

  app.post(
    "/webhooks",
    { config: onNamed, schema: { body: webhookInput, response: { 201: webhookMade } } },
    async (request, reply) => {
      const { website_id: websiteId, url, ...settings } = request.body;
      const input = { ...toSettings(settings), url };
      const { secret, endpoint } = await createEndpoint(deps, websiteId, input, getOrigin(admin, request));
      return reply.code(201).send({ webhook: await shown(endpoint.id), secret });
    },
  );

  app.post(
    "/webhooks/check",
    { config: onNamed, schema: { body: addressInput, response: { 200: addressCheck } } },
    async ({ body: { website_id: websiteId, url } }) => {
      try {
        const { isUsable: ok, message } = await checkEndpointAddress(deps, websiteId, url);
        return { ok, message };
      } catch (error) {
        if (error instanceof AppError) throw error;
        admin.onError(error, "the address of a webhook could not be checked");
        return { ok: false, message: "The address cannot be checked now; try again in a minute." };
      }
    },
  );

  app.get(
    "/webhooks/:id",
    { config: onWebhook, schema: { params: idParams, response: { 200: webhook } } },
    async (request) => shown(request.params.id),
  );

  app.patch(
    "/webhooks/:id",
    { config: onWebhook, schema: { params: idParams, body: webhookChange, response: { 200: webhook } } },
    async (request) => {
      const id = request.params.id;
      await updateEndpoint(deps, id, toSettings(request.body), getOrigin(admin, request));
      return shown(id);
    },
  );

  app.delete("/webhooks/:id", { config: onWebhook, schema: { params: idParams } }, async (request, reply) => {
    await deleteEndpoint(deps, request.params.id, getOrigin(admin, request));
    return reply.code(204).send();
  });

  actionRoutes(app, admin, shown);
}

function actionRoutes(
  app: AdminServer,
  admin: Admin,
  shown: (id: string) => Promise<ReturnType<typeof present>>,
): void {
  const { deps } = admin;

  app.post(
    "/webhooks/:id/test",
    { config: onWebhook, schema: { params: idParams, response: { 200: deliveryDetail } } },
    async (request) => presentDelivery(await testEndpoint(deps, request.params.id, getOrigin(admin, request))),
  );

  app.post(
    "/webhooks/:id/pause",
    { config: onWebhook, schema: { params: idParams, response: { 200: webhook } } },
    async (request) => {
      const id = request.params.id;
      await pauseEndpoint(deps, id, getOrigin(admin, request));
      return shown(id);
    },
  );

  app.get(
    "/webhooks/:id/activity",
    { config: onWebhook, schema: { params: idParams, response: { 200: activity } } },
    async (request) => {
      const { steps, answers } = await loadActivity(deps, request.params.id);
      return {
        step_seconds: STEP_MS / 1_000,
        steps: steps.map(({ start, delivered, failed, averageMs }) => {
          return { start: isoTime(start), delivered, failed, average_ms: averageMs };
        }),
        answers,
      };
    },
  );

  app.get(
    "/webhooks/:id/missed",
    { config: onWebhook, schema: { params: idParams, response: { 200: missed } } },
    async (request) => countMissedByEndpoint(deps, request.params.id),
  );

  app.post(
    "/webhooks/:id/enable",
    { config: onWebhook, schema: { params: idParams, body: enableInput, response: { 200: webhook } } },
    async (request) => {
      const id = request.params.id;
      await enableEndpoint(deps, id, request.body.replay, getOrigin(admin, request));
      return shown(id);
    },
  );

  app.post(
    "/webhooks/:id/rotate",
    { config: onWebhook, schema: { params: idParams, body: rotationInput, response: { 200: rotated } } },
    async (request) => {
      const id = request.params.id;
      const { overlap_hours: hours } = request.body;
      const overlapMs = hours === undefined ? DEFAULT_OVERLAP_MS : hours * HOUR_MS;
      const { secret, previousUntil } = await rotateSecret(deps, id, overlapMs, getOrigin(admin, request));
      return { webhook: await shown(id), secret, previous_until: isoTime(previousUntil) };
    },
  );

  app.post(
    "/webhooks/:id/retry",
    { config: onWebhook, schema: { params: idParams, response: { 200: webhook } } },
    async (request) => {
      const id = request.params.id;
      await retryNow(deps, id, getOrigin(admin, request));
      return shown(id);
    },
  );

  app.get(
    "/webhooks/:id/replay",
    { config: onWebhook, schema: { params: idParams, querystring: replayInput, response: { 200: replayed } } },
    async (request) => ({
      events: (await countSince(deps, request.params.id, parseTimeParam("since", request.query.since))).count,
    }),
  );

  app.post(
    "/webhooks/:id/replay",
    { config: onWebhook, schema: { params: idParams, body: replayInput, response: { 200: replayed } } },
    async (request) => {
      const id = request.params.id;
      const since = parseTimeParam("since", request.body.since);
      return { events: await replaySince(deps, id, since, getOrigin(admin, request)) };
    },
  );
}

function toSettings({ thin, ...change }: WebhookChange): Partial<NewEndpoint> {
  return { ...(thin === undefined ? {} : { payload: thin ? "thin" : "full" }), ...toCamelCase(change) };
}

function present({ endpoint, ...view }: EndpointView, disableAfter: number) {
  const { state, isReplaying } = shownState(endpoint.state);
  return {
    id: endpoint.id,
    website_id: endpoint.websiteId,
    name: endpoint.name,
    description: endpoint.description,
    url: endpoint.url,
    events: [...endpoint.events],
    payload: endpoint.payload,
    thin: endpoint.payload === "thin",
    coalesce_ms: endpoint.coalesceMs,
    header_names: view.headerNames,
    has_ca: endpoint.ca !== null,
    created_at: isoTime(endpoint.createdAt),
    state,
    disabled_reason: endpoint.disabledReason,
    disabled_at: isoTimeOrNull(endpoint.disabledAt),
    consecutive_failures: endpoint.consecutiveFailures,
    disable_after: disableAfter,
    warning: view.warning,
    last_success_at: isoTimeOrNull(endpoint.lastSuccessAt),
    last_failure_at: isoTimeOrNull(endpoint.lastFailureAt),
    last_error: endpoint.lastError,
    next_attempt_at: isoTimeOrNull(view.dueAt),
    waiting: view.waiting,
    parked: view.parked,
    replaying: isReplaying,
    secrets: view.secrets.map(({ createdAt, expiresAt }) => ({
      created_at: isoTime(createdAt),
      expires_at: isoTimeOrNull(expiresAt),
    })),
  };
}
