/** One batch of an import, prepared outside any transaction and saved in one. */
import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { getOrigin, toApiName } from "../../../domain/articles/origin.ts";
import { AppError, isUnavailable } from "../../../domain/system/errors.ts";
import type { FairQueue } from "../../../domain/system/fair-queue.ts";
import { foreignLine } from "../../../domain/system/foreign-text.ts";
import type { Website } from "../../../domain/system/website.ts";
import {
  findSevere,
  listStored,
  type Warning,
  WARNING_KINDS,
  warnOfFindings,
} from "../../../domain/articles/warnings.ts";
import type { FullArticle, ReviewState } from "../../../domain/articles/article.ts";
import type { Millis } from "../../../domain/system/time.ts";
import type { AuditEntry } from "../../../domain/system/audit.ts";
import { putAuditEntry } from "../../../store/system/audit.ts";
import { findArticleByRow } from "../../../store/articles/articles.ts";
import { findOrigin } from "../../../store/articles/origins.ts";
import { isOutage } from "../../../store/system/outage.ts";
import type { Snapshot, Writer } from "../../../store/store.ts";
import { lockWebsite } from "../../../store/system/websites.ts";
import { insertNew, prepareNew } from "../write/edit-article.ts";
import { describeReason, batchThenEach } from "../../system/set-aside.ts";
import type { Actor, Deps } from "../../system/deps.ts";
import {
  type Draft,
  hashInput,
  type ImportedItem,
  type ImportItem,
  toOutcome,
  withoutId,
  withWarnings,
} from "./import-items.ts";
import { notifyOfImport } from "../write/article-notes.ts";
import { recordPublicationRequest } from "../write/publication-requests.ts";
import {
  findKnown,
  type KnownItem,
  prepareSourceEdit,
  recordCreated,
  saveSourceEdit,
  type SourceEdit,
  type SourceItem,
  wouldChange,
} from "../write/source-edit.ts";
import { StaleVersion } from "../write/optimistic-lock.ts";
import { append, type SharedVersion, shareVersion } from "../write/article-persistence.ts";
import { createCause } from "../write/transition.ts";

export type ImportDeps = Pick<Deps, "store" | "clock" | "newId" | "deriveContent">;

export interface BatchOptions {
  /** Whether receivers are notified of imported articles. */
  events: boolean;
  /** If true, nothing is written. */
  dryRun: boolean;
  actor: Actor;
  /** Whether articles that lost words or show source markup go live as their source says; otherwise they wait. */
  acceptLoss?: boolean | undefined;
  /** Whether what the source brings replaces what people changed; otherwise that is held. */
  overwrite?: boolean | undefined;
  /** The state of new pending articles whose source names none. */
  reviewState?: ReviewState | undefined;
}

/** One run of an import. */
export interface ImportRun {
  /** Id of its audit entry. */
  id: string;
  startedAt: Millis;
  websiteId: string;
  actor: Actor;
}

export type ImportCounts = Record<ImportedItem["outcome"], number>;

export const NONE_COUNTED: ImportCounts = { created: 0, updated: 0, unchanged: 0, held: 0, failed: 0, skipped: 0 };

export function withCounts(before: ImportCounts, items: readonly ImportedItem[]): ImportCounts {
  const counts = { ...before };
  for (const { outcome } of items) counts[outcome]++;
  return counts;
}

export interface PreparedBatch {
  items: readonly ImportItem[];
  /** Articles to save, in the order of the items. */
  work: Work[];
  /** Outcomes of the items that need no saving. */
  settled: ReadonlyMap<ImportItem, ImportedItem>;
}

/** A batch that has been read. */
export interface UnsavedBatch {
  items: readonly ImportItem[];
  saved: Promise<void>;
}

/**
 * Prepares a batch while earlier ones are prepared and saved. @param before earlier batches: an item of an article in
 * one of them is prepared once that is saved. @param texts shared by all.
 */
