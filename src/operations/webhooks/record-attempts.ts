/** Runs in the dispatcher's transaction: one batch's results and the next claims become durable together. */
import type { Attempt, Receipt, ReceiverResponse } from "../../domain/webhooks/attempt.ts";
import { type Millis, startOfHour, DAY_MS } from "../../domain/system/time.ts";
import { decide, type DeliveryState, type NextAttempt, type RetryPolicy } from "../../domain/webhooks/delivery.ts";
import { type EndpointState, type Health, isEnabled, isReplacing } from "../../domain/webhooks/endpoint.ts";
import {
  insertAttempts,
  type NewAttempt,
  addDeliveryCounts,
  type NewDeliveryCount,
} from "../../store/webhooks/attempts.ts";
import type { Claim } from "../../store/webhooks/claims.ts";
import { recordProgress } from "../../store/webhooks/deliveries.ts";
import {
  completeAndPromoteNext,
  expediteRetries,
  hasLaterEvent,
  lockQueued,
  markFailing,
  type QueuedTry,
  removeFromQueue,
  restoreBackoff,
  retryAt,
} from "../../store/webhooks/delivery-queue.ts";
import {
  findEndpointsToChange,
  saveHealth,
  saveProgress,
  setReplaying,
  type StoredEndpoint,
} from "../../store/webhooks/endpoints.ts";
import { endReplayJobs } from "../../store/webhooks/replay-jobs.ts";
import type { Writer } from "../../store/store.ts";
import { lockWebsite } from "../../store/system/websites.ts";
import type { Deps } from "../system/deps.ts";
import { DELIVERY_ORIGIN } from "../../domain/system/audit.ts";
import { hasEntry } from "../../store/system/audit.ts";
import { notify } from "../people/notifications.ts";
import { recordAudit } from "../system/audit.ts";

export interface AttemptRecord {
  claim: Claim;
  /** Where it was sent. */
  url: string;
  attempt: Attempt;
  answer: ReceiverResponse;
}

/** The outcome of a delivery, for the log and the metrics. */
export interface Recorded {
  record: AttemptRecord;
  /** `coalesced`: failed, a newer event is sent instead. `lost`: the lease expired, and another worker has it. */
  result: "delivered" | "exhausted" | "retried" | "coalesced" | "parked" | "lost";
  /** The number of consecutive failures, if it warrants a warning; otherwise null. */
  warning: number | null;
  hasDisabled: boolean;
  /** The endpoint's health afterwards; null if it was deleted. */
  health: Health | null;
}

export interface RecordOptions {
  policy: RetryPolicy;
  random: () => number;
  /** Saves where the receiver put the article. */
  saveReceipt: (
    db: Writer,
    deps: RecordDeps,
    article: Pick<Claim, "websiteId" | "articleId">,
    receipt: Receipt,
  ) => Promise<void>;
  /** Identifies the writer, so that the counts of several writers are separate rows. */
  worker: string;
  /** Omits audit entries and emails about the endpoint's health, because writing them has failed. */
  isSilent?: boolean;
}

export type RecordDeps = Pick<Deps, "clock" | "newId">;

/** A result without its lease changes nothing. @param unused numbers that the transaction will release. */
export async function recordAttempts(
  db: Writer,
  deps: RecordDeps,
  records: readonly AttemptRecord[],
  options: RecordOptions,
  unused: readonly number[] = [],
): Promise<Recorded[]> {
  await lockWebsites(db, records);
  const ids = [...new Set(records.map(({ claim }) => claim.endpointId))];
  const numbers = [...records.map(({ claim }) => claim.no), ...unused];
  // Pipelined: the statements run in order without waiting for each other's responses, as do all here that can.
  const [endpoints, queued] = await Promise.all([findEndpointsToChange(db, ids), lockQueued(db, numbers)]);
  const changed = new Map<string, EndpointState>();
  const results: Recorded[] = [];
  const now = deps.clock();
  const batch = new Batch(db, now);
  for (const record of records) {
    const { claim } = record;
    const endpoint = endpoints.get(claim.endpointId);
    const found = queued.get(claim.no);
    // Otherwise another worker has the delivery, or has finished it.
    const before = found?.token === claim.token ? found : undefined;
    const recorded = await recordOne(db, batch, deps, record, endpoint, before, now, options);
    if (
      recorded.health !== null &&
      recorded.health !== endpoint &&
      endpoint !== undefined &&
      recorded.result !== "lost"
    ) {
      endpoints.set(claim.endpointId, { ...endpoint, ...recorded.health });
      if (!changed.has(claim.endpointId)) changed.set(claim.endpointId, endpoint.state);
    }
    results.push(recorded);
  }
  const ended = results.map(({ record, result }) => ({ websiteId: record.claim.websiteId, result }));
  await Promise.all([
    batch.write(),
    saveAll(db, endpoints, changed),
    addDeliveryCounts(db, options.worker, toCounts(ended, now)),
  ]);
  return results;
}

