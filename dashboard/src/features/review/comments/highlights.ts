/** Highlights the commented passages in the article. */
import type { CommentThread } from "../../../../../src/http/admin/contract/comments.ts";
import { findRange, type TextIndex } from "./text-index.ts";

/** Names as in article.css. */
const [ALL, ACTIVE] = ["comment", "comment-active"];

type Highlighted = Pick<CommentThread, "id" | "passage">;

/** `threads`: those that are open, and the active one. */
export function highlight(
  shown: Document,
  index: TextIndex,
  threads: readonly Highlighted[],
  active: string | null,
): void {
  const view = shown.defaultView;
  if (view === null || !("highlights" in CSS)) return;
  const ranges = (some: readonly Highlighted[]) => some.flatMap((thread) => findPassage(index, thread) ?? []);
  const open = threads.filter(({ id }) => id !== active);
  const { CSS: styles, Highlight: Made } = view;
  styles.highlights.set(ALL, new Made(...ranges(open)));
  styles.highlights.set(ACTIVE, new Made(...ranges(threads.filter(({ id }) => id === active))));
}

/** Null if the passage is not in the displayed text. */
export function findPassage(index: TextIndex, { passage }: Pick<CommentThread, "passage">): Range | null {
  return passage && findRange(index, passage.start, passage.end, passage.text);
}