export async function prepareBatch(
  deps: ImportDeps,
  website: Website,
  items: readonly ImportItem[],
  options: BatchOptions,
  { before, texts }: { before: readonly UnsavedBatch[]; texts: FairQueue },
): Promise<PreparedBatch> {
  const drafts = getDrafts(items);
  const done = new Map<ImportItem, Work | ImportedItem>();
  for (const item of items) {
    if (item.kind !== "draft")
      done.set(
        item,
        toOutcome(item, item.kind, { reason: item.reason, field: item.kind === "failed" ? item.field : undefined }),
      );
  }
  const prepareSome = async (some: readonly Draft[]) => {
    const known = await deps.store.read((db) =>
      Promise.all(
        some.map(async (item) => {
          const by = { source: shortenRef(item.ref), id: item.input.id };
          return { item, ...(await findKnown(db, website.id, by)) };
        }),
      ),
    );
    const prepare = async ({ item, ...one }: (typeof known)[number]) => {
      done.set(item, await prepareItem(deps, website, item, one, options));
    };
    await Promise.all(known.map((one) => texts.run(website.id, () => prepare(one))));
  };
  const unsaved = new Set(before.flatMap((batch) => getDrafts(batch.items).flatMap(identities)));
  const later = drafts.filter((item) => identities(item).some((one) => unsaved.has(one)));
  await prepareSome(drafts.filter((item) => !later.includes(item)));
  if (later.length > 0) {
    await before.at(-1)?.saved;
    await prepareSome(later);
  }
  const work: Work[] = [];
  const settled = new Map<ImportItem, ImportedItem>();
  for (const item of items) {
    const result = done.get(item);
    if (result === undefined) continue;
    if ("outcome" in result) settled.set(item, result);
    else work.push(result);
  }
  return { items, work, settled };
}

function getDrafts(items: readonly ImportItem[]): Draft[] {
  return items.filter((item) => item.kind === "draft");
}

/** By which an item is recognised as an existing article. */
function identities({ ref, input }: Draft): string[] {
  return [`ref ${shortenRef(ref)}`, ...(input.id === undefined ? [] : [`id ${input.id}`])];
}

interface SavedBatch {
  /** In the order of the items. */
  outcomes: ImportedItem[];
  /** Whether the audit log has their counts. */
  hasWritten: boolean;
  /** Items to prepare and save again: their outcomes are marked. */
  stale: ImportItem[];
}

export async function saveBatch(
  deps: ImportDeps,
  website: Website,
  { items, work, settled }: PreparedBatch,
  options: BatchOptions,
  run: ImportRun,
  counts: ImportCounts,
): Promise<SavedBatch> {
  const inOrder = (done: ReadonlyMap<ImportItem, ImportedItem>) =>
    items.flatMap((item) => settled.get(item) ?? done.get(item) ?? []);
  if (work.length === 0) return { outcomes: inOrder(new Map()), hasWritten: false, stale: [] };
  if (options.dryRun) {
    const would = work.map((one) => [one.item, predict(deps, website, one, options.actor)] as const);
    return { outcomes: inOrder(new Map(would)), hasWritten: false, stale: [] };
  }
  const done = new Map<ImportItem, ImportedItem>();
  const taken = new Set<string>();
  const saveSome = async (some: readonly Work[]) => {
    const saved = await deps.store.write(async (db) => {
      await lockWebsite(db, website.id);
      const added = new Map<ImportItem, ImportedItem>();
      const ids = new Set(taken);
      const version = shareVersion(db, website.id);
      const toReview: string[] = [];
      for (const one of some) {
        added.set(one.item, await importItem(db, deps, website, one, { run, taken: ids, version, toReview }, options));
        // Lets the process pass on texts of the next batch meanwhile.
        await nextTurn();
      }
      const outcomes = inOrder(new Map([...done, ...added]));
      if (outcomes.some(isChange)) await recordImport(db, run, withCounts(counts, outcomes));
      await notifyOfImport(db, deps, "to_review", run, toReview);
      const held = [...added.values()].flatMap((one) => (one.outcome === "held" ? (one.articleId ?? []) : []));
      await notifyOfImport(db, deps, "held", run, held);
      return { added, ids };
    });
    for (const [item, outcome] of saved.added) done.set(item, outcome);
    for (const id of saved.ids) taken.add(id);
  };
  // An item that the store rejects does not block the others.
  await batchThenEach(work, saveSome, async ({ item, told }, error) => {
    done.set(item, toOutcome(told, "failed", { reason: describeReason(error) }));
  });
  const outcomes = inOrder(done);
  const stale = items.filter((item) => done.get(item)?.isStale === true);
  return { outcomes, hasWritten: outcomes.some(isChange), stale };
}

