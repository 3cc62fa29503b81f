/** Enables an endpoint that was paused or disabled, and sends it the events that it has missed. */
import type { Origin } from "../../domain/system/audit.ts";
import { isEnabled } from "../../domain/webhooks/endpoint.ts";
import { AppError } from "../../domain/system/errors.ts";
import type { Millis } from "../../domain/system/time.ts";
import { countMissed, newestDeliveryNo } from "../../store/webhooks/deliveries.ts";
import { parkWaiting } from "../../store/webhooks/delivery-queue.ts";
import { saveHealth, type StoredEndpoint } from "../../store/webhooks/endpoints.ts";
import type { ReplayKind } from "../../domain/webhooks/replay.ts";
import { declinedAt, insertReplayJob } from "../../store/webhooks/replay-jobs.ts";
import type { Snapshot } from "../../store/store.ts";
import { lockWebsite } from "../../store/system/websites.ts";
import type { Deps } from "../system/deps.ts";
import { loadEndpoint, loadEndpointToChange, recordEndpointChange, renewedHealth } from "./endpoints.ts";
import { parkEndpoint } from "./queue-maintenance.ts";

export type ReplayChoice = Exclude<ReplayKind, "range">;

/** The count of missed events stops here. */
export const MAX_MISSED = 10_000;

/** How many deliveries the enabling transaction parks at most: those whose attempts ended since the previous batch. */
const LAST_PORTION = 1_000;

type ChangeDeps = Pick<Deps, "store" | "clock" | "newId">;

/** Resets its health, and sends what it missed since its last success. @throws AppError `not_found`, `conflict`. */
export async function enableEndpoint(
  deps: ChangeDeps,
  id: string,
  replay: ReplayChoice,
  origin: Origin,
): Promise<StoredEndpoint> {
  // Deliveries of an endpoint that is not enabled are never claimed, so any process can park its queue in batches.
  await parkEndpoint(deps, id);
  return deps.store.write(async (db) => {
    // Prevents deliveries from being queued behind the ones that are parked here.
    await lockWebsite(db, (await loadEndpoint(db, id)).websiteId);
    const endpoint = await loadEndpointToChange(db, id);
    if (isEnabled(endpoint.state)) throw new AppError("conflict", "The webhook is enabled already.");
    await parkWaiting(db, id, LAST_PORTION);
    // To keep the order, new events are parked until all missed ones are queued.
    const isReplaying = replay !== "none";
    const enabled = { ...endpoint, ...renewedHealth(endpoint, isReplaying ? "catching_up" : "sending") };
    await saveHealth(db, id, enabled);
    await insertReplayJob(db, {
      id: deps.newId(),
      websiteId: endpoint.websiteId,
      endpointId: id,
      kind: replay,
      next: 0,
      until: isReplaying ? null : await newestDeliveryNo(db, id),
      exhaustedSince: isReplaying ? await missedSince(db, endpoint) : null,
      createdAt: deps.clock(),
    });
    await recordEndpointChange(db, deps, origin, "webhook.enabled", endpoint, { replay, was: endpoint.state });
    return enabled;
  });
}

/** What enabling would send: events with `all`, articles with `latest`; to MAX_MISSED. @throws AppError `not_found`. */
export function countMissedByEndpoint(
  deps: Pick<Deps, "store">,
  id: string,
): Promise<{ events: number; articles: number }> {
  return deps.store.read(async (db) => {
    const endpoint = await loadEndpoint(db, id);
    const { events, articles } = await countMissed(db, id, await missedSince(db, endpoint), MAX_MISSED);
    return { events: Math.min(events, MAX_MISSED), articles: Math.min(articles, MAX_MISSED) };
  });
}

/** Deliveries exhausted since then count as missed: the last success or the last choice to send nothing, if later. */
async function missedSince(db: Snapshot, { id, lastSuccessAt }: StoredEndpoint): Promise<Millis> {
  const declined = await declinedAt(db, id);
  return Math.max(lastSuccessAt ?? 0, declined === null ? 0 : declined + 1);
}
