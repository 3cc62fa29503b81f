/** Describes audit entries: what was done, to be shown after the actor's name. */
import type { AuditAction } from "../../../../src/domain/system/audit.ts";
import type { AuditEntryPage } from "../../../../src/http/admin/contract/audit.ts";
import { formatBytes } from "../../shared/bytes.ts";
import { exactTime } from "../../shared/time.tsx";

export type AuditEntry = AuditEntryPage["entries"][number];

/** `*` stands for the name of the target. */
const SENTENCES: Record<AuditAction, string> = {
  "session.started": "signed in",
  "session.refused": "failed to sign in",
  "session.ended": "ended a session",
  "access.refused": "tried something that their role or scope does not allow",
  "account.created": "joined",
  "account.renamed": "changed their name to *",
  "account.disabled": "disabled the account *",
  "account.enabled": "enabled the account *",
  "account.removed": "removed the account *",
  "password.set": "set a password",
  "password.changed": "changed the password",
  "password.reset_requested": "requested a password reset link for *",
  "email.change_requested": "asked to change the e-mail address",
  "email.changed": "changed the e-mail address",
  "email.change_undone": "undid a change of the e-mail address",
  "totp.enabled": "turned the authenticator on",
  "totp.disabled": "turned the authenticator off",
  "recovery_code.used": "signed in with a recovery code",
  "recovery_codes.renewed": "generated new recovery codes",
  "passkey.added": "added the passkey *",
  "passkey.removed": "removed the passkey *",
  "member.invited": "invited *",
  "member.accepted": "accepted an invitation",
  "member.added": "added * as a member",
  "member.changed": "changed the role of *",
  "member.removed": "removed * from the members",
  "key.created": "created the API key *",
  "key.revoked": "revoked the API key *",
  "token.created": "created the access token *",
  "token.revoked": "revoked the access token *",
  "sender.created": "connected the sender *",
  "sender.changed": "changed the sender *",
  "sender.rotated": "rotated the secret of the sender *",
  "sender.deleted": "deleted the sender *",
  "arrival.run_again": "reran arrivals from *",
  "secret_key.rotated": "encrypted the stored secrets with a new secret key",
  "review_key.rotated": "made a new key for review records",
  "review_key.revoked": "revoked a key of review records",
  "asset.added": "uploaded the picture *",
  "asset.changed": "changed the alternative text of the picture *",
  "asset.deleted": "deleted the picture *",
  "webhook.created": "created the webhook *",
  "webhook.changed": "changed the webhook *",
  "webhook.rotated": "rotated the secret of the webhook *",
  "webhook.deleted": "deleted the webhook *",
  "webhook.paused": "paused the webhook *",
  "webhook.enabled": "enabled the webhook *",
  "webhook.tested": "sent a test to the webhook *",
  "webhook.replayed": "replayed events to the webhook *",
  "webhook.retried": "retried the waiting deliveries to the webhook *",
  "webhook.redelivered": "resent a message to the webhook *",
  "webhook.warned": "reported that * keeps failing",
  "webhook.disabled": "disabled the webhook * because it failed too often",
  "webhook.set_aside": "set aside a delivery to the webhook * that always fails",
  "dead_letter.retried": "retried *, which had been set aside",
  "dead_letter.discarded": "discarded *, which had been set aside",
  "website.created": "created the website *",
  "website.changed": "changed the website *",
  "website.deleted": "permanently deleted the website *",
  "articles.imported": "imported articles",
  "articles.exported": "exported articles",
  "article.created": "created *",
  "article.edited": "edited *",
  "article.draft_saved": "saved a draft copy of *",
  "article.draft_discarded": "discarded the draft copy of *",
  "article.held_dropped": "dropped the held changes to *",
  "article.removal_requested": "asked to delete *",
  "article.removal_declined": "declined a request to delete *",
  "article.publication_requested": "asked to publish *",
  "article.publication_declined": "declined a request to publish *",
  "article.updated": "published the draft copy of *",
  "article.integrity_overridden": "accepted a finding in *",
  "article.submitted": "submitted * for review",
  "article.withdrawn": "withdrew * from review",
  "article.assigned": "assigned *",
  "article.commented": "commented on *",
  "article.comment_replied": "replied to a comment on *",
  "article.comment_edited": "edited a comment on *",
  "article.comment_deleted": "deleted a comment on *",
  "article.comment_resolved": "resolved a comment on *",
  "article.comment_reopened": "reopened a comment on *",
  "article.author_changed": "changed the author of *",
  "article.approved": "approved *",
  "article.unapproved": "took back the approval of *",
  "article.changes_requested": "requested changes to *",
  "article.request_item_done": "marked a requested change of * as done",
  "article.request_item_reopened": "marked a requested change of * as not done",
  "article.scheduled": "scheduled *",
  "article.unscheduled": "cancelled the schedule of *",
  "article.published": "published *",
  "article.not_published": "could not publish *",
  "article.previewed": "previewed * on its website",
  "article.review_link_created": "made a review link for *",
  "article.review_link_revoked": "revoked a review link for *",
  "article.unpublished": "unpublished *",
  "article.deleted": "moved * to the trash",
  "article.restored": "restored * from the trash",
  "article.purged": "permanently deleted * when its time in the trash was over",
};

/** The text before and after the target's name. */
export function buildSentence({ action }: AuditEntry): { before: string; after: string | null } {
  const sentence = Object.hasOwn(SENTENCES, action)
    ? SENTENCES[action as AuditAction]
    : // A newer service may have more actions.
      action.replaceAll(/[._]/g, " ");
  const [before = "", after] = sentence.split("*");
  return { before, after: after ?? null };
}

/** Names actors without an account, too: commands, schedules. */
export function formatActor({ actor }: AuditEntry): string {
  const known: Record<string, string> = {
    cli: "CLI",
    schedule: "Scheduler",
    delivery: "Webhook delivery",
    import: "An import",
  };
  return actor.name ?? actor.email ?? known[actor.id] ?? (actor.id === "" ? "Somebody" : actor.id);
}

/** `at`: the host that a webhook sends to. */
const NAMES = ["title", "name", "email", "url", "at"];

/** The target's name; null if the entry has none. */
export function getTargetName({ detail }: AuditEntry): string | null {
  for (const field of NAMES) {
    const name = detail[field];
    if (typeof name === "string" && name !== "") return name;
  }
  return null;
}

/** In the sentence already, or the id of a review link, which has its label, or of an arrival. */
const HIDDEN = new Set([...NAMES, "link", "arrival"]);

/** Further details, such as the reason; omits what the sentence already contains. */
export function formatFacts({ detail }: AuditEntry): string {
  return Object.entries(detail)
    .filter(([name, value]) => value !== null && value !== "" && value !== 0 && !HIDDEN.has(name))
    .map(([name, value]) => `${factName(name)}: ${factText(name, value)}`)
    .join(" · ");
}

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** Where the field's own name would say too little. */
const FACT_NAMES: Record<string, string> = {
  alt: "Alternative text",
  bytes: "Size",
  expires_at: "Expires",
  prefix: "Begins with",
  source_url: "Source",
};

function factName(field: string): string {
  const name = field.replaceAll("_", " ");
  return FACT_NAMES[field] ?? name.charAt(0).toUpperCase() + name.slice(1);
}

function factText(field: string, value: unknown): string {
  if (field === "bytes") return formatBytes(Number(value));
  if (field === "fields") return String(value).replaceAll("_", " ");
  if (typeof value === "boolean") return value ? "yes" : "no";
  const text = String(value);
  return TIME.test(text) ? exactTime(new Date(text)) : text;
}
