import type { NotificationSettings } from "../../../src/http/admin/contract/inbox.ts";
import type { useSession } from "./session.tsx";

export type NotificationKind = NotificationSettings["muted"][number];
type Role = ReturnType<typeof useSession>["websites"][number]["role"];

/** In the order of lists, with the roles that get them. */
export const NOTIFICATION_KINDS: readonly (readonly [kind: NotificationKind, label: string, roles: readonly Role[]])[] =
  [
    ["to_review", "An article is submitted for review", ["approver", "owner"]],
    ["resubmitted", "An article is resubmitted after changes", ["approver", "owner"]],
    ["assigned", "An article is assigned to me", ["editor", "approver", "owner"]],
    ["changes_requested", "Changes to my article are requested", ["editor", "approver", "owner"]],
    ["approved", "My article is approved", ["editor", "approver", "owner"]],
    ["published", "My article is published", ["editor", "approver", "owner"]],
    ["held", "Changes from a source are held", ["editor", "approver", "owner"]],
    ["mention", "Somebody mentions me in a comment", ["viewer", "editor", "approver", "owner"]],
    ["reply", "Somebody replies to my comment", ["viewer", "editor", "approver", "owner"]],
    ["comment", "Somebody comments on my article", ["viewer", "editor", "approver", "owner"]],
    ["removal_requested", "A machine asks to delete an article", ["approver", "owner"]],
    ["publication_failed", "A scheduled publication fails", ["approver", "owner"]],
    ["webhook_failing", "A webhook keeps failing", ["owner"]],
    ["token_expiring", "An access token expires soon", ["owner"]],
    ["sender_needs_attention", "An arrival from a sender could not be saved", ["owner"]],
    ["sender_silent", "A sender has stopped sending", ["owner"]],
  ];
