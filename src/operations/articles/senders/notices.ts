/** Tells owners that a sender needs them. */
import { type Arrival, findProblem, type Sender } from "../../../domain/articles/senders/sender.ts";
import { SCHEDULE_ORIGIN } from "../../../domain/system/audit.ts";
import { DAY_MS, isoTime, type Millis } from "../../../domain/system/time.ts";
import { findStateBefore } from "../../../store/articles/senders/arrivals.ts";
import { listSilentSenders } from "../../../store/articles/senders/senders.ts";
import type { Writer } from "../../../store/store.ts";
import { notify } from "../../people/notifications.ts";
import type { Deps } from "../../system/deps.ts";
import { catchFailure, type OnError } from "../../system/set-aside.ts";

const SILENCE_MS = 14 * DAY_MS;

/**
 * Tells of the first arrival that needs attention after one that did not, once a day at most. Runs in the transaction that
 * records the outcome.
 */
export async function notifyOfArrival(
  db: Writer,
  deps: Pick<Deps, "clock" | "newId">,
  { id, websiteId, name }: Pick<Sender, "id" | "websiteId" | "name">,
  arrival: Arrival,
): Promise<void> {
  const { state, outcome } = arrival;
  if (state !== "needs_attention" || (await findStateBefore(db, arrival)) === "needs_attention") return;
  const problem = findProblem(outcome);
  await notify(db, deps, {
    kind: "sender_needs_attention",
    websiteId,
    targetId: id,
    actor: id,
    eventId: `sender ${id} needs attention on ${toDay(deps.clock())}`,
    to: "everybody",
    detail: { sender: name, ...(problem === null ? {} : { text: problem }) },
  });
}

/** Tells once of each sender that sent something about weekly, and nothing for two weeks. */
export async function notifyOfSilence(
  deps: Pick<Deps, "store" | "clock" | "newId">,
  onError: OnError = () => undefined,
): Promise<void> {
  const before = deps.clock() - SILENCE_MS;
  for (const { id, websiteId, name, lastArrivalAt } of await deps.store.read((db) => listSilentSenders(db, before))) {
    const tell = () =>
      deps.store.write((db) =>
        notify(db, deps, {
          kind: "sender_silent",
          websiteId,
          targetId: id,
          actor: SCHEDULE_ORIGIN.actor,
          eventId: `sender ${id} is silent since ${isoTime(lastArrivalAt)}`,
          to: "everybody",
          detail: { sender: name, lastOn: toDay(lastArrivalAt) },
        }),
      );
    await catchFailure(tell, async (error) => {
      onError(error, `owners could not be told that sender ${id} has stopped; it is retried`);
    });
  }
}

function toDay(at: Millis): string {
  return isoTime(at).slice(0, 10);
}
