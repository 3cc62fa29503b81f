import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type {
  Activity,
  AddressCheck,
  Delivery,
  DeliveryDetail,
  DeliveryPage,
  Missed,
  Rotated,
  Webhook,
  WebhookChange,
  WebhookInput,
  WebhookList,
  WebhookMade,
} from "../../../../src/http/admin/contract/webhooks.ts";
import { apiPath, del, get, patch, post } from "../../api/client.ts";

export function webhooksQuery(websiteId: string) {
  return queryOptions({
    queryKey: ["webhooks", websiteId],
    queryFn: ({ signal }) => get<WebhookList>("/webhooks", { query: { website_id: websiteId }, signal }),
  });
}

export function webhookQuery(websiteId: string, id: string) {
  return queryOptions({
    queryKey: ["webhooks", websiteId, id],
    queryFn: ({ signal }) => get<Webhook>(apiPath`/webhooks/${id}`, { signal }),
  });
}

/** Its attempts of the last days. Its changes are those of its deliveries. */
export function activityQuery(websiteId: string, id: string) {
  return queryOptions({
    queryKey: ["deliveries", websiteId, "activity", id],
    queryFn: ({ signal }) => get<Activity>(apiPath`/webhooks/${id}/activity`, { signal }),
  });
}

/** What the webhook would be sent if it were enabled now; never cached. */
export function missedQuery(websiteId: string, id: string) {
  return queryOptions({
    queryKey: ["webhooks", websiteId, id, "missed"],
    queryFn: ({ signal }) => get<Missed>(apiPath`/webhooks/${id}/missed`, { signal }),
    staleTime: 0,
    gcTime: 0,
  });
}

export function deliveriesQuery(websiteId: string, webhookId: string, state: Delivery["state"] | undefined) {
  return infiniteQueryOptions({
    queryKey: ["deliveries", websiteId, webhookId, state],
    queryFn: ({ signal, pageParam }) =>
      get<DeliveryPage>(apiPath`/webhooks/${webhookId}/deliveries`, { query: { state, cursor: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  });
}

export function deliveryQuery(websiteId: string, id: string) {
  return queryOptions({
    queryKey: ["deliveries", websiteId, "one", id],
    queryFn: ({ signal }) => get<DeliveryDetail>(apiPath`/deliveries/${id}`, { signal }),
  });
}

export function createWebhook(input: WebhookInput): Promise<WebhookMade> {
  return post<WebhookMade>("/webhooks", { body: input });
}

export function changeWebhook(id: string, change: WebhookChange): Promise<Webhook> {
  return patch<Webhook>(apiPath`/webhooks/${id}`, { body: change });
}

export function checkAddress(websiteId: string, url: string): Promise<AddressCheck> {
  return post<AddressCheck>("/webhooks/check", { body: { website_id: websiteId, url } });
}

export function testWebhook(id: string): Promise<DeliveryDetail> {
  return post<DeliveryDetail>(apiPath`/webhooks/${id}/test`);
}

export function pauseWebhook(id: string): Promise<Webhook> {
  return post<Webhook>(apiPath`/webhooks/${id}/pause`);
}

export function enableWebhook(id: string, replay: "latest" | "all" | "none"): Promise<Webhook> {
  return post<Webhook>(apiPath`/webhooks/${id}/enable`, { body: { replay } });
}

export function rotateSecret(id: string, overlapHours: number): Promise<Rotated> {
  return post<Rotated>(apiPath`/webhooks/${id}/rotate`, { body: { overlap_hours: overlapHours } });
}

/** How many events a replay would send. */
export function replayCountQuery(id: string, since: string) {
  return queryOptions({
    queryKey: ["replay-count", id, since],
    queryFn: ({ signal }) => get<{ events: number }>(apiPath`/webhooks/${id}/replay`, { query: { since }, signal }),
  });
}

/** Tries everything that waits for its next attempt. */
export function retryNow(id: string): Promise<Webhook> {
  return post<Webhook>(apiPath`/webhooks/${id}/retry`);
}

export function replaySince(id: string, since: string): Promise<{ events: number }> {
  return post<{ events: number }>(apiPath`/webhooks/${id}/replay`, { body: { since } });
}

export function deleteWebhook(id: string): Promise<void> {
  return del(apiPath`/webhooks/${id}`);
}

export function redeliver(deliveryId: string): Promise<Delivery> {
  return post<Delivery>(apiPath`/deliveries/${deliveryId}/redeliver`);
}
