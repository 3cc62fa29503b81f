/** Websites on which nobody approves a text that they wrote themselves. */
import { AppError } from "../../../domain/system/errors.ts";
import type { Website } from "../../../domain/system/website.ts";
import { findNewest } from "../../../store/articles/revisions.ts";
import type { Snapshot, StoredFull } from "../../../store/store.ts";
import type { Actor } from "../../system/deps.ts";
import { findFirstMark } from "./save-revision.ts";

/** Whether somebody else has to approve the article: the actor wrote it, or made its last change. */
export async function needsOther(
  db: Snapshot,
  website: Pick<Website, "requiresSecondPerson">,
  full: StoredFull,
  actor: Pick<Actor, "id" | "isOperator">,
): Promise<boolean> {
  if (!website.requiresSecondPerson || actor.isOperator === true) return false;
  if (full.article.authorId === actor.id) return true;
  const last = (await findNewest(db, full.article.rowNo)) ?? (await findFirstMark(db, full));
  return last.actor === actor.id;
}

/** @throws AppError `conflict`. */
export async function assertSecondPerson(
  db: Snapshot,
  website: Pick<Website, "requiresSecondPerson">,
  full: StoredFull,
  actor: Pick<Actor, "id" | "isOperator">,
): Promise<void> {
  if (!(await needsOther(db, website, full, actor))) return;
  throw new AppError(
    "conflict",
    "This website requires a second person for approvals: you wrote or last changed this article, so somebody else has to approve it.",
  );
}

/** The actor without the right to approve, where a change of theirs would approve itself. */
export function asWriter(actor: Actor, website: Pick<Website, "requiresSecondPerson">): Actor {
  return website.requiresSecondPerson && actor.isOperator !== true ? { ...actor, mayApprove: false } : actor;
}
