import type { Millis } from "./time.ts";

const AUDIT_ACTIONS = [
  "session.started",
  "session.refused",
  "session.ended",
  /** An attempt without permission; not every attempt is recorded. */
  "access.refused",
  "account.created",
  "account.renamed",
  "account.disabled",
  "account.enabled",
  "account.removed",
  "password.set",
  "password.changed",
  "password.reset_requested",
  "email.change_requested",
  "email.changed",
  "email.change_undone",
  "totp.enabled",
  "totp.disabled",
  "recovery_code.used",
  "recovery_codes.renewed",
  "passkey.added",
  "passkey.removed",
  "member.invited",
  "member.accepted",
  "member.added",
  "member.changed",
  "member.removed",
  "key.created",
  "key.revoked",
  "token.created",
  "token.revoked",
  "sender.created",
  "sender.changed",
  "sender.rotated",
  "sender.deleted",
  "arrival.run_again",
  /** The encrypted data in the database was re-encrypted with a new secret key. */
  "secret_key.rotated",
  "review_key.rotated",
  "review_key.revoked",
  "webhook.created",
  "webhook.changed",
  "webhook.rotated",
  "webhook.deleted",
  "webhook.paused",
  "webhook.enabled",
  "webhook.tested",
  "webhook.replayed",
  "webhook.retried",
  "webhook.redelivered",
  "webhook.warned",
  /** Done by the service, or at its receiver's request. */
  "webhook.disabled",
  /** One of its deliveries can neither be sent nor recorded. */
  "webhook.set_aside",
  "dead_letter.retried",
  "dead_letter.discarded",
  "website.created",
  "website.changed",
  /** Together with all its data. */
  "website.deleted",
  "articles.imported",
  "articles.exported",
  "article.created",
  "article.edited",
  "article.draft_saved",
  "article.draft_discarded",
  "article.held_dropped",
  /** A machine asks people to delete it. */
  "article.removal_requested",
  "article.removal_declined",
  /** A machine brought it as published. */
  "article.publication_requested",
  "article.publication_declined",
  /** The draft copy replaced the live content. */
  "article.updated",
  "article.submitted",
  "article.withdrawn",
  "article.assigned",
  "article.commented",
  "article.comment_replied",
  "article.comment_edited",
  "article.comment_deleted",
  "article.comment_resolved",
  "article.comment_reopened",
  "article.author_changed",
  /** A person accepted what was found in the text. */
  "article.integrity_overridden",
  "article.approved",
  "article.unapproved",
  "article.changes_requested",
  /** An item of the request is ticked. */
  "article.request_item_done",
  "article.request_item_reopened",
  "article.scheduled",
  "article.unscheduled",
  "article.published",
  /** The article's scheduled time came, and it could not be published. */
  "article.not_published",
  "article.unpublished",
  "article.deleted",
  "article.restored",
  /** Removed from the trash for good, because ROSTRUM_TRASH_KEEP_DAYS is over. */
  "article.purged",
  /** A link was made that shows it on its website, whatever its state. */
  "article.previewed",
  /** A link was created that lets somebody without an account review a text. */
  "article.review_link_created",
  "article.review_link_revoked",
  "asset.added",
  /** The picture's alternative text was changed. */
  "asset.changed",
  "asset.deleted",
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** What the log can be filtered by. */
export const AUDIT_SUBJECTS = ["articles", "keys", "webhooks", "members", "websites", "accounts"] as const;
export type AuditSubject = (typeof AUDIT_SUBJECTS)[number];

/** The prefixes of each subject's actions. */
const BEGINNINGS: Record<AuditSubject, readonly string[]> = {
  articles: ["article", "articles", "asset"],
  keys: ["key", "token", "secret_key", "review_key", "sender", "arrival"],
  webhooks: ["webhook", "dead_letter"],
  members: ["member"],
  websites: ["website"],
  accounts: ["session", "access", "account", "password", "email", "totp", "recovery_code", "recovery_codes", "passkey"],
};

/** The subject's actions. Every action belongs to one subject. */
export function actionsAbout(subject: AuditSubject): AuditAction[] {
  return AUDIT_ACTIONS.filter((action) => BEGINNINGS[subject].includes(action.slice(0, action.indexOf("."))));
}

export interface Origin {
  /** Id of an account, access token or sender, `cli`, `schedule` or `delivery`. */
  actor: string;
  /** The client's address; null on the machine itself. */
  address: string | null;
}

export interface AuditEntry extends Origin {
  id: string;
  at: Millis;
  /** null if it concerns no website, or every one. */
  websiteId: string | null;
  action: AuditAction;
  targetKind:
    | "account"
    | "session"
    | "membership"
    | "key"
    | "token"
    | "sender"
    | "arrival"
    | "webhook"
    | "website"
    | "article"
    | "asset"
    | "dead_letter"
    | "secret_key"
    | "review_key";
  targetId: string;
  /** Plain facts; never secrets. */
  detail: Record<string, string | number | boolean | null>;
}

/** The command line: anybody who can run commands owns the data. */
export const CLI_ORIGIN: Origin = { actor: "cli", address: null };
export const SCHEDULE_ORIGIN: Origin = { actor: "schedule", address: null };
/** Actions that webhooks cause by themselves. */
export const DELIVERY_ORIGIN: Origin = { actor: "delivery", address: null };
