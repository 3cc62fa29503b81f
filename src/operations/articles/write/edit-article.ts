/** Shared by creation, edits, draft copies and imports: content is prepared before the transaction and saved in it. */
import * as workflow from "../../../domain/articles/workflow.ts";
import {
  type ArticleOrigin,
  type Article,
  ARTICLE_STATUSES,
  type ArticleInput,
  type ArticleStatus,
  type FullArticle,
  parseMetrics,
  type ReviewState,
} from "../../../domain/articles/article.ts";
import type { Millis } from "../../../domain/system/time.ts";
import {
  type Composed,
  composeEdited,
  composeNew,
  deliveredFields,
  derivesNothing,
  editedFields,
  findKnown,
  isSame,
  buildEditedSource,
  buildNewSource,
} from "../../../domain/articles/composition.ts";
import { getOrigin } from "../../../domain/articles/origin.ts";
import { withApprovedContent, withContentHash } from "../../../domain/articles/approval.ts";
import type { ContentSource } from "../../../domain/articles/content/content-source.ts";
import { slugify, validSlug } from "../../../domain/articles/content/slug.ts";
import { AppError } from "../../../domain/system/errors.ts";
import { type TextLoss, throwTextLoss } from "../../../domain/articles/text-loss.ts";
import { deletedEvent, publishedEvent, updatedEvent } from "../../../domain/articles/api-format.ts";
import type { EventCause, NewEvent } from "../../../domain/webhooks/event.ts";
import type { RevisionAction } from "../../../domain/articles/revision.ts";
import type { Warning } from "../../../domain/articles/warnings.ts";
import type { Website } from "../../../domain/system/website.ts";
import { allows, getState } from "../../../domain/articles/verbs.ts";
import { normaliseEmail } from "../../../domain/people/account.ts";
import { isIdTaken } from "../../../store/articles/articles.ts";
import { findRelatedTitle } from "../../../store/articles/labels.ts";
import { findAccountByEmail } from "../../../store/people/accounts.ts";
import type { StoredFull, Writer } from "../../../store/store.ts";
import type { Actor, Deps } from "../../system/deps.ts";
import { asPublisher, asWriter } from "./second-person.ts";
import { holdsEdit, holdsNew } from "./integrity-gate.ts";
import { saveRevision } from "./save-revision.ts";
import { insert, save, type SharedVersion, uniqueSlug } from "./article-persistence.ts";
import type { AuditEntry } from "../../../domain/system/audit.ts";

export type EventOf = ((cause: EventCause) => NewEvent) | null;

export interface LossOptions {
  /** Accepts the loss of source text; otherwise content that comes to much less than was written is refused. */
  acceptLoss?: boolean | undefined;
  /** Called with what the content would lose. */
  onPrepared?: ((prepared: { removed: string[]; loss: TextLoss | null }) => void) | undefined;
}

/** Absent `store`: nothing is known of the website's other articles. */
type PrepareDeps = Pick<Deps, "deriveContent" | "clock"> & Partial<Pick<Deps, "store">>;

/** Runs outside the transaction: it is slow. @throws AppError `invalid`, field `accept_loss`, if text would be lost. */
export async function prepareNew(
  deps: PrepareDeps,
  website: Pick<Website, "id" | "url" | "language">,
  input: ArticleInput,
  { origin = "written", ...options }: LossOptions & { origin?: ArticleOrigin } = {},
) {
  const wanted = (input.slug == null ? "" : validSlug(input.slug)) || slugify(input.title ?? "");
  const built = buildNewSource(input, website, wanted, origin);
  // An import brings what is to be linked to only with time.
  const source = built.isImported ? built : await withRelated(deps, website.id, built, null);
  const prepared = await deps.deriveContent(website.id, source, deps.clock());
  if (prepared.loss !== null && options.acceptLoss !== true) throwTextLoss(prepared.loss);
  options.onPrepared?.(prepared);
  return { input, composed: { source, prepared } };
}

