/** Who reads or edits an article at this moment: reported by open pages, and forgotten within a minute. */
import { MIN_REPORT_INTERVAL_MS, PRESENT_MS } from "../../../domain/people/presence.ts";
import {
  deleteGone,
  deletePresence,
  hasPresence,
  lastSeen,
  listPresent,
  type PresenceKey,
  type PresentPerson,
  savePresence,
} from "../../../store/articles/presence.ts";
import type { Deps } from "../../system/deps.ts";

type PresenceDeps = Pick<Deps, "store" | "clock">;

/** A report that comes too soon after the last one is not saved. */
export async function reportPresence(deps: PresenceDeps, key: PresenceKey): Promise<void> {
  const now = deps.clock();
  const seenAt = await deps.store.read((db) => lastSeen(db, key));
  if (seenAt !== undefined && seenAt > now - MIN_REPORT_INTERVAL_MS) return;
  await deps.store.write((db) => savePresence(db, key, now, now - PRESENT_MS), { notify: false });
}

export function endPresence(deps: PresenceDeps, key: PresenceKey): Promise<void> {
  return deps.store.write((db) => deletePresence(db, key), { notify: false });
}

/** Everybody but the person who asks. */
export async function readPresent(
  deps: PresenceDeps,
  { websiteId, articleId, accountId }: Omit<PresenceKey, "activity">,
): Promise<PresentPerson[]> {
  const since = deps.clock() - PRESENT_MS;
  const present = await deps.store.read((db) => listPresent(db, { websiteId, articleId }, since));
  return present.filter(({ id }) => id !== accountId);
}

/** Deletes who is gone. @returns whether anybody may still be there. */
export async function sweepPresence(deps: PresenceDeps): Promise<boolean> {
  if (!(await deps.store.read(hasPresence))) return false;
  await deps.store.write((db) => deleteGone(db, deps.clock() - PRESENT_MS), { notify: false });
  return true;
}
