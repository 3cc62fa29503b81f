/** What people and commands do with articles. Each function is one transaction with at most one event. */
import * as workflow from "../../../domain/articles/workflow.ts";
import type {
  Article,
  ArticleInput,
  ArticleStatus,
  FullArticle,
  ReviewState,
} from "../../../domain/articles/article.ts";
import { getOrigin } from "../../../domain/articles/origin.ts";
import { type Millis, isoTime } from "../../../domain/system/time.ts";
import type { AuditEntry } from "../../../domain/system/audit.ts";
import { assertApproved, carryApproval, withContentHash } from "../../../domain/articles/approval.ts";
import { AppError } from "../../../domain/system/errors.ts";
import { deletedEvent, publishedEvent } from "../../../domain/articles/api-format.ts";
import type { EventCause } from "../../../domain/webhooks/event.ts";
import { iterateArticles } from "../../../store/articles/articles.ts";
import { markRequested } from "../../../store/articles/comments.ts";
import { listEditors } from "../../../store/people/memberships.ts";
import type { Writer } from "../../../store/store.ts";
import { type ArticleNote, recordArticleChange, notifyOfReview } from "./article-notes.ts";
import {
  applyEdit,
  insertNew,
  type LossOptions,
  prepareEdit,
  prepareNew,
  assertSameStatusAndId,
  editDetail,
} from "./edit-article.ts";
import type { Actor, Deps } from "../../system/deps.ts";
import { findLastEntry } from "../../../store/system/audit.ts";
import { assertNotHeld } from "./integrity-gate.ts";
import { assertSecondPerson, asWriter } from "./second-person.ts";
import { saveRevision } from "./save-revision.ts";
import { append, loadArticle, uniqueSlug } from "./article-persistence.ts";
import { loadWebsite, loadWebsiteToChange } from "../../../store/system/websites.ts";
import { loadUnchanged, assertVersion, type ExpectedVersion } from "./optimistic-lock.ts";
import {
  type ArticleDeps,
  type Change,
  type TransitionContext,
  createCause,
  transition,
  transitionWith,
} from "./transition.ts";

export function getArticle(deps: Pick<Deps, "store">, id: string): Promise<FullArticle> {
  return deps.store.read((db) => loadArticle(db, id));
}

export async function* listArticles(
  deps: Pick<Deps, "store">,
  websiteId: string,
  status?: ArticleStatus,
): AsyncGenerator<Article> {
  await using db = await deps.store.openSnapshot();
  await loadWebsite(db, websiteId);
  yield* iterateArticles(db, websiteId, status);
}

export interface CreateOptions extends LossOptions {
  /** The state of a pending article if the input names none. */
  reviewState?: ReviewState | undefined;
  /** An account's id: the author if the input names none. */
  authorId?: string | null;
}

/** @throws AppError `invalid` without title or content, or when text would be lost; `conflict` when the id is taken. */
export async function createArticle(
  deps: ArticleDeps & Pick<Deps, "deriveContent">,
  websiteId: string,
  input: ArticleInput,
  actor: Actor,
  { reviewState, authorId, ...options }: CreateOptions = {},
): Promise<FullArticle> {
  const website = await deps.store.read((db) => loadWebsite(db, websiteId));
  const draft = await prepareNew(deps, website, input, { ...options, origin: getOrigin(actor, undefined) });
  return deps.store.write(async (db) => {
    // The website's URL pattern may have changed while the content was prepared.
    const owner = await loadWebsiteToChange(db, websiteId);
    const { full, event } = await insertNew(db, deps, owner, draft, {
      actor,
      authorId: authorId ?? null,
      reviewState,
    });
    const { status, reviewState: state } = full.article;
    const detail = { status, ...(state === null || state === "in_review" ? {} : { review_state: state }) };
    const entry = { id: deps.newId(), at: deps.clock() };
    await recordArticleChange(db, deps, actor, full.article, { action: "article.created", detail }, entry);
    if (status === "pending" && state === "in_review") {
      await notifyOfReview(db, deps, { article: full.article, website: owner, actor, eventId: entry.id });
    }
    await append(db, deps, event, createCause(deps, actor));
    return full;
  });
}

