/** Comments refer to passages of the text that editors see, which are located anew after a change of it. */
import type { Millis } from "../../../domain/system/time.ts";
import {
  checkComment,
  findMentions,
  MAX_CHARACTERS_OF_ARTICLE,
  MAX_COMMENT_LENGTH,
  MAX_COMMENTS,
  MAX_QUOTE_LENGTH,
  nameMentions,
} from "../../../domain/articles/comment.ts";
import { isLost, type Passage, withoutSpace } from "../../../domain/articles/passages.ts";
import { AppError } from "../../../domain/system/errors.ts";
import {
  type Comment,
  type CommentThread,
  countComments,
  deleteThread,
  editComment,
  eraseComment,
  findComment,
  findCommentedText,
  insertComment,
  insertThread,
  listComments,
  listThreads,
  readCommentedText,
  setResolved,
} from "../../../store/articles/comments.ts";
import { listReaders } from "../../../store/people/memberships.ts";
import type { Snapshot, StoredArticle, Writer } from "../../../store/store.ts";
import { lockWebsite, raiseReviewVersion } from "../../../store/system/websites.ts";
import { notifyOfArticle } from "../../people/notifications.ts";
import type { Actor, Deps } from "../../system/deps.ts";
import { recordArticleChange } from "../write/article-notes.ts";
import { type CommentDeps, loadHead, loadThread, noSuchComment, textChanged, updatePlaces } from "./comment-places.ts";

export interface ShownThread extends Omit<CommentThread, "place"> {
  /** Null: it is not in the text by now, or the thread is about the whole article. */
  passage: (Passage & { text: string }) | null;
  comments: Comment[];
}

export interface Comments {
  threads: ShownThread[];
  /** The version of the text that the passages refer to. */
  version: number;
  draftSavedAt: Millis | null;
}

/** Threads, oldest first, each with its comments. @throws AppError `not_found`. */
export async function getComments(deps: CommentDeps, id: string): Promise<Comments> {
  await updatePlaces(deps, id);
  return deps.store.read(async (db) => {
    const { rowNo, version } = await loadHead(db, id);
    const threads = await listThreads(db, rowNo);
    if (threads.length === 0) return { threads: [], version, draftSavedAt: null };
    const seen = (await findCommentedText(db, rowNo)) ?? { version, draftedAt: null };
    const text = (await readCommentedText(db, rowNo)) ?? "";
    const byThread = Map.groupBy(await listComments(db, rowNo), ({ threadId }) => threadId);
    return {
      threads: threads.map((thread) => toShown(thread, text, byThread.get(thread.id) ?? [])),
      version: seen.version,
      draftSavedAt: seen.draftedAt,
    };
  });
}

function toShown({ place, ...thread }: CommentThread, text: string, comments: Comment[]): ShownThread {
  const passage = place === null || isLost(place) ? null : { ...place, text: text.slice(place.start, place.end) };
  return { ...thread, passage, comments };
}

export function listMentionable(deps: Pick<Deps, "store">, websiteId: string): Promise<{ id: string; name: string }[]> {
  return deps.store.read((db) => listReaders(db, websiteId));
}

export interface NewComment {
  text: string;
  /** Null: the whole article. */
  passage: (Passage & { quote: string }) | null;
  replacement: string | null;
}

/** Somebody without an account, who comments by a review link. */
export interface Guest {
  name: string;
  invitedBy: string;
  /** Called in the transaction. @throws AppError. */
  admit: (db: Writer, article: StoredArticle) => Promise<void>;
}

/** @throws AppError `conflict` when the passage is no longer where it was selected; `invalid`. */
export async function addComment(
  deps: CommentDeps,
  id: string,
  input: NewComment,
  actor: Actor,
  guest: Guest | null = null,
): Promise<string> {
  const { passage } = input;
  const replacement = input.replacement === null ? null : checkReplacement(input.replacement, passage);
  const body = input.text.trim() === "" && replacement !== null ? "" : checkComment(input.text);
  if (passage !== null) checkQuote(passage);
  await updatePlaces(deps, id, passage !== null);
  return change(deps, id, async (db, article) => {
    await guest?.admit(db, article);
    await assertRoom(db, article.rowNo, body.length + (passage?.quote.length ?? 0) + (replacement?.length ?? 0));
    if (passage !== null) {
      const text = (await readCommentedText(db, article.rowNo)) ?? "";
      if (text.slice(passage.start, passage.end) !== withoutSpace(passage.quote)) throw textChanged();
    }
    const thread = { id: deps.newId(), quote: passage?.quote ?? "", replacement, createdAt: deps.clock() };
    const place = passage && { start: passage.start, end: passage.end };
    await insertThread(db, article, { ...thread, place });
    await write(db, deps, article, { id: thread.id, threadId: thread.id, body }, actor, guest);
    return thread.id;
  });
}

