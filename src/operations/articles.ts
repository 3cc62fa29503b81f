/** What people and commands do with articles: each function is one sentence, one transaction, at most one event. */
import type { Article, ArticleInput, ArticleStatus, FullArticle, Millis } from "../domain/article.ts";
import {
  changedFields,
  composeEdited,
  composeNew,
  isSame,
  sourceOfEdited,
  sourceOfNew,
  withPatternUrl,
} from "../domain/composition.ts";
import { slugify, validSlug } from "../domain/content/slug.ts";
import { AppError } from "../domain/errors.ts";
import { deletedEvent, type EventCause, type NewEvent, publishedEvent, updatedEvent } from "../domain/event.ts";
import type { Website } from "../domain/website.ts";
import * as workflow from "../domain/workflow.ts";
import { findArticle, listDue, noteSource, type SourceTrace, walkArticles } from "../store/articles.ts";
import type { Writer } from "../store/store.ts";
import { lockWebsite } from "../store/websites.ts";
import type { Actor, Deps } from "./deps.ts";
import { append, insert, loadArticle, loadToChange, loadWebsite, save, type StoredFull, uniqueSlug } from "./saving.ts";

type ArticleDeps = Pick<Deps, "store" | "clock" | "newId" | "prepare">;

export function getArticle(deps: Pick<Deps, "store">, id: string): Promise<FullArticle> {
  return deps.store.read((db) => loadArticle(db, id));
}

/** Living articles, oldest first. */
export async function* listArticles(
  deps: Pick<Deps, "store">,
  websiteId: string,
  status?: ArticleStatus,
): AsyncGenerator<Article> {
  await using db = await deps.store.openWalk();
  await loadWebsite(db, websiteId);
  yield* walkArticles(db, websiteId, status);
}

/** @throws AppError `invalid` without title or content; `conflict` when the id is taken. */
export async function createArticle(
  deps: ArticleDeps,
  websiteId: string,
  input: ArticleInput,
  actor: Actor,
): Promise<FullArticle> {
  const website = await deps.store.read((db) => loadWebsite(db, websiteId));
  const draft = prepareNew(deps, website, input);
  return deps.store.write(async (db) => {
    await lockWebsite(db, websiteId);
    const created = await insertNew(db, deps, website, draft, { actor: actor.id, source: { ref: null, hash: null } });
    await append(db, deps, created.event, causeOf(deps, actor));
    return created.full;
  });
}

/**
 * Changes what the input names. A published article's readers and receivers see the change at once.
 *
 * @throws AppError `invalid` when it names another status; `conflict` when the article is in the trash.
 */
export async function updateArticle(
  deps: ArticleDeps,
  id: string,
  input: ArticleInput,
  actor: Actor,
): Promise<FullArticle> {
  const { website, before } = await deps.store.read(async (db) => {
    const found = await loadArticle(db, id);
    return { before: found, website: await loadWebsite(db, found.article.websiteId) };
  });
  refuseStatusAndId(input, before.article);
  const edit = prepareEdit(deps, website, before, input);
  return deps.store.write(async (db) => {
    await lockWebsite(db, website.id);
    const changed = await applyEdit(db, deps, website, before, edit, { actor });
    await append(db, deps, changed.event, causeOf(deps, actor));
    return changed.full;
  });
}

export function approveArticle(deps: ArticleDeps, id: string, actor: Actor): Promise<FullArticle> {
  return transition(deps, id, actor, ({ article, body }, now) => ({
    article: workflow.approve(article, now),
    body: { ...body, steps: workflow.withStep(body.steps, workflow.stepDone("approve", actor.id, now)) },
    event: null,
  }));
}

/** Takes the approval back. The reason stands in the `approve` step until the next approval. */
export function requestChanges(deps: ArticleDeps, id: string, reason: string, actor: Actor): Promise<FullArticle> {
  return transition(deps, id, actor, ({ article, body }, now) => ({
    article: workflow.requestChanges(article, reason),
    body: { ...body, steps: workflow.withStep(body.steps, workflow.stepRefused(actor.id, now, reason)) },
    event: null,
  }));
}

export function publishArticle(deps: ArticleDeps, id: string, actor: Actor): Promise<FullArticle> {
  return transition(deps, id, actor, (full, now, website) => goLive(full, now, website, actor.id));
}

/** The two transitions in one transaction. */
export function approveAndPublishArticle(deps: ArticleDeps, id: string, actor: Actor): Promise<FullArticle> {
  return transition(deps, id, actor, ({ article, body }, now, website) =>
    goLive(
      {
        article: workflow.approve(article, now),
        body: { ...body, steps: workflow.withStep(body.steps, workflow.stepDone("approve", actor.id, now)) },
      },
      now,
      website,
      actor.id,
    ),
  );
}

/** Plans the publication. */
export function scheduleArticle(deps: ArticleDeps, id: string, at: Millis, actor: Actor): Promise<FullArticle> {
  return transition(deps, id, actor, ({ article, body }, now) => ({
    article: workflow.schedule(article, at, now),
    body,
    event: null,
  }));
}

