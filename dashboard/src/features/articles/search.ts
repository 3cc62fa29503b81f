/** The URL's search parameters: which list is shown, and which part of it. */
import {
  DEFAULT_QUEUE,
  type FilterName,
  FILTERS,
  type Queue,
  queueSearch,
  type QueueSearch,
} from "../../shared/article-queue.ts";

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

/** The search and the filters, which stay the same in every tab; but a state is one of all articles. */
export function toFilter(search: ArticlesSearch): Pick<ArticlesSearch, FilterName | "q"> {
  const names = FILTERS.filter((name) => name !== "state" || search.view === "all");
  return Object.fromEntries([["q", search.q], ...names.map((name) => [name, search[name]])]);
}

export function hasFilter(search: ArticlesSearch): boolean {
  return Object.values(toFilter(search)).some((value) => value !== undefined);
}

/** Search parameters of another tab: the same search and filters, from the first page. */
export function toTab(search: ArticlesSearch, view: Queue): ArticlesSearch {
  const { size = PAGE_SIZES[0] } = search;
  return { ...toFilter({ ...search, view }), size, ...(view === DEFAULT_QUEUE ? {} : { view }) };
}

/** Search parameters of the same list without paging, for reviewing it article by article. */
export function toQueue(search: ArticlesSearch): QueueSearch {
  return { view: search.view ?? DEFAULT_QUEUE, ...toFilter(search), sort: search.sort };
}
