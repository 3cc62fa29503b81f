/** Changes to a published article, stored beside the live version until "Update" makes them live in one step. */
import type { ArticleInput, FullArticle } from "../../../domain/articles/article.ts";
import { composeEdited, editedFields, mergeChanges } from "../../../domain/articles/composition.ts";
import { AppError } from "../../../domain/system/errors.ts";
import { deleteDraftCopy, type DraftCopy, findDraftCopy, putDraftCopy } from "../../../store/articles/draft-copies.ts";
import type { Snapshot, StoredFull, Writer } from "../../../store/store.ts";
import { recordArticleChange } from "./article-notes.ts";
import { applyEdit, prepareEdit, assertSameStatusAndId, editDetail } from "./edit-article.ts";
import type { EditOptions } from "./articles.ts";
import type { Actor, Deps } from "../../system/deps.ts";
import { append, loadArticle, loadToChange } from "./article-persistence.ts";
import { loadWebsite, loadWebsiteToChange } from "../../../store/system/websites.ts";
import {
  loadUnchanged,
  assertVersion,
  assertDraftVersion,
  type ExpectedVersion,
  type SeenDraft,
} from "./optimistic-lock.ts";
import { recordReview, type SigningDeps, withReviewRecord } from "./review-record.ts";
import { hasWordsInDraft } from "./second-person.ts";
import { createCause } from "./transition.ts";

type DraftDeps = Pick<Deps, "store" | "clock" | "newId" | "deriveContent">;

/**
 * Adds the sanitised changes to the draft copy; readers do not see them.
 *
 * @param expect the versions that the actor saw; if omitted, any versions.
 * @returns all changes in the draft copy.
 * @throws AppError `conflict` unless the article is published, or when someone else has changed it; `invalid` for
 * changes that could not be made live, or when text would be lost.
 */
export async function saveDraftCopy(
  deps: DraftDeps,
  id: string,
  changes: ArticleInput,
  actor: Actor,
  expect?: ExpectedVersion & SeenDraft,
  { facts, acceptLoss, inTransaction, onPrepared }: EditOptions = {},
): Promise<ArticleInput> {
  const { before, website, draft } = await loadDraft(deps, id);
  assertMayHaveDraft(before);
  assertSameStatusAndId(changes, before.article);
  const isNewText = changes.content !== undefined || changes.markdown !== undefined;
  const edit = await prepareEdit(deps, website, before, mergeChanges(draft?.changes, changes), {
    // The loss of text already in the draft copy was accepted when that was saved.
    acceptLoss: acceptLoss === true || !isNewText,
    onPrepared,
  });
  const drafted = composeEdited(before, edit.input, edit.composed, deps.clock());
  return deps.store.write(async (db) => {
    const { article } = (await loadToChange(db, id)).full;
    assertMayHaveDraft({ article });
    await assertVersion(db, article, expect, { actor, input: changes });
    const earlier = await findDraftCopy(db, article.rowNo);
    await assertDraftVersion(db, id, earlier, expect, actor);
    await inTransaction?.(db, drafted);
    return (await putDraft(db, deps, { before, earlier, changes, drafted, actor, facts })).all;
  });
}

/** @param drafted the article with the changes. @returns all of its changes, and whether they differ from `earlier`. */
export async function putDraft(
  db: Writer,
  deps: Pick<Deps, "clock" | "newId">,
  {
    before,
    earlier,
    changes,
    drafted,
    actor,
    facts,
  }: {
    before: StoredFull;
    earlier: DraftCopy | undefined;
    changes: ArticleInput;
    drafted: FullArticle;
    actor: Actor;
    facts?: EditOptions["facts"];
  },
): Promise<{ all: ArticleInput; changed: boolean }> {
  const { article } = before;
  const clean = changes.content === undefined ? changes : { ...changes, content: drafted.body.html };
  const all = mergeChanges(earlier?.changes, clean);
  if (earlier !== undefined && JSON.stringify(all) === JSON.stringify(earlier.changes)) return { all, changed: false };
  await putDraftCopy(db, article.rowNo, article.websiteId, {
    changes: all,
    actor: actor.id,
    // Must increase: it identifies the draft copy that an editor saw.
    savedAt: Math.max(deps.clock(), (earlier?.savedAt ?? 0) + 1),
    writers: [...new Set([...(earlier?.writers ?? []), actor.id])],
  });
  const detail = { ...facts, fields: editedFields(before, drafted).join(", ") };
  await recordArticleChange(db, deps, actor, article, { action: "article.draft_saved", detail });
  return { all, changed: true };
}

