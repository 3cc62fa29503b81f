/** Tells people of what concerns them: in the transaction of the change, at most once per event and person. */
import type { Article, Millis } from "../../domain/articles/article.ts";
import {
  DEFAULT_SETTINGS,
  isTimeZone,
  NOTIFICATION_KINDS,
  type NotificationDetail,
  type NotificationKind,
  type NotificationSettings,
  rolesFor,
} from "../../domain/people/notification.ts";
import { AppError } from "../../domain/system/errors.ts";
import {
  countUnread,
  findNotificationSettings,
  listNotifications,
  listPeopleWith,
  markAllRead,
  markRead,
  markUnread,
  type NotificationReader,
  putNotifications,
  saveNotificationSettings,
  settleNotifications,
  type ShownNotification,
} from "../../store/people/notifications.ts";
import type { Reader, Writer } from "../../store/store.ts";
import type { Actor, Deps } from "../system/deps.ts";

export interface Notice {
  kind: NotificationKind;
  websiteId: string;
  /** The article or the webhook; null: several. */
  targetId: string | null;
  /** Who did it, and is not told. */
  actor: string;
  /** Identifies the event: nobody is told twice of it, whatever the kind. The kind to be told of is notified first. */
  eventId: string;
  /** Accounts; who may not know of it is left out. `everybody`: all who may. */
  to: readonly (string | null)[] | "everybody";
  /** An account that is not told, beside the actor. */
  except?: string | null;
  detail?: NotificationDetail;
  /** How many articles it is about, 1 if omitted. */
  count?: number;
  /** Whether later notices with this `eventId` are added to it, instead of ignored. */
  joins?: boolean;
}

/** Characters of a quoted text. */
const MAX_TEXT = 500;

/** Call it in the transaction of the event. */
export async function notify(db: Writer, deps: Pick<Deps, "clock" | "newId">, notice: Notice): Promise<void> {
  const { kind, websiteId, targetId, actor, eventId, to, except, detail = {}, count = 1, joins = false } = notice;
  if (to !== "everybody" && to.every((id) => id === null || id === actor)) return;
  const allowed = await listPeopleWith(db, websiteId, rolesFor(kind));
  const recipients = allowed.filter((id) => id !== actor && id !== except && (to === "everybody" || to.includes(id)));
  const text = detail.text === undefined ? {} : { text: detail.text.slice(0, MAX_TEXT).toWellFormed() };
  const at = deps.clock();
  const all = recipients.map((accountId) => ({
    id: deps.newId(),
    accountId,
    websiteId,
    kind,
    targetId,
    eventKey: eventId,
    actor,
    detail: { ...detail, ...text },
    total: count,
    at,
  }));
  await putNotifications(db, all, { joins });
}

/** The same for a change of an article, which may be a part of a bulk action. */
export function notifyOfArticle(
  db: Writer,
  deps: Pick<Deps, "clock" | "newId">,
  article: Pick<Article, "id" | "websiteId">,
  actor: Pick<Actor, "id" | "bulkId">,
  notice: Pick<Notice, "kind" | "to" | "except" | "detail" | "eventId">,
): Promise<void> {
  const { kind, eventId } = notice;
  const { bulkId } = actor;
  const event =
    bulkId === undefined
      ? { eventId }
      : { eventId: `bulk ${actor.id} ${bulkId} ${kind} ${article.websiteId}`, joins: true };
  return notify(db, deps, { ...notice, ...event, websiteId: article.websiteId, targetId: article.id, actor: actor.id });
}

/** Nobody needs to review the article any more: whoever was asked to need not look. */
export function settleReview(db: Writer, deps: Pick<Deps, "clock">, article: Pick<Article, "id">): Promise<void> {
  return settleNotifications(db, article.id, ["to_review", "resubmitted"], deps.clock());
}

/** The approval was taken back. */
export function settleApproval(db: Writer, deps: Pick<Deps, "clock">, article: Pick<Article, "id">): Promise<void> {
  return settleNotifications(db, article.id, ["approved"], deps.clock());
}

export interface Inbox {
  notifications: ShownNotification[];
  /** How many are unread, up to MAX_UNREAD. */
  unread: number;
}

/** The inbox says "99+" from here on. */
const MAX_UNREAD = 100;

export function readInbox(
  deps: Pick<Deps, "store">,
  reader: NotificationReader,
  page: { unread: boolean; after: { at: Millis; id: string } | null; limit: number },
): Promise<Inbox> {
  return deps.store.read(async (db) => ({
    notifications: await listNotifications(db, reader, page),
    unread: await countUnread(db, reader, MAX_UNREAD),
  }));
}

export function readUnreadCount(deps: Pick<Deps, "store">, reader: NotificationReader): Promise<number> {
  return deps.store.read((db) => countUnread(db, reader, MAX_UNREAD));
}

/** Marks the person's own notifications. */
export async function setRead(
  deps: Pick<Deps, "store" | "clock">,
  accountId: string,
  ids: readonly string[],
  isRead: boolean,
): Promise<void> {
  await deps.store.write((db) =>
    isRead ? markRead(db, accountId, ids, deps.clock()).then(() => undefined) : markUnread(db, accountId, ids),
  );
}

/** Marks everything until `until`, the newest that the person has seen: what came since stays unread. */
export function setAllRead(deps: Pick<Deps, "store" | "clock">, accountId: string, until: Millis): Promise<void> {
  return deps.store.write((db) => markAllRead(db, accountId, until, deps.clock()));
}

export async function getSettings(db: Reader, accountId: string): Promise<NotificationSettings> {
  return (await findNotificationSettings(db, accountId)) ?? DEFAULT_SETTINGS;
}

/** @throws AppError `invalid` for an unknown time zone. */
export async function changeSettings(
  deps: Pick<Deps, "store">,
  accountId: string,
  { mail, muted, timeZone }: NotificationSettings,
): Promise<void> {
  if (!isTimeZone(timeZone)) {
    throw new AppError("invalid", `There is no time zone ${timeZone}.`, { field: "time_zone" });
  }
  const kinds = NOTIFICATION_KINDS.filter((kind) => muted.includes(kind));
  await deps.store.write((db) => saveNotificationSettings(db, accountId, { mail, muted: kinds, timeZone }));
}
