/** What is written down of who did what. */
import type { Millis } from "../articles/article.ts";

const AUDIT_ACTIONS = [
  "session.started",
  "session.refused",
  "session.ended",
  /** Somebody tried what they may not; told of once in a while only. */
  "access.refused",
  "account.created",
  "account.disabled",
  "account.enabled",
  "account.removed",
  "password.set",
  "password.changed",
  "password.reset_requested",
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
  /** What is encrypted in the database was encrypted with another secret key. */
  "secret_key.rotated",
  "webhook.created",
  "webhook.changed",
  "webhook.rotated",
  "webhook.deleted",
  "webhook.paused",
  "webhook.enabled",
  "webhook.tested",
  "webhook.replayed",
  "webhook.redelivered",
  /** Its failures are to be looked at; by itself. */
  "webhook.warned",
  /** By itself, or by its receiver's wish. */
  "webhook.disabled",
  /** One of its deliveries can neither be sent nor recorded. */
  "webhook.set_aside",
  "dead_letter.retried",
  "dead_letter.discarded",
  "website.created",
  "website.changed",
  /** With all that it had. */
  "website.deleted",
  "articles.imported",
  "articles.exported",
  "article.created",
  "article.edited",
  "article.draft_saved",
  "article.draft_discarded",
  /** The draft copy was made live. */
  "article.updated",
  "article.approved",
  "article.changes_requested",
  "article.scheduled",
  "article.unscheduled",
  "article.published",
  /** Its time came, and it could not be. */
  "article.not_published",
  "article.unpublished",
  "article.deleted",
  "article.restored",
  /** From the trash, for good; because ROSTRUM_TRASH_KEEP_DAYS is over. */
  "article.purged",
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** What the log can be narrowed to. */
export const AUDIT_SUBJECTS = ["articles", "keys", "webhooks", "members", "websites", "accounts"] as const;
export type AuditSubject = (typeof AUDIT_SUBJECTS)[number];

/** How the names of its actions begin. */
const BEGINNINGS: Record<AuditSubject, readonly string[]> = {
  articles: ["article", "articles"],
  keys: ["key", "secret_key"],
  webhooks: ["webhook", "dead_letter"],
  members: ["member"],
  websites: ["website"],
  accounts: ["session", "access", "account", "password", "totp", "recovery_code", "recovery_codes", "passkey"],
};

/** Every action belongs to one subject. */
export function actionsAbout(subject: AuditSubject): AuditAction[] {
  return AUDIT_ACTIONS.filter((action) => BEGINNINGS[subject].includes(action.slice(0, action.indexOf("."))));
}

/** Who, and from where. */
export interface Origin {
  /** An account's id, `cli`, `schedule` or `delivery`. */
  actor: string;
  /** The client's address; null on the machine itself. */
  address: string | null;
}

export interface AuditEntry extends Origin {
  id: string;
  at: Millis;
  /** null: it concerns no website, or every one. */
  websiteId: string | null;
  action: AuditAction;
  targetKind:
    | "account"
    | "session"
    | "membership"
    | "key"
    | "webhook"
    | "website"
    | "article"
    | "dead_letter"
    | "secret_key";
  targetId: string;
  /** Plain facts; never a secret. */
  detail: Record<string, string | number | boolean | null>;
}

/** Whoever can run commands owns the data. */
export const CLI_ORIGIN: Origin = { actor: "cli", address: null };
/** What happens because its time has come. */
export const SCHEDULE_ORIGIN: Origin = { actor: "schedule", address: null };
/** What webhooks bring about by themselves. */
export const DELIVERY_ORIGIN: Origin = { actor: "delivery", address: null };