/** Runs outside the transaction. @throws AppError `invalid`, field `accept_loss`, if text would be lost. */
export async function prepareEdit(
  deps: PrepareDeps,
  website: Website,
  before: FullArticle,
  input: ArticleInput,
  options: LossOptions = {},
) {
  const cleared = input.slug === null ? slugify(input.title ?? before.article.title) : undefined;
  const wanted = cleared ?? (input.slug == null ? "" : validSlug(input.slug));
  const built = buildEditedSource(before, input, website, wanted || before.article.slug);
  const source = await withRelated(deps, website.id, built, before.article.id);
  const prepared = await deriveChanged(deps, website, before, input, source);
  const isNewText = input.content !== undefined || input.markdown !== undefined;
  if (prepared.loss !== null && isNewText && options.acceptLoss !== true) throwTextLoss(prepared.loss);
  options.onPrepared?.(prepared);
  return { input, composed: { source, prepared } satisfies Composed };
}

/** The source with the title of an article that it may link to. */
export async function withRelated(
  { store }: Partial<Pick<Deps, "store">>,
  websiteId: string,
  source: ContentSource,
  id: string | null,
): Promise<ContentSource> {
  const related = await store?.read((db) => findRelatedTitle(db, websiteId, source, id));
  return related === undefined ? source : { ...source, related };
}

/** Derives what depends on the fields that the edit changes, which may be nothing. */
async function deriveChanged(
  deps: Pick<Deps, "deriveContent" | "clock">,
  website: Website,
  before: FullArticle,
  input: ArticleInput,
  source: ContentSource,
): Promise<Composed["prepared"]> {
  const now = deps.clock();
  const known = findKnown(before, input, source, website);
  if (known === undefined) return deps.deriveContent(website.id, source, now);
  if (derivesNothing(before, source)) {
    const metrics = { ...parseMetrics(known.metricsJson), evaluated_at: new Date(now).toISOString() };
    return { ...known, metricsJson: JSON.stringify(metrics), removed: [], loss: null, warnings: [], steps: [] };
  }
  const { html: _html, markdown: _markdown, ...fields } = source;
  return deps.deriveContent(website.id, { ...fields, known }, now);
}

/** The article as if its draft copy were live. */
export async function composeDraft(
  deps: PrepareDeps,
  website: Website,
  before: FullArticle,
  changes: ArticleInput,
): Promise<FullArticle> {
  const { input, composed } = await prepareEdit(deps, website, before, changes, { acceptLoss: true });
  return composeEdited(before, input, composed, deps.clock());
}

interface NewArticleMark {
  actor: Actor;
  /** The author if the input names none. */
  authorId?: string | null;
  /** The state of a pending article if the input names none; `in_review` if omitted. */
  reviewState?: ReviewState | undefined;
  importedFrom?: string;
  /** What its importer could not keep. */
  warnings?: readonly Warning[] | undefined;
  /** Identity of the item within its source; undefined: it has none. */
  source?: string;
  version?: SharedVersion;
  /** Start of its import: the articles of one import are waiting since the same time, and keep the order of their dates. */
  stateSince?: Millis;
}

/** null if there is no such account. */
async function findAccountId(db: Writer, email: string | null | undefined): Promise<string | null> {
  if (email == null) return null;
  return (await findAccountByEmail(db, normaliseEmail(email)))?.id ?? null;
}

