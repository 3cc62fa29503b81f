/** Changes of a source that are held, because somebody else changed the same fields: people apply or drop them. */
import type { ArticleInput } from "../../../domain/articles/article.ts";
import type { Millis } from "../../../domain/system/time.ts";
import { recordApplied } from "../../../domain/articles/origin.ts";
import { AppError } from "../../../domain/system/errors.ts";
import { findOrigin, type HeldBy, listHeld, putOrigin, type StoredOrigin } from "../../../store/articles/origins.ts";
import { raiseReviewVersion } from "../../../store/system/websites.ts";
import type { Snapshot, Writer } from "../../../store/store.ts";
import type { Actor, Deps } from "../../system/deps.ts";
import { makeEdit } from "../write/article-changes.ts";
import { recordArticleChange, settleHeld } from "../write/article-notes.ts";
import { loadArticle, loadToChange } from "../write/article-persistence.ts";
import type { ExpectedVersion, SeenDraft } from "../write/optimistic-lock.ts";

interface HeldChanges {
  /** Identity of the item within its source. */
  source: string;
  heldAt: Millis;
  changes: ArticleInput;
  side: HeldSide;
}

/** Names the article with these changes, for a comparison. */
export type HeldSide = `held-${number}`;

export type SeenHeld = Pick<HeldChanges, "source" | "heldAt">;

/** By source. @throws AppError `not_found`. */
export function listHeldChanges(deps: Pick<Deps, "store">, id: string): Promise<HeldChanges[]> {
  return deps.store.read(async (db) => readHeldChanges(db, (await loadArticle(db, id)).article.rowNo));
}

export async function readHeldChanges(db: Snapshot, rowNo: number): Promise<HeldChanges[]> {
  return (await listHeld(db, rowNo)).flatMap(({ source, held, heldAt }) =>
    held === null || heldAt === null ? [] : [{ source, heldAt, changes: held, side: `held-${heldAt}` as const }],
  );
}

/** An edit of the actor, in the draft copy if published. @throws AppError `conflict` if anything has changed since. */
export async function applyHeldChanges(
  deps: Pick<Deps, "store" | "clock" | "newId" | "deriveContent">,
  id: string,
  seen: SeenHeld & ExpectedVersion & SeenDraft,
  actor: Actor,
): Promise<void> {
  const { held } = await deps.store.read(async (db) => loadHeld(db, (await loadArticle(db, id)).article, seen));
  let isSettled = false;
  const settle: NonNullable<Parameters<typeof makeEdit>[2]["inTransaction"]> = async (db, after) => {
    const origin = await loadHeld(db, (await loadArticle(db, id)).article, seen);
    const fields = recordApplied(origin.fields, origin.held, after);
    await putOrigin(db, after.article.websiteId, {
      ...origin,
      fields,
      held: null,
      heldAt: null,
      heldBy: markApplied(origin.heldBy, deps.clock()),
    });
    await markSettled(db, deps, { ...after.article, rowNo: origin.rowNo });
    isSettled = true;
  };
  const options = { seen, asDraft: true, acceptLoss: true, facts: { source: seen.source }, inTransaction: settle };
  const full = await makeEdit(deps, id, { changes: held, ...options }, actor);
  // The article has it already.
  if (isSettled) return;
  await deps.store.write(async (db) => {
    // Locks the website before what the source brought, as imports do.
    await loadToChange(db, id);
    await settle(db, full);
  });
}

/** @throws AppError `conflict` if what is held has changed since it was seen. */
export function dropHeldChanges(
  deps: Pick<Deps, "store" | "clock" | "newId">,
  id: string,
  seen: SeenHeld,
  actor: Actor,
): Promise<void> {
  return deps.store.write(async (db) => {
    const { article } = (await loadToChange(db, id)).full;
    const origin = await loadHeld(db, article, seen);
    const heldBy = origin.heldBy.filter(({ appliedAt }) => appliedAt !== null);
    await putOrigin(db, article.websiteId, { ...origin, held: null, heldAt: null, heldBy });
    await markSettled(db, deps, article);
    const detail = { source: seen.source };
    await recordArticleChange(db, deps, actor, article, { action: "article.held_dropped", detail });
  });
}

/** Whoever brought what is applied counts as having applied it now. */
function markApplied(heldBy: readonly HeldBy[], now: Millis): HeldBy[] {
  const times = heldBy.map(({ actor, appliedAt }) => [actor, appliedAt ?? now] as const);
  return Array.from(new Map(times), ([actor, appliedAt]) => ({ actor, appliedAt }));
}

async function markSettled(
  db: Writer,
  deps: Pick<Deps, "clock">,
  article: { id: string; websiteId: string; rowNo: number },
): Promise<void> {
  await raiseReviewVersion(db, article.websiteId);
  await settleHeld(db, deps, article);
}

async function loadHeld(
  db: Snapshot,
  { websiteId, rowNo }: { websiteId: string; rowNo: number },
  { source, heldAt }: SeenHeld,
): Promise<StoredOrigin & { rowNo: number; held: ArticleInput }> {
  const origin = await findOrigin(db, websiteId, source);
  if (origin?.rowNo === rowNo && origin.held !== null && origin.heldAt === heldAt) {
    return { ...origin, rowNo, held: origin.held };
  }
  throw new AppError(
    "conflict",
    "These changes were already applied or dropped, or newer ones have arrived. Reload the page.",
  );
}
