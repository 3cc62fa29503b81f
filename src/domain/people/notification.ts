import type { Millis } from "../system/time.ts";
import { type Action, can, type Role, ROLES } from "./permissions.ts";

/** `may`: the permission on the website that a person needs to be notified. */
const KINDS = {
  to_review: "articles.approve",
  resubmitted: "articles.approve",
  assigned: "articles.edit",
  changes_requested: "articles.read",
  mention: "articles.read",
  reply: "articles.read",
  comment: "articles.read",
  approved: "articles.read",
  published: "articles.read",
  held: "articles.edit",
  removal_requested: "articles.delete",
  publication_failed: "articles.publish",
  webhook_failing: "webhooks.manage",
  token_expiring: "keys.manage",
  sender_needs_attention: "keys.manage",
  sender_silent: "keys.manage",
} as const satisfies Record<string, Action>;

export type NotificationKind = keyof typeof KINDS;

// The compiler widens the keys of an object.
export const NOTIFICATION_KINDS = Object.keys(KINDS) as NotificationKind[];

export function kindsFor(role: Role): NotificationKind[] {
  return NOTIFICATION_KINDS.filter((kind) => can(role, KINDS[kind]));
}

export function rolesFor(kind: NotificationKind): Role[] {
  return ROLES.filter((role) => can(role, KINDS[kind]));
}

/** `soon`: one e-mail a few minutes after the last event of a burst. `daily`: one in the morning. */
export const MAIL_CHOICES = ["soon", "daily", "never"] as const;
export type MailChoice = (typeof MAIL_CHOICES)[number];

export interface NotificationSettings {
  mail: MailChoice;
  muted: readonly NotificationKind[];
  /** IANA name, for the daily e-mail. */
  timeZone: string;
}

export const DEFAULT_SETTINGS: NotificationSettings = { mail: "soon", muted: [], timeZone: "UTC" };

/** The e-mails that a link turns off: the daily one, or those about some kinds. */
export type MailScope = "daily" | readonly NotificationKind[];

/** The settings without these e-mails; the same object if they are off already. */
export function turnMailsOff(settings: NotificationSettings, scope: MailScope): NotificationSettings {
  if (isMailOff(settings, scope)) return settings;
  if (scope === "daily") return { ...settings, mail: "never" };
  const muted = NOTIFICATION_KINDS.filter((kind) => settings.muted.includes(kind) || scope.includes(kind));
  return { ...settings, muted };
}

export function isMailOff({ mail, muted }: NotificationSettings, scope: MailScope): boolean {
  if (scope === "daily") return mail !== "daily";
  return mail === "never" || scope.every((kind) => muted.includes(kind));
}

export interface NotificationDetail {
  /** The requested change, the text of the comment, or the reason for a failure. */
  text?: string;
  /** The name of a webhook, or else its host. */
  host?: string;
  /** The name of an access token. */
  token?: string;
  /** The day of its expiry: `2026-01-31`. */
  expiresOn?: string;
  /** The name of a sender. */
  sender?: string;
  /** The day on which it sent something last. */
  lastOn?: string;
  failures?: number;
  /** The number of failures that disables it. */
  disableAfter?: number;
  isDisabled?: true;
  isImport?: true;
  anchor?: string;
}

export interface NotificationFacts {
  kind: NotificationKind;
  /** Greater than 1 if several articles were changed at once. */
  count: number;
  detail: NotificationDetail;
}

/** Describes the event without the article's title: "Ann submitted this for review." `who`: null for the service. */
export function describeNotification({ kind, count, detail }: NotificationFacts, who: string | null): string {
  if (kind === "publication_failed") return "Could not be published at its scheduled time.";
  if (kind === "webhook_failing") {
    return detail.isDisabled === true
      ? "Disabled: nothing is sent to it any more. What happens meanwhile is kept."
      : `Failed ${detail.failures === 1 ? "once" : `${detail.failures ?? 0} times in a row`}. After ${detail.disableAfter ?? 0} times it is disabled.`;
  }
  if (kind === "token_expiring") {
    return `Expires on ${detail.expiresOn ?? "a day soon"}. Make another access token and give it to its machine before.`;
  }
  if (kind === "sender_needs_attention") return "Sent something that could not be saved.";
  if (kind === "sender_silent") return `Has sent nothing since ${detail.lastOn ?? "a while"}.`;
  if (kind === "held") {
    return count === 1
      ? "Changes of its source are held."
      : `Changes of sources to ${count.toLocaleString("en")} articles are held.`;
  }
  const things = `${count.toLocaleString("en")} articles`;
  const [verb, more] = detail.isImport === true ? (["imported", " to review"] as const) : WORDS[kind];
  if (who !== null) return `${who} ${verb} ${OBJECTS[kind] ?? (count === 1 ? "this" : things)}${more}.`;
  const start = count === 1 ? `${verb.charAt(0).toUpperCase()}${verb.slice(1)}` : `${things} ${verb}`;
  return `${start}${OBJECTS[kind] === undefined ? "" : ` ${OBJECTS[kind]}`}${more}.`;
}