/** Inserts a prepared article with the status that its input names, or as `pending` if the actor may not approve. */
export async function insertNew(
  db: Writer,
  deps: Pick<Deps, "clock" | "newId">,
  website: Website,
  { input, composed }: Awaited<ReturnType<typeof prepareNew>>,
  by: NewArticleMark,
): Promise<{ full: StoredFull; event: EventOf }> {
  const now = deps.clock();
  const writer = asWriter(by.actor, website);
  const actor = holdsNew(website, composed.prepared.metricsJson) ? { ...writer, mayApprove: false } : writer;
  if (input.id !== undefined && (await isIdTaken(db, input.id))) {
    throw new AppError("conflict", `There is an article with the id ${input.id} already.`, { field: "id" });
  }
  const id = input.id ?? deps.newId();
  const slug = await uniqueSlug(db, website, composed.source.slug, { id, language: input.language ?? null });
  const source = { ...composed.source, slug };
  const made = {
    id,
    websiteId: website.id,
    now,
    actor: actor.id,
    origin: getOrigin(by.actor, by.source),
    authorId: (await findAccountId(db, input.author)) ?? by.authorId ?? null,
    assigneeId: await findAccountId(db, input.assignee),
  };
  const isToBeApproved = actor.mayApprove && input.status !== undefined && input.status !== "pending";
  const reviewState = isToBeApproved ? "in_review" : (input.reviewState ?? by.reviewState ?? "in_review");
  let full = composeNew({ ...input, reviewState }, { ...composed, source }, made);
  if (by.importedFrom !== undefined) {
    const { importedFrom: source, warnings = [] } = by;
    const imported = warnings.length === 0 ? { source } : { source, warnings };
    full = withOwnStep(full, workflow.stepDone("import", by.actor.id, now, imported));
  }
  full = advanceTo(full, input, now, actor);
  full = { ...full, article: workflow.withPatternUrl(website, full.article, null) };
  full = full.article.status === "pending" ? withContentHash(full) : withApprovedContent(full);
  const { words, fingerprint = null } = composed.prepared;
  const saved = await insert(
    db,
    full,
    { words, fingerprint, version: by.version, website, stateSince: by.stateSince },
    now,
  );
  return { full: saved, event: saved.article.status === "published" ? (cause) => publishedEvent(saved, cause) : null };
}

export interface Edited {
  full: FullArticle;
  event: EventOf;
  changed: boolean;
  fields: string[];
  /** Id and time for the audit entry of this edit; the revision already has them. */
  entry: { id: string; at: Millis };
}

/** Applies a prepared edit; writes nothing if nothing changes. */
export async function applyEdit(
  db: Writer,
  deps: Pick<Deps, "clock" | "newId">,
  website: Website,
  before: StoredFull,
  { input, composed }: Awaited<ReturnType<typeof prepareEdit>>,
  by: {
    actor: Actor;
    action: RevisionAction;
    raise?: boolean;
    version?: SharedVersion;
    /** When a draft copy is made live: whether somebody else wrote it. */
    isOfOther?: boolean;
  },
): Promise<Edited> {
  const now = deps.clock();
  let actor = by.isOfOther === undefined ? asWriter(by.actor, website) : asPublisher(by.actor, website, by.isOfOther);
  const entry = { id: deps.newId(), at: now };
  if (before.article.deletedAt !== null) {
    throw new AppError("conflict", "This article is in the trash; restore it first.");
  }
  const { id, language: earlier } = before.article;
  const { language = earlier } = input;
  const keepsAddress = composed.source.slug === before.article.slug && language === earlier;
  const slug = keepsAddress
    ? before.article.slug
    : await uniqueSlug(db, website, composed.source.slug, { id, language });
  let full = composeEdited(before, input, { ...composed, source: { ...composed.source, slug } }, now);
  if (actor.mayApprove && (await holdsEdit(db, website, before, full, by.raise === true))) {
    actor = { ...actor, mayApprove: false };
  }
  if (actor.mayApprove) full = { ...full, article: withPlan(full.article, input) };
  if (by.raise === true) {
    const moved = followStatus(full, input, now, actor);
    full = isBelow(full.article.status, moved.article.status) ? withApprovedContent(moved) : moved;
  }
  if (isSame(before, full) && full.article.status === before.article.status) {
    return { full: before, event: null, changed: false, fields: [], entry };
  }
  full = withContentHash({ ...full, article: workflow.withPatternUrl(website, full.article, before.article) });
  // An import may provide the time of the approval.
  const approvedAt = by.raise === true ? (input.approvedAt ?? now) : now;
  full = { ...full, article: workflow.afterEdit(full.article, approvedAt, actor.mayApprove) };
  await saveRevision(db, before, full, { ...entry, actor: by.actor.id, action: by.action });
  const { words, fingerprint } = composed.prepared;
  const saved = await save(db, before, full, now, { words, fingerprint, version: by.version, website });
  return {
    full: saved,
    event: chooseEditEvent(before, saved),
    changed: true,
    fields: editedFields(before, saved),
    entry,
  };
}

