/** What was done, in words: after the name of whoever did it. */
import type { AuditAction } from "../../../../src/domain/audit.ts";
import type { AuditPage } from "../../../../src/http/admin/contract/audit.ts";
import { exactTime } from "../../shared/time.tsx";

export type AuditEntry = AuditPage["entries"][number];

/** `*` is where the name of the thing stands. */
const SENTENCES: Record<AuditAction, string> = {
  "session.started": "signed in",
  "session.refused": "was refused at sign-in",
  "session.ended": "ended a session",
  "account.created": "joined",
  "account.disabled": "disabled the account *",
  "account.enabled": "enabled the account *",
  "account.removed": "removed the account *",
  "password.set": "set a password",
  "password.changed": "changed the password",
  "password.reset_requested": "asked for a link to reset the password of *",
  "totp.enabled": "turned the authenticator on",
  "totp.disabled": "turned the authenticator off",
  "recovery_code.used": "signed in with a recovery code",
  "recovery_codes.renewed": "made new recovery codes",
  "passkey.added": "added the passkey *",
  "passkey.removed": "removed the passkey *",
  "member.invited": "invited *",
  "member.added": "added * as a member",
  "member.changed": "changed the role of *",
  "member.removed": "removed * from the members",
  "key.created": "created the API key *",
  "key.revoked": "revoked the API key *",
  "webhook.created": "created the webhook *",
  "webhook.changed": "changed the webhook *",
  "webhook.rotated": "rotated the secret of the webhook *",
  "webhook.deleted": "deleted the webhook *",
  "webhook.paused": "paused the webhook *",
  "webhook.enabled": "enabled the webhook *",
  "webhook.tested": "sent a test to the webhook *",
  "webhook.replayed": "sent a range again to the webhook *",
  "webhook.redelivered": "sent a delivery again to the webhook *",
  "webhook.warned": "warned of the webhook *, which keeps failing",
  "webhook.disabled": "disabled the webhook *, which failed too often",
  "website.created": "created the website *",
  "website.changed": "changed the website *",
  "articles.imported": "imported articles",
  "article.created": "created *",
  "article.edited": "edited *",
  "article.draft_saved": "saved a draft copy of *",
  "article.draft_discarded": "discarded the draft copy of *",
  "article.updated": "made the draft copy of * live",
  "article.approved": "approved *",
  "article.changes_requested": "requested changes of *",
  "article.scheduled": "scheduled *",
  "article.unscheduled": "took the plan of * back",
  "article.published": "published *",
  "article.unpublished": "took * down",
  "article.deleted": "moved * to the trash",
  "article.restored": "took * out of the trash",
};

/** Before and after the name of the thing. */
export function sentenceOf({ action }: AuditEntry): { before: string; after: string | null } {
  const sentence = Object.hasOwn(SENTENCES, action)
    ? SENTENCES[action as AuditAction]
    : // A newer service may know more.
      action.replaceAll(/[._]/g, " ");
  const [before = "", after] = sentence.split("*");
  return { before, after: after ?? null };
}

/** Commands, plans and what no account is behind. */
export function actorOf({ actor }: AuditEntry): string {
  const known: Record<string, string> = {
    cli: "A command",
    schedule: "The schedule",
    delivery: "The delivery",
    import: "An import",
  };
  return actor.email ?? known[actor.id] ?? (actor.id === "" ? "Somebody" : actor.id);
}

/** `at`: where a webhook's messages go. */
const NAMES = ["title", "name", "email", "url", "at"];

/** What the thing is called; null: the entry does not say. */
export function nameOf({ detail }: AuditEntry): string | null {
  for (const field of NAMES) {
    const name = detail[field];
    if (typeof name === "string" && name !== "") return name;
  }
  return null;
}

/** What else is known, such as the reason: not what the sentence says already. */
export function factsOf({ detail }: AuditEntry): string {
  return Object.entries(detail)
    .filter(([name, value]) => value !== null && value !== "" && value !== 0 && !NAMES.includes(name))
    .map(([name, value]) => `${name.replaceAll("_", " ")}: ${factText(value)}`)
    .join(" · ");
}

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

function factText(value: unknown): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  const text = String(value);
  return TIME.test(text) ? exactTime(new Date(text)) : text;
}
