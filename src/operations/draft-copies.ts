/** Changes of a published article that wait beside the live one until "Update" makes them live in one step. */
import type { ArticleInput, FullArticle } from "../domain/article.ts";
import { AppError } from "../domain/errors.ts";
import { deleteDraftCopy, findDraftCopy, putDraftCopy } from "../store/draft-copies.ts";
import { applyEdit, causeOf, prepareEdit, refuseStatusAndId } from "./articles.ts";
import type { Actor, Deps } from "./deps.ts";
import { lockWebsite } from "../store/websites.ts";
import { append, loadArticle, loadToChange, loadWebsite } from "./saving.ts";

type DraftDeps = Pick<Deps, "store" | "clock" | "newId" | "prepare">;

/** Adds the changes to the draft copy; readers see nothing of it. @throws AppError `conflict` unless it is published. */
export function saveDraftCopy(deps: DraftDeps, id: string, changes: ArticleInput, actor: Actor): Promise<ArticleInput> {
  return deps.store.write(async (db) => {
    const { article } = await loadToChange(db, id);
    if (article.status !== "published" || article.deletedAt !== null) {
      throw new AppError("conflict", "Only a published article has a draft copy; change this one itself.");
    }
    refuseStatusAndId(changes, article);
    const earlier = await findDraftCopy(db, article.rowNo);
    const all = { ...earlier?.changes, ...changes };
    await putDraftCopy(db, article.rowNo, article.websiteId, {
      changes: all,
      actor: actor.id,
      savedAt: deps.clock(),
    });
    return all;
  });
}

/** Makes the draft copy live: one change, one `article.updated`. @throws AppError `conflict` when there is none. */
export async function applyDraftCopy(deps: DraftDeps, id: string, actor: Actor): Promise<FullArticle> {
  const { before, website, draft } = await deps.store.read(async (db) => {
    const found = await loadArticle(db, id);
    return {
      before: found,
      website: await loadWebsite(db, found.article.websiteId),
      draft: await findDraftCopy(db, found.article.rowNo),
    };
  });
  if (draft === undefined) throw new AppError("conflict", "This article has no draft copy: there is nothing to apply.");
  const edit = prepareEdit(deps, website, before, draft.changes);
  return deps.store.write(async (db) => {
    await lockWebsite(db, website.id);
    const changed = await applyEdit(db, deps, website, before, edit, { actor });
    const now = await findDraftCopy(db, before.article.rowNo);
    if (now?.savedAt !== draft.savedAt || JSON.stringify(now.changes) !== JSON.stringify(draft.changes)) {
      throw new AppError("conflict", "Somebody else changed this draft copy meanwhile: look at it again and repeat.");
    }
    await deleteDraftCopy(db, before.article.rowNo);
    await append(db, deps, changed.event, causeOf(deps, actor));
    return changed.full;
  });
}

/** @throws AppError `conflict` when there is none. */
export function discardDraftCopy(deps: Pick<Deps, "store">, id: string): Promise<void> {
  return deps.store.write(async (db) => {
    const { article } = await loadToChange(db, id);
    if (!(await deleteDraftCopy(db, article.rowNo))) {
      throw new AppError("conflict", "This article has no draft copy: there is nothing to discard.");
    }
  });
}