async function recordOne(
  db: Writer,
  batch: Batch,
  deps: RecordDeps,
  record: AttemptRecord,
  endpoint: StoredEndpoint | undefined,
  before: QueuedTry | undefined,
  now: Millis,
  { policy, random, saveReceipt, isSilent = false }: RecordOptions,
): Promise<Recorded> {
  const { claim, attempt, answer } = record;
  const lost = { record, result: "lost", warning: null, hasDisabled: false, health: endpoint ?? null } as const;
  if (before === undefined || endpoint === undefined) return lost;
  const { outcome, status, error } = attempt;
  const { plannedAt, failingSince } = before;
  const { origin } = claim;
  const finished = { number: before.tries + 1, plannedAt, failingSince, origin, outcome, status, error, answer };
  const decision = decide(endpoint, finished, policy, now, random);
  const { health, delivery } = decision;
  let result: Recorded["result"];
  if (delivery.state !== "pending") {
    batch.finish(record, delivery.state);
    result = delivery.state;
  } else if (isEnabled(health.state) && isReplacing(endpoint) && (await hasLaterEvent(db, claim))) {
    await markFailing(db, endpoint.id, claim.articleId, failingSince ?? now);
    batch.finish(record, "coalesced");
    result = "coalesced";
  } else if (isEnabled(health.state)) {
    batch.retry(record, delivery);
    result = "retried";
  } else {
    batch.park(record);
    result = "parked";
  }
  const hasDisabled = endpoint.state !== "disabled" && health.state === "disabled";
  const hasReceipt = answer.receipt !== null && claim.kind !== "article.deleted";
  // These steps need the queue to be up to date.
  if (hasDisabled || decision.expediteRetries || decision.restoreBackoff || hasReceipt) await batch.write();
  if (hasDisabled) await stopReplaying(db, endpoint.id, now);
  if ((hasDisabled || decision.warning !== null) && !isSilent)
    await recordHealthChange(db, deps, endpoint, health, policy);
  if (decision.expediteRetries) await expediteRetries(db, endpoint.id, now);
  if (decision.restoreBackoff) await restoreBackoff(db, endpoint.id, now);
  if (answer.receipt !== null && hasReceipt) await saveReceipt(db, deps, claim, answer.receipt);
  return { record, result, warning: decision.warning, hasDisabled, health };
}

/** Collects the writes for many attempts that ended by `now`. */
class Batch {
  readonly #db: Writer;
  readonly #now: Millis;
  #attempts: NewAttempt[] = [];
  #progress: Parameters<typeof recordProgress>[1][number][] = [];
  #finished: Claim[] = [];
  #retries: (NextAttempt & { no: number })[] = [];
  #parked: number[] = [];

  constructor(db: Writer, now: Millis) {
    this.#db = db;
    this.#now = now;
  }

  finish(record: AttemptRecord, state: DeliveryState): void {
    this.#note(record, state, this.#now);
    this.#finished.push(record.claim);
  }

  retry(record: AttemptRecord, next: NextAttempt): void {
    this.#note(record, "pending", null);
    this.#retries.push({ ...next, no: record.claim.no });
  }

  park(record: AttemptRecord): void {
    this.#note(record, "parked", null);
    this.#parked.push(record.claim.no);
  }

