/** Shows the passages of comments in the article. */
import type { CommentThread } from "../../../../../src/http/admin/contract/comments.ts";
import { findRange, type TextIndex } from "./text-index.ts";

/** As in article.css. */
const [ALL, ACTIVE] = ["comment", "comment-active"];

export function highlight(
  shown: Document,
  index: TextIndex,
  threads: readonly CommentThread[],
  active: string | null,
): void {
  const view = shown.defaultView;
  if (view === null || !("highlights" in CSS)) return;
  const ranges = (some: readonly CommentThread[]) => some.flatMap((thread) => findPassage(index, thread) ?? []);
  const open = threads.filter(({ id, resolved }) => resolved === null && id !== active);
  const { CSS: styles, Highlight: Made } = view;
  styles.highlights.set(ALL, new Made(...ranges(open)));
  styles.highlights.set(ACTIVE, new Made(...ranges(threads.filter(({ id }) => id === active))));
}

/** Null if it is not in the text that is shown. */
export function findPassage(index: TextIndex, { passage }: Pick<CommentThread, "passage">): Range | null {
  return passage && findRange(index, passage.start, passage.end, passage.text);
}
