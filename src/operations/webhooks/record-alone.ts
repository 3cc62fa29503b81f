/**
 * Records an attempt that cannot be recorded together with others. It was made, so it must not be repeated endlessly: it
 * is recorded alone, otherwise without its details, otherwise its delivery is set aside.
 */
import { isOutage } from "../../store/system/outage.ts";
import type { OnError } from "../system/set-aside.ts";
import {
  type AttemptRecord,
  recordAttempts,
  type RecordDeps,
  type Recorded,
  type RecordOptions,
} from "./record-attempts.ts";
import type { Deps } from "../system/deps.ts";
import { setAsideDelivery } from "./set-aside-delivery.ts";

type AloneDeps = RecordDeps & Pick<Deps, "store">;

export type RecordedAlone =
  | { outcome: "recorded" | "set aside"; recorded: Recorded[] }
  /** Nothing was changed. `error`: why it cannot be recorded. */
  | { outcome: "held back"; error: unknown };

/**
 * @param mayGiveUp called before the delivery is set aside; if false, the attempt is held back.
 * @throws AppError `unavailable`: the outcome is unknown, try again.
 */
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
function withoutDetails({ claim, attempt, answer }: AttemptRecord): AttemptRecord {
  const error = attempt.outcome === "success" ? null : `The attempt failed (${attempt.outcome}). ${NOT_KEPT}`;
  return {
    claim,
    attempt: { ...attempt, error, requestHeaders: {}, responseHeaders: [], responseBody: "" },
    answer: { ...answer, receipt: null },
  };
}

const NOT_KEPT = "Its details could not be saved.";
