/** Sends again: parked deliveries, a range of events, or one delivery. */
import type { Millis } from "../../domain/system/time.ts";
import type { Origin } from "../../domain/system/audit.ts";
import { isEnabled } from "../../domain/webhooks/endpoint.ts";
import { AppError } from "../../domain/system/errors.ts";
import { listFailures } from "../../store/system/dead-letters.ts";
import {
  findDeliveries,
  insertDelivery,
  listExhausted,
  listParked,
  parkExhausted,
  restartDelivery,
  setDeliveryState,
  type StoredDelivery,
} from "../../store/webhooks/deliveries.ts";
import { countUnfinished, enqueue, retryAllNow, lockArticleQueues } from "../../store/webhooks/delivery-queue.ts";
import { findEndpointToChange, setReplaying, type StoredEndpoint } from "../../store/webhooks/endpoints.ts";
import { eventsSince, findEvent, listEvents } from "../../store/webhooks/events.ts";
import { isOutage } from "../../store/system/outage.ts";
import {
  advanceReplayJob,
  beginSending,
  findReplayJobAnywhere,
  finishReplayJob,
  insertReplayJob,
  openReplayJobs,
  type ReplayJob,
} from "../../store/webhooks/replay-jobs.ts";
import type { Snapshot, Writer } from "../../store/store.ts";
import { lockWebsite } from "../../store/system/websites.ts";
import { isoTime } from "../../domain/system/time.ts";
import { type OnError, saveSetAside, setAside, catchFailure } from "../system/set-aside.ts";
import { loadDelivery } from "./deliveries.ts";
import type { Deps } from "../system/deps.ts";
import { loadEndpoint, loadEndpointToChange, recordEndpointChange } from "./endpoints.ts";

/** Maximum number of unfinished deliveries of an endpoint: keeps the queue small, however long the replay. */
const MAX_UNFINISHED = 2_000;

type ReplayDeps = Pick<Deps, "store" | "clock" | "newId">;

/** Sends events again, by their ids. @returns the maximum number. @throws AppError `conflict` unless sending. */
export function replaySince(deps: ReplayDeps, endpointId: string, since: Millis, origin: Origin): Promise<number> {
  return deps.store.write(async (db) => {
    const endpoint = await loadEndpointToChange(db, endpointId);
    assertEnabled(endpoint);
    const events = await eventsSince(db, endpoint.websiteId, since, endpoint.events);
    if (events === null || events.count === 0) return 0;
    await insertReplayJob(db, {
      id: deps.newId(),
      websiteId: endpoint.websiteId,
      endpointId,
      kind: "range",
      next: events.first,
      until: events.last,
      exhaustedSince: null,
      createdAt: deps.clock(),
    });
    const detail = { since: isoTime(since), events: events.count };
    await recordEndpointChange(db, deps, origin, "webhook.replayed", endpoint, detail);
    return events.count;
  });
}

/** How many events a replay since then would send, at most, and where to. */
export function countSince(
  deps: Pick<Deps, "store">,
  endpointId: string,
  since: Millis,
): Promise<{ count: number; url: string }> {
  return deps.store.read(async (db) => {
    const { websiteId, events, url } = await loadEndpoint(db, endpointId);
    return { count: (await eventsSince(db, websiteId, since, events))?.count ?? 0, url };
  });
}

/** Makes planned retries due; untried deliveries keep waiting. @throws AppError `conflict` while it is not enabled. */
export function retryNow(deps: ReplayDeps, endpointId: string, origin: Origin): Promise<void> {
  return deps.store.write(async (db) => {
    const endpoint = await loadEndpointToChange(db, endpointId);
    assertEnabled(endpoint, true);
    await retryAllNow(db, endpointId, deps.clock());
    await recordEndpointChange(db, deps, origin, "webhook.retried", endpoint);
  });
}

/** Sends one delivery's event again, as a new delivery. @returns its id. @throws AppError `not_found`, `conflict`. */
export function redeliver(deps: ReplayDeps, deliveryId: string, origin: Origin): Promise<string> {
  return deps.store.write(async (db) => {
    const earlier = await loadDelivery(db, deliveryId);
    await lockWebsite(db, earlier.websiteId);
    return redeliverIn(db, deps, earlier, origin);
  });
}

