/** One batch of an import, prepared outside any transaction and saved in one. */
import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { composeEdited, isSame } from "../../../domain/articles/composition.ts";
import { AppError, isUnavailable } from "../../../domain/system/errors.ts";
import type { FairQueue } from "../../../domain/system/fair-queue.ts";
import { foreignLine } from "../../../domain/system/foreign-text.ts";
import type { Website } from "../../../domain/system/website.ts";
import type { FullArticle, ReviewState } from "../../../domain/articles/article.ts";
import type { Millis } from "../../../domain/system/time.ts";
import type { AuditEntry } from "../../../domain/system/audit.ts";
import { putAuditEntry } from "../../../store/system/audit.ts";
import { findArticleAnywhere, findArticleBySource, findBody } from "../../../store/articles/articles.ts";
import { isOutage } from "../../../store/system/outage.ts";
import type { Snapshot, StoredArticle, StoredFull, Writer } from "../../../store/store.ts";
import { lockWebsite } from "../../../store/system/websites.ts";
import { applyEdit, insertNew, prepareEdit, prepareNew } from "../write/edit-article.ts";
import { describeReason, batchThenEach } from "../../system/set-aside.ts";
import type { Actor, Deps } from "../../system/deps.ts";
import { type Draft, hashInput, type ImportedItem, type ImportItem, toOutcome } from "./import-items.ts";
import { notifyOfImport } from "../write/article-notes.ts";
import { asWriter } from "../write/second-person.ts";
import { append, type SharedVersion, shareVersion } from "../write/article-persistence.ts";
import { loadUnchanged } from "../write/optimistic-lock.ts";
import { createCause } from "../write/transition.ts";

export type ImportDeps = Pick<Deps, "store" | "clock" | "newId" | "deriveContent">;

export interface BatchOptions {
  /** Whether receivers are notified of imported articles. */
  events: boolean;
  /** If true, nothing is written. */
  dryRun: boolean;
  actor: Actor;
  /** Whether articles that lose text are accepted; otherwise they fail, with the reason. */
  acceptLoss?: boolean | undefined;
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

export const NONE_COUNTED: ImportCounts = { created: 0, updated: 0, unchanged: 0, failed: 0, skipped: 0 };

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
 * Prepares a batch while those before it are being prepared and saved.
 *
 * @param before an item of the same article as one of those batches is prepared once that is saved. @param texts shared by all.
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
    if (item.kind !== "draft") done.set(item, toOutcome(item, item.kind, { reason: item.reason }));
  }
  const prepareSome = async (some: readonly Draft[]) => {
    const known = await deps.store.read((db) => findKnown(db, website, some));
    const prepare = async (item: Draft, index: number) => {
      done.set(item, await prepareItem(deps, website, item, known[index], options));
    };
    await Promise.all(some.map((item, index) => texts.run(website.id, () => prepare(item, index))));
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

export async function saveBatch(
  deps: ImportDeps,
  website: Website,
  { items, work, settled }: PreparedBatch,
  options: BatchOptions,
  run: ImportRun,
  counts: ImportCounts,
): Promise<{ outcomes: ImportedItem[]; hasWritten: boolean }> {
  const inOrder = (done: ReadonlyMap<ImportItem, ImportedItem>) =>
    items.flatMap((item) => settled.get(item) ?? done.get(item) ?? []);
  if (work.length === 0) return { outcomes: inOrder(new Map()), hasWritten: false };
  if (options.dryRun) {
    const would = work.map(({ item, before }) => [item, predictOutcome(item, before)] as const);
    return { outcomes: inOrder(new Map(would)), hasWritten: false };
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
        added.set(one.item, await importItem(db, deps, website, one, { taken: ids, version, toReview }, options));
        // Lets the process pass on texts of the next batch meanwhile.
        await nextTurn();
      }
      const outcomes = inOrder(new Map([...done, ...added]));
      if (outcomes.some(isChange)) await recordImport(db, run, withCounts(counts, outcomes));
      await notifyOfImport(db, deps, run, toReview);
      return { added, ids };
    });
    for (const [item, outcome] of saved.added) done.set(item, outcome);
    for (const id of saved.ids) taken.add(id);
  };
  // An item that the store rejects does not block the others.
  await batchThenEach(work, saveSome, async ({ item }, error) => {
    done.set(item, toOutcome(item, "failed", { reason: describeReason(error) }));
  });
  const outcomes = inOrder(done);
  return { outcomes, hasWritten: outcomes.some(isChange) };
}

function isChange({ outcome }: ImportedItem): boolean {
  return outcome === "created" || outcome === "updated";
}

type Work = { item: Draft; source: { ref: string; hash: string } } & (
  | { before: undefined; draft: Awaited<ReturnType<typeof prepareNew>> }
  | { before: StoredFull; draft: Awaited<ReturnType<typeof prepareEdit>> }
);