function isChange({ outcome }: ImportedItem): boolean {
  return outcome === "created" || outcome === "updated" || outcome === "held";
}

/** `told`: the item with all that people are told of it. */
type Work = { item: Draft; told: Draft; known: SourceItem } & (
  | { created: Awaited<ReturnType<typeof prepareNew>> }
  | { edit: SourceEdit }
);

/** Runs outside the transaction because it is slow. @returns the outcome if there is nothing to save. */
async function prepareItem(
  deps: ImportDeps,
  website: Website,
  item: Draft,
  { article, origin, isPurged, isForeign }: KnownItem,
  { actor, acceptLoss, overwrite }: BatchOptions,
): Promise<Work | ImportedItem> {
  // Only the operator may know another website: for all others such an id counts for nothing.
  const { input } = isForeign && actor.isOperator !== true ? withoutId(item) : item;
  const { brought: original } = item;
  const known = {
    source: shortenRef(item.ref),
    hash: item.hash ?? hashInput(item.input),
    input,
    original,
    hidden: item.hidden,
    isStatusGiven: item.isStatusGiven,
  };
  if (isPurged && overwrite !== true) {
    const reason = "It was deleted permanently here: to bring it back, choose to overwrite (--overwrite).";
    return toOutcome(item, "skipped", { reason });
  }
  try {
    if (isForeign && input.id !== undefined) throw idOfAnotherWebsite(input.id);
    if (article === undefined) {
      const created = await prepareNew(deps, website, input, {
        acceptLoss: true,
        origin: getOrigin(actor, known.source),
      });
      const told = withWarnings(item, warnOfPrepared(created.composed.prepared));
      const doubt = acceptLoss === true ? null : describeDoubt(told.warnings);
      if (doubt === null) return { item, told, known, created };
      const hidden = item.hidden ?? doubt;
      const waiting = { ...asPending(known), hidden };
      return { item, told: { ...told, hidden }, known: waiting, created: { ...created, input: waiting.input } };
    }
    const { id: articleId, deletedAt } = article;
    if (deletedAt !== null && actor.isMachine !== true) {
      return toOutcome(item, "skipped", { articleId, reason: `It is in the trash as ${articleId}: restore it there.` });
    }
    // What waited for its text goes live once that is accepted.
    const mayRise = acceptLoss === true && article.status === "pending" && (input.status ?? "pending") !== "pending";
    if (origin?.hash === known.hash && overwrite !== true && !mayRise)
      return toOutcome(item, "unchanged", { articleId });
    const prepare = (one: SourceItem) =>
      prepareSourceEdit(deps, website, one, { article, origin }, { actor, acceptLoss: true, overwrite });
    const edit = await prepare(known);
    const isNewText = hasNewText(edit);
    const told =
      isNewText && edit.edit !== undefined ? withWarnings(item, warnOfPrepared(edit.edit.composed.prepared)) : item;
    const isLive = article.status === "published";
    const isOfConcern = acceptLoss !== true && edit.target === "article" && (isNewText || article.status === "pending");
    // An article that waits for its text goes live by no other change of its source.
    const inText = isNewText ? [] : listStored(edit.before.body.steps);
    const doubt = isOfConcern ? describeDoubt([...(told.warnings ?? []), ...inText]) : null;
    if (doubt === null) return { item, told, known, edit };
    const hidden = item.hidden ?? doubt;
    // A live article stays as it is, and its new text is held.
    const waiting = { ...(isLive ? known : asPending(known)), hidden };
    return { item, told: { ...told, hidden }, known: waiting, edit: await prepare(waiting) };
  } catch (error) {
    if (error instanceof AppError || isOutage(error)) return refused(item, error);
    // A bug that this text triggers. The process in which it happened held nothing else.
    return toOutcome(item, "failed", { reason: `It could not be worked out: ${describeReason(error)}` });
  }
}

