/** Sending again: what was parked, a range of events, or one delivery. */
import type { Millis } from "../domain/article.ts";
import type { Origin } from "../domain/audit.ts";
import { AppError } from "../domain/errors.ts";
import { insertDelivery, listParked, restartDelivery, setDeliveryState } from "../store/deliveries.ts";
import { countUnfinished, enqueue, lockLanes } from "../store/delivery-queue.ts";
import { findEndpointToChange, setReplaying, type StoredEndpoint } from "../store/endpoints.ts";
import { eventsSince, findEvent, listEvents } from "../store/events.ts";
import {
  advanceReplayJob,
  finishReplayJob,
  insertReplayJob,
  openReplayJobs,
  type ReplayJob,
} from "../store/replay-jobs.ts";
import type { Writer } from "../store/store.ts";
import { lockWebsite } from "../store/websites.ts";
import { isoTime } from "../domain/time.ts";
import { loadDelivery } from "./deliveries.ts";
import type { Deps } from "./deps.ts";
import { loadEndpointToChange, noteEndpoint } from "./endpoints.ts";

/** So many of an endpoint are put in line at most: the queue stays small, however long the replay. */
const MOST_UNFINISHED = 2_000;

type ReplayDeps = Pick<Deps, "store" | "clock" | "newId">;

/**
 * Sends the website's events since then again, in order, with their original ids.
 *
 * @returns how many events that is at most; the endpoint's kinds decide which of them. @throws AppError `conflict`
 * while the endpoint is not enabled, or is still sending again what was parked.
 */
export function replaySince(deps: ReplayDeps, endpointId: string, since: Millis, origin: Origin): Promise<number> {
  return deps.store.write(async (db) => {
    const endpoint = await loadEndpointToChange(db, endpointId);
    refuseUnlessEnabled(endpoint);
    const events = await eventsSince(db, endpoint.websiteId, since);
    if (events === null) return 0;
    await insertReplayJob(db, {
      id: deps.newId(),
      websiteId: endpoint.websiteId,
      endpointId,
      kind: "range",
      next: events.first,
      until: events.last,
      createdAt: deps.clock(),
    });
    const detail = { since: isoTime(since), events: events.count };
    await noteEndpoint(db, deps, origin, "webhook.replayed", endpoint, detail);
    return events.count;
  });
}

/** Sends one delivery's event again, as a delivery of its own. @returns its id. @throws AppError `not_found`, `conflict`. */
export function redeliver(deps: ReplayDeps, deliveryId: string, origin: Origin): Promise<string> {
  return deps.store.write(async (db) => {
    const earlier = await loadDelivery(db, deliveryId);
    await lockWebsite(db, earlier.websiteId);
    const endpoint = await loadEndpointToChange(db, earlier.endpointId);
    refuseUnlessEnabled(endpoint);
    if (earlier.state === "pending") {
      throw new AppError("conflict", "This delivery is still being sent; wait until it has ended.");
    }
    const event = await findEvent(db, earlier.eventId);
    if (event === undefined) throw new AppError("conflict", "A test cannot be sent again: send another test.");
    const id = deps.newId();
    await add(db, deps, { id, endpointId: earlier.endpointId, event, origin: "redelivery" });
    const detail = { delivery: id, event: event.kind, article: event.articleId };
    await noteEndpoint(db, deps, origin, "webhook.redelivered", endpoint, detail);
    return id;
  });
}

/** Takes each open replay one step of at most `limit` deliveries further. @returns whether there is more to do now. */
export async function stepReplays(deps: ReplayDeps, limit: number): Promise<boolean> {
  let hasMore = false;
  for (const job of await deps.store.read(openReplayJobs)) {
    hasMore = (await deps.store.write((db) => step(db, deps, job, limit))) || hasMore;
  }
  return hasMore;
}

