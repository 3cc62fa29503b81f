/** Where the passages of comments are in the text that editors see now. */
import { followInText, type FollowInput, type Followed, isLost } from "../../../domain/articles/passages.ts";
import { AppError } from "../../../domain/system/errors.ts";
import { findArticleAnywhere } from "../../../store/articles/articles.ts";
import {
  type CommentThread,
  findCommentedText,
  findThread,
  listThreads,
  movePassage,
  putCommentedText,
  readCommentedText,
} from "../../../store/articles/comments.ts";
import { findDraftCopy } from "../../../store/articles/draft-copies.ts";
import type { Snapshot, StoredArticle } from "../../../store/store.ts";
import { lockWebsite } from "../../../store/system/websites.ts";
import type { Deps } from "../../system/deps.ts";
import { noSuchArticle } from "../write/article-persistence.ts";
import { asPublished, loadReviewed } from "./article-review.ts";

export type CommentDeps = Pick<Deps, "store" | "clock" | "newId" | "deriveContent" | "findPassages">;

/** Texts and passages up to this total length are compared directly, which takes a few milliseconds. */
const SHORT_CHARACTERS = 50_000;
const MAX_TRIES = 3;

/** Locates the passages in the text that editors see now. `always`: even if there are none. */
export async function updatePlaces(deps: CommentDeps, id: string, always = false): Promise<void> {
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) if (await updateOnce(deps, id, always)) return;
}

/** @returns false if the article has changed in between. */
async function updateOnce(deps: CommentDeps, id: string, always: boolean): Promise<boolean> {
  const found = await deps.store.read(async (db) => {
    const { rowNo, version } = await loadHead(db, id);
    const draft = await findDraftCopy(db, rowNo);
    const threads = await listThreads(db, rowNo);
    const seen = await findCommentedText(db, rowNo);
    const isCurrent = seen?.version === version && seen.draftedAt === (draft?.savedAt ?? null);
    if (isCurrent || (threads.length === 0 && !always)) return undefined;
    return { reviewed: await loadReviewed(db, id), threads, seen, from: (await readCommentedText(db, rowNo)) ?? "" };
  });
  if (found === undefined) return true;
  const { reviewed, seen, from } = found;
  const { article } = reviewed.full;
  const { body } = reviewed.draft === undefined ? reviewed.full : await asPublished(deps, reviewed);
  const placed = found.threads.flatMap(({ id: threadId, place }) => (place === null ? [] : [{ threadId, place }]));
  const input = { from, to: body.text, passages: placed.map(({ place }) => place) };
  const followed = await findPassages(deps, article.websiteId, input);
  return deps.store.write(
    async (db) => {
      await lockWebsite(db, article.websiteId);
      const now = await findCommentedText(db, article.rowNo);
      if (now?.version !== seen?.version || now?.draftedAt !== seen?.draftedAt) return false;
      const threads = await listThreads(db, article.rowNo);
      if (threads.length !== found.threads.length) return false;
      const draftedAt = reviewed.draft?.savedAt ?? null;
      await putCommentedText(db, article, { version: article.version, draftedAt, text: followed.text });
      for (const [index, { threadId, place }] of placed.entries()) {
        const to = followed.passages[index];
        if (to !== undefined && JSON.stringify(to) !== JSON.stringify(place)) {
          await movePassage(db, article.rowNo, threadId, to);
        }
      }
      return true;
    },
    { notify: false },
  );
}

async function findPassages(
  deps: Pick<Deps, "findPassages">,
  websiteId: string,
  input: FollowInput,
): Promise<Followed> {
  const { from, to, passages } = input;
  const lengths = passages.map((one) => (isLost(one) ? one.text.length : one.end - one.start));
  const characters = lengths.reduce((sum, length) => sum + length, from.length + to.length);
  if (characters <= SHORT_CHARACTERS) return followInText(input);
  return deps.findPassages(websiteId, input);
}

export async function loadHead(db: Snapshot, id: string): Promise<StoredArticle> {
  const article = await findArticleAnywhere(db, id);
  if (article === undefined) throw noSuchArticle(id);
  return article;
}

export async function loadThread(db: Snapshot, { rowNo }: StoredArticle, id: string): Promise<CommentThread> {
  const thread = await findThread(db, rowNo, id);
  if (thread === undefined) throw noSuchComment();
  return thread;
}

export function noSuchComment(): AppError {
  return new AppError("not_found", "There is no such comment; it may have been deleted.");
}

export function textChanged(): AppError {
  return new AppError(
    "conflict",
    "The text has changed since you selected this passage. Load the new version, then select it again.",
  );
}
