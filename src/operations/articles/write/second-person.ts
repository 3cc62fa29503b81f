/** Websites on which nobody approves a text that they wrote themselves. */
import { AppError } from "../../../domain/system/errors.ts";
import type { Website } from "../../../domain/system/website.ts";
import type { Millis } from "../../../domain/system/time.ts";
import { listSuggesters } from "../../../store/articles/comments.ts";
import type { DraftCopy } from "../../../store/articles/draft-copies.ts";
import { listAppliedBringers } from "../../../store/articles/origins.ts";
import { findLastApproved, listWriters } from "../../../store/articles/revisions.ts";
import type { Snapshot, StoredFull } from "../../../store/store.ts";
import type { Actor } from "../../system/deps.ts";
import { findFirstMark } from "./save-revision.ts";

/** Whether somebody else has to approve it: the actor is its author, or has words in it since its approval. */
export async function needsOther(
  db: Snapshot,
  website: Pick<Website, "requiresSecondPerson">,
  full: StoredFull,
  actor: Pick<Actor, "id" | "isOperator" | "isMachine">,
): Promise<boolean> {
  if (!website.requiresSecondPerson || actor.isOperator === true) return false;
  // Otherwise two access tokens could approve each other's texts.
  if (actor.isMachine === true) return true;
  if (full.article.authorId === actor.id) return true;
  const { rowNo } = full.article;
  const approved = await findLastApproved(db, rowNo);
  const writers = await listWriters(db, rowNo, approved?.number ?? 0);
  if (writers.length === 0) writers.push((await findFirstMark(db, full)).actor);
  return writers.includes(actor.id) || hasContributed(db, rowNo, actor, approved?.at ?? 0);
}

/** Whether the actor saved the draft copy, or suggested or imported a change applied since the live text was approved. */
export async function hasWordsInDraft(
  db: Snapshot,
  { article }: StoredFull,
  { writers }: Pick<DraftCopy, "writers">,
  actor: Pick<Actor, "id">,
): Promise<boolean> {
  return writers.includes(actor.id) || hasContributed(db, article.rowNo, actor, article.approvedAt ?? 0);
}

/** Whether a change that the actor suggested, or brought by an import, was applied since. */
async function hasContributed(db: Snapshot, rowNo: number, { id }: Pick<Actor, "id">, since: Millis): Promise<boolean> {
  const suggesters = await listSuggesters(db, rowNo, since);
  return suggesters.includes(id) || (await listAppliedBringers(db, rowNo, since)).includes(id);
}

/** @throws AppError `conflict`. */
export async function assertSecondPerson(
  db: Snapshot,
  website: Pick<Website, "requiresSecondPerson">,
  full: StoredFull,
  actor: Pick<Actor, "id" | "isOperator" | "isMachine">,
): Promise<void> {
  if (!(await needsOther(db, website, full, actor))) return;
  if (actor.isMachine === true) {
    throw new AppError(
      "conflict",
      "This website requires a second person for approvals: a person has to approve this text in the dashboard.",
    );
  }
  throw new AppError(
    "conflict",
    "This website requires a second person for approvals: you wrote or changed this text since it was last approved, so somebody else has to approve it.",
  );
}

/** The actor, without the right to approve where a change of theirs must not approve itself. */
export function asWriter(actor: Actor, { requiresSecondPerson }: Pick<Website, "requiresSecondPerson">): Actor {
  const approves = actor.isMachine !== true && (!requiresSecondPerson || actor.isOperator === true);
  return approves ? actor : { ...actor, mayApprove: false };
}

/** As `asWriter`, for an actor who makes a draft copy live. `isOfOther`: somebody else wrote it. */
export function asPublisher(
  actor: Actor,
  { requiresSecondPerson }: Pick<Website, "requiresSecondPerson">,
  isOfOther: boolean,
): Actor {
  const isSecondPerson = actor.isOperator === true || (isOfOther && actor.isMachine !== true);
  return !requiresSecondPerson || isSecondPerson ? actor : { ...actor, mayApprove: false };
}