export interface EditOptions extends LossOptions {
  facts?: AuditEntry["detail"];
  /** Runs in the transaction that saves the change. `after`: the article, with its draft copy, as it will be. */
  inTransaction?: (db: Writer, after: FullArticle) => Promise<void>;
}

/**
 * Changes what the input names; readers and receivers see it at once. @param expect the version seen; if omitted, any.
 * @throws AppError `invalid` for another status or lost text; `conflict` in the trash, or when someone else has changed
 * it; `forbidden` when it is published and the actor may not approve.
 */
export async function updateArticle(
  deps: ArticleDeps & Pick<Deps, "deriveContent">,
  id: string,
  input: ArticleInput,
  actor: Actor,
  expect?: ExpectedVersion,
  { facts, inTransaction, ...loss }: EditOptions = {},
): Promise<FullArticle> {
  const { website, before } = await deps.store.read(async (db) => {
    const found = await loadArticle(db, id);
    await assertVersion(db, found.article, expect, { actor, input });
    return { before: found, website: await loadWebsite(db, found.article.websiteId) };
  });
  assertSameStatusAndId(input, before.article);
  const edit = await prepareEdit(deps, website, before, input, loss);
  return deps.store.write(async (db) => {
    const owner = await loadWebsiteToChange(db, website.id);
    const current = await loadUnchanged(db, before, { actor, input });
    const { full, event, changed, fields, entry } = await applyEdit(db, deps, owner, current, edit, {
      actor,
      action: "article.edited",
    });
    await inTransaction?.(db, full);
    if (changed) {
      const detail = { ...facts, ...editDetail(current.article, full.article, fields) };
      await recordArticleChange(db, deps, actor, full.article, { action: "article.edited", detail }, entry);
      if (current.article.status === "approved" && full.article.status === "pending") {
        await notifyOfReview(db, deps, { article: full.article, website: owner, actor, eventId: entry.id });
      }
    }
    await append(db, deps, event, createCause(deps, actor));
    return full;
  });
}

export const submitArticle = transition(({ full }) =>
  reviewed(full, workflow.submit(full.article), { action: "article.submitted" }),
);

/** Undoes the actor's own request for changes, shortly after it. */
export const takeBackRequest = transition(async ({ full, db, actor, now }) => {
  const request = await findLastEntry(db, full.article.id, ["article.changes_requested", "article.submitted"]);
  const isOwn = request?.action === "article.changes_requested" && request.person.id === actor.id;
  if (!isOwn || now - request.at > MAX_UNDO_MS) {
    throw new AppError("conflict", "Only the person who requested the changes can take them back, within a minute.");
  }
  return reviewed(full, workflow.takeBackRequest(full.article), {
    action: "article.submitted",
    detail: { undone: true },
  });
});

/** Longer than undoing is offered. */
const MAX_UNDO_MS = 60_000;

export const withdrawArticle = transition(({ full }) =>
  reviewed(full, workflow.withdraw(full.article), { action: "article.withdrawn" }),
);

/** Sets the account that takes care of the article; null: nobody. @throws AppError `invalid` unless an editor's. */
export const assignArticle = transitionWith(async ({ full, db, website }, assigneeId: string | null) => {
  workflow.assertAllows("assign", full.article);
  const editors = assigneeId === null ? [] : await listEditors(db, website.id);
  const assignee = editors.find(({ id }) => id === assigneeId);
  if (assigneeId !== null && assignee === undefined) {
    throw new AppError("invalid", "Choose a member who may edit articles of this website.", {
      field: "assignee_id",
    });
  }
  const detail = { assignee: assignee?.name ?? null };
  return reviewed(full, { ...full.article, assigneeId }, { action: "article.assigned", detail });
});

/**
 * Sets the account that wrote it; null: unknown. @throws AppError `invalid` unless it is an editor's; `conflict` if the
 * actor would give away their own text where a second person is required.
 */
export const setAuthor = transitionWith(async ({ full, db, website, actor }, authorId: string | null) => {
  workflow.assertAllows("set-author", full.article);
  if (website.requiresSecondPerson && actor.isOperator !== true && full.article.authorId === actor.id) {
    throw new AppError(
      "conflict",
      "This website requires a second person for approvals, so somebody else has to change the author of your articles.",
    );
  }
  const author = authorId === null ? undefined : (await listEditors(db, website.id)).find(({ id }) => id === authorId);
  if (authorId !== null && author === undefined) {
    throw new AppError("invalid", "Choose an author who is a member and may edit articles of this website.", {
      field: "author_id",
    });
  }
  const detail = { author: author?.name ?? null };
  return reviewed(full, { ...full.article, authorId }, { action: "article.author_changed", detail });
});