type NamedKind = Exclude<
  NotificationKind,
  "held" | "publication_failed" | "webhook_failing" | "token_expiring" | "sender_needs_attention" | "sender_silent"
>;

/** The actor's action, as the words before and after the object. */
const WORDS: Record<NamedKind, readonly [verb: string, more: string]> = {
  to_review: ["submitted", " for review"],
  resubmitted: ["resubmitted", " after changes"],
  assigned: ["assigned", " to you"],
  changes_requested: ["requested", ""],
  mention: ["mentioned", " in a comment"],
  reply: ["replied to", ""],
  comment: ["commented on", ""],
  approved: ["approved", ""],
  published: ["published", ""],
  removal_requested: ["asked to delete", ""],
};

/** Objects other than the article. */
const OBJECTS: Partial<Record<NotificationKind, string>> = {
  changes_requested: "changes",
  mention: "you",
  reply: "a comment",
};

/** The page and the place on it that a notification is about, from `/dashboard` on. */
export function buildNotificationPath({
  kind,
  targetId,
  websiteId,
  detail,
}: Pick<NotificationFacts, "kind" | "detail"> & { targetId: string | null; websiteId: string }): string {
  const website = `website=${encodeURIComponent(websiteId)}`;
  if (targetId === null) return `/dashboard/articles?view=${VIEW_OF[kind] ?? "all"}&${website}`;
  const id = encodeURIComponent(targetId);
  if (kind === "webhook_failing") return `/dashboard/settings/webhooks/${id}?${website}`;
  if (kind === "token_expiring") return `/dashboard/settings/access-tokens?${website}`;
  if (kind === "sender_needs_attention" || kind === "sender_silent") {
    return `/dashboard/settings/senders/${id}?${website}`;
  }
  const place = detail.anchor === undefined ? "" : `#${encodeURIComponent(detail.anchor)}`;
  return `/dashboard/articles/${id}?${website}${place}`;
}

/** The list that shows the articles when a notification is about several. */
const VIEW_OF: Partial<Record<NotificationKind, string>> = {
  to_review: "in_review",
  resubmitted: "resubmitted",
  assigned: "mine",
  changes_requested: "mine",
  approved: "approved",
  published: "published",
  held: "held",
};

/** Time without further events after which an e-mail is sent, */
export const QUIET_MS = 5 * 60_000;
/** and the longest time after the first event. */
export const MAX_BURST_MS = 30 * 60_000;
const DAILY_HOUR = 8;
const HOUR_MS = 3_600_000;

/** When the e-mail about events from `firstAt` to `lastAt` is due. */
export function mailDueAt({ mail, timeZone }: NotificationSettings, firstAt: Millis, lastAt: Millis): Millis {
  if (mail === "never") return firstAt;
  return mail === "soon" ? Math.min(lastAt + QUIET_MS, firstAt + MAX_BURST_MS) : nextMorning(firstAt, timeZone);
}

/** When the clock there next shows `DAILY_HOUR`, or the first full hour after it where a time change skips it. */
function nextMorning(after: Millis, timeZone: string): Millis {
  const hourOf = new Intl.DateTimeFormat("en", { timeZone, hour: "numeric", hourCycle: "h23" });
  const QUARTER_MS = HOUR_MS / 4;
  const start = (Math.floor(after / QUARTER_MS) + 1) * QUARTER_MS;
  for (let at = start; at <= start + 25 * HOUR_MS; at += QUARTER_MS) {
    const isMorning = Number(hourOf.format(at)) === DAILY_HOUR;
    if (isMorning && Number(hourOf.format(at - QUARTER_MS)) !== DAILY_HOUR) return at;
  }
  return start + 24 * HOUR_MS;
}

/** @returns whether the name is a time zone that this machine knows. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