  async write(): Promise<void> {
    await Promise.all([
      insertAttempts(this.#db, this.#attempts.splice(0)),
      recordProgress(this.#db, this.#progress.splice(0)),
      completeAndPromoteNext(this.#db, this.#finished.splice(0), this.#now),
      retryAt(this.#db, this.#retries.splice(0), this.#now),
      removeFromQueue(this.#db, this.#parked.splice(0)),
    ]);
  }

  #note({ claim: { no, websiteId }, attempt }: AttemptRecord, state: DeliveryState, finishedAt: Millis | null): void {
    this.#attempts.push({ no, websiteId, attempt });
    this.#progress.push({ no, attempts: attempt.number, state, finishedAt });
  }
}

/** Locks the websites whose articles get receipts, before any other lock (see the lock order in store.ts). */
async function lockWebsites(db: Writer, records: readonly AttemptRecord[]): Promise<void> {
  const ids = records.flatMap(({ answer, claim }) => (answer.receipt === null ? [] : [claim.websiteId]));
  for (const id of [...new Set(ids)].toSorted()) await lockWebsite(db, id);
}

async function saveAll(
  db: Writer,
  endpoints: ReadonlyMap<string, StoredEndpoint>,
  changed: ReadonlyMap<string, EndpointState>,
): Promise<void> {
  const progressed: StoredEndpoint[] = [];
  for (const [id, state] of changed) {
    const endpoint = endpoints.get(id);
    if (endpoint === undefined) continue;
    if (endpoint.state === state) progressed.push(endpoint);
    else await saveHealth(db, id, endpoint);
  }
  await saveProgress(db, progressed);
}

/** Ends the endpoint's replays; deliveries that they have not reached stay parked. */
export async function stopReplaying(db: Writer, endpointId: string, now: Millis): Promise<void> {
  await endReplayJobs(db, endpointId, now);
  await setReplaying(db, endpointId, false);
}

interface Ended {
  websiteId: string;
  result: Recorded["result"];
}

/** What a batch adds to the hourly counts: one row for each website, all in the current hour. */
function toCounts(batch: readonly Ended[], now: Millis): NewDeliveryCount[] {
  const counts = new Map<string, NewDeliveryCount>();
  for (const { websiteId, result } of batch) {
    // Another worker has it, and counts it.
    if (result === "lost") continue;
    let count = counts.get(websiteId);
    if (count === undefined) {
      count = { websiteId, hour: startOfHour(now), delivered: 0, exhausted: 0, retried: 0, firstDeliveredAt: null };
      counts.set(websiteId, count);
    }
    // These failed as well, and their content is sent later: once the endpoint is enabled, or with a newer event.
    count[result === "parked" || result === "coalesced" ? "retried" : result]++;
    if (result === "delivered") count.firstDeliveredAt = now;
  }
  return [...counts.values()];
}

/**
 * Call it in the transaction that changes the health. Of a receiver that fails on and off, owners are told once a day
 * for each number of failures; of a webhook that was disabled, always.
 */
async function recordHealthChange(
  db: Writer,
  deps: Pick<Deps, "clock" | "newId">,
  endpoint: Pick<StoredEndpoint, "id" | "websiteId" | "name" | "url">,
  health: Health,
  { disableAfter }: Pick<RetryPolicy, "disableAfter">,
): Promise<void> {
  const isDisabled = health.state === "disabled";
  const action = isDisabled ? "webhook.disabled" : "webhook.warned";
  // Only the host: the rest of the URL may contain a secret.
  const at = new URL(endpoint.url).host;
  const detail = isDisabled ? { at, reason: health.disabledReason } : { at, failures: health.consecutiveFailures };
  const isNew = isDisabled || !(await hasEntry(db, endpoint.id, { action, detail, since: deps.clock() - DAY_MS }));
  const { id: targetId, websiteId } = endpoint;
  const entry = { id: deps.newId(), at: deps.clock() };
  await recordAudit(db, deps, DELIVERY_ORIGIN, { action, targetKind: "webhook", targetId, websiteId, detail }, entry);
  if (!isNew) return;
  const name = endpoint.name === "" ? at : endpoint.name;
  const { consecutiveFailures: failures, lastError, disabledReason } = health;
  await notify(db, deps, {
    kind: "webhook_failing",
    websiteId,
    targetId,
    actor: DELIVERY_ORIGIN.actor,
    eventId: entry.id,
    to: "everybody",
    detail: isDisabled
      ? { host: name, isDisabled, text: disabledReason ?? "It failed too often." }
      : { host: name, failures, disableAfter, ...(lastError === null ? {} : { text: lastError }) },
  });
}
