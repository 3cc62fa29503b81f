/** Queries for the user's own account. */
import { queryOptions } from "@tanstack/react-query";
import type { NotificationSettings } from "../../../../src/http/admin/contract/inbox.ts";
import type { PasskeyList } from "../../../../src/http/admin/contract/passkeys.ts";
import type { PendingEmail, SessionList } from "../../../../src/http/admin/contract/session.ts";
import type { TotpState } from "../../../../src/http/admin/contract/totp.ts";
import { get } from "../../api/client.ts";

export const totpQuery = queryOptions({
  queryKey: ["account", "totp"],
  queryFn: ({ signal }) => get<TotpState>("/totp", { signal }),
});

export const pendingEmailQuery = queryOptions({
  queryKey: ["account", "email"],
  queryFn: ({ signal }) => get<PendingEmail>("/account/email", { signal }),
});

export const notificationsQuery = queryOptions({
  queryKey: ["account", "notifications"],
  queryFn: ({ signal }) => get<NotificationSettings>("/notification-settings", { signal }),
});

export const passkeysQuery = queryOptions({
  queryKey: ["account", "passkeys"],
  queryFn: ({ signal }) => get<PasskeyList>("/passkeys", { signal }),
});

export const sessionsQuery = queryOptions({
  queryKey: ["account", "sessions"],
  queryFn: ({ signal }) => get<SessionList>("/sessions", { signal }),
});