/** Takes the article down. Receivers hear `article.deleted`: it is what a visitor sees. */
export function unpublishArticle(deps: ArticleDeps, id: string, actor: Actor): Promise<FullArticle> {
  return transition(deps, id, actor, ({ article, body }) => {
    const next = workflow.unpublish(article);
    return {
      article: next,
      body: workflow.withoutStep(body, "publish"),
      event: (cause) => deletedEvent(next, cause),
    };
  });
}

/** Moves the article to the trash. Receivers hear of it in every state, as keys can list every state. */
export function deleteArticle(deps: ArticleDeps, id: string, actor: Actor): Promise<FullArticle> {
  return transition(deps, id, actor, ({ article, body }, now) => {
    const next = workflow.trash(article, now);
    return { article: next, body, event: (cause) => deletedEvent(next, cause) };
  });
}

/** Takes the article out of the trash, as it was; under the next free slug when its own was given away meanwhile. */
export function restoreArticle(deps: ArticleDeps, id: string, actor: Actor): Promise<FullArticle> {
  return transition(deps, id, actor, async ({ article, body }, _now, website, db) => {
    const restored = workflow.restore(article);
    const slug = await uniqueSlug(db, article.websiteId, article.slug, article.id);
    const full = { article: withPatternUrl(website, { ...restored, slug }, article), body };
    return { ...full, event: full.article.status === "published" ? (cause) => publishedEvent(full, cause) : null };
  });
}

/** Publishes what is due, at most `limit` articles, each in its own transaction. @returns how many. */
export async function publishDueArticles(deps: ArticleDeps, limit: number): Promise<number> {
  const due = await deps.store.read((db) => listDue(db, deps.clock(), limit));
  let published = 0;
  for (const { id } of due) {
    try {
      await publishDue(deps, id);
      published++;
    } catch (error) {
      // Another process was quicker, or the article is no longer what was approved: it is nobody's turn any more.
      if (!(error instanceof AppError) || error.code !== "conflict") throw error;
    }
  }
  return published;
}

/** @throws AppError `conflict` when it is not due any more. */
function publishDue(deps: ArticleDeps, id: string): Promise<FullArticle> {
  const schedule: Actor = { id: "schedule", mayApprove: false };
  return transition(deps, id, schedule, (full, now, website) => {
    const { publishAt } = full.article;
    if (publishAt === null || publishAt > now) throw new AppError("conflict", "The plan was changed meanwhile.");
    return goLive(full, now, website, schedule.id);
  });
}

/** A new article's content, prepared outside the transaction: it is the slow part. */
export function prepareNew(deps: Pick<Deps, "prepare" | "clock">, website: Website, input: ArticleInput) {
  const wanted = (input.slug == null ? "" : validSlug(input.slug)) || slugify(input.title ?? "");
  const source = sourceOfNew(input, website, wanted);
  return { input, composed: { source, prepared: deps.prepare(source, deps.clock) } };
}

/** An edit's content, prepared outside the transaction. */
export function prepareEdit(
  deps: Pick<Deps, "prepare" | "clock">,
  website: Website,
  before: FullArticle,
  input: ArticleInput,
) {
  const cleared = input.slug === null ? slugify(input.title ?? before.article.title) : undefined;
  const wanted = cleared ?? (input.slug == null ? "" : validSlug(input.slug));
  const source = sourceOfEdited(before, input, website, wanted || before.article.slug);
  return { input, composed: { source, prepared: deps.prepare(source, deps.clock) } };
}

type EventOf = ((cause: EventCause) => NewEvent) | null;

/** Inserts a prepared article in the state that its input says. */
export async function insertNew(
  db: Writer,
  deps: Pick<Deps, "clock" | "newId">,
  website: Website,
  { input, composed }: ReturnType<typeof prepareNew>,
  by: { actor: string; source: SourceTrace; importedFrom?: string },
): Promise<{ full: FullArticle; event: EventOf }> {
  const now = deps.clock();
  if (input.id !== undefined && (await findArticle(db, input.id)) !== undefined) {
    throw new AppError("conflict", `There is an article with the id ${input.id} already.`, { field: "id" });
  }
  const id = input.id ?? deps.newId();
  const slug = await uniqueSlug(db, website.id, composed.source.slug, id);
  const source = { ...composed.source, slug };
  let full = composeNew(input, { ...composed, source }, { id, websiteId: website.id, now, actor: by.actor });
  if (by.importedFrom !== undefined) {
    full = withOwnStep(full, workflow.stepDone("import", by.actor, now, { source: by.importedFrom }));
  }
  full = raiseTo(full, input, now, by.actor);
  full = { ...full, article: withPatternUrl(website, full.article, null) };
  const saved = await insert(db, full, by.source, now);
  return { full: saved, event: saved.article.status === "published" ? (cause) => publishedEvent(saved, cause) : null };
}

