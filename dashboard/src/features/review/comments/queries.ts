import { queryOptions } from "@tanstack/react-query";
import type { ArticleComments, Mentionable } from "../../../../../src/http/admin/contract/comments.ts";
import { at, get } from "../../../api/client.ts";

export const commentsQuery = (websiteId: string, id: string) =>
  queryOptions({
    queryKey: ["articles", websiteId, "comments", id],
    queryFn: ({ signal }) => get<ArticleComments>(at`/articles/${id}/comments`, { signal }),
  });

/** The members who can be mentioned. */
export const mentionableQuery = (websiteId: string, id: string) =>
  queryOptions({
    queryKey: ["mentionable", websiteId],
    queryFn: ({ signal }) => get<Mentionable>(at`/articles/${id}/mentionable`, { signal }),
  });
