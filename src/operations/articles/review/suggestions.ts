/** Changes that comments suggest, and how they are applied to the source. */
import { writtenMarkdown } from "../../../domain/articles/article.ts";
import { expectText, replaceInSource, type Suggestion } from "../../../domain/articles/comment.ts";
import { BLANK_SOURCE } from "../../../domain/articles/content/content-source.ts";
import { isLost, withoutSpace } from "../../../domain/articles/passages.ts";
import { AppError } from "../../../domain/system/errors.ts";
import { readCommentedText, setResolved } from "../../../store/articles/comments.ts";
import type { Writer } from "../../../store/store.ts";
import type { Actor } from "../../system/deps.ts";
import { makeEdit } from "../write/article-changes.ts";
import { asPublished, loadReviewed } from "./article-review.ts";
import { type CommentDeps, loadThread, textChanged, updatePlaces } from "./comment-places.ts";
import type { ExpectedVersion, SeenDraft } from "../write/optimistic-lock.ts";

const BY_HAND = "Make the change by hand.";

/**
 * Changes exactly the passage's characters, in the draft copy if published. @throws AppError `conflict` if the passage
 * or the article has changed, or the passage is not one piece of the source.
 */
export async function applySuggestion(
  deps: CommentDeps,
  id: string,
  threadId: string,
  seen: ExpectedVersion & SeenDraft,
  actor: Actor,
): Promise<void> {
  await updatePlaces(deps, id);
  const { reviewed, thread, text } = await deps.store.read(async (db) => {
    const found = await loadReviewed(db, id);
    const { article } = found.full;
    return {
      reviewed: found,
      thread: await loadThread(db, article, threadId),
      text: (await readCommentedText(db, article.rowNo)) ?? "",
    };
  });
  const { place, replacement, quote, resolved } = thread;
  if (replacement === null) throw new AppError("conflict", `This comment contains no suggestion. ${BY_HAND}`);
  if (resolved !== null) throw new AppError("conflict", "This suggestion is settled already. Reopen it to apply it.");
  if (place === null || isLost(place) || text.slice(place.start, place.end) !== withoutSpace(quote)) {
    throw new AppError("conflict", `The passage has changed since this was suggested. ${BY_HAND}`);
  }
  const { article, body } = reviewed.draft === undefined ? reviewed.full : await asPublished(deps, reviewed);
  const content = writtenMarkdown(body) ?? body.html;
  const suggestion: Suggestion = { source: body.source, content, text, passage: place, replacement };
  const found = await findRight(deps, article.websiteId, suggestion);
  if (found === undefined) {
    const where = `This passage cannot be replaced on its own: it has formatting, or occurs in several places of the source`;
    throw new AppError("conflict", `${where}. ${BY_HAND}`);
  }
  const settle = async (db: Writer) => {
    const { rowNo } = reviewed.full.article;
    const to = { by: actor.id, at: deps.clock(), isApplied: true };
    if (!(await setResolved(db, rowNo, threadId, to))) throw textChanged();
  };
  const changes = body.source === "html" ? { content: found } : { markdown: found };
  const facts = { suggestion: threadId };
  await makeEdit(deps, id, { changes, seen, asDraft: true, acceptLoss: true, facts, inTransaction: settle }, actor);
}

/** The candidate source whose visible text differs only in the passage. */
async function findRight(deps: CommentDeps, websiteId: string, suggestion: Suggestion): Promise<string | undefined> {
  const expected = expectText(suggestion);
  for (const content of replaceInSource(suggestion)) {
    const source = suggestion.source === "html" ? { html: content } : { markdown: content };
    const prepared = await deps.deriveContent(websiteId, { ...BLANK_SOURCE, ...source }, deps.clock());
    if (withoutSpace(prepared.text) === expected) return content;
  }
  return undefined;
}
