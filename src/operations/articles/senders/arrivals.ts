/** What senders have sent: shown, and understood again after a mapping was changed. */
import type { Arrival, ArrivalState, Sender } from "../../../domain/articles/senders/sender.ts";
import type { Origin } from "../../../domain/system/audit.ts";
import { AppError } from "../../../domain/system/errors.ts";
import {
  claimWaiting,
  countOpenArrivals,
  findArrivalAnywhere,
  listArrivals as listRows,
  queueAgain,
  queueAllAgain,
  readArrivalBody,
} from "../../../store/articles/senders/arrivals.ts";
import { settleNotifications } from "../../../store/people/notifications.ts";
import type { Snapshot, Writer } from "../../../store/store.ts";
import { recordAudit } from "../../system/audit.ts";
import type { Deps } from "../../system/deps.ts";
import { type ArrivalDeps, processArrival } from "./receive.ts";
import { loadSender } from "./senders.ts";

export interface ArrivalList {
  arrivals: Arrival[];
  /** Null: there is no further page. */
  next: Pick<Arrival, "at" | "id"> | null;
}

/** What became of arrivals that were run again. */
export interface RunAgain {
  /** All of them. */
  runs: number;
  /** Those that need nothing more. */
  done: number;
  needsAttention: number;
  /** The service runs these in the background. */
  waiting: number;
}

/** How long this process works on an arrival before another may take it. */
const CLAIM_MS = 60_000;
/** How many the caller waits for. */
const MAX_AWAITED = 20;

/** What the sender has sent, the newest first. @throws AppError `not_found`. */
export async function listArrivals(
  deps: Pick<Deps, "store">,
  senderId: string,
  { state, before, limit }: { state: ArrivalState | null; before: Pick<Arrival, "at" | "id"> | null; limit: number },
): Promise<ArrivalList> {
  const found = await deps.store.read(async (db) => {
    await loadSender(db, senderId);
    return listRows(db, senderId, { state, before, limit: limit + 1 });
  });
  const arrivals = found.slice(0, limit);
  const last = arrivals.at(-1);
  return { arrivals, next: found.length > limit && last !== undefined ? { at: last.at, id: last.id } : null };
}

/** `body`: null if it is no longer kept. @throws AppError `not_found`. */
export function getArrival(deps: Pick<Deps, "store">, id: string): Promise<{ arrival: Arrival; body: string | null }> {
  return deps.store.read(async (db) => ({ arrival: await loadArrival(db, id), body: await readArrivalBody(db, id) }));
}

/**
 * Understands the arrival with the sender's mapping as it is now. What fails for the moment is tried again later, as of any
 * arrival.
 *
 * @throws AppError `not_found`; `conflict` while it is being understood, or if its body is gone; `busy`, `unavailable`.
 */
export async function runAgain(deps: ArrivalDeps, id: string, origin: Origin): Promise<Arrival> {
  const { arrival, sender } = await deps.store.write(async (db) => {
    const found = await loadArrival(db, id);
    const its = await loadSender(db, found.senderId);
    if (!(await queueAgain(db, found, deps.clock() + CLAIM_MS))) {
      throw new AppError(
        "conflict",
        found.state === "waiting"
          ? "This arrival is being understood at the moment."
          : "What this arrival brought is no longer kept; let the sender send it again.",
      );
    }
    await recordRun(db, deps, origin, its, { targetKind: "arrival", targetId: id });
    return { arrival: { ...found, state: "waiting", outcome: null } satisfies Arrival, sender: its };
  });
  const result = await processArrival(deps, sender, arrival, { address: origin.address });
  await settle(deps, sender.id);
  return result;
}

/** Like `runAgain`, for all of the sender's arrivals that need attention, in the order in which they came. */
export async function runAllAgain(deps: ArrivalDeps, senderId: string, origin: Origin): Promise<RunAgain> {
  const now = deps.clock();
  const { sender, runs } = await deps.store.write(async (db) => {
    const its = await loadSender(db, senderId);
    const queued = await queueAllAgain(db, its, now);
    if (queued > 0) {
      await recordRun(db, deps, origin, its, { targetKind: "sender", targetId: senderId }, { arrivals: queued });
    }
    return { sender: its, runs: queued };
  });
  const result: RunAgain = { runs, done: 0, needsAttention: 0, waiting: runs };
  while (result.runs - result.waiting < Math.min(runs, MAX_AWAITED)) {
    const [next] = await deps.store.write((db) => claimWaiting(db, deps.clock(), deps.clock() + CLAIM_MS, 1, senderId));
    // The leader has taken the others.
    if (next === undefined) break;
    const { state } = await processArrival(deps, sender, next, { address: origin.address });
    result[state === "needs_attention" ? "needsAttention" : "done"]++;
    result.waiting--;
  }
  await settle(deps, senderId);
  return result;
}

/** Nobody needs to be told any more of what needed attention, if nothing does. */
async function settle(deps: Pick<Deps, "store" | "clock">, senderId: string): Promise<void> {
  await deps.store.write(async (db) => {
    const { needsAttention, waiting } = await countOpenArrivals(db, senderId);
    if (needsAttention + waiting > 0) return;
    await settleNotifications(db, senderId, ["sender_needs_attention"], deps.clock());
  });
}

async function loadArrival(db: Snapshot, id: string): Promise<Arrival> {
  const arrival = await findArrivalAnywhere(db, id);
  if (arrival === undefined) throw new AppError("not_found", `There is no arrival with the id ${id}.`);
  return arrival;
}

function recordRun(
  db: Writer,
  deps: Pick<Deps, "newId" | "clock">,
  origin: Origin,
  { websiteId, name }: Sender,
  target: { targetKind: "arrival" | "sender"; targetId: string },
  detail: { arrivals?: number } = {},
): Promise<void> {
  return recordAudit(db, deps, origin, {
    action: "arrival.run_again",
    websiteId,
    ...target,
    detail: { name, ...detail },
  });
}
