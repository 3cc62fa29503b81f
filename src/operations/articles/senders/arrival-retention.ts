/** Bounds how much of what senders sent is kept. */
import type { Arrival } from "../../../domain/articles/senders/sender.ts";
import { forgetBodies, listLargeSenders, listOldestBodies } from "../../../store/articles/senders/arrivals.ts";
import type { Deps } from "../../system/deps.ts";

const MAX_BYTES = 500_000_000;
const BODIES_AT_ONCE = 200;

/** First the oldest bodies of what was understood, then those of what needs attention: these can be run again. */
const ORDER: readonly (readonly Arrival["state"][])[] = [["stored", "ignored"], ["needs_attention"]];

/** Forgets bodies of senders that exceed `maxBytes`. `only`: the sender to look at. @returns how many. */
export async function limitArrivals(
  deps: Pick<Deps, "store">,
  maxBytes = MAX_BYTES,
  only?: Pick<Arrival, "websiteId" | "senderId">,
): Promise<number> {
  let forgotten = 0;
  for (const { senderId, total } of await deps.store.read((db) => listLargeSenders(db, maxBytes, only))) {
    let excess = total - maxBytes;
    for (const states of ORDER) {
      while (excess > 0) {
        const oldest = await deps.store.read((db) => listOldestBodies(db, senderId, states, BODIES_AT_ONCE));
        const chosen: string[] = [];
        for (const { id, bytes } of oldest) {
          if (excess <= 0) break;
          chosen.push(id);
          excess -= bytes;
        }
        if (chosen.length === 0) break;
        await deps.store.write((db) => forgetBodies(db, chosen), { notify: false });
        forgotten += chosen.length;
      }
    }
  }
  return forgotten;
}