/** Why the text may not go live by itself; null: it may. */
function describeDoubt(warnings: readonly Warning[] | undefined): string | null {
  const severe = findSevere(warnings ?? []);
  return severe === undefined ? null : `${WARNING_KINDS[severe.kind]}: ${severe.detail}.`;
}

/** As if its source did not publish it: it goes live once the source brings a better text, or as people say. */
function asPending(known: SourceItem): SourceItem {
  const { input, original } = known;
  const status = "pending";
  return { ...known, input: { ...input, status }, original: original && { ...original, status } };
}

function hasNewText({ decision: { apply } }: SourceEdit): boolean {
  return apply.content !== undefined || apply.markdown !== undefined;
}

interface BatchProgress {
  run: ImportRun;
  /** Ids of articles already changed in this batch. */
  taken: Set<string>;
  version: SharedVersion;
  /** Ids of new articles that need review. */
  toReview: string[];
}

async function importItem(
  db: Writer,
  deps: ImportDeps,
  website: Website,
  { item, told, known, ...work }: Work,
  { run, taken, version, toReview }: BatchProgress,
  { actor, events, reviewState }: BatchOptions,
): Promise<ImportedItem> {
  try {
    if ("created" in work) {
      await assertFree(db, website, known, taken);
      const authorId = actor.isMachine === true ? actor.id : null;
      const by = {
        actor,
        authorId,
        importedFrom: item.source,
        warnings: item.warnings,
        source: known.source,
        version,
        reviewState,
        stateSince: run.startedAt,
      };
      const { full, event } = await insertNew(db, deps, website, work.created, by);
      await recordCreated(db, website.id, known, full);
      await recordPublicationRequest(db, deps, actor, full.article, { input: known.input, origin: undefined });
      if (events) await append(db, deps, event, createCause(deps, actor));
      const { id, status, reviewState: state } = full.article;
      taken.add(id);
      if (status === "pending" && state === "in_review") toReview.push(id);
      const shown = withWarnings(told, describeOtherSlug(known.input.slug, full.article.slug));
      return toOutcome(shown, "created", { articleId: id, reason: told.hidden ?? null });
    }
    const { id } = work.edit.before.article;
    if (taken.has(id)) throw new AppError("conflict", `It is in the source twice (${id}); the first one was imported.`);
    taken.add(id);
    // Throws before anything is written, so the rest of the batch is saved.
    const { event, changed, full } = await saveSourceEdit(db, deps, website, work.edit, { actor, version });
    await recordPublicationRequest(db, deps, actor, full.article, { input: known.input, origin: work.edit.origin });
    if (events) await append(db, deps, event, createCause(deps, actor));
    return toEditOutcome(told, work.edit, changed ? full : null);
  } catch (error) {
    return refused(told, error);
  }
}

/** A slug that is taken gets a number, and signs that no slug has go. */
function describeOtherSlug(given: string | null | undefined, made: string): Warning[] {
  if (given == null || given.trim() === made || given.trim().replaceAll(/[\s_]+/g, "-") === made) return [];
  return [{ kind: "address_guessed", detail: `slug: ${given} → ${made}` }];
}

function warnOfPrepared({ warnings, metricsJson }: { warnings: readonly Warning[]; metricsJson: string }): Warning[] {
  return [...warnings, ...warnOfFindings(metricsJson, warnings)];
}

