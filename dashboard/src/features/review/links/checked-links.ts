/** What the service found behind the links of an article. */
import { queryOptions } from "@tanstack/react-query";
import type { CheckedLinks } from "../../../../../src/http/admin/contract/links.ts";
import { apiPath, post } from "../../../api/client.ts";

export type Link = CheckedLinks["links"][number];
export type Tone = "fail" | "warn" | "wait" | "pass";

/** The service accepts at most this many links in one request. */
export const MAX_CHECKED_LINKS = 100;
/** How often to ask while checks are under way. */
const POLL_MS = 1_500;

export const linksQuery = (websiteId: string, id: string, urls: readonly string[]) =>
  queryOptions({
    queryKey: ["links", websiteId, id, urls],
    queryFn: ({ signal }) => askLinks(id, { urls }, signal),
    staleTime: 60_000,
    refetchInterval: ({ state: { data } }) => (data?.links.some(isWaiting) === true ? POLL_MS : false),
  });

export function askLinks(
  id: string,
  body: { urls: readonly string[]; again?: boolean },
  signal?: AbortSignal,
): Promise<CheckedLinks> {
  return post<CheckedLinks>(apiPath`/articles/${id}/links`, { body, ...(signal && { signal }) });
}

const TONES = { broken: "fail", unclear: "warn", waiting: "wait", redirected: "pass", reachable: "pass" } as const;

export function toneOf({ check, article }: Link): Tone {
  if (article !== null) return article.status === "published" && !article.is_former ? "pass" : "warn";
  return check === null ? "wait" : TONES[check.state];
}

export function isWaiting(link: Link): boolean {
  return toneOf(link) === "wait";
}

/** How the text shows a link that readers cannot follow, or that leads them to another address; null: as any other. */
export function toMark({ check, article }: Link): { state: "broken" | "redirected"; description: string } | null {
  if (article !== null) {
    if (article.status !== "published") return { state: "broken", description: "Not published yet" };
    return article.is_former ? { state: "redirected", description: "An earlier address of the article" } : null;
  }
  if (check?.state === "broken") {
    return { state: "broken", description: check.reason === null ? "Broken" : `Broken: ${check.reason}` };
  }
  if (check?.state !== "redirected") return null;
  return { state: "redirected", description: `Redirects to ${check.leads_to ?? "another address"}` };
}
