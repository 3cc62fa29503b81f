/** Queries of the article pages; keys as in api/query.ts. */
import { infiniteQueryOptions, type QueryClient, queryOptions } from "@tanstack/react-query";
import type { ArticlePlace } from "../../../../src/http/admin/contract/articles.ts";
import type {
  ArticleDeliveries,
  ArticleTranslations,
  Comparison,
  HeldChanges,
  History,
  RedlineBases,
  RedlineReply,
  ReviewedArticle,
  Revision,
} from "../../../../src/http/admin/contract/review.ts";
import type { Website } from "../../../../src/http/admin/contract/websites.ts";
import { apiPath, get } from "../../api/client.ts";
import type { SideId } from "./compare/side.ts";
import type { QueueFilter } from "./search.ts";

export const reviewedQuery = (websiteId: string, id: string) =>
  queryOptions({
    queryKey: ["articles", websiteId, "one", id],
    queryFn: ({ signal }) => get<ReviewedArticle>(apiPath`/articles/${id}`, { signal }),
  });

/** Other articles of the same translation group. Their changes are the website's, so they are asked for again with its articles. */
export const translationsQuery = ({ website_id, article, translation_group }: ReviewedArticle) =>
  queryOptions({
    queryKey: ["articles", website_id, "translations", article.id],
    queryFn: ({ signal }) => get<ArticleTranslations>(apiPath`/articles/${article.id}/translations`, { signal }),
    enabled: translation_group !== null,
  });

/** The article's position in the list. */
export const placeQuery = (websiteId: string, id: string, queue: QueueFilter) =>
  queryOptions({
    queryKey: ["articles", websiteId, "place", queue, id],
    queryFn: ({ signal }) =>
      get<ArticlePlace>("/articles/place", { query: { website_id: websiteId, id, ...queue }, signal }),
  });

export const historyQuery = (websiteId: string, id: string) =>
  infiniteQueryOptions({
    queryKey: ["articles", websiteId, "history", id],
    queryFn: ({ pageParam, signal }) =>
      get<History>(apiPath`/articles/${id}/history`, { query: { cursor: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  });

export const comparisonQuery = (websiteId: string, id: string) =>
  queryOptions({
    queryKey: ["articles", websiteId, "comparison", id],
    queryFn: ({ signal }) => get<Comparison>(apiPath`/articles/${id}/comparison`, { signal }),
  });

export const redlineBasesQuery = ({ website_id, article }: ReviewedArticle) =>
  queryOptions({
    queryKey: ["articles", website_id, "redline-bases", article.id],
    queryFn: ({ signal }) => get<RedlineBases>(apiPath`/articles/${article.id}/redline-bases`, { signal }),
  });

export const heldQuery = ({ website_id, article }: ReviewedArticle) =>
  queryOptions({
    queryKey: ["articles", website_id, "held", article.id],
    queryFn: ({ signal }) => get<HeldChanges>(apiPath`/articles/${article.id}/held`, { signal }),
  });

export const articleDeliveriesQuery = ({ website_id, article, line }: ReviewedArticle) =>
  queryOptions({
    queryKey: ["deliveries", website_id, "article", article.id, line.version],
    queryFn: ({ signal }) => get<ArticleDeliveries>(apiPath`/articles/${article.id}/deliveries`, { signal }),
    enabled: line.status === "published" && line.deleted_at === null,
  });

/** Computed anew for each text of the article. */
export const redlineQuery = ({ website_id, article, line, draft }: ReviewedArticle, from: SideId, to: SideId) =>
  queryOptions({
    queryKey: ["redlines", website_id, article.id, from, to, line.version, draft?.saved_at],
    queryFn: ({ signal }) =>
      get<RedlineReply>(apiPath`/articles/${article.id}/redline`, { query: { from, to }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

/** A revision never changes. */
export const revisionQuery = (websiteId: string, id: string, revision: string) =>
  queryOptions({
    queryKey: ["revisions", websiteId, id, revision],
    queryFn: ({ signal }) => get<Revision>(apiPath`/articles/${id}/revisions/${revision}`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The website, whose URL is the base of relative URLs in its articles. */
export const websiteQuery = (websiteId: string) =>
  queryOptions({
    queryKey: ["websites", websiteId],
    queryFn: ({ signal }) => get<Website>(apiPath`/websites/${websiteId}`, { signal }),
  });

/** Queries about one article, which a change of another leaves as they are. */
const OF_ONE_ARTICLE: ReadonlySet<unknown> = new Set([
  "one",
  "history",
  "comparison",
  "redline-bases",
  "comments",
  "review-links",
]);

/** Caches the response to the user's own change, and invalidates all other queries that show the article. */
export function takeAnswer(client: QueryClient, answer: ReviewedArticle): void {
  const { queryKey } = reviewedQuery(answer.website_id, answer.article.id);
  // An older response that is still pending would overwrite the change.
  void client.cancelQueries({ queryKey });
  client.setQueryData(queryKey, answer);
  void client.invalidateQueries({
    queryKey: ["articles", answer.website_id],
    predicate: ({ queryKey: [, , kind, of] }) =>
      OF_ONE_ARTICLE.has(kind) ? kind !== "one" && of === answer.article.id : true,
  });
  void client.invalidateQueries({ queryKey: ["overview", answer.website_id] });
}
