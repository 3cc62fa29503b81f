/**
 * Removes content from events: of an article that was deleted or taken down, once all deliveries up to that have ended,
 * and of any after ROSTRUM_EVENT_KEEP_DAYS. Ids, numbers and kinds of the events remain.
 */
import type { Millis } from "../../domain/system/time.ts";
import { withoutContent } from "../../domain/webhooks/event.ts";
import { listFailures } from "../../store/system/dead-letters.ts";
import {
  type ContentRemoval,
  finishRemoval,
  isAwaited,
  listRemovals,
  listEventsOfUncheckedAge,
  listWithContent,
  planRemoval,
  removeContent,
  removeDeletionExtensions,
  saveAgedTo,
} from "../../store/webhooks/event-contents.ts";
import type { Writer } from "../../store/store.ts";
import { listWebsites, lockWebsite } from "../../store/system/websites.ts";
import { type OnError, setAside, catchFailure } from "../system/set-aside.ts";
import type { Deps } from "../system/deps.ts";

/** Events that one transaction checks, or removes the content of: each may hold an article of 10 MB three times. */
const AGED_AT_ONCE = 200;
const REMOVED_AT_ONCE = 20;
const REMOVALS_AT_ONCE = 200;

type ContentDeps = Pick<Deps, "store" | "clock">;

/** @param keepMs age at which every event loses its content; null: never. @returns how many events lost it. */
export async function removeContents(deps: ContentDeps, keepMs: number | null, onError?: OnError): Promise<number> {
  if (keepMs !== null) await planByAge(deps, deps.clock() - keepMs);
  let removed = 0;
  const failures = await deps.store.read((db) => listFailures(db, "event"));
  for (let after: ContentRemoval | null = null; ;) {
    const batch: ContentRemoval[] = await deps.store.read((db) => listRemovals(db, after, REMOVALS_AT_ONCE));
    for (const removal of batch) {
      const subjectId = `${removal.websiteId}/${removal.articleId}`;
      if (failures.has(subjectId)) continue;
      await catchFailure(
        async () => {
          removed += await carryOut(deps, removal);
        },
        (error) => {
          const letter = { kind: "event", subjectId, websiteId: removal.websiteId, error } as const;
          return setAside(deps, letter, `the content of past events of article ${subjectId} stays`, onError);
        },
      );
    }
    after = batch.at(-1) ?? after;
    if (batch.length < REMOVALS_AT_ONCE) return removed;
  }
}

/** Does nothing while a delivery still needs the content. @returns how many events lost it. */
async function carryOut({ store, clock }: ContentDeps, removal: ContentRemoval): Promise<number> {
  let removed = 0;
  if (await store.read((db) => isAwaited(db, removal))) return removed;
  for (let count = REMOVED_AT_ONCE; count === REMOVED_AT_ONCE;) {
    count = await store.write((db) => removeSome(db, removal, clock()), { notify: false });
    removed += count;
  }
  return removed;
}

async function removeSome(db: Writer, removal: ContentRemoval, now: Millis): Promise<number> {
  // Until the transaction ends, nobody can request these events again.
  await lockWebsite(db, removal.websiteId);
  if (await isAwaited(db, removal)) return 0;
  const events = await listWithContent(db, removal, REMOVED_AT_ONCE);
  for (const { sequence, payload } of events) {
    await removeContent(db, removal.websiteId, sequence, withoutContent(payload), now);
  }
  if (events.length < REMOVED_AT_ONCE) {
    await removeDeletionExtensions(db, removal);
    await finishRemoval(db, removal);
  }
  return events.length;
}

async function planByAge({ store }: ContentDeps, before: Millis): Promise<void> {
  for (const { id } of await store.read(listWebsites)) {
    const [oldest] = await store.read((db) => listEventsOfUncheckedAge(db, id, 1));
    if (oldest === undefined || oldest.createdAt >= before) continue;
    for (let count = AGED_AT_ONCE; count === AGED_AT_ONCE;) {
      count = await store.write(
        async (db) => {
          const unaged = await listEventsOfUncheckedAge(db, id, AGED_AT_ONCE);
          const newer = unaged.findIndex(({ createdAt }) => createdAt >= before);
          const old = newer === -1 ? unaged : unaged.slice(0, newer);
          for (const { articleId, sequence } of old) {
            await planRemoval(db, { websiteId: id, articleId, beforeSequence: sequence + 1 });
          }
          const last = old.at(-1);
          if (last !== undefined) await saveAgedTo(db, id, last.sequence);
          return old.length;
        },
        { notify: false },
      );
    }
  }
}