/** Like `redeliver`, in a transaction that holds the website's lock. */
export async function redeliverIn(
  db: Writer,
  deps: Pick<ReplayDeps, "clock" | "newId">,
  earlier: Pick<StoredDelivery, "websiteId" | "endpointId" | "state" | "eventId">,
  origin: Origin,
): Promise<string> {
  const endpoint = await loadEndpointToChange(db, earlier.endpointId);
  assertEnabled(endpoint);
  if (earlier.state === "pending") {
    throw new AppError("conflict", "This delivery is still being sent; wait until it has ended.");
  }
  const event = await findEvent(db, earlier.websiteId, earlier.eventId);
  if (event === undefined) throw new AppError("conflict", "A test cannot be sent again: send another test.");
  assertHasContent(event);
  const id = deps.newId();
  await add(db, deps, { id, endpointId: earlier.endpointId, event, origin: "redelivery" });
  const detail = { delivery: id, event: event.kind, article: event.articleId };
  await recordEndpointChange(db, deps, origin, "webhook.redelivered", endpoint, detail);
  return id;
}

/** With the website locked: resumes it, or sends an event left out (`<job>/<event>`). @throws AppError `conflict`. */
export async function retryReplay(
  db: Writer,
  deps: Pick<ReplayDeps, "clock" | "newId">,
  subjectId: string,
): Promise<void> {
  const [jobId = "", eventId] = subjectId.split("/");
  const job = await findReplayJobAnywhere(db, jobId);
  if (job === undefined || (eventId === undefined && job.isFinished)) return;
  const endpoint = await loadEndpointToChange(db, job.endpointId);
  assertEnabled(endpoint, eventId === undefined);
  if (eventId === undefined) {
    // New events are again parked behind the earlier ones.
    if (job.kind === "latest" || job.kind === "all") await setReplaying(db, endpoint.id, true);
    return;
  }
  const event = await findEvent(db, job.websiteId, eventId);
  if (event === undefined) return;
  assertHasContent(event);
  await add(db, deps, { id: deps.newId(), endpointId: endpoint.id, event, origin: "replay" });
}

/** Ends a replay that was set aside. Call it in a transaction that holds the website's lock. */
export async function discardReplay(db: Writer, deps: Pick<ReplayDeps, "clock">, subjectId: string): Promise<void> {
  if (!subjectId.includes("/")) await finishReplayJob(db, subjectId, deps.clock());
}

function assertHasContent(event: NonNullable<Awaited<ReturnType<typeof findEvent>>>): void {
  if (!event.isContentRemoved) return;
  throw new AppError(
    "conflict",
    "The content of this event was removed because the article was deleted or unpublished, or because the event is old. Send a later event of the article again.",
  );
}

/** Advances each replay by up to `limit` deliveries, and leaves out what fails. @returns whether there is more now. */
export async function stepReplays(deps: ReplayDeps, limit: number, onError?: OnError): Promise<boolean> {
  let hasMore = false;
  for (const job of await deps.store.read(listOpen)) {
    const stepBy = async (count: number) => {
      hasMore = (await deps.store.write((db) => step(db, deps, job, count))) || hasMore;
    };
    await catchFailure(
      () => stepBy(limit),
      async () => {
        hasMore = true;
        await catchFailure(
          () => stepBy(1),
          (error) => stepOver(deps, job, error, onError),
        );
      },
    );
  }
  return hasMore;
}

/** Unfinished replays except those that were set aside, oldest first. */
async function listOpen(db: Snapshot): Promise<ReplayJob[]> {
  const [jobs, failures] = [await openReplayJobs(db), await listFailures(db, "replay")];
  return jobs.filter(({ id }) => !failures.has(id));
}

/** Leaves out the replay's next delivery or event. If that fails too, sets the replay aside. */
async function stepOver(deps: ReplayDeps, job: ReplayJob, error: unknown, onError?: OnError): Promise<void> {
  const item = await deps.store.read((db) => nextItem(db, job));
  if (item !== undefined) {
    try {
      await deps.store.write(async (db) => {
        await advanceReplayJob(db, job.id, item.position + 1);
        await saveSetAside(db, deps, { kind: item.kind, subjectId: item.id, websiteId: job.websiteId, error });
      });
      onError?.(error, `a replay leaves out ${item.kind} ${item.id}, which always fails`);
      return;
    } catch (failure) {
      if (isOutage(failure)) throw failure;
    }
  }
  const { id: subjectId, websiteId, endpointId } = job;
  const letter = { kind: "replay", subjectId, websiteId, error } as const;
  // Otherwise new events would be parked behind it forever.
  const release = (db: Writer) => setReplaying(db, endpointId, false);
  await setAside(deps, letter, `the replay ${subjectId} always fails, and was set aside`, onError, release);
}

