/**
 * What was asked is kept, and shown at once when somebody comes back to it, while it is asked again. Keys begin with what
 * they hold, then the website, so that live.ts can say what has changed:
 *
 *     ["session"]                        who is signed in
 *     ["articles", websiteId, …]         lists, counts, one article, its history
 *     ["keys", websiteId]
 *     ["webhooks", websiteId, …]
 *     ["deliveries", websiteId, …]
 *     ["overview", websiteId]
 *     ["getting-started", websiteId]
 *     ["members", …]
 *     ["websites", …]
 *     ["audit", …]
 *     ["account", …]                     the person's own: sessions, second factors
 */
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "./client.ts";
import { SESSION_KEY } from "./session.ts";

const FRESH_MS = 15_000;
const KEPT_MS = 10 * 60_000;
const MAX_RETRIES = 2;

export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: (error) => noticeSignOut(client, error) }),
    mutationCache: new MutationCache({ onError: (error) => noticeSignOut(client, error) }),
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        gcTime: KEPT_MS,
        // The service may well be on this machine: no network does not mean that it is away.
        networkMode: "always",
        retry: (failures, error) => failures < MAX_RETRIES && error instanceof ApiError && error.status === 0,
        retryDelay: (failures) => 500 * 2 ** failures,
        // live.ts says what has changed; coming back to the tab is no reason.
        refetchOnWindowFocus: false,
      },
      // What changes something is sent once: whether it arrived, only the person can find out.
      mutations: { networkMode: "always", retry: false },
    },
  });
  return client;
}

/** The session ended: the shell sees it, and asks to sign in. */
function noticeSignOut(client: QueryClient, error: unknown): void {
  const isSignedOut = error instanceof ApiError && error.status === 401;
  if (isSignedOut && client.getQueryData(SESSION_KEY) != null) client.setQueryData(SESSION_KEY, null);
}
