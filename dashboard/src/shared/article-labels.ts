import { queryOptions } from "@tanstack/react-query";
import type { ArticleLabels } from "../../../src/http/admin/contract/articles.ts";
import { get } from "../api/client.ts";

/** The categories and tags that the website's articles have. */
export function labelsQuery(websiteId: string) {
  return queryOptions({
    queryKey: ["articles", websiteId, "labels"],
    queryFn: ({ signal }) => get<ArticleLabels>("/articles/labels", { query: { website_id: websiteId }, signal }),
  });
}
