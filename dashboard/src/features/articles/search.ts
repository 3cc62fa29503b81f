/** The URL's search parameters: which list is shown, and which part of it. */
import { DEFAULT_QUEUE, type Queue, queueSearch, type QueueSearch } from "../../shared/article-queue.ts";

export interface ArticlesSearch extends QueueSearch {
  /** Number of articles before the first one shown; absent: none. */
  from?: number | undefined;
  /** Articles per page; absent: `PAGE_SIZES[0]`. */
  size?: number | undefined;
}

export const PAGE_SIZES = [50, 25, 100] as const;

export function validateSearch(search: Record<string, unknown>): ArticlesSearch {
  const from = Number(search["from"]);
  const size = PAGE_SIZES.find((one) => String(one) === String(search["size"]));
  return {
    ...queueSearch(search),
    ...(Number.isSafeInteger(from) && from > 0 && from < 1e9 ? { from } : {}),
    ...(size === undefined || size === PAGE_SIZES[0] ? {} : { size }),
  };
}

/** The search and the filters, which stay the same in every tab. */
export function toFilter({ q, category, tag, keyword, author, origin, finding }: ArticlesSearch) {
  return { q, category, tag, keyword, author, origin, finding };
}

export function hasFilter(search: ArticlesSearch): boolean {
  return Object.values(toFilter(search)).some((value) => value !== undefined);
}

/** Search parameters of another tab: the same search and filters, from the first page. */
export function toTab(search: ArticlesSearch, view: Queue): ArticlesSearch {
  const { size = PAGE_SIZES[0] } = search;
  return { ...toFilter(search), size, ...(view === DEFAULT_QUEUE ? {} : { view }) };
}

/** Search parameters of the same list without paging, for reviewing it article by article. */
export function toQueue({
  view = DEFAULT_QUEUE,
  q,
  category,
  tag,
  keyword,
  author,
  origin,
  finding,
  sort,
}: ArticlesSearch): QueueSearch {
  return { view, q, category, tag, keyword, author, origin, finding, sort };
}