/** Why the source hides the article, and whether readers see it all the same; null: it hides nothing that is new. */
function whyHidden({ hidden }: Draft, { before, target, takesDown }: SourceEdit, isChanged: boolean): string | null {
  if (hidden === undefined) return null;
  const isShown = before.article.status === "published" && !takesDown && target !== "draft copy";
  if (isShown) return `${hidden} It is still published here.`;
  return isChanged ? hidden : null;
}

/** `after`: the article as it was changed; null if it was not. */
function toEditOutcome(item: Draft, edit: SourceEdit, after: FullArticle | null, isDryRun = false): ImportedItem {
  const { before, target, decision } = edit;
  const { id: articleId } = before.article;
  const heldFields = decision.newlyHeld.map(toApiName);
  if (heldFields.length > 0) {
    const isInTrash = before.article.deletedAt !== null;
    const forbidden = isInTrash
      ? "It is in the trash"
      : (whyHidden(item, edit, false)?.slice(0, -1) ??
        "It is published, and only people who may approve can change it");
    const why = target === "nowhere" ? forbidden : "Changed here, too";
    const held = heldFields.join(", ");
    const rest = after === null ? "" : ` The other changes ${isDryRun ? "would be" : "were"} applied.`;
    const reason = `${why}: ${held}. Apply or drop what the source brings in the dashboard.${rest}`;
    return toOutcome(item, "held", { articleId, reason, heldFields });
  }
  const reason = whyHidden(item, edit, after !== null);
  return toOutcome(item, after === null ? "unchanged" : "updated", { articleId, reason });
}

/** Turns refusals into the item's outcome. An unavailable store or system ends the import, and bugs are rethrown. */
function refused(item: Draft, error: unknown): ImportedItem {
  if (!(error instanceof AppError) || isUnavailable(error)) throw error;
  const outcome = toOutcome(item, "failed", { reason: error.message, field: error.field });
  return error instanceof StaleVersion ? { ...outcome, isStale: true } : outcome;
}

/** The outcome of a dry run. */
function predict(deps: ImportDeps, website: Website, { told, ...work }: Work, actor: Actor): ImportedItem {
  if ("created" in work) return toOutcome(told, "created", { reason: told.hidden ?? null });
  const isChanged = wouldChange(deps, website, work.edit, actor);
  return toEditOutcome(told, work.edit, isChanged ? work.edit.before : null, true);
}

function idOfAnotherWebsite(id: string): AppError {
  return new AppError(
    "conflict",
    `Its id ${id} belongs to an article of another website: import it with --new-ids, or remove the id.`,
  );
}

/** @throws AppError `conflict` when the batch has already created the item; StaleVersion when another import has. */
async function assertFree(
  db: Snapshot,
  website: Website,
  { source }: SourceItem,
  taken: ReadonlySet<string>,
): Promise<void> {
  const rowNo = (await findOrigin(db, website.id, source))?.rowNo ?? null;
  if (rowNo === null) return;
  const article = await findArticleByRow(db, rowNo);
  if (article === undefined || taken.has(article.id)) {
    throw new AppError("conflict", `It is in the source twice (${source}); the first one was imported.`);
  }
  throw new StaleVersion("Another import has created it meanwhile: import it again.");
}

/** The reference as stored: an index of PostgreSQL takes at most 2,700 bytes, and titles and paths may be longer. */
export function shortenRef(given: string): string {
  const ref = foreignLine(given, given.length);
  if (Buffer.byteLength(ref) <= MAX_REF_BYTES) return ref;
  return `${Array.from(ref).slice(0, 100).join("")}…${createHash("sha256").update(ref).digest("base64url")}`;
}

const MAX_REF_BYTES = 1_000;

/** Replaces the counts in the audit log: they become durable with the batches that they count. */
export function recordImport(db: Writer, run: ImportRun, counts: ImportCounts): Promise<void> {
  const { id, startedAt: at, websiteId, actor } = run;
  const entry: AuditEntry = {
    id,
    at,
    websiteId,
    actor: actor.id,
    address: actor.address ?? null,
    action: "articles.imported",
    targetKind: "website",
    targetId: websiteId,
    detail: { ...counts },
  };
  return putAuditEntry(db, entry);
}
