/** Runs after the data was restored to an earlier state, and before it is served. */
import type { Position } from "../../domain/system/high-water-mark.ts";
import { type EventCursor, forgetPassing, forgetProcesses, renumberEvents } from "../../store/website/post-restore.ts";
import { renewEpochs } from "../../store/system/websites.ts";
import type { Deps } from "../system/deps.ts";
import { newEpoch } from "./websites.ts";

/** Events per transaction: about ten milliseconds. */
const EVENTS_AT_ONCE = 2_000;

export interface Restoration {
  websites: number;
  leases: number;
  /** Events in PostgreSQL that another cluster had numbered. */
  renumbered: number;
}

/**
 * Invalidates ETags and cached pages, keeps receivers from taking new events for old ones, and releases what dead
 * processes held. Deletes sessions and links, which may have ended since, and unsent emails, which may have been sent.
 * The data must not be in use; its tables may be of an earlier version.
 * @param lastSeen the high-water mark of a process that served the data before; empty if unknown.
 */
export async function recordRestoration(
  deps: Pick<Deps, "store" | "randomBytes">,
  lastSeen: ReadonlyMap<string, Position>,
): Promise<Restoration> {
  const renumbered = deps.store.engine === "postgres" ? await renumberAll(deps) : 0;
  return deps.store.write(async (db) => {
    const leases = await forgetProcesses(db);
    await forgetPassing(db);
    return { websites: await renewEpochs(db, () => newEpoch(deps), lastSeen), leases, renumbered };
  });
}

async function renumberAll({ store }: Pick<Deps, "store">): Promise<number> {
  const renumberAfter = (place: EventCursor | null) =>
    store.write((db) => renumberEvents(db, place, EVENTS_AT_ONCE), { notify: false });
  let total = 0;
  for (let done = await renumberAfter(null); ; done = await renumberAfter(done.last)) {
    total += done.renumbered;
    if (done.last === null) return total;
  }
}
