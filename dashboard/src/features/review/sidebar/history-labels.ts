import type { HistoryEntry } from "../../../../../src/http/admin/contract/review.ts";
import { FINDING_KINDS } from "../../../shared/finding-kinds.ts";

/** The action, to be shown after the actor's name: “Olga approved it”. */
export function describeEntry({ action, detail }: Pick<HistoryEntry, "action" | "detail">): string {
  const words = WORDS[action];
  // A newer service may have more actions.
  return words === undefined ? action.replace(/^\w+\./, "").replaceAll("_", " ") : words(detail);
}

/** Details shown below: a reason, the fields. */
export function getNote({ detail }: Pick<HistoryEntry, "detail">): string | null {
  const { reason, text, fields } = detail;
  if (typeof reason === "string" && reason !== "") return reason;
  if (typeof text === "string" && text !== "") return text.replaceAll(/<@[\w-]+>/g, "@…");
  const names = typeof fields === "string" ? fields.split(/,\s*/) : Array.isArray(fields) ? fields.map(String) : [];
  return names.length === 0 ? null : names.map((name) => name.replaceAll("_", " ")).join(", ");
}

const say = (words: string) => () => words;

const WORDS: Record<string, (detail: Record<string, unknown>) => string> = {
  "article.created": say("created it"),
  "article.imported": say("imported it"),
  "article.edited": (detail) => {
    if (isRestored(detail)) return "restored an earlier revision";
    return detail["suggestion"] === undefined ? "edited it" : "applied a suggestion";
  },
  "article.draft_saved": (detail) =>
    isRestored(detail) ? "restored an earlier revision as a draft copy" : "saved a draft copy",
  "article.draft_discarded": say("discarded the draft copy"),
  "article.held_dropped": say("dropped the held changes"),
  "article.removal_requested": say("asked to delete this"),
  "article.removal_declined": say("declined the request to delete it"),
  "article.publication_requested": say("asked to publish this"),
  "article.publication_declined": say("declined the request to publish it"),
  "article.updated": say("published the draft copy"),
  "article.submitted": ({ undone }) => (undone === true ? "took back the request" : "submitted it for review"),
  "article.withdrawn": say("withdrew it from review"),
  "article.assigned": ({ assignee }) =>
    typeof assignee === "string" ? `assigned it to ${assignee}` : "assigned it to nobody",
  "article.commented": say("commented"),
  "article.comment_replied": say("replied to a comment"),
  "article.comment_edited": say("edited a comment"),
  "article.comment_deleted": say("deleted a comment"),
  "article.comment_resolved": say("resolved a comment"),
  "article.comment_reopened": say("reopened a comment"),
  "article.author_changed": ({ author }) =>
    typeof author === "string" ? `made ${author} its author` : "removed its author",
  "article.integrity_overridden": ({ kind }) => `accepted a finding: ${nameFinding(kind)}`,
  "article.approved": say("approved it"),
  "article.unapproved": say("took the approval back"),
  "article.changes_requested": say("requested changes"),
  "article.request_item_done": ({ item }) => `marked as done: ${String(item)}`,
  "article.request_item_reopened": ({ item }) => `marked as not done: ${String(item)}`,
  "article.scheduled": (detail) => `scheduled it${formatWhen(detail)}`,
  "article.unscheduled": say("cancelled the schedule"),
  "article.published": say("published it"),
  "article.not_published": say("could not publish it"),
  "article.previewed": say("previewed it on the website"),
  "article.review_link_created": ({ label }) =>
    typeof label === "string" ? `made a review link for ${label}` : "made a review link",
  "article.review_link_revoked": say("revoked a review link"),
  "article.unpublished": say("unpublished it"),
  "article.deleted": say("moved it to the trash"),
  "article.restored": say("restored it from the trash"),
};

function nameFinding(kind: unknown): string {
  const names: Readonly<Record<string, string>> = FINDING_KINDS;
  return names[String(kind)] ?? String(kind);
}

function isRestored(detail: Record<string, unknown>): boolean {
  return detail["restored"] !== undefined || detail["revision"] !== undefined;
}

function formatWhen(detail: Record<string, unknown>): string {
  const at = detail["publish_at"];
  if (typeof at !== "string" || Number.isNaN(Date.parse(at))) return "";
  return ` for ${WHEN.format(new Date(at))}`;
}

const WHEN = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });
