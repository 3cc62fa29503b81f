/**
 * What the dispatcher does with the store: it claims deliveries, and writes down what became of them. Both run inside
 * its transaction, so that the results of one batch and the claims of the next become durable together.
 */
import type { Answer, Attempt } from "../domain/attempt.ts";
import type { Millis } from "../domain/article.ts";
import { decide, type RetryPolicy } from "../domain/delivery.ts";
import type { EndpointState, Health } from "../domain/endpoint.ts";
import { insertAttempt } from "../store/attempts.ts";
import { setDeliveryState } from "../store/deliveries.ts";
import {
  type Claim,
  dequeue,
  pullForward,
  pushBack,
  removeFromQueue,
  retryAt,
  triesUnderLease,
} from "../store/delivery-queue.ts";
import {
  findEndpoint,
  liveSecrets,
  saveHealth,
  saveProgress,
  setReplaying,
  type StoredEndpoint,
} from "../store/endpoints.ts";
import { endReplayJobs } from "../store/replay-jobs.ts";
import type { Reader, Writer } from "../store/store.ts";
import type { Deps } from "./deps.ts";
import { keepReceipt } from "./receipts.ts";

/** Where and how an endpoint's messages are sent. */
export interface Target {
  url: string;
  ca: string | null;
  thin: boolean;
  headers: Record<string, string>;
  secrets: string[];
}

/** A claimed delivery after its attempt. */
export interface AttemptRecord {
  claim: Claim;
  attempt: Attempt;
  answer: Answer;
}

/** What became of a delivery, for the log and the metrics. */
export interface Recorded {
  record: AttemptRecord;
  /** `lost`: the lease had lapsed and somebody else has it. */
  result: "delivered" | "exhausted" | "retried" | "parked" | "lost";
  /** The consecutive failures at which somebody should be told. */
  warning: number | null;
  /** Whether this attempt disabled the endpoint. */
  hasDisabled: boolean;
  /** Of the endpoint, afterwards; null: it is deleted. */
  health: Health | null;
}

/** @returns undefined when the endpoint is deleted. */
export async function loadTarget(
  db: Reader,
  deps: Pick<Deps, "secrets">,
  endpointId: string,
  now: Millis,
): Promise<Target | undefined> {
  const endpoint = await findEndpoint(db, endpointId);
  if (endpoint === undefined) return undefined;
  const box = deps.secrets();
  const secrets = await liveSecrets(db, endpointId, now);
  return {
    url: endpoint.url,
    ca: endpoint.ca,
    thin: endpoint.thin,
    headers:
      endpoint.sealedHeaders === null
        ? {}
        : // Sealed by `createEndpoint` alone.
          (JSON.parse(box.open(endpoint.sealedHeaders, endpointId)) as Record<string, string>),
    secrets: secrets.map(({ sealed }) => box.open(sealed, endpointId)),
  };
}

/** Writes down the attempts, in order; those whose lease was lost change nothing. */
export async function recordAttempts(
  db: Writer,
  deps: Pick<Deps, "clock">,
  records: readonly AttemptRecord[],
  rules: { policy: RetryPolicy; random: () => number },
): Promise<Recorded[]> {
  const endpoints = new Map<string, StoredEndpoint | undefined>();
  /** Endpoints to be saved, with the state they had. */
  const changed = new Map<string, EndpointState>();
  const results: Recorded[] = [];
  for (const record of records) {
    const { claim } = record;
    if (!endpoints.has(claim.endpointId)) endpoints.set(claim.endpointId, await findEndpoint(db, claim.endpointId));
    const endpoint = endpoints.get(claim.endpointId);
    const recorded = await recordOne(db, deps, record, endpoint, rules);
    if (recorded.health !== null && endpoint !== undefined && recorded.result !== "lost") {
      endpoints.set(claim.endpointId, { ...endpoint, ...recorded.health });
      if (!changed.has(claim.endpointId)) changed.set(claim.endpointId, endpoint.state);
    }
    results.push(recorded);
  }
  for (const [id, state] of changed) {
    const endpoint = endpoints.get(id);
    if (endpoint === undefined) continue;
    await (endpoint.state === state ? saveProgress : saveHealth)(db, id, endpoint);
  }
  return results;
}

async function recordOne(
  db: Writer,
  deps: Pick<Deps, "clock">,
  record: AttemptRecord,
  endpoint: StoredEndpoint | undefined,
  { policy, random }: { policy: RetryPolicy; random: () => number },
): Promise<Recorded> {
  const { claim, attempt, answer } = record;
  const tries = await triesUnderLease(db, claim.no, claim.token);
  const lost = { record, result: "lost", warning: null, hasDisabled: false, health: endpoint ?? null } as const;
  if (tries === undefined || endpoint === undefined) return lost;
  await insertAttempt(db, claim.websiteId, claim.no, attempt);
  const now = deps.clock();
  const { outcome, status, error } = attempt;
  const finished = { number: tries + 1, origin: claim.origin, outcome, status, error, answer };
  const decision = decide(endpoint, finished, policy, now, random);
  const { health, delivery } = decision;
  let result: Recorded["result"];
  if (delivery.state !== "pending") {
    await setDeliveryState(db, claim.no, delivery.state, now);
    await dequeue(db, claim, now);
    result = delivery.state;
  } else if (health.state === "enabled") {
    await retryAt(db, claim.no, finished.number, delivery.dueAt);
    result = "retried";
  } else {
    await removeFromQueue(db, claim.no);
    await setDeliveryState(db, claim.no, "parked", null);
    result = "parked";
  }
  const hasDisabled = endpoint.state !== "disabled" && health.state === "disabled";
  if (hasDisabled) await stopReplaying(db, endpoint.id, now);
  if (decision.pullForward) await pullForward(db, endpoint.id, now);
  if (decision.pushBack) await pushBack(db, endpoint.id, now);
  if (answer.receipt !== null && claim.kind !== "article.deleted") {
    await keepReceipt(db, deps, claim.articleId, answer.receipt);
  }
  return { record, result, warning: decision.warning, hasDisabled, health };
}

/** What a replay has not come to stays parked. */
export async function stopReplaying(db: Writer, endpointId: string, now: Millis): Promise<void> {
  await endReplayJobs(db, endpointId, now);
  await setReplaying(db, endpointId, false);
}
