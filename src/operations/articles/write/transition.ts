/** A transition: one transaction that loads an article, changes it, saves it, and records the change. */
import type { FullArticle } from "../../../domain/articles/article.ts";
import type { Millis } from "../../../domain/system/time.ts";
import type { Website } from "../../../domain/system/website.ts";
import type { EventCause } from "../../../domain/webhooks/event.ts";
import { saveReview } from "../../../store/articles/articles.ts";
import type { StoredFull, Writer } from "../../../store/store.ts";
import { waitForAll } from "../../../store/system/sql-batch.ts";
import type { Actor, Deps } from "../../system/deps.ts";
import { type ArticleNote, recordArticleChange, notifyOfTransition } from "./article-notes.ts";
import { append, loadToChange, save, withStateSince } from "./article-persistence.ts";
import type { EventOf } from "./edit-article.ts";
import { carryReview, recordReview, type SigningDeps, withReviewRecord } from "./review-record.ts";
import { assertVersion, type ExpectedVersion } from "./optimistic-lock.ts";

export type ArticleDeps = Pick<Deps, "store" | "clock" | "newId">;
export type TransitionDeps = ArticleDeps &
  SigningDeps & {
    /** Runs before the change, in its transaction: nothing of it stays if the change fails. */
    accept?: (context: TransitionContext) => Promise<ArticleNote[]>;
  };

export interface Change extends FullArticle {
  event: EventOf;
  notes: ArticleNote[];
  /** Whether readers cannot see the change: neither the version nor the time of the last change moves. */
  isUnseen?: true;
}

export interface TransitionContext {
  full: StoredFull;
  website: Website;
  actor: Actor;
  now: Millis;
  db: Writer;
  entry: { id: string; at: Millis };
}

type ChangeOf = (context: TransitionContext) => Change | Promise<Change>;

/** @returns the transition that makes the change; `expect`: the version that the actor saw; if omitted, any. */
export function transition(change: ChangeOf) {
  return (deps: TransitionDeps, id: string, actor: Actor, expect?: ExpectedVersion): Promise<FullArticle> =>
    deps.store.write((db) => makeTransition(db, deps, { id, actor, expect }, change));
}

/** As `transition`, for a change that takes an input. */
export function transitionWith<Input>(change: (context: TransitionContext, input: Input) => Change | Promise<Change>) {
  return (
    deps: TransitionDeps,
    id: string,
    input: Input,
    actor: Actor,
    expect?: ExpectedVersion,
  ): Promise<FullArticle> => transition((context) => change(context, input))(deps, id, actor, expect);
}

interface Transition {
  id: string;
  actor: Actor;
  expect: ExpectedVersion | undefined;
}

/** Loads the article, applies the change, saves it, and writes the audit entries and the event. */
async function makeTransition(
  db: Writer,
  deps: TransitionDeps,
  { id, actor, expect }: Transition,
  change: ChangeOf,
): Promise<FullArticle> {
  const { website, full } = await loadToChange(db, id);
  if (expect !== undefined) await assertVersion(db, full.article, expect, { actor });
  const now = deps.clock();
  const entry = { id: deps.newId(), at: now };
  const context = { full, website, actor, now, db, entry };
  const accepted = (await deps.accept?.(context)) ?? [];
  const changed = await change(context);
  const { event, article, body, isUnseen } = changed;
  const notes = [...accepted, ...changed.notes];
  const after = {
    article: isUnseen === true ? withStateSince(full.article, article, now) : { ...article, updatedAt: now },
    body,
  };
  const saving =
    isUnseen === true
      ? saveReview(db, full.article.rowNo, after.article).then(() => after)
      : save(db, full, after, now);
  const record =
    website.responsibleName === null || article.approvedAt === null
      ? null
      : await reviewRecord(db, deps, { website, before: full, after: await saving, actor, now }, notes);
  // Sent together: on PostgreSQL each wait would be a round trip.
  const [saved] = await waitForAll([
    saving,
    ...notes.map((note, index) =>
      recordArticleChange(db, deps, actor, article, note, index === 0 ? entry : { id: deps.newId(), at: now }),
    ),
    notifyOfTransition(db, deps, { article, website, actor, notes, eventId: entry.id }),
    append(db, deps, event && ((cause) => withReviewRecord(event(cause), record)), createCause(deps, actor)),
  ]);
  return saved;
}

function reviewRecord(
  db: Writer,
  deps: SigningDeps,
  approved: Parameters<typeof recordReview>[2],
  notes: readonly ArticleNote[],
): Promise<string | null> {
  const isNew = notes.some(({ action }) => action === "article.approved");
  return isNew ? recordReview(db, deps, approved) : carryReview(db, deps, approved);
}

export function createCause(deps: Pick<Deps, "newId" | "clock">, actor: Actor): EventCause {
  return { id: deps.newId(), at: deps.clock(), actor: actor.id, traceparent: actor.traceparent ?? null };
}
