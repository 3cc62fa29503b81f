/** Which part of which list, as the address says it after `?`. */
import { queueSearch, type QueueSearch } from "../../shared/article-queue.ts";

export interface ArticlesSearch extends QueueSearch {
  /** How many articles come before the first one shown; absent: none. */
  from?: number | undefined;
  /** Articles on a page; absent: `PAGE_SIZES[0]`. */
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

/** The same list without its pages, as an address: for whoever goes through it article by article. */
export function queueOf({ view = "pending", q, category, tag, keyword, sort }: ArticlesSearch): QueueSearch {
  return { view, q, category, tag, keyword, sort };
}
