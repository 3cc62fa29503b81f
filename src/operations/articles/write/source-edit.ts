/** Changes of a source (domain/articles/origin.ts), saved in one transaction with what is remembered of it. */
import type { ArticleInput, FullArticle } from "../../../domain/articles/article.ts";
import { composeEdited, diffInputs, isSame, mergeChanges, writtenInput } from "../../../domain/articles/composition.ts";
import { decideFields, type Decision, recordFields } from "../../../domain/articles/origin.ts";
import type { RevisionAction } from "../../../domain/articles/revision.ts";
import { AppError } from "../../../domain/system/errors.ts";
import type { Website } from "../../../domain/system/website.ts";
import { findArticleAnywhere, findArticleByRow, findBody } from "../../../store/articles/articles.ts";
import { type DraftCopy, findDraftCopy } from "../../../store/articles/draft-copies.ts";
import { findOrigin, type HeldBy, putOrigin, type StoredOrigin } from "../../../store/articles/origins.ts";
import { raiseReviewVersion } from "../../../store/system/websites.ts";
import type { Snapshot, StoredArticle, StoredFull, Writer } from "../../../store/store.ts";
import type { Actor, Deps } from "../../system/deps.ts";
import { recordArticleChange, settleHeld } from "./article-notes.ts";
import type { SharedVersion } from "./article-persistence.ts";
import { putDraft } from "./draft-copies.ts";
import {
  applyEdit,
  type Edited,
  type EventOf,
  followStatus,
  isBelow,
  type LossOptions,
  prepareEdit,
} from "./edit-article.ts";
import { loadUnchanged, StaleVersion } from "./optimistic-lock.ts";
import { asWriter } from "./second-person.ts";

/** What a source brings. */
export interface SourceItem {
  /** Identity of the item within its source. */
  source: string;
  hash: string;
  input: ArticleInput;
  /** The input before pictures got their addresses here. */
  original?: ArticleInput | undefined;
  /** Why its site does not show it to everybody: then its text never goes live. */
  hidden?: string | undefined;
  /** Whether the importer named the status in place of the source: then nothing is taken down. */
  isStatusGiven?: true | undefined;
}

export interface KnownItem {
  article: StoredArticle | undefined;
  /** What the source brought of this article; undefined: nothing. */
  origin: StoredOrigin | undefined;
  /** Whether people deleted it permanently. */
  isPurged: boolean;
  /** Whether the id is that of another website's article. */
  isForeign: boolean;
}

/** The website's article with this id, otherwise the one that the source brought before. */
export async function findKnown(
  db: Snapshot,
  websiteId: string,
  { source, id }: { source: string; id: string | undefined },
): Promise<KnownItem> {
  const named = id === undefined ? undefined : await findArticleAnywhere(db, id);
  const isForeign = named !== undefined && named.websiteId !== websiteId;
  const found = await findOrigin(db, websiteId, source);
  const rowNo = found?.rowNo ?? null;
  const byId = isForeign ? undefined : named;
  const article = byId ?? (rowNo === null ? undefined : await findArticleByRow(db, rowNo));
  const origin = rowNo !== null && rowNo === article?.rowNo ? found : undefined;
  return { article, origin, isPurged: article === undefined && found !== undefined, isForeign };
}

export interface SourceEdit {
  item: SourceItem;
  before: StoredFull;
  origin: StoredOrigin | undefined;
  draft: DraftCopy | undefined;
  /** Where changes go. "nowhere": all are held, as the actor may not change the article. */
  target: "article" | "draft copy" | "nowhere";
  decision: Decision;
  /** Whether it is no longer published, or approved, as its source no longer says so. */
  takesDown: boolean;
  /** undefined: nothing is to be applied. */
  edit: Awaited<ReturnType<typeof prepareEdit>> | undefined;
}

/**
 * Prepares a source's changes. An access token's go to the draft copy of a published article, and are held for one in
 * the trash.
 *
 * @throws AppError `invalid` when text would be lost; `forbidden` when it is published, the actor may not approve, and
 * none of the changes can be held.
 */
