import { buildNotificationPath, describeNotification, type NotificationFacts } from "./notification.ts";
import { type Mail, paragraphs, subject } from "../system/email.ts";
import { singleLine } from "../system/foreign-text.ts";

export interface MailedNotification extends Omit<NotificationFacts, "count"> {
  websiteId: string;
  websiteName: string;
  targetId: string | null;
  total: number;
  /** null: the service itself. */
  actorName: string | null;
  title: string | null;
}

const MAX_NAMED = 40;
const MAX_QUOTE = 300;

/** `all`: the notifications, oldest first. `token`: turns such e-mails off. */
export function notificationMail(
  all: readonly MailedNotification[],
  { base, isDaily, token }: { base: string; isDaily: boolean; token: string },
): Omit<Mail, "to"> {
  const groups = [...Map.groupBy(all, (one) => one.targetId ?? one).values()];
  const named = groups.slice(0, MAX_NAMED);
  const settings = `${base}/dashboard/settings/account#notifications`;
  return {
    subject: subject(isDaily || groups.length > 1 ? summarise(all, isDaily) : buildSubject(groups[0] ?? [])),
    text: paragraphs(
      ...named.map((group) => describeGroup(group, base)),
      groups.length > MAX_NAMED ? `And ${groups.length - MAX_NAMED} more:\n${base}/dashboard/inbox` : null,
      `Choose what you get by e-mail, and how often:\n${settings}`,
      `Turn ${isDaily ? "this daily summary" : "e-mails like this"} off:\n${base}/dashboard/unsubscribe#${token}`,
    ),
    unsubscribe: `${base}/dashboard/api/unsubscribe?token=${token}`,
    // RFC 8058 requires TLS.
    isOneClick: base.startsWith("https:"),
  };
}

/** One article, webhook or sender: its name, what happened, and the link to its newest notification. */
function describeGroup(group: readonly MailedNotification[], base: string): string {
  const last = group.at(-1);
  if (last === undefined) return "";
  const lines = group.flatMap((one) => [describeOne(one), ...quote(one)]);
  return [`${getName(last)} (${singleLine(last.websiteName)})`, ...lines, `${base}${buildNotificationPath(last)}`].join(
    "\n",
  );
}

function getName({ title, detail, total, kind }: MailedNotification): string {
  if (kind === "webhook_failing") return `Webhook ${singleLine(detail.host ?? "")}`;
  if (kind === "token_expiring") return `Access token ${singleLine(detail.token ?? "")}`;
  if (detail.sender !== undefined) return `Sender ${singleLine(detail.sender)}`;
  if (title !== null) return `“${singleLine(title)}”`;
  return total === 1 ? "An article" : `${total.toLocaleString("en")} articles`;
}

function describeOne(one: MailedNotification): string {
  return describeNotification({ ...one, count: one.total }, one.actorName === null ? null : singleLine(one.actorName));
}

function quote({ detail: { text } }: MailedNotification): string[] {
  if (text === undefined || text.trim() === "") return [];
  const whole = singleLine(text);
  return [`> ${whole.length > MAX_QUOTE ? `${whole.slice(0, MAX_QUOTE).toWellFormed()}…` : whole}`];
}

function buildSubject(group: readonly MailedNotification[]): string {
  const last = group.at(-1);
  if (last === undefined) return "";
  if (last.kind === "webhook_failing") {
    const what = last.detail.isDisabled === true ? "disabled" : "failing";
    return `Webhook ${what}: ${last.detail.host ?? ""} (${last.websiteName})`;
  }
  if (last.kind === "token_expiring") {
    return `Access token expires on ${last.detail.expiresOn}: ${last.detail.token ?? ""} (${last.websiteName})`;
  }
  if (last.detail.sender !== undefined) {
    const what = last.kind === "sender_silent" ? "has stopped" : "needs attention";
    return `Sender ${what}: ${last.detail.sender} (${last.websiteName})`;
  }
  const name = last.title === null ? last.websiteName : `“${singleLine(last.title)}”`;
  return `${name}: ${describeOne(last).replace(/\.$/, "")}`;
}

/** "2 to review, 1 published (Tea)" */
function summarise(all: readonly MailedNotification[], isDaily: boolean): string {
  const counts = new Map<string, number>();
  for (const { kind, total } of all) counts.set(SHORT[kind], (counts.get(SHORT[kind]) ?? 0) + total);
  const parts = [...counts]
    .map(([words, count]) => `${count.toLocaleString("en")} ${count === 1 ? words : (SEVERAL.get(words) ?? words)}`)
    .join(", ");
  const websites = new Set(all.map(({ websiteName }) => websiteName));
  const where = websites.size === 1 ? ` (${[...websites].join("")})` : "";
  return `${isDaily ? "Daily summary: " : ""}${parts}${where}`;
}

const SEVERAL = new Map([
  ["webhook failing", "webhooks failing"],
  ["access token expiring", "access tokens expiring"],
  ["sender needs attention", "senders need attention"],
  ["sender has stopped", "senders have stopped"],
]);
const SHORT = {
  to_review: "to review",
  resubmitted: "resubmitted",
  assigned: "assigned to you",
  changes_requested: "with changes requested",
  mention: "mentioning you",
  reply: "replied to",
  comment: "commented on",
  approved: "approved",
  published: "published",
  held: "with held changes",
  removal_requested: "to delete",
  publication_failed: "not published",
  webhook_failing: "webhook failing",
  token_expiring: "access token expiring",
  sender_needs_attention: "sender needs attention",
  sender_silent: "sender has stopped",
} as const satisfies Record<NotificationFacts["kind"], string>;
