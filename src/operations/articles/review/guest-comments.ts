/** Comments of people without an account, who see only the threads that were begun by their review link. */
import { MAX_GUEST_COMMENT_LENGTH } from "../../../domain/articles/comment.ts";
import { AppError } from "../../../domain/system/errors.ts";
import { foreignText } from "../../../domain/system/foreign-text.ts";
import { countCommentsOf, findComment } from "../../../store/articles/comments.ts";
import { type ReviewLink, setGuest } from "../../../store/articles/review-links.ts";
import type { StoredArticle, Writer } from "../../../store/store.ts";
import type { Actor } from "../../system/deps.ts";
import { type CommentDeps, noSuchComment } from "./comment-places.ts";
import { addComment, getComments, type Guest, type NewComment, replyToComment, type ShownThread } from "./comments.ts";
import {
  assertSameGuest,
  assertSameText,
  checkGuestName,
  describeGuest,
  loadUsableLink,
  toGuestActor,
} from "./review-links.ts";

const MAX_COMMENTS_OF_LINK = 100;

export async function listGuestThreads(deps: CommentDeps, link: ReviewLink): Promise<ShownThread[]> {
  if (link.guest === null) return [];
  const { threads } = await getComments(deps, link.articleId);
  return threads.filter(({ comments: [first] }) => first?.person.id === link.id);
}

interface GuestComment extends Pick<NewComment, "text" | "passage"> {
  name: string;
}

/** @throws AppError `not_found` for the token; `conflict` for another text or name, or too many comments; `invalid`. */
export async function commentAsGuest(
  deps: CommentDeps,
  token: string,
  { name, text: given, passage }: GuestComment,
  address: string | null,
): Promise<void> {
  const { articleId, text, actor, guest } = await enter(deps, token, { name, text: given }, address);
  await addComment(deps, articleId, { text, passage, replacement: null }, actor, guest);
}

/** Answers in a thread that the guest has begun. @throws AppError like `commentAsGuest`. */
export async function replyAsGuest(
  deps: CommentDeps,
  token: string,
  { name, text: given, threadId }: Omit<GuestComment, "passage"> & { threadId: string },
  address: string | null,
): Promise<void> {
  const { articleId, text, actor, guest } = await enter(deps, token, { name, text: given }, address, threadId);
  await replyToComment(deps, articleId, threadId, text, actor, guest);
}

async function enter(
  deps: CommentDeps,
  token: string,
  { name: given, text }: { name: string; text: string },
  address: string | null,
  threadId: string | null = null,
): Promise<{ articleId: string; text: string; actor: Actor; guest: Guest }> {
  const usable = await deps.store.read((db) => loadUsableLink(db, token, deps.clock()));
  assertSameText(usable);
  const name = checkGuestName(given);
  if (text.trim().length > MAX_GUEST_COMMENT_LENGTH) {
    const max = MAX_GUEST_COMMENT_LENGTH.toLocaleString("en");
    throw new AppError("invalid", `A comment has at most ${max} characters: make it shorter.`, { field: "text" });
  }
  const { link } = usable;
  const inWords = describeGuest(usable, name);
  const admit = async (db: Writer, { rowNo }: StoredArticle) => {
    const now = await loadUsableLink(db, token, deps.clock());
    assertSameText(now);
    assertSameGuest(now, name, inWords);
    if (threadId !== null && (await findComment(db, rowNo, threadId))?.person.id !== link.id) throw noSuchComment();
    if ((await countCommentsOf(db, rowNo, link.id)) >= MAX_COMMENTS_OF_LINK) {
      throw new AppError("conflict", `This link has reached the maximum of ${MAX_COMMENTS_OF_LINK} comments.`);
    }
    await setGuest(db, link.id, inWords);
  };
  const guest = { name: inWords, invitedBy: link.createdBy, admit };
  const clean = foreignText(text, text.length);
  return { articleId: link.articleId, text: clean, actor: toGuestActor(usable, inWords, address), guest };
}
