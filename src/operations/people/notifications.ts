/** Notifies people, in the transaction of a change, at most once per event and person. */
import type { Article } from "../../domain/articles/article.ts";
import type { Millis } from "../../domain/system/time.ts";
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
  lockNotificationSettings,
  markAllRead,
  markRead,
  markUnread,
  type NotificationReader,
  putNotifications,
  saveNotificationSettings,
  type ShownNotification,
} from "../../store/people/notifications.ts";
import type { Snapshot, Writer } from "../../store/store.ts";
import type { Actor, Deps } from "../system/deps.ts";

export interface Notice {
  kind: NotificationKind;
  websiteId: string;
  /** The article or the webhook; null for several. */
  targetId: string | null;
  /** The actor, who is not notified. */
  actor: string;
  /** Identifies the event: each person is notified of it once, so create the most important kind first. */
  eventId: string;
  /** Accounts to notify, without those who lack the permission. `everybody`: all who have it. */
  to: readonly (string | null)[] | "everybody";
  except?: string | null;
  detail?: NotificationDetail;
  count?: number;
  /** Whether later notifications with this `eventId` are added to it instead of being ignored. */
  joins?: boolean;
}

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

export interface Inbox {
  notifications: ShownNotification[];
  unread: number;
}

/** From here on the inbox shows "99+". */
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

/** Marks everything up to `until`, the newest that the person has seen; later ones stay unread. */
export function setAllRead(deps: Pick<Deps, "store" | "clock">, accountId: string, until: Millis): Promise<void> {
  return deps.store.write((db) => markAllRead(db, accountId, until, deps.clock()));
}

export async function getSettings(db: Snapshot, accountId: string): Promise<NotificationSettings> {
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
  await deps.store.write(async (db) => {
    await lockNotificationSettings(db, accountId);
    await saveNotificationSettings(db, accountId, { mail, muted: kinds, timeZone });
  });
}
