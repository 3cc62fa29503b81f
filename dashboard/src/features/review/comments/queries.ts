import { queryOptions } from "@tanstack/react-query";
import type { ArticleComments, Mentionable } from "../../../../../src/http/admin/contract/comments.ts";
import { apiPath, get } from "../../../api/client.ts";

export const commentsQuery = (websiteId: string, id: string) =>
  queryOptions({
    queryKey: ["articles", websiteId, "comments", id],
    queryFn: ({ signal }) => get<ArticleComments>(apiPath`/articles/${id}/comments`, { signal }),
  });

/** The members who can be mentioned. */
export const mentionableQuery = (websiteId: string, id: string) =>
  queryOptions({
    queryKey: ["mentionable", websiteId],
    queryFn: ({ signal }) => get<Mentionable>(apiPath`/articles/${id}/mentionable`, { signal }),
  });
