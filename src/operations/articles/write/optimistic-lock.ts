/**
 * A change names the version that its author saw, and is refused if someone else has changed the article since; the
 * error says who. A receiver's report of its location blocks only changes to that.
 */
import type { ArticleInput } from "../../../domain/articles/article.ts";
import type { Millis } from "../../../domain/system/time.ts";
import type { AuditAction } from "../../../domain/system/audit.ts";
import { AppError } from "../../../domain/system/errors.ts";
import type { RevisionAction } from "../../../domain/articles/revision.ts";
import { findSave, isOnlyReceipts } from "../../../store/articles/articles.ts";
import { findLastEntry, type Person } from "../../../store/system/audit.ts";
import type { DraftCopy } from "../../../store/articles/draft-copies.ts";
import { findNewest } from "../../../store/articles/revisions.ts";
import type { Snapshot, StoredArticle, StoredFull, Writer } from "../../../store/store.ts";
import type { Actor } from "../../system/deps.ts";
import { loadArticle } from "./article-persistence.ts";

export interface ExpectedVersion {
  version: number;
}

/** The conflict of a change that names an earlier version than the current one. */
export class StaleVersion extends AppError {
  readonly last: { person: Person; at: Millis } | null;

  constructor(message: string, last: StaleVersion["last"] = null) {
    super("conflict", message);
    this.last = last;
  }
}

/** When the draft copy that the editor saw was saved; null if there was none. */
export interface SeenDraft {
  draftSavedAt: Millis | null;
}

interface Asking {
  actor: Actor;
  /** The changes; absent if they concern nothing that people write. */
  input?: ArticleInput;
}

/** Accepts any version if `seen` is omitted. @throws StaleVersion when the article has changed since it was seen. */
export async function assertVersion(
  db: Snapshot,
  article: StoredArticle,
  seen: ExpectedVersion | undefined,
  { actor, input = {} }: Asking,
): Promise<void> {
  if (seen === undefined || seen.version === article.version) return;
  if (await isOnlyReceipts(db, article, seen.version)) {
    if (input.platformUrl === undefined && input.platformPostId === undefined) return;
    throw new StaleVersion(
      "The website has reported the URL of this article since you opened it. Look at the new version, then try again.",
    );
  }
  throw await describeConflict(db, article, actor);
}

/**
 * The current version of an article that was read before: the later of two changes is refused. @throws StaleVersion.
 */
export async function loadUnchanged(db: Writer, before: StoredFull, asking: Asking): Promise<StoredFull> {
  if ((await findSave(db, before.article.rowNo))?.version === before.article.version) return before;
  const now = await loadArticle(db, before.article.id);
  await assertVersion(db, now.article, before.article, asking);
  return now;
}

/** Accepts any draft copy if `seen` is omitted. @throws StaleVersion when it is not the one that was seen. */
export async function assertDraftVersion(
  db: Snapshot,
  articleId: string,
  draft: DraftCopy | undefined,
  seen: SeenDraft | undefined,
  actor: Actor,
): Promise<void> {
  if (seen === undefined || seen.draftSavedAt === (draft?.savedAt ?? null)) return;
  if (draft !== undefined) {
    throw later({ person: draft.person, at: draft.savedAt }, "saved this article's draft copy", actor);
  }
  const last = await findLastEntry(db, articleId, ENDS_OF_DRAFTS);
  const what = last && DONE[last.action];
  throw last === undefined || what === undefined
    ? new StaleVersion("The draft copy that you saw no longer exists. Look at the new version, then try again.")
    : later(last, what, actor);
}

async function describeConflict(db: Snapshot, article: StoredArticle, actor: Actor): Promise<StaleVersion> {
  const entry = await findLastEntry(db, article.id, CHANGES);
  // An import writes no audit entry for each article and, if it leaves the content unchanged, no revision either.
  const revision = await findNewest(db, article.rowNo);
  const last = (revision?.at ?? 0) > (entry?.at ?? 0) ? revision : entry;
  const what = last && DONE[last.action];
  const isNewest =
    last?.at === (await findSave(db, article.rowNo))?.savedAt ||
    (await isOnlyReceipts(db, article, article.version - 1));
  return last === undefined || what === undefined || !isNewest
    ? new StaleVersion(
        "Somebody else has changed this article since you opened it. Look at the new version, then try again.",
      )
    : later(last, what, actor);
}

/** All actions except those on a draft copy alone, which leave the article unchanged. */
const CHANGES = [
  "article.created",
  "article.edited",
  "article.updated",
  "article.approved",
  "article.unapproved",
  "article.changes_requested",
  "article.scheduled",
  "article.unscheduled",
  "article.published",
  "article.unpublished",
  "article.deleted",
  "article.restored",
] as const satisfies readonly AuditAction[];

const ENDS_OF_DRAFTS = ["article.draft_discarded", "article.updated"] as const satisfies readonly AuditAction[];

const DONE: Partial<Record<AuditAction | RevisionAction, string>> = {
  "article.created": "made this article",
  "article.edited": "edited this article",
  "article.updated": "published this article's draft copy",
  "article.draft_discarded": "discarded this article's draft copy",
  "article.imported": "changed this article",
  "article.approved": "approved this article",
  "article.unapproved": "took back the approval of this article",
  "article.changes_requested": "requested changes to this article",
  "article.scheduled": "scheduled this article",
  "article.unscheduled": "removed this article's schedule",
  "article.published": "published this article",
  "article.unpublished": "unpublished this article",
  "article.deleted": "moved this article to the trash",
  "article.restored": "restored this article from the trash",
};

function later({ person, at }: { person: Person; at: Millis }, what: string, actor: Actor): StaleVersion {
  const isOwn = person.id === actor.id;
  const who = isOwn ? "You" : (person.name ?? NAMELESS[person.id] ?? "Somebody else");
  const message = `${who} ${what}${isOwn ? " in another window" : ""} after you opened it. Look at the new version, then try again.`;
  return new StaleVersion(message, { person, at });
}

const NAMELESS: Record<string, string> = {
  cli: "Somebody on the command line",
  import: "An import",
  schedule: "The scheduler",
};
