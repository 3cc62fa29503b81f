import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { ArticleCounts, ArticlePage } from "../../../../src/http/admin/contract/articles.ts";
import { get } from "../../api/client.ts";
import { type ArticlesSearch, hasFilter, PAGE_SIZES, toFilter, toQueue } from "./search.ts";

export function pageQuery(websiteId: string, search: ArticlesSearch) {
  const { from, size } = search;
  const query = { website_id: websiteId, ...toQueue(search), limit: size ?? PAGE_SIZES[0], offset: from };
  return queryOptions({
    queryKey: ["articles", websiteId, "list", query],
    queryFn: ({ signal }) => get<ArticlePage>("/articles", { query, signal }),
    // Keep the previous rows until the new ones arrive, so that nothing moves.
    placeholderData: keepPreviousData,
  });
}

/** Counts what matches the search and the filters, in every tab. */
export function countsQuery(websiteId: string, search: ArticlesSearch = {}) {
  const filter = toFilter(search);
  return queryOptions({
    queryKey: ["articles", websiteId, "counts", ...(hasFilter(search) ? [filter] : [])],
    queryFn: ({ signal }) =>
      get<ArticleCounts>("/articles/counts", { query: { website_id: websiteId, ...filter }, signal }),
  });
}