async function approve(context: TransitionContext): Promise<Change> {
  await assertMayApprove(context);
  return {
    ...approved(context.full, context.now, context.actor),
    event: null,
    notes: [{ action: "article.approved" }],
  };
}

export const approveArticle = transition(approve);

/** Approves, or requests changes, for a guest. `admit` runs in the same transaction, and may refuse the decision. */
export const decideForGuest = transitionWith(
  async (context, { reason, admit }: { reason: string | null; admit: (db: Writer) => Promise<void> }) => {
    await admit(context.db);
    return reason === null ? approve(context) : applyRequest(context, { reason });
  },
);

export const unapproveArticle = transition(({ full: { article, body } }) => ({
  article: workflow.unapprove(article),
  body: workflow.withoutStep(body, "approve"),
  event: null,
  notes: [{ action: "article.unapproved" }],
}));

/** Sends it back to its author, without its approval. The `approve` step holds the reason until the next one. */
export const requestChanges = transitionWith((context, reason: string) => applyRequest(context, { reason }));

/** Requests changes like `requestChanges`, and includes the open comment threads. */
export const requestChangesWithComments = transitionWith(
  async (context, { reason, threadIds }: { reason: string; threadIds: readonly string[] }) => {
    const { db, full, entry } = context;
    const comments = await markRequested(db, full.article.rowNo, [...new Set(threadIds)], entry.id);
    return applyRequest(context, { reason, ...(comments === 0 ? {} : { comments }) });
  },
);

export const publishArticle = transition(publish);

async function publish(context: TransitionContext): Promise<Change> {
  workflow.assertAllows("publish", context.full.article);
  await assertNotHeld(context.db, context.website, context.full);
  return applyPublication(context.full, context);
}

/** Publishes an article whose time has come: what was approved goes live, whatever is found in it now. @throws AppError `conflict` when it is no longer due. */
export const publishDue = transition((context) => {
  const { publishAt } = context.full.article;
  if (publishAt === null || publishAt > context.now) {
    throw new AppError("conflict", "Somebody else has changed the schedule. Look at the new version, then try again.");
  }
  return applyPublication(context.full, context);
});

export const approveAndPublishArticle = transition(async (context) => {
  await assertMayApprove(context);
  return approvedAndLive(context);
});

export const approveAndScheduleArticle = transitionWith(approvedFor);

/** Publishes after the website's delay: until then `scheduleArticle` with null undoes it. */
export const publishSoon = transition((context) => {
  const at = afterDelay(context);
  return at === null ? publish(context) : scheduledFor(context, at);
});

/** Approves at once, and publishes after the website's delay: until then `unapproveArticle` undoes both. */
export const approveAndPublishSoon = transition(async (context) => {
  const at = afterDelay(context);
  if (at !== null) return approvedFor(context, at);
  await assertMayApprove(context);
  return approvedAndLive(context);
});

/** Schedules the publication; null removes the schedule. */
export const scheduleArticle = transitionWith((context, at: Millis | null) => {
  const { article, body } = context.full;
  if (at === null) {
    return { article: workflow.unschedule(article), body, event: null, notes: [{ action: "article.unscheduled" }] };
  }
  return scheduledFor(context, at);
});

/** Takes the article down. Receivers get `article.deleted`, because visitors no longer find the article. */
export const unpublishArticle = transition(({ full: { article, body } }) => {
  const next = workflow.unpublish(article);
  return {
    article: next,
    body: workflow.withoutStep(body, "publish"),
    event: (cause) => deletedEvent(article, cause),
    notes: [{ action: "article.unpublished" }],
  };
});

/** Moves the article to the trash. Receivers are notified whatever its status, because keys can list every status. */
export const deleteArticle = transition(({ full: { article, body }, now }) => {
  const next = workflow.trash(article, now);
  return {
    article: next,
    body,
    event: (cause) => deletedEvent(article, cause),
    notes: [{ action: "article.deleted" }],
  };
});