async function nextItem(
  db: Snapshot,
  job: ReplayJob,
): Promise<{ position: number; kind: "delivery" | "replay"; id: string } | undefined> {
  if (job.kind === "range") {
    const [event] = await listEvents(db, job.websiteId, { after: job.next - 1, limit: 1 });
    return event && { position: event.sequence, kind: "replay", id: `${job.id}/${event.id}` };
  }
  const list = job.exhaustedSince === null ? listParked : listExhausted;
  const [first] = await list(db, job.endpointId, job.next, 1);
  if (first === undefined) return undefined;
  const [delivery] = await findDeliveries(db, [first.no]);
  return { position: first.no, kind: "delivery", id: delivery?.id ?? `number ${first.no}` };
}

async function step(db: Writer, deps: ReplayDeps, seen: ReplayJob, limit: number): Promise<boolean> {
  await lockWebsite(db, seen.websiteId);
  const endpoint = await findEndpointToChange(db, seen.endpointId);
  const open = await listOpen(db);
  // Another process may have been faster.
  let job = open.find(({ id }) => id === seen.id);
  if (job === undefined) return false;
  // One after the other, so that a later replay of everything does not send what was declined before.
  if (open.find(({ endpointId }) => endpointId === seen.endpointId) !== job) return false;
  if (endpoint === undefined || (!isEnabled(endpoint.state) && job.kind !== "none")) {
    await finishReplayJob(db, job.id, deps.clock());
    return false;
  }
  if (job.exhaustedSince !== null) {
    if (!(await takeInExhausted(db, job, job.exhaustedSince, limit))) return true;
    job = { ...job, next: 0, exhaustedSince: null };
  }
  const room = MAX_UNFINISHED - (await countUnfinished(db, endpoint.id, MAX_UNFINISHED));
  if (job.kind !== "none" && room <= 0) return false;
  const count = job.kind === "none" ? limit : Math.min(limit, room);
  return job.kind === "range" ? stepRange(db, deps, job, endpoint, count) : stepParked(db, deps, job, count);
}

/** Parks exhausted deliveries, to be sent in order with all else that was missed. @returns whether all are parked. */
async function takeInExhausted(db: Writer, job: ReplayJob, since: Millis, limit: number): Promise<boolean> {
  const exhausted = await listExhausted(db, job.endpointId, job.next, limit);
  const missed = exhausted.filter((one) => one.can_resend === 1 && (one.finished_at ?? 0) >= since);
  await parkExhausted(
    db,
    missed.map(({ no }) => no),
  );
  const last = exhausted.at(-1);
  const isAll = last === undefined || exhausted.length < limit;
  if (isAll) await beginSending(db, job.id);
  else await advanceReplayJob(db, job.id, last.no + 1);
  return isAll;
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
    // Events without content are skipped: a later event of the article, such as its deletion, replaces them.
    if (!endpoint.events.includes(event.kind) || event.isContentRemoved) continue;
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
  for (const { no, id, articleId, isSuperseded } of parked) {
    if (job.until !== null && no > job.until) break;
    if (job.kind === "none") {
      await setDeliveryState(db, no, "skipped", now);
    } else if (job.kind === "latest" && isSuperseded) {
      await setDeliveryState(db, no, "coalesced", now);
    } else {
      await restartDelivery(db, no);
      await lockArticleQueues(db, [job.endpointId], articleId, false);
      await enqueue(db, id, now);
    }
  }
  const last = parked.at(-1);
  const isDone = parked.length < limit || (job.until !== null && last !== undefined && last.no >= job.until);
  if (isDone) {
    await finishReplayJob(db, job.id, now);
    // In this transaction nothing is left parked: from here on new events are sent at once.
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
  await lockArticleQueues(db, [endpointId], articleId, false);
  await insertDelivery(db, {
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
  await enqueue(db, id, deps.clock());
}

function assertEnabled({ state }: StoredEndpoint, mayReplay = false): void {
  switch (state) {
    case "sending":
      return;
    case "catching_up":
      if (mayReplay) return;
      throw new AppError(
        "conflict",
        "The webhook is still receiving its parked events; try again when it has received all.",
      );
    case "paused":
    case "disabled":
      throw new AppError("conflict", `The webhook is ${state}: enable it first, and choose then what is sent again.`);
  }
}
