/** Finds deliveries that cannot be claimed. A single one makes every claim of its endpoint fail. */
import { tryClaim } from "../../store/webhooks/claims.ts";
import { findDeliveries } from "../../store/webhooks/deliveries.ts";
import { listReady } from "../../store/webhooks/delivery-queue.ts";
import { type OnError, catchFailure } from "../system/set-aside.ts";
import type { Deps } from "../system/deps.ts";
import { setAsideDelivery } from "./set-aside-delivery.ts";

/** More than one claim takes from an endpoint. */
const TRIED = 64;

/**
 * Tries to claim the endpoint's ready deliveries one by one, and sets aside those that cannot be claimed.
 *
 * @param mayGiveUp called before each is set aside; if false, it stays.
 * @returns whether any was set aside. @throws AppError `unavailable`.
 */
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
