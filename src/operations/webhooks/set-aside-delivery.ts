/** Takes a delivery that always fails out of the queue, so that the others continue. */
import { DELIVERY_ORIGIN } from "../../domain/system/audit.ts";
import type { DeliveryState } from "../../domain/webhooks/delivery.ts";
import { endDelivery, setDeliveryState } from "../../store/webhooks/deliveries.ts";
import { completeAndPromoteNext, lockQueued, markNeverReady } from "../../store/webhooks/delivery-queue.ts";
import { isOutage } from "../../store/system/outage.ts";
import type { Writer } from "../../store/store.ts";
import { type OnError, describeReason, saveSetAside, setAside, catchFailure } from "../system/set-aside.ts";
import type { Deps } from "../system/deps.ts";
import { loadEndpoint, recordEndpointChange } from "./endpoints.ts";

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
 * Saves the delivery as a dead letter and ends it in that state. If that fails, it only leaves the queue; if that fails
 * too, it is marked so that it is never claimed again. Does nothing if another process now has its lease.
 *
 * @param wasSent whether an attempt was made that is recorded nowhere else. @throws AppError `unavailable`.
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
  // Its row in the queue cannot be changed at all, so it cannot be claimed either.
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
