/** What people did with articles, for the machines that wrote them: from the audit log, in its order. */
import type { AuditAction } from "../../../domain/system/audit.ts";
import { nameMentions } from "../../../domain/articles/comment.ts";
import type { Millis } from "../../../domain/system/time.ts";
import type { Integrity } from "../../../domain/articles/findings.ts";
import { findFullArticleAnywhere } from "../../../store/articles/articles.ts";
import { findRowNo } from "../../../store/articles/article-lists.ts";
import { listComments, listRequested } from "../../../store/articles/comments.ts";
import { findExternalSource } from "../../../store/articles/state-lists.ts";
import type { Snapshot } from "../../../store/store.ts";
import { type AuditCursor, listEntriesAfter, type Person, type TargetEntry } from "../../../store/system/audit.ts";
import type { Deps } from "../../system/deps.ts";
import { loadMetrics } from "../write/integrity-gate.ts";

const KINDS = {
  "article.changes_requested": "changes_requested",
  "article.commented": "commented",
  "article.comment_replied": "commented",
  "article.edited": "edited",
  "article.draft_saved": "edited",
  "article.updated": "edited",
  "article.approved": "approved",
  "article.published": "published",
  "article.unpublished": "unpublished",
  "article.deleted": "deleted",
  "article.held_dropped": "proposal_dropped",
  "article.removal_declined": "removal_declined",
  "article.publication_declined": "publication_declined",
} as const satisfies Partial<Record<AuditAction, string>>;

export const FEEDBACK_KINDS = [...new Set(Object.values(KINDS))];
type FeedbackKind = (typeof FEEDBACK_KINDS)[number];

export interface Feedback {
  kind: FeedbackKind;
  at: Millis;
  person: Person;
  articleId: string;
  /** The source that a client names by its own id; null: none, or the article has been deleted permanently. */
  source: string | null;
  title: string;
  /** The reason of a request for changes; null otherwise. */
  reason: string | null;
  /** The beginning of a comment; null otherwise. */
  text: string | null;
  /** The API names of the fields that were edited. */
  fields: string[];
  /** What was found in the text of a request for changes, as the text is now; null: the kind is another one, or it is gone. */
  integrity: Integrity | null;
  /** The comments that were sent with a request for changes. */
  comments: { id: string; quote: string; text: string }[];
}

/** After this time, every transaction that began before has ended: no earlier entry can still appear. */
const DELAY_MS = 2_000;

/** Lists feedback, oldest first, without what the actor `except` did. */
export function listFeedback(
  deps: Pick<Deps, "store" | "clock">,
  websiteId: string,
  { after, except, limit }: { after: AuditCursor; except: string; limit: number },
): Promise<{ feedback: Feedback[]; next: AuditCursor }> {
  const before = deps.clock() - DELAY_MS;
  // The compiler widens the keys of an object.
  const actions = Object.keys(KINDS) as (keyof typeof KINDS)[];
  return deps.store.read(async (db) => {
    const entries = await listEntriesAfter(db, { websiteId, actions, except, after, before, limit });
    const feedback: Feedback[] = [];
    for (const entry of entries) feedback.push(await toFeedback(db, websiteId, entry));
    const last = entries.at(-1);
    return { feedback, next: last === undefined ? after : { at: last.at, id: last.id } };
  });
}

async function toFeedback(db: Snapshot, websiteId: string, entry: TargetEntry): Promise<Feedback> {
  const { id, action, detail, targetId } = entry;
  const rowNo = await findRowNo(db, websiteId, targetId);
  const text = (name: string) => (typeof detail[name] === "string" ? detail[name] : null);
  return {
    // Only these actions were asked for.
    kind: KINDS[action as keyof typeof KINDS],
    at: entry.at,
    person: entry.person,
    articleId: targetId,
    source: rowNo === undefined ? null : await findExternalSource(db, rowNo),
    title: text("title") ?? "",
    reason: text("reason"),
    text: text("text"),
    fields: (text("fields") ?? "").split(", ").filter((name) => name !== ""),
    integrity: action === "article.changes_requested" ? await findIntegrity(db, websiteId, targetId) : null,
    comments: rowNo === undefined || detail["comments"] === undefined ? [] : await findRequested(db, rowNo, id),
  };
}

async function findIntegrity(db: Snapshot, websiteId: string, id: string): Promise<Integrity | null> {
  const full = await findFullArticleAnywhere(db, id);
  return full?.article.websiteId === websiteId ? (await loadMetrics(db, full)).integrity : null;
}

async function findRequested(db: Snapshot, rowNo: number, entryId: string): Promise<Feedback["comments"]> {
  const threads = await listRequested(db, rowNo, entryId);
  const comments = new Map((await listComments(db, rowNo)).map((comment) => [comment.id, comment]));
  return threads.flatMap(({ id, quote }) => {
    const first = comments.get(id);
    return first === undefined ? [] : { id, quote, text: nameMentions(first.body, named(first.mentions)) };
  });
}

function named(people: readonly Person[]): { id: string; name: string }[] {
  return people.map(({ id, name }) => ({ id, name: name ?? id }));
}
