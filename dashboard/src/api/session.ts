import { type QueryClient, queryOptions } from "@tanstack/react-query";
import type { WhoAmI } from "../../../src/http/admin/contract/session.ts";
import { readChoice } from "./stored-choice.ts";
import { ApiError, get } from "./client.ts";

export const SESSION_KEY = ["session"] as const;

/** Where the browser remembers the website that was shown last. Read by public/first.js, too. */
export const LAST_WEBSITE = "rostrum.website";

/** The signed-in user; null if nobody is signed in. */
export const sessionQuery = queryOptions({
  queryKey: SESSION_KEY,
  queryFn: async ({ signal }): Promise<WhoAmI | null> => {
    try {
      return await get<WhoAmI>("/session", { query: { website_id: websiteHint() }, signal });
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    }
  },
  staleTime: 60_000,
  gcTime: Number.POSITIVE_INFINITY,
});

/** The website that the page probably shows: the one in the URL, else the last one. */
function websiteHint(): string | null {
  return new URLSearchParams(location.search).get("website") ?? readChoice(LAST_WEBSITE);
}

/** Returns the cached session. A cached null is refetched: the user may have signed in in another tab. @throws ApiError. */
export async function fetchSession(client: QueryClient): Promise<WhoAmI | null> {
  const known = client.getQueryData<WhoAmI | null>(SESSION_KEY);
  return known ?? client.fetchQuery({ ...sessionQuery, staleTime: 2_000 });
}