/** @throws AppError `not_found`, `invalid`. */
export function replyToComment(
  deps: CommentDeps,
  id: string,
  threadId: string,
  text: string,
  actor: Actor,
  guest: Guest | null = null,
): Promise<string> {
  const body = checkComment(text);
  return change(deps, id, async (db, article) => {
    await guest?.admit(db, article);
    await loadThread(db, article, threadId);
    await assertRoom(db, article.rowNo, body.length);
    const commentId = deps.newId();
    await write(db, deps, article, { id: commentId, threadId, body }, actor, guest);
    return commentId;
  });
}

/** Changes the actor's own. `seen`: its last edit or null. @throws AppError `not_found`, `forbidden`, `conflict`. */
export function changeComment(
  deps: CommentDeps,
  id: string,
  commentId: string,
  { text, seen }: { text: string; seen: Millis | null },
  actor: Actor,
): Promise<void> {
  return change(deps, id, async (db, article) => {
    const comment = await loadOwn(db, article, commentId, actor);
    const { replacement } = await loadThread(db, article, comment.threadId);
    const isFirst = comment.id === comment.threadId;
    const body = isFirst && replacement !== null && text.trim() === "" ? "" : checkComment(text);
    if (comment.editedAt !== seen) {
      throw new AppError("conflict", "You have edited this comment elsewhere. Reload it, then try again.");
    }
    if (body === comment.body) return;
    const { characters } = await countComments(db, article.rowNo);
    const added = body.length - comment.body.length;
    if (added > 0 && characters + added > MAX_CHARACTERS_OF_ARTICLE) throw noRoom();
    const mentioned = await findMentioned(db, article.websiteId, body);
    // Must increase, because it identifies the version of the comment.
    const at = Math.max(deps.clock(), (comment.editedAt ?? 0) + 1);
    await editComment(db, article.rowNo, comment.id, { body, mentions: toIds(mentioned), at });
    await record(db, deps, actor, article, "article.comment_edited", nameMentions(body, mentioned));
  });
}

/** Deletes one of the actor's or a guest's; a thread with its last one. @throws AppError `not_found`, `forbidden`. */
export function deleteComment(deps: CommentDeps, id: string, commentId: string, actor: Actor): Promise<void> {
  return change(deps, id, async (db, article) => {
    const { threadId } = await loadOwn(db, article, commentId, actor, actor.mayApprove);
    const others = (await listComments(db, article.rowNo)).filter(
      (one) => one.threadId === threadId && one.id !== commentId && !one.isDeleted,
    );
    if (others.length === 0) await deleteThread(db, article.rowNo, threadId);
    else await eraseComment(db, article.rowNo, commentId, deps.clock());
    await record(db, deps, actor, article, "article.comment_deleted", null);
  });
}

/** Has no effect if the thread is already in that state. @throws AppError `not_found`. */
export function resolveThread(
  deps: CommentDeps,
  id: string,
  threadId: string,
  isResolved: boolean,
  actor: Actor,
): Promise<void> {
  return change(deps, id, async (db, article) => {
    const { quote } = await loadThread(db, article, threadId);
    const to = { by: isResolved ? actor.id : null, at: deps.clock() };
    if (!(await setResolved(db, article.rowNo, threadId, to))) return;
    await record(db, deps, actor, article, isResolved ? "article.comment_resolved" : "article.comment_reopened", quote);
  });
}

async function loadOwn(
  db: Snapshot,
  { rowNo }: StoredArticle,
  id: string,
  actor: Actor,
  orGuests = false,
): Promise<Comment> {
  const comment = await findComment(db, rowNo, id);
  if (comment === undefined || comment.isDeleted) throw noSuchComment();
  if (comment.person.id === actor.id || (orGuests && comment.isGuest)) return comment;
  throw new AppError("forbidden", "Only the person who wrote a comment can change it.");
}

function change<T>(
  deps: CommentDeps,
  id: string,
  work: (db: Writer, article: StoredArticle) => Promise<T>,
): Promise<T> {
  return deps.store.write(async (db) => {
    const { websiteId } = await loadHead(db, id);
    await lockWebsite(db, websiteId);
    const done = await work(db, await loadHead(db, id));
    await raiseReviewVersion(db, websiteId);
    return done;
  });
}

/** @param added characters. @throws AppError `conflict`. */
async function assertRoom(db: Snapshot, rowNo: number, added: number): Promise<void> {
  const { count, characters } = await countComments(db, rowNo);
  if (count >= MAX_COMMENTS) {
    throw new AppError(
      "conflict",
      "This article has reached the maximum of 1,000 comments. Delete some of yours first.",
    );
  }
  if (characters + added > MAX_CHARACTERS_OF_ARTICLE) throw noRoom();
}

function noRoom(): AppError {
  return new AppError(
    "conflict",
    "The comments of this article have reached the maximum of 1,000,000 characters. Delete some of yours first.",
  );
}

async function write(
  db: Writer,
  deps: CommentDeps,
  article: StoredArticle,
  comment: { id: string; threadId: string; body: string },
  actor: Actor,
  guest: Guest | null,
): Promise<void> {
  // Guests do not know who the members are.
  const mentioned = guest === null ? await findMentioned(db, article.websiteId, comment.body) : [];
  const mentions = toIds(mentioned);
  const text = nameMentions(comment.body, mentioned);
  const written = { actor: actor.id, guest: guest?.name ?? null, mentions, createdAt: deps.clock() };
  await insertComment(db, article, { ...comment, ...written });
  const isReply = comment.id !== comment.threadId;
  await record(db, deps, actor, article, isReply ? "article.comment_replied" : "article.commented", text);
  const thread = (await listComments(db, article.rowNo)).filter(({ threadId }) => threadId === comment.threadId);
  const writers = thread.map(({ person }) => person.id);
  const notice = { eventId: comment.id, detail: { text, anchor: `comment-${comment.threadId}` } };
  // People who got the first notification do not get the second.
  await notifyOfArticle(db, deps, article, actor, { ...notice, kind: "mention", to: mentions });
  if (isReply) await notifyOfArticle(db, deps, article, actor, { ...notice, kind: "reply", to: writers });
  const to = [article.authorId, article.assigneeId, guest?.invitedBy ?? null];
  await notifyOfArticle(db, deps, article, actor, { ...notice, kind: "comment", to });
}

/** Only members who may see the article can be mentioned. */
async function findMentioned(db: Snapshot, websiteId: string, body: string): Promise<{ id: string; name: string }[]> {
  const ids = findMentions(body);
  if (ids.length === 0) return [];
  const readers = new Map((await listReaders(db, websiteId)).map((reader) => [reader.id, reader]));
  return ids.flatMap((id) => readers.get(id) ?? []);
}

function toIds(people: readonly { id: string }[]): string[] {
  return people.map(({ id }) => id);
}

type CommentAction = Extract<Parameters<typeof recordArticleChange>[4]["action"], `article.comment${string}`>;

/** Characters of a comment that the audit log keeps, even after the comment is deleted. */
const RECORDED_LENGTH = 200;

function record(
  db: Writer,
  deps: CommentDeps,
  actor: Actor,
  article: StoredArticle,
  action: CommentAction,
  text: string | null,
): Promise<void> {
  const detail = text === null ? {} : { text: text.slice(0, RECORDED_LENGTH).toWellFormed() };
  return recordArticleChange(db, deps, actor, article, { action, detail });
}

/** @throws AppError `invalid`. */
function checkQuote({ start, end, quote }: Passage & { quote: string }): void {
  if (start < end && quote.length <= MAX_QUOTE_LENGTH && withoutSpace(quote) !== "") return;
  throw new AppError("invalid", "Select a passage of at most 5,000 characters.", { field: "passage" });
}

/** @throws AppError `invalid`. */
function checkReplacement(replacement: string, passage: NewComment["passage"]): string {
  if (passage === null) {
    throw new AppError("invalid", "Select the passage that the suggestion replaces.", { field: "replacement" });
  }
  const text = replacement.trim();
  if (text.length > MAX_COMMENT_LENGTH || /[\r\n]/.test(text) || text === passage.quote.trim()) {
    throw new AppError(
      "invalid",
      "A suggestion must be a single line of at most 10,000 characters, and differ from the passage.",
      {
        field: "replacement",
      },
    );
  }
  return text;
}
