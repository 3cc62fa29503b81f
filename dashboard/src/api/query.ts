/**
 * The query client. Cached data is shown at once while it is refetched. Query keys begin with the kind of data, then the
 * website, so that live.ts can invalidate them by prefix:
 *
 *     ["session"]                        the signed-in user
 *     ["articles", websiteId, …]         lists, counts, one article, its history
 *     ["keys", websiteId]
 *     ["senders", websiteId, …]          with their arrivals
 *     ["webhooks", websiteId, …]
 *     ["deliveries", websiteId, …]
 *     ["overview", websiteId]
 *     ["getting-started", websiteId]
 *     ["members", …]
 *     ["websites", …]
 *     ["audit", …]
 *     ["inbox", …]                       the user's own, on all websites
 *     ["account", …]                     the user's own: sessions, second factors, settings
 *     ["presence", websiteId, articleId] who else has it open
 *     ["decisions", articleId]           what the service has not answered yet, or has refused
 */
import { notifyManager, QueryClient } from "@tanstack/react-query";
import { ApiError } from "./client.ts";

const FRESH_MS = 15_000;
const KEPT_MS = 10 * 60_000;
const MAX_RETRIES = 2;

export function createQueryClient(): QueryClient {
  // By default a button learns only in a later task that its change is being sent, and a double click sends it twice.
  notifyManager.setScheduler(queueMicrotask);
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        gcTime: KEPT_MS,
        // The service may run on this machine, so being offline does not make it unreachable.
        networkMode: "always",
        retry: (failures, error) => failures < MAX_RETRIES && error instanceof ApiError && error.status === 0,
        retryDelay: (failures) => 500 * 2 ** failures,
        // live.ts reports changes, so the focus is no reason to refetch.
        refetchOnWindowFocus: false,
      },
      // Changes are never retried: only the user can find out whether the first attempt arrived.
      mutations: { networkMode: "always", retry: false },
    },
  });
}