export async function prepareSourceEdit(
  deps: Pick<Deps, "store" | "deriveContent" | "clock">,
  website: Website,
  item: SourceItem,
  { article, origin }: { article: StoredArticle; origin: StoredOrigin | undefined },
  { actor, overwrite, ...loss }: LossOptions & { actor: Actor; overwrite?: boolean | undefined },
): Promise<SourceEdit> {
  const { before, draft } = await deps.store.read(async (db) => ({
    before: { article, body: await findBody(db, article.rowNo) },
    draft: await findDraftCopy(db, article.rowNo),
  }));
  const comparison = {
    origin: { fields: origin?.fields ?? null, held: origin?.held ?? null },
    input: item.input,
    original: item.original,
    current: before,
    drafted: draft?.changes,
    overwrite,
  };
  const known = { item, before, origin, draft, takesDown: false };
  if (article.deletedAt !== null) {
    return { ...known, target: "nowhere", decision: decideFields({ ...comparison, mayApply: false }), edit: undefined };
  }
  if (article.status === "published" && actor.isMachine === true) {
    const decision = decideFields({ ...comparison, intoDraft: true });
    return { ...known, target: "draft copy", ...(await prepareDraft(deps, website, known, decision, loss)) };
  }
  const { takesDown, decision } = decideStatus(decideFields(comparison), item, article, actor);
  const isToApply = Object.keys(decision.apply).length > 0;
  const edit = isToApply ? await prepareEdit(deps, website, before, decision.apply, loss) : undefined;
  const prepared: SourceEdit = { ...known, target: "article", decision, takesDown, edit };
  const isShown = article.status === "published" && !takesDown;
  const mayApply = !isShown || (item.hidden === undefined && asWriter(actor, website).mayApprove);
  if (mayApply || !wouldChange(deps, website, prepared, actor)) return prepared;
  const proposed = decideFields({ ...comparison, mayApply: false });
  const isWithdrawn = JSON.stringify(proposed.held) !== JSON.stringify(origin?.held ?? null);
  if (proposed.newlyHeld.length > 0 || isWithdrawn || item.hidden !== undefined) {
    return { ...prepared, target: "nowhere", decision: proposed, edit: undefined };
  }
  throw new AppError("forbidden", "It is published, and only people who may approve can change this of it.");
}

/** An article goes back to an earlier status only as its source says, and by people who may unpublish it. */
function decideStatus(
  decision: Decision,
  { isStatusGiven }: SourceItem,
  { status }: StoredArticle,
  { mayApprove, isMachine }: Actor,
): Pick<SourceEdit, "takesDown" | "decision"> {
  const { status: wanted, ...others } = decision.apply;
  if (wanted === undefined || !isBelow(wanted, status)) return { takesDown: false, decision };
  const takesDown = mayApprove && isMachine !== true && isStatusGiven !== true;
  return { takesDown, decision: takesDown ? decision : { ...decision, apply: others } };
}

async function prepareDraft(
  deps: Pick<Deps, "deriveContent" | "clock">,
  website: Website,
  { before, draft }: Pick<SourceEdit, "before" | "draft">,
  decision: Decision,
  { acceptLoss, ...loss }: LossOptions,
): Promise<Pick<SourceEdit, "decision" | "edit">> {
  const { internalLinks, linksSupplied } = before.body;
  const written = { ...writtenInput(before), internalLinks: linksSupplied ? internalLinks : null };
  const apply = diffInputs(mergeChanges(written, draft?.changes ?? {}), decision.apply);
  if (Object.keys(apply).length === 0) return { decision: { ...decision, apply }, edit: undefined };
  const isNewText = apply.content !== undefined || apply.markdown !== undefined;
  // The loss of text already in the draft copy was accepted when that was saved.
  const options = { ...loss, acceptLoss: acceptLoss === true || !isNewText };
  const edit = await prepareEdit(deps, website, before, mergeChanges(draft?.changes, apply), options);
  return { decision: { ...decision, apply }, edit };
}

export function wouldChange(
  deps: Pick<Deps, "clock">,
  website: Website,
  { before, draft, target, edit }: SourceEdit,
  actor: Actor,
): boolean {
  if (edit === undefined) return false;
  const now = deps.clock();
  const after = composeEdited(before, edit.input, edit.composed, now);
  if (target === "draft copy") return draft !== undefined || !isSame(before, after);
  const { status } = followStatus(after, edit.input, now, asWriter(actor, website)).article;
  return status !== before.article.status || !isSame(before, after);
}

/** Whoever brings what is held counts as its writer once it is applied. */
function toBringers(known: readonly HeldBy[], { held, newlyHeld }: Decision, { id: actor }: Actor): HeldBy[] {
  if (held === null) return known.filter(({ appliedAt }) => appliedAt !== null);
  const others = known.filter((one) => one.actor !== actor || one.appliedAt !== null);
  return newlyHeld.length > 0 ? [...others, { actor, appliedAt: null }] : [...known];
}

interface SavedSource {
  changed: boolean;
  /** Without its draft copy. */
  full: FullArticle;
  event: EventOf;
  /** How the article itself was edited; undefined if it was not. */
  edited?: Pick<Edited, "fields" | "entry"> | undefined;
}

/** @throws StaleVersion when somebody has changed the article since it was read. */
export async function saveSourceEdit(
  db: Writer,
  deps: Pick<Deps, "clock" | "newId">,
  website: Website,
  prepared: SourceEdit,
  { action = "article.imported", ...by }: { actor: Actor; version?: SharedVersion; action?: RevisionAction },
): Promise<SavedSource> {
  const { item, before, origin, draft, target, decision, takesDown, edit } = prepared;
  const { rowNo } = before.article;
  const { held, newlyHeld, apply: applied } = decision;
  const current = await loadUnchanged(db, before, { actor: by.actor, input: applied });
  await assertNothingNew(db, website, item, { rowNo, origin, draftSavedAt: draft?.savedAt ?? null });
  const isDrafted = target === "draft copy";
  const mayApprove = by.actor.mayApprove && (item.hidden === undefined || takesDown);
  const editor = { ...by, actor: { ...by.actor, mayApprove } };
  const done =
    edit && !isDrafted
      ? await applyEdit(db, deps, website, current, edit, { ...editor, action, raise: true })
      : undefined;
  const drafted = isDrafted
    ? await saveToDraft(db, deps, website, { ...prepared, before: current }, by.actor)
    : undefined;
  const after = done?.full ?? current;
  if (current.article.status === "published" && after.article.status !== "published") {
    const note = { action: "article.unpublished", detail: { source: item.source } } as const;
    await recordArticleChange(db, deps, by.actor, after.article, note);
  }
  const fields = recordFields(
    {
      origin: { fields: origin?.fields ?? null, held: null },
      input: item.input,
      original: item.original,
      mayApply: target !== "nowhere",
      intoDraft: isDrafted,
    },
    isDrafted
      ? { before: { ...current, drafted: draft?.changes }, after: { ...current, drafted: drafted?.all }, applied }
      : { before: current, after, applied },
  );
  const isNew = newlyHeld.length > 0 || JSON.stringify(held) !== JSON.stringify(origin?.held ?? null);
  // Must increase: it identifies the proposal that somebody saw.
  const heldAt = isNew ? Math.max(deps.clock(), (origin?.heldAt ?? 0) + 1) : (origin?.heldAt ?? null);
  await putOrigin(db, website.id, {
    source: item.source,
    rowNo,
    hash: item.hash,
    fields,
    held,
    heldAt: held === null ? null : heldAt,
    heldBy: toBringers(origin?.heldBy ?? [], decision, by.actor),
  });
  if (isNew) await raiseReviewVersion(db, website.id);
  if (isNew && held === null) await settleHeld(db, deps, current.article);
  const changed = done?.changed ?? drafted?.changed ?? false;
  return { changed, full: after, event: done?.event ?? null, edited: done?.changed === true ? done : undefined };
}

async function saveToDraft(
  db: Writer,
  deps: Pick<Deps, "clock" | "newId">,
  website: Website,
  prepared: SourceEdit,
  actor: Actor,
): Promise<{ all: ArticleInput | undefined; changed: boolean }> {
  const { item, before, draft: earlier, decision, edit } = prepared;
  if (edit === undefined || !wouldChange(deps, website, prepared, actor)) {
    return { all: earlier?.changes, changed: false };
  }
  const drafted = composeEdited(before, edit.input, edit.composed, deps.clock());
  const facts = { source: item.source };
  return putDraft(db, deps, { before, earlier, changes: decision.apply, drafted, actor, facts });
}

/** What a source brought of an article that it creates. */
export function recordCreated(db: Writer, websiteId: string, item: SourceItem, created: StoredFull): Promise<void> {
  const { source, hash, input, original } = item;
  const fields = recordFields(
    { origin: { fields: null, held: null }, input, original },
    { before: null, after: created },
  );
  return putOrigin(db, websiteId, {
    source,
    rowNo: created.article.rowNo,
    hash,
    fields,
    held: null,
    heldAt: null,
    heldBy: [],
  });
}

async function assertNothingNew(
  db: Snapshot,
  website: Website,
  { source }: SourceItem,
  seen: { rowNo: number; origin: StoredOrigin | undefined; draftSavedAt: number | null },
): Promise<void> {
  const found = await findOrigin(db, website.id, source);
  const origin = found?.rowNo === seen.rowNo ? found : undefined;
  const draft = await findDraftCopy(db, seen.rowNo);
  const isSeen =
    JSON.stringify(origin) === JSON.stringify(seen.origin) && (draft?.savedAt ?? null) === seen.draftSavedAt;
  if (isSeen) return;
  throw new StaleVersion("Somebody else has changed this article meanwhile: import it again.");
}
