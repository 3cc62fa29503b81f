/** Highlights the commented passages in the article. */
import type { CommentThread } from "../../../../../src/http/admin/contract/comments.ts";
import { setHighlights } from "../document/highlights.ts";
import { findRange, type TextIndex } from "./text-index.ts";

type Highlighted = Pick<CommentThread, "id" | "passage">;

/** `threads`: those that are open, and the active one. */
export function highlight(
  shown: Document,
  index: TextIndex,
  threads: readonly Highlighted[],
  active: string | null,
): void {
  const ranges = (some: readonly Highlighted[]) => some.flatMap((thread) => findPassage(index, thread) ?? []);
  setHighlights(shown, {
    comment: ranges(threads.filter(({ id }) => id !== active)),
    "comment-active": ranges(threads.filter(({ id }) => id === active)),
  });
}

/** Null if the passage is not in the displayed text. */
export function findPassage(index: TextIndex, { passage }: Pick<CommentThread, "passage">): Range | null {
  return passage && findRange(index, passage.start, passage.end, passage.text);
}