/** Makes a prepared edit; nothing is written when nothing changes. */
export async function applyEdit(
  db: Writer,
  deps: Pick<Deps, "clock">,
  website: Website,
  before: StoredFull,
  { input, composed }: ReturnType<typeof prepareEdit>,
  by: { actor: Actor; source?: SourceTrace; raise?: boolean },
): Promise<{ full: FullArticle; event: EventOf; changed: boolean }> {
  const now = deps.clock();
  if (before.article.deletedAt !== null) {
    throw new AppError("conflict", "This article is in the trash; restore it first.");
  }
  const slug =
    composed.source.slug === before.article.slug
      ? before.article.slug
      : await uniqueSlug(db, website.id, composed.source.slug, before.article.id);
  let full = composeEdited(before, input, { ...composed, source: { ...composed.source, slug } }, now);
  full = { ...full, article: withPlan(full.article, input) };
  if (by.raise === true) full = raiseTo(full, input, now, by.actor.id);
  const sourceIsNew = by.source !== undefined && by.source.hash !== before.article.sourceHash;
  if (isSame(before, full) && full.article.status === before.article.status) {
    if (by.source !== undefined && sourceIsNew) await noteSource(db, before.article.rowNo, by.source);
    return { full: before, event: null, changed: false };
  }
  full = { ...full, article: workflow.afterEdit(full.article, now, by.actor.mayApprove) };
  full = { ...full, article: withPatternUrl(website, full.article, before.article) };
  const saved = await save(db, before, full, now, by.source);
  return { full: saved, event: eventOfEdit(before, saved), changed: true };
}

function eventOfEdit(before: FullArticle, after: FullArticle): EventOf {
  if (after.article.status !== "published") return null;
  if (before.article.status !== "published") return (cause) => publishedEvent(after, cause);
  const fields = changedFields(before, after);
  return fields.length === 0 ? null : (cause) => updatedEvent(after, fields, cause);
}

/** Takes an article forward to the state that its source names, with the source's dates; never back. */
function raiseTo(full: FullArticle, input: ArticleInput, now: Millis, actor: string): FullArticle {
  const wanted = input.status ?? "pending";
  let { article, body } = full;
  if (wanted !== "pending" && article.status === "pending") {
    const at = input.approvedAt ?? input.publishedAt ?? now;
    article = workflow.approve(article, at);
    body = { ...body, steps: workflow.withStep(body.steps, workflow.stepDone("approve", actor, at)) };
    article = withPlan(article, input);
  }
  if (wanted === "published" && article.status === "approved") {
    article = workflow.publish({ ...article, approvedHash: article.contentHash }, input.publishedAt ?? now);
    const at = article.publishedAt ?? now;
    body = { ...body, steps: workflow.withStep(body.steps, workflow.stepDone("publish", actor, at)) };
  }
  return { article, body };
}

/** A plan to publish belongs to an approved article alone. */
function withPlan(article: Article, input: ArticleInput): Article {
  return input.publishAt === undefined || article.status !== "approved"
    ? article
    : { ...article, publishAt: input.publishAt };
}

function goLive(full: FullArticle, now: Millis, website: Website, actor: string) {
  const live: FullArticle = {
    article: withPatternUrl(website, workflow.publish(full.article, now), null),
    body: { ...full.body, steps: workflow.withStep(full.body.steps, workflow.stepDone("publish", actor, now)) },
  };
  return { ...live, event: (cause: EventCause) => publishedEvent(live, cause) };
}

function withOwnStep(full: FullArticle, step: ReturnType<typeof workflow.stepDone>): FullArticle {
  return { ...full, body: { ...full.body, steps: workflow.withStep(full.body.steps, step) } };
}

type Change = FullArticle & { event: EventOf };

/** Finds, refuses or changes, saves, and writes the event, in one transaction. */
function transition(
  deps: ArticleDeps,
  id: string,
  actor: Actor,
  change: (full: StoredFull, now: Millis, website: Website, db: Writer) => Change | Promise<Change>,
): Promise<FullArticle> {
  return deps.store.write(async (db) => {
    const before = await loadToChange(db, id);
    const website = await loadWebsite(db, before.article.websiteId);
    const now = deps.clock();
    const { event, article, body } = await change(before, now, website, db);
    const saved = await save(db, before, { article: { ...article, updatedAt: now }, body }, now);
    await append(db, deps, event, causeOf(deps, actor));
    return saved;
  });
}

export function causeOf(deps: Pick<Deps, "newId" | "clock">, actor: Actor): EventCause {
  return { id: deps.newId(), at: deps.clock(), actor: actor.id };
}

export function refuseStatusAndId(input: ArticleInput, article: Article): void {
  if (input.status !== undefined && input.status !== article.status) {
    throw new AppError(
      "invalid",
      `An update does not change the status (it is ${article.status}); use approve, request-changes, publish or unpublish.`,
      { field: "status" },
    );
  }
  if (input.id !== undefined && input.id !== article.id) {
    throw new AppError("invalid", "An article keeps its id; leave id out of the update.", { field: "id" });
  }
}
