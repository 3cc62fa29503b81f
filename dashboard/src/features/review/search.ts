/** The review queue in the URL's search parameters, as passed on by the list of articles. */
import type { ArticleView } from "../../../../src/http/admin/contract/articles.ts";
import { queueSearch, type QueueSearch } from "../../shared/article-queue.ts";

/** A list to review; it always has a view. */
export type QueueFilter = QueueSearch & { view: ArticleView };

/** Without a view the other parameters are meaningless. */
export function validateSearch(search: Record<string, unknown>): QueueSearch {
  const found = queueSearch(search);
  return found.view === undefined ? {} : found;
}

/** The list in the URL; null if there is none. */
export function parseQueue(search: Record<string, unknown>): QueueFilter | null {
  const { view, ...rest } = queueSearch(search);
  return view === undefined ? null : { ...rest, view };
}