/** Takes the article out of the trash unchanged, but with the next free slug if its own is now taken. */
export const restoreArticle = transition(async ({ full: before, website, db, entry, actor }) => {
  const { article, body } = before;
  const restored = workflow.restore(article);
  const slug = await uniqueSlug(db, website, article.slug, article);
  const placed = carryApproval(before, {
    article: workflow.withPatternUrl(website, { ...restored, slug }, article),
    body,
  });
  // With another slug it is not what was approved.
  const moved = { ...placed.article, approvedHash: article.approvedHash };
  const full =
    slug === article.slug
      ? placed
      : { article: workflow.afterEdit(moved, entry.at, asWriter(actor, website).mayApprove), body };
  await saveRevision(db, before, full, { ...entry, actor: actor.id, action: "article.restored" });
  return {
    ...full,
    event: full.article.status === "published" ? (cause) => publishedEvent(full, cause) : null,
    notes: [{ action: "article.restored", detail: slug === article.slug ? {} : { slug } }],
  };
});

function applyRequest({ full, now, actor }: TransitionContext, detail: { reason: string; comments?: number }): Change {
  const { article, body } = full;
  const next = workflow.requestChanges(article, detail.reason);
  const note: ArticleNote = { action: "article.changes_requested", detail };
  if (article.status === "pending") return reviewed(full, next, note);
  const steps = workflow.withStep(body.steps, workflow.stepRefused(actor.id, now, detail.reason));
  return { article: next, body: { ...body, steps }, event: null, notes: [note] };
}

function approved(full: FullArticle, now: Millis, actor: Actor): FullArticle {
  const { article, body } = withContentHash(full);
  return {
    article: workflow.approve(article, now, actor.id),
    body: { ...body, steps: workflow.withStep(body.steps, workflow.stepDone("approve", actor.id, now)) },
  };
}

async function approvedFor(context: TransitionContext, at: Millis): Promise<Change> {
  await assertMayApprove(context);
  const { article, body } = approved(context.full, context.now, context.actor);
  const detail = { publish_at: isoTime(at) };
  return {
    article: workflow.schedule(article, at, context.now),
    body,
    event: null,
    notes: [{ action: "article.approved" }, { action: "article.scheduled", detail }],
  };
}

async function scheduledFor({ db, website, full, now }: TransitionContext, at: Millis): Promise<Change> {
  const article = workflow.schedule(full.article, at, now);
  assertApproved(full);
  await assertNotHeld(db, website, full);
  const detail = { publish_at: isoTime(at) };
  return { article, body: full.body, event: null, notes: [{ action: "article.scheduled", detail }] };
}

function approvedAndLive(context: TransitionContext): Change {
  const live = applyPublication(approved(context.full, context.now, context.actor), context);
  return { ...live, notes: [{ action: "article.approved" }, ...live.notes] };
}

/** null: the website publishes at once. */
function afterDelay({ website, now }: TransitionContext): Millis | null {
  return website.publishDelaySeconds === 0 ? null : now + website.publishDelaySeconds * 1_000;
}

/** @throws AppError `conflict` when the state forbids it, or somebody else has to approve; HeldByFindings. */
async function assertMayApprove({ db, website, full, actor }: TransitionContext): Promise<void> {
  workflow.assertAllows("approve", full.article, actor.id);
  await assertSecondPerson(db, website, full, actor);
  await assertNotHeld(db, website, full);
}

/** A change that readers cannot see. */
function reviewed({ body }: FullArticle, article: Article, note: ArticleNote): Change {
  return { article, body, event: null, notes: [note], isUnseen: true };
}

function applyPublication(full: FullArticle, { now, website, actor }: TransitionContext): Change {
  const published = workflow.publish(full.article, now);
  assertApproved(full);
  const { body } = full;
  const live = carryApproval(full, {
    article: workflow.withPatternUrl(website, published, null),
    body: { ...body, steps: workflow.withStep(body.steps, workflow.stepDone("publish", actor.id, now)) },
  });
  return {
    ...live,
    event: (cause: EventCause) => publishedEvent(live, cause),
    notes: [{ action: "article.published" }],
  };
}
