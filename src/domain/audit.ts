/** What is written down of who did what. */
import type { Millis } from "./article.ts";

const AUDIT_ACTIONS = [
  "session.started",
  "session.refused",
  "session.ended",
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
  "member.added",
  "member.changed",
  "member.removed",
  "key.created",
  "key.revoked",
  "webhook.created",
  "webhook.changed",
  "webhook.rotated",
  "webhook.deleted",
  "website.changed",
  "article.approved",
  "article.changes_requested",
  "article.scheduled",
  "article.published",
  "article.unpublished",
  "article.deleted",
  "article.restored",
] as const;
type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** Who, and from where. */
export interface Origin {
  /** An account's id, or `cli`. */
  actor: string;
  /** Of the client; null: on the machine itself. */
  address: string | null;
}

export interface AuditEntry extends Origin {
  id: string;
  at: Millis;
  /** null: it concerns no website, or every one. */
  websiteId: string | null;
  action: AuditAction;
  targetKind: "account" | "session" | "membership" | "key" | "webhook" | "website" | "article";
  targetId: string;
  /** Plain facts; never a secret. */
  detail: Record<string, string | number | boolean | null>;
}

/** Whoever can run commands owns the data. */
export const CLI_ORIGIN: Origin = { actor: "cli", address: null };