function chooseEditEvent(before: FullArticle, after: FullArticle): EventOf {
  if (after.article.status !== "published") {
    return before.article.status === "published" ? (cause) => deletedEvent(before.article, cause) : null;
  }
  if (before.article.status !== "published") return (cause) => publishedEvent(after, cause);
  const fields = deliveredFields(before, after);
  return fields.length === 0 ? null : (cause) => updatedEvent(after, before.article, fields, cause);
}

/** Moves the article to the status that its source brings. The caller sets the hashes. */
export function followStatus(full: FullArticle, input: ArticleInput, now: Millis, actor: Actor): FullArticle {
  if (input.status === undefined || !isBelow(input.status, full.article.status)) {
    return advanceTo(full, input, now, actor);
  }
  let { article, body } = full;
  if (article.status === "published") {
    article = workflow.unpublish(article);
    body = workflow.withoutStep(body, "publish");
  }
  if (input.status === "pending") {
    article = workflow.unapprove(article);
    body = workflow.withoutStep(body, "approve");
  }
  return { article, body };
}

export function isBelow(one: ArticleStatus, other: ArticleStatus): boolean {
  return ARTICLE_STATUSES.indexOf(one) > ARTICLE_STATUSES.indexOf(other);
}

/** Advances to the status that its source names, with its dates; never back, nor if the actor may not approve. */
function advanceTo(full: FullArticle, input: ArticleInput, now: Millis, actor: Actor): FullArticle {
  const wanted = input.status ?? "pending";
  let { article, body } = full;
  if (!actor.mayApprove) return full;
  if (wanted !== "pending" && allows("approve", getState(article), false)) {
    const at = input.approvedAt ?? input.publishedAt ?? now;
    article = workflow.approve(article, at);
    body = { ...body, steps: workflow.withStep(body.steps, workflow.stepDone("approve", actor.id, at)) };
    article = withPlan(article, input);
  }
  if (wanted === "published" && article.status === "approved") {
    article = workflow.publish({ ...article, approvedHash: article.contentHash }, input.publishedAt ?? now);
    const at = article.publishedAt ?? now;
    body = { ...body, steps: workflow.withStep(body.steps, workflow.stepDone("publish", actor.id, at)) };
  }
  return { article, body };
}

/** Only an approved article can have a scheduled publication. */
function withPlan(article: Article, input: ArticleInput): Article {
  return input.publishAt === undefined || article.status !== "approved"
    ? article
    : { ...article, publishAt: input.publishAt };
}

function withOwnStep(full: FullArticle, step: ReturnType<typeof workflow.stepDone>): FullArticle {
  return { ...full, body: { ...full.body, steps: workflow.withStep(full.body.steps, step) } };
}

/** The audit log's details of an edit. */
export function editDetail(before: Article, after: Article, fields: readonly string[]): AuditEntry["detail"] {
  return {
    ...(fields.length === 0 ? {} : { fields: fields.join(", ") }),
    ...(before.status === after.status ? {} : { status: after.status }),
  };
}

export function assertSameStatusAndId(input: ArticleInput, article: Article): void {
  if (input.status !== undefined && input.status !== article.status) {
    throw new AppError(
      "invalid",
      `An update cannot change the status (it is ${article.status}); use approve, request-changes, publish or unpublish.`,
      { field: "status" },
    );
  }
  if (input.id !== undefined && input.id !== article.id) {
    throw new AppError("invalid", "An article keeps its id; leave id out of the update.", { field: "id" });
  }
}
