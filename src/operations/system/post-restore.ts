/** After the data was put back to an earlier state, and before anybody serves it. */
import { type EventPlace, forgetPassing, forgetProcesses, renumberEvents } from "../../store/system/post-restore.ts";
import { renewEpochs } from "../../store/system/websites.ts";
import type { Deps } from "./deps.ts";
import { newEpoch } from "./websites.ts";

/** Events that one transaction looks at: some ten milliseconds. */
const EVENTS_AT_ONCE = 2_000;

export interface Restoration {
  websites: number;
  /** Leases of deliveries that were taken back. */
  leases: number;
  /** Events of PostgreSQL that another cluster had numbered. */
  renumbered: number;
}

/**
 * No ETag or cached page of before is valid any more, no receiver takes a new event for an old one, and nothing waits for
 * processes that are gone; no session or link of before, which may have been ended since, is good; and no mail of before,
 * which may have been sent since, is sent. Nobody serves the data. Its tables may be those of an earlier version.
 */
export async function noteRestoration(deps: Pick<Deps, "store" | "randomBytes">): Promise<Restoration> {
  const renumbered = deps.store.engine === "postgres" ? await renumberAll(deps) : 0;
  return deps.store.write(async (db) => {
    const leases = await forgetProcesses(db);
    await forgetPassing(db);
    return { websites: await renewEpochs(db, () => newEpoch(deps)), leases, renumbered };
  });
}

async function renumberAll({ store }: Pick<Deps, "store">): Promise<number> {
  const renumberAfter = (place: EventPlace | null) =>
    store.write((db) => renumberEvents(db, place, EVENTS_AT_ONCE), { isQuiet: true });
  let total = 0;
  for (let done = await renumberAfter(null); ; done = await renumberAfter(done.last)) {
    total += done.renumbered;
    if (done.last === null) return total;
  }
}