async function step(db: Writer, deps: ReplayDeps, seen: ReplayJob, limit: number): Promise<boolean> {
  await lockWebsite(db, seen.websiteId);
  const endpoint = await findEndpointToChange(db, seen.endpointId);
  const open = await openReplayJobs(db);
  // Another process may have been quicker.
  const job = open.find(({ id }) => id === seen.id);
  if (job === undefined) return false;
  // One after the other: what somebody declined before is not sent by a later replay of everything.
  if (open.find(({ endpointId }) => endpointId === job.endpointId) !== job) return false;
  if (endpoint === undefined || (endpoint.state !== "enabled" && job.kind !== "none")) {
    await finishReplayJob(db, job.id, deps.clock());
    return false;
  }
  const room = MOST_UNFINISHED - (await countUnfinished(db, endpoint.id, MOST_UNFINISHED));
  if (job.kind !== "none" && room <= 0) return false;
  const count = job.kind === "none" ? limit : Math.min(limit, room);
  return job.kind === "range" ? stepRange(db, deps, job, endpoint, count) : stepParked(db, deps, job, count);
}

async function stepRange(
  db: Writer,
  deps: ReplayDeps,
  job: ReplayJob,
  endpoint: StoredEndpoint,
  limit: number,
): Promise<boolean> {
  const events = await listEvents(db, job.websiteId, { after: job.next - 1, limit });
  const wanted = events.filter((event) => job.until === null || event.sequence <= job.until);
  for (const event of wanted) {
    if (!endpoint.events.includes(event.kind)) continue;
    await add(db, deps, { id: deps.newId(), endpointId: endpoint.id, event, origin: "replay" });
  }
  const last = wanted.at(-1);
  const isDone = last === undefined || last.sequence === job.until || wanted.length < limit;
  if (isDone) await finishReplayJob(db, job.id, deps.clock());
  else await advanceReplayJob(db, job.id, last.sequence + 1);
  return !isDone;
}

async function stepParked(db: Writer, deps: ReplayDeps, job: ReplayJob, limit: number): Promise<boolean> {
  const now = deps.clock();
  const parked = await listParked(db, job.endpointId, job.next, limit);
  for (const { no, article_id: articleId, newest_no: newestNo } of parked) {
    if (job.until !== null && no > job.until) break;
    if (job.kind === "none") {
      await setDeliveryState(db, no, "skipped", now);
    } else if (job.kind === "latest" && newestNo !== no) {
      await setDeliveryState(db, no, "coalesced", now);
    } else {
      await restartDelivery(db, no);
      await lockLanes(db, [job.endpointId], articleId, false);
      await enqueue(db, { no, websiteId: job.websiteId, endpointId: job.endpointId, articleId, readyAt: now });
    }
  }
  const last = parked.at(-1);
  const isDone = parked.length < limit || (job.until !== null && last !== undefined && last.no >= job.until);
  if (isDone) {
    await finishReplayJob(db, job.id, now);
    // In this transaction nothing is parked any more: from here on new events go out at once.
    if (job.kind !== "none") await setReplaying(db, job.endpointId, false);
  } else if (last !== undefined) {
    await advanceReplayJob(db, job.id, last.no + 1);
  }
  return !isDone;
}

async function add(
  db: Writer,
  deps: Pick<Deps, "clock">,
  delivery: {
    id: string;
    endpointId: string;
    event: NonNullable<Awaited<ReturnType<typeof findEvent>>>;
    origin: "replay" | "redelivery";
  },
): Promise<void> {
  const { id, endpointId, event, origin } = delivery;
  const { websiteId, articleId } = event;
  await lockLanes(db, [endpointId], articleId, false);
  const no = await insertDelivery(db, {
    id,
    websiteId,
    endpointId,
    eventId: event.id,
    eventSequence: event.sequence,
    kind: event.kind,
    articleId,
    origin,
    state: "pending",
    createdAt: deps.clock(),
  });
  await enqueue(db, { no, websiteId, endpointId, articleId, readyAt: deps.clock() });
}

function refuseUnlessEnabled(endpoint: StoredEndpoint): void {
  if (endpoint.state !== "enabled") {
    throw new AppError(
      "conflict",
      `The endpoint is ${endpoint.state}: enable it first, and choose there what is sent again.`,
    );
  }
  if (endpoint.isReplaying) {
    throw new AppError("conflict", "The endpoint is still being sent what was parked; try again when that has ended.");
  }
}