/** Makes it live with one `article.updated`. @throws AppError `conflict` if there is none, or it has changed. */
export async function applyDraftCopy(
  deps: DraftDeps & SigningDeps,
  id: string,
  actor: Actor,
  expect?: ExpectedVersion & SeenDraft,
): Promise<FullArticle> {
  const { before, website, draft } = await loadDraft(deps, id, (db, found) => assertVersions(db, found, expect, actor));
  if (draft === undefined) throw new AppError("conflict", "This article has no draft copy: there is nothing to apply.");
  const edit = await prepareEdit(deps, website, before, draft.changes, { acceptLoss: true });
  return deps.store.write(async (db) => {
    // The website's URL pattern may have changed while the content was prepared.
    const owner = await loadWebsiteToChange(db, website.id);
    const now = await findDraftCopy(db, before.article.rowNo);
    await assertDraftVersion(db, id, now, { draftSavedAt: draft.savedAt }, actor);
    const current = await loadUnchanged(db, before, { actor, input: draft.changes });
    const isOfOther = !(await hasWordsInDraft(db, current, draft, actor));
    const by = { actor, action: "article.updated", isOfOther } as const;
    const changed = await applyEdit(db, deps, owner, current, edit, by);
    await deleteDraftCopy(db, before.article.rowNo);
    const detail = editDetail(current.article, changed.full.article, changed.fields);
    await recordArticleChange(
      db,
      deps,
      actor,
      changed.full.article,
      { action: "article.updated", detail },
      changed.entry,
    );
    const { full: after, event } = changed;
    const approved = {
      website: owner,
      before: current,
      after,
      actor,
      now: changed.entry.at,
      isSecondPerson: isOfOther,
    };
    const record = changed.changed ? await recordReview(db, deps, approved) : null;
    await append(db, deps, event && ((cause) => withReviewRecord(event(cause), record)), createCause(deps, actor));
    return after;
  });
}

/** @throws AppError `conflict` when there is none, or when it is not the one that the actor saw. */
export function discardDraftCopy(
  deps: Pick<Deps, "store" | "clock" | "newId">,
  id: string,
  actor: Actor,
  expect?: SeenDraft,
): Promise<void> {
  return deps.store.write(async (db) => {
    const { article } = (await loadToChange(db, id)).full;
    await assertDraftVersion(db, id, await findDraftCopy(db, article.rowNo), expect, actor);
    if (!(await deleteDraftCopy(db, article.rowNo))) {
      throw new AppError("conflict", "This article has no draft copy: there is nothing to discard.");
    }
    await recordArticleChange(db, deps, actor, article, { action: "article.draft_discarded" });
  });
}

interface Drafted {
  before: StoredFull;
  draft: DraftCopy | undefined;
}

function loadDraft(
  deps: Pick<Deps, "store">,
  id: string,
  check: (db: Snapshot, found: Drafted) => Promise<void> = async () => undefined,
) {
  return deps.store.read(async (db) => {
    const before = await loadArticle(db, id);
    const found = { before, draft: await findDraftCopy(db, before.article.rowNo) };
    await check(db, found);
    return { ...found, website: await loadWebsite(db, before.article.websiteId) };
  });
}

async function assertVersions(
  db: Snapshot,
  { before, draft }: Drafted,
  expect: (ExpectedVersion & SeenDraft) | undefined,
  actor: Actor,
): Promise<void> {
  await assertVersion(db, before.article, expect, { actor, input: draft?.changes ?? {} });
  await assertDraftVersion(db, before.article.id, draft, expect, actor);
}

function assertMayHaveDraft({ article }: Pick<FullArticle, "article">): void {
  if (article.deletedAt !== null) throw new AppError("conflict", "This article is in the trash; restore it first.");
  if (article.status === "published") return;
  throw new AppError("conflict", "Only a published article has a draft copy; change this one itself.");
}
