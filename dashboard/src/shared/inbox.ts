/** The user's notifications, of all websites. */
import { queryOptions } from "@tanstack/react-query";
import type { UnreadCount } from "../../../src/http/admin/contract/inbox.ts";
import { get } from "../api/client.ts";

/** First part of all its query keys; live.ts invalidates them. */
export const INBOX_KEY = ["inbox"] as const;

export const unreadQuery = queryOptions({
  queryKey: [...INBOX_KEY, "unread"],
  queryFn: ({ signal }) => get<UnreadCount>("/inbox/unread", { signal }),
});

/** The service stops counting there. */
export function formatUnread(unread: number): string {
  return unread > 99 ? "99+" : String(unread);
}