/** Runs outside the transaction because it is slow. @returns the outcome if there is nothing to save. */
async function prepareItem(
  deps: ImportDeps,
  website: Website,
  item: Draft,
  before: StoredFull | undefined,
  { actor, acceptLoss }: BatchOptions,
): Promise<Work | ImportedItem> {
  const hash = item.hash ?? hashInput(item.input);
  if (before?.article.websiteId === website.id && before.article.sourceHash === hash) {
    const { id: articleId, deletedAt } = before.article;
    if (deletedAt === null) return toOutcome(item, "unchanged", { articleId });
    return toOutcome(item, "skipped", { articleId, reason: `It is in the trash as ${articleId}: restore it there.` });
  }
  try {
    const source = { ref: shortenRef(item.ref), hash };
    if (before === undefined)
      return { item, source, before, draft: await prepareNew(deps, website, item.input, { acceptLoss }) };
    assertSameWebsite(before.article, website);
    const draft = await prepareEdit(deps, website, before, item.input, { acceptLoss });
    assertMayChangeLive(deps, before, draft, asWriter(actor, website));
    return { item, source, before, draft };
  } catch (error) {
    if (error instanceof AppError || isOutage(error)) return refused(item, error);
    // A bug that this text triggers. The process in which it happened held nothing else.
    return toOutcome(item, "failed", { reason: `It could not be worked out: ${describeReason(error)}` });
  }
}

interface BatchProgress {
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
  { item, source, ...work }: Work,
  { taken, version, toReview }: BatchProgress,
  { actor, events, reviewState }: BatchOptions,
): Promise<ImportedItem> {
  try {
    if (work.before === undefined) {
      const by = {
        actor,
        source: await freeSource(db, website, source),
        importedFrom: item.source,
        version,
        reviewState,
      };
      const { full, event } = await insertNew(db, deps, website, work.draft, by);
      if (events) await append(db, deps, event, createCause(deps, actor));
      const { id, status, reviewState: state } = full.article;
      if (status === "pending" && state === "in_review") toReview.push(id);
      return toOutcome(item, "created", { articleId: id, reason: whyPending(item, full) });
    }
    const { before, draft } = work;
    const { id } = before.article;
    if (taken.has(id)) throw new AppError("conflict", `It is in the source twice (${id}); the first one was imported.`);
    taken.add(id);
    // Throws before anything is written, so the rest of the batch is saved.
    const now = await loadUnchanged(db, before, { actor, input: item.input });
    const by = { actor, action: "article.imported" as const, source, raise: true, version };
    const { full, event, changed } = await applyEdit(db, deps, website, now, draft, by);
    if (events) await append(db, deps, event, createCause(deps, actor));
    if (!changed) return toOutcome(item, "unchanged", { articleId: id });
    return toOutcome(item, "updated", { articleId: id, reason: whyPending(item, full) });
  } catch (error) {
    return refused(item, error);
  }
}

/** Why an article that the source hides is pending; null for what people have approved, and for what nobody hides. */
function whyPending({ hidden }: Draft, after: StoredFull | FullArticle | undefined): string | null {
  return hidden !== undefined && (after?.article.status ?? "pending") === "pending" ? hidden : null;
}

/** Turns refusals into the item's outcome. An unavailable store or system ends the import, and bugs are rethrown. */
function refused(item: Draft, error: unknown): ImportedItem {
  if (!(error instanceof AppError) || isUnavailable(error)) throw error;
  return toOutcome(item, "failed", { reason: error.message });
}

function predictOutcome(item: Draft, before: StoredFull | undefined): ImportedItem {
  const reason = whyPending(item, before);
  if (before === undefined) return toOutcome(item, "created", { reason });
  return toOutcome(item, "updated", { articleId: before.article.id, reason });
}

/** The existing article of each item: by its own id, otherwise by its reference in the source. */
function findKnown(db: Snapshot, website: Website, batch: readonly Draft[]): Promise<(StoredFull | undefined)[]> {
  return Promise.all(
    batch.map(async ({ ref, input }) => {
      const byId = input.id === undefined ? undefined : await findArticleAnywhere(db, input.id);
      const article = byId ?? (await findArticleBySource(db, website.id, shortenRef(ref)));
      return article && { article, body: await findBody(db, article.rowNo) };
    }),
  );
}

function assertSameWebsite(article: StoredArticle, website: Website): void {
  if (article.websiteId !== website.id) {
    throw new AppError("conflict", `Its id ${article.id} belongs to an article of another website: remove the id.`);
  }
  if (article.deletedAt !== null) {
    throw new AppError("conflict", `It is in the trash as ${article.id}: restore it first, then import again.`);
  }
}

/**
 * Only actors who may approve change a live article; others cannot change even a tag of it.
 *
 * @throws AppError `forbidden`.
 */
function assertMayChangeLive(
  deps: Pick<Deps, "clock">,
  before: StoredFull,
  { input, composed }: Awaited<ReturnType<typeof prepareEdit>>,
  actor: Actor,
): void {
  if (actor.mayApprove || before.article.status !== "published") return;
  if (isSame(before, composeEdited(before, input, composed, deps.clock()))) return;
  throw new AppError(
    "forbidden",
    "It is published, and only people who may approve can change it: save the change as a draft copy.",
  );
}

/** @throws AppError `conflict` when the batch has already created the item. */
async function freeSource<T extends { ref: string }>(db: Snapshot, website: Website, source: T): Promise<T> {
  if ((await findArticleBySource(db, website.id, source.ref)) !== undefined) {
    throw new AppError("conflict", `It is in the source twice (${source.ref}); the first one was imported.`);
  }
  return source;
}

/** The reference as stored: an index of PostgreSQL takes at most 2,700 bytes, and titles and paths may be longer. */
function shortenRef(given: string): string {
  const ref = foreignLine(given, given.length);
  if (Buffer.byteLength(ref) <= MAX_REF_BYTES) return ref;
  return `${Array.from(ref).slice(0, 100).join("")}…${createHash("sha256").update(ref).digest("base64url")}`;
}

const MAX_REF_BYTES = 1_000;

/** Saves the current counts in the audit log in place of the previous ones: they become durable with the batches that they count. */
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
