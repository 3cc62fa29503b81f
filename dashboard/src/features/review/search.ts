/** Which list one goes through, as the address says it after `?`: what the list of articles passes on. */
import type { ArticleView } from "../../../../src/http/admin/contract/articles.ts";
import { queueSearch, type QueueSearch } from "../../shared/article-queue.ts";

/** A list to go through; without a view there is none. */
export type Queue = QueueSearch & { view: ArticleView };

/** Without a view nothing else of a list means anything. */
export function validateSearch(search: Record<string, unknown>): QueueSearch {
  const found = queueSearch(search);
  return found.view === undefined ? {} : found;
}

/** The list that the address names; null if it names none. */
export function queueOf(search: Record<string, unknown>): Queue | null {
  const { view, ...rest } = queueSearch(search);
  return view === undefined ? null : { ...rest, view };
}
