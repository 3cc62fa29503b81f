/** One attempt that cannot be recorded, or one delivery that makes every claim fail, must not stop the others. */
import { DELIVERY_ORIGIN } from "../../domain/system/audit.ts";
import type { DeliveryState } from "../../domain/webhooks/delivery.ts";
import { endDelivery, setDeliveryState, findDeliveries } from "../../store/webhooks/deliveries.ts";
import { completeAndPromoteNext, lockQueued, markNeverReady, listReady } from "../../store/webhooks/delivery-queue.ts";
import { isOutage } from "../../store/system/outage.ts";
import type { Writer } from "../../store/store.ts";
import { type OnError, describeReason, saveSetAside, setAside, catchFailure } from "../system/set-aside.ts";
import type { Deps } from "../system/deps.ts";
import { loadEndpoint, recordEndpointChange } from "./endpoints.ts";
import {
  type AttemptRecord,
  recordAttempts,
  type RecordDeps,
  type Recorded,
  type RecordOptions,
} from "./record-attempts.ts";
import { tryClaim } from "../../store/webhooks/claims.ts";

interface Ended {
  no: number;
  deliveryId: string;
  websiteId: string;
  endpointId: string;
  articleId: string;
  /** The token of its lease; null if it has none. */
  token: string | null;
}

/**
 * Ends the delivery as a dead letter. If that fails, it only leaves the queue; if that fails too, it is never claimed
 * again. @param wasSent whether an attempt was made that is recorded nowhere else. @throws AppError `unavailable`.
 */
export async function setAsideDelivery(
  deps: Pick<Deps, "store" | "clock" | "newId">,
  delivery: Ended,
  { state, wasSent, error }: { state: DeliveryState; wasSent: boolean; error: unknown },
  onError: OnError = () => undefined,
): Promise<void> {
  const { no, deliveryId: subjectId, websiteId } = delivery;
  const letter = { kind: "delivery", subjectId, websiteId, error } as const;
  const end = wasSent ? endDelivery : setDeliveryState;
  const ways = [
    async (db: Writer) => {
      await end(db, no, state, deps.clock());
      await completeAndPromoteNext(db, [delivery], deps.clock());
    },
    (db: Writer) => completeAndPromoteNext(db, [delivery], deps.clock()),
    (db: Writer) => markNeverReady(db, no),
  ];
  onError(error, `delivery ${subjectId} was set aside: it ends as ${state}, and is not sent again`);
  for (const way of ways) {
    try {
      const isOurs = await deps.store.write(
        async (db) => {
          if ((await lockQueued(db, [no])).get(no)?.token !== delivery.token) return false;
          await way(db);
          await saveSetAside(db, deps, letter);
          return true;
        },
        { notify: false },
      );
      if (isOurs) await recordSetAside(deps, delivery, error, onError);
      return;
    } catch (failure) {
      if (isOutage(failure)) throw failure;
      onError(failure, `delivery ${subjectId} could not be ended as it should be`);
    }
  }
  // The queue's row cannot be changed at all, so the delivery cannot be claimed either.
  await setAside(deps, letter, `delivery ${subjectId} stays in the queue`, onError);
}

/** Writes an audit entry for the webhook's owners, if possible. */
function recordSetAside(
  deps: Pick<Deps, "store" | "clock" | "newId">,
  { deliveryId, endpointId }: Ended,
  error: unknown,
  onError: OnError,
): Promise<void> {
  return catchFailure(
    () =>
      deps.store.write(async (db) => {
        const detail = { delivery: deliveryId, reason: describeReason(error) };
        await recordEndpointChange(
          db,
          deps,
          DELIVERY_ORIGIN,
          "webhook.set_aside",
          await loadEndpoint(db, endpointId),
          detail,
        );
      }),
    async (failure) => onError(failure, "the audit log could not be told of a delivery that was set aside"),
  );
}

type AloneDeps = RecordDeps & Pick<Deps, "store">;

export type RecordedAlone =
  | { outcome: "recorded" | "set aside"; recorded: Recorded[] }
  /** Nothing was changed. `error`: why it cannot be recorded. */
  | { outcome: "held back"; error: unknown };

/** `mayGiveUp`: if false, the attempt is held back. @throws AppError `unavailable`: outcome unknown, try again. */
export async function recordAlone(
  deps: AloneDeps,
  record: AttemptRecord,
  options: RecordOptions,
  onError: OnError,
  mayGiveUp: () => boolean,
): Promise<RecordedAlone> {
  let why: unknown;
  for (const [tried, how] of [
    [record, options],
    [withoutDetails(record), { ...options, isSilent: true }],
  ] as const) {
    try {
      const recorded = await deps.store.write((db) => recordAttempts(db, deps, [tried], how), { notify: false });
      if (tried !== record) onError(why, `an attempt of delivery ${record.claim.deliveryId} was recorded in part`);
      return { outcome: "recorded", recorded };
    } catch (error) {
      if (isOutage(error)) throw error;
      why = error;
    }
  }
  if (!mayGiveUp()) return { outcome: "held back", error: why };
  const result = record.attempt.outcome === "success" ? "delivered" : "exhausted";
  await setAsideDelivery(deps, record.claim, { state: result, wasSent: true, error: why }, onError);
  const recorded = [{ record, result, warning: null, hasDisabled: false, health: null } as const];
  return { outcome: "set aside", recorded };
}

/** Omits all text from the receiver, and the receipt. */
function withoutDetails(record: AttemptRecord): AttemptRecord {
  const { attempt, answer } = record;
  const error = attempt.outcome === "success" ? null : `The attempt failed (${attempt.outcome}). ${NOT_KEPT}`;
  return {
    ...record,
    attempt: { ...attempt, error, requestHeaders: {}, responseHeaders: [], responseBody: "" },
    answer: { ...answer, receipt: null },
  };
}

const NOT_KEPT = "Its details could not be saved.";

/** More than one claim takes from an endpoint. */
const TRIED = 64;

/** One by one. `mayGiveUp`: if false, it stays. @returns whether any was set aside. @throws AppError `unavailable`. */
export async function setAsideUnclaimable(
  deps: Pick<Deps, "store" | "clock" | "newId">,
  endpointId: string,
  onError?: OnError,
  mayGiveUp: () => boolean = () => true,
): Promise<boolean> {
  let isFound = false;
  for (const no of await deps.store.read((db) => listReady(db, endpointId, deps.clock(), TRIED))) {
    await catchFailure(
      () => deps.store.write((db) => tryClaim(db, no), { notify: false }),
      async (error) => {
        if (!mayGiveUp()) return;
        isFound = true;
        await setAsideNumbered(deps, no, error, onError);
      },
    );
  }
  return isFound;
}

/** Sets aside a delivery without a lease, by its number. @throws AppError `unavailable`. */
export async function setAsideNumbered(
  deps: Pick<Deps, "store" | "clock" | "newId">,
  no: number,
  error: unknown,
  onError?: OnError,
): Promise<void> {
  const [delivery] = await deps.store.read((db) => findDeliveries(db, [no]));
  if (delivery === undefined) return;
  const ended = { ...delivery, deliveryId: delivery.id, token: null };
  await setAsideDelivery(deps, ended, { state: "exhausted", wasSent: false, error }, onError);
}
