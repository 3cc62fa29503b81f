import type { AuditParameters } from "../../../../src/http/admin/contract/audit.ts";

export type AuditSubject = NonNullable<AuditParameters["about"]>;

/** The page's search parameters: which entries are shown. */
export interface AuditSearch {
  /** `all`: every website; absent: the current one. */
  scope?: "all" | undefined;
  /** Absent: entries of every kind. */
  about?: AuditSubject | undefined;
}

export const SUBJECTS: Record<AuditSubject, string> = {
  articles: "Articles",
  keys: "API keys, access tokens and senders",
  webhooks: "Webhooks",
  members: "Members",
  websites: "Websites",
  accounts: "Accounts and sign-ins",
};

export function isSubject(value: unknown): value is AuditSubject {
  return typeof value === "string" && Object.hasOwn(SUBJECTS, value);
}

export function validateSearch({ scope, about }: Record<string, unknown>): AuditSearch {
  return { ...(scope === "all" ? { scope } : {}), ...(isSubject(about) ? { about } : {}) };
}
