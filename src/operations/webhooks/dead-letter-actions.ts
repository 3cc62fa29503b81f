import type { Origin } from "../../domain/system/audit.ts";
import type { DeadLetterKind } from "../../domain/system/dead-letter.ts";
import { AppError } from "../../domain/system/errors.ts";
import { type DeadLetter, deleteDeadLetter, findDeadLetter } from "../../store/system/dead-letters.ts";
import { findDeliveryAnywhere, setDeliveryState, type StoredDelivery } from "../../store/webhooks/deliveries.ts";
import { completeAndPromoteNext, readyNow } from "../../store/webhooks/delivery-queue.ts";
import type { Writer } from "../../store/store.ts";
import { lockWebsite } from "../../store/system/websites.ts";
import { recordAudit } from "../system/audit.ts";
import type { Deps } from "../system/deps.ts";
import { discardReplay, redeliverIn, retryReplay } from "./replays.ts";

type DeadLetterDeps = Pick<Deps, "store" | "clock" | "newId">;
export type DeadLetterKey = Pick<DeadLetter, "kind" | "subjectId">;
type Action = (db: Writer, deps: DeadLetterDeps, subjectId: string, origin: Origin) => Promise<void>;

/** The loop that set the work aside picks it up again once the dead letter is gone. */
const takenUpAgain: Action = () => Promise.resolve();

const RETRIES: Partial<Record<DeadLetterKind, Action>> = {
  delivery: retryDelivery,
  article: takenUpAgain,
  replay: retryReplay,
  lease: takenUpAgain,
  event: takenUpAgain,
  removal: takenUpAgain,
};

const DISCARDS: Partial<Record<DeadLetterKind, Action>> = {
  delivery: discardDelivery,
  replay: discardReplay,
  // Only the dead letter is left of these.
  mail: takenUpAgain,
  key: takenUpAgain,
};

/** Whether it can be retried: emails were deleted, and uses of a key are not stored. */
export function canRetry(kind: DeadLetterKind): boolean {
  return RETRIES[kind] !== undefined;
}

/** Whether it can be discarded: work that must succeed in the end can only be retried. */
export function canDiscard(kind: DeadLetterKind): boolean {
  return DISCARDS[kind] !== undefined;
}

/** @throws AppError `not_found`; `conflict` when it cannot be retried, now or ever. */
export function retryDeadLetter(deps: DeadLetterDeps, key: DeadLetterKey, origin: Origin): Promise<void> {
  return runAction(
    deps,
    key,
    origin,
    "dead_letter.retried",
    RETRIES,
    "This was given up for good: it can only be discarded.",
  );
}

/** @throws AppError `not_found`; `conflict` when it cannot be discarded. */
export function discardDeadLetter(deps: DeadLetterDeps, key: DeadLetterKey, origin: Origin): Promise<void> {
  const refusal = "This cannot be discarded: try it again, or change what it is about.";
  return runAction(deps, key, origin, "dead_letter.discarded", DISCARDS, refusal);
}

function runAction(
  deps: DeadLetterDeps,
  { kind, subjectId }: DeadLetterKey,
  origin: Origin,
  action: "dead_letter.retried" | "dead_letter.discarded",
  actions: Partial<Record<DeadLetterKind, Action>>,
  refusal: string,
): Promise<void> {
  return deps.store.write(async (db) => {
    const letter = await findDeadLetter(db, kind, subjectId);
    if (letter === undefined)
      throw new AppError("not_found", "This failed task is gone: somebody has handled it already.");
    const { [kind]: perform } = actions;
    if (perform === undefined) throw new AppError("conflict", refusal);
    const { websiteId, reason } = letter;
    if (websiteId !== null) await lockWebsite(db, websiteId);
    await perform(db, deps, subjectId, origin);
    await deleteDeadLetter(db, kind, subjectId);
    await recordAudit(db, deps, origin, {
      action,
      targetKind: "dead_letter",
      targetId: subjectId,
      websiteId,
      detail: { name: `${kind} ${subjectId}`, reason },
    });
  });
}

/** Sends a finished delivery again as a new one; makes one that is stuck in the queue ready again. */
async function retryDelivery(db: Writer, deps: DeadLetterDeps, id: string, origin: Origin): Promise<void> {
  const delivery = await findDeliveryAnywhere(db, id);
  // The row could not be pruned; pruning is retried automatically.
  if (delivery === undefined) return;
  if (delivery.state === "pending") await readyNow(db, delivery.no, deps.clock());
  else await redeliverIn(db, deps, delivery, origin);
}

async function discardDelivery(db: Writer, deps: DeadLetterDeps, id: string): Promise<void> {
  const delivery: StoredDelivery | undefined = await findDeliveryAnywhere(db, id);
  if (delivery?.state !== "pending") return;
  await setDeliveryState(db, delivery.no, "skipped", deps.clock());
  await completeAndPromoteNext(db, [delivery], deps.clock());
}
