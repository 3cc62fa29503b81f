import type { FastifyRequest } from "fastify";
import { buildNotificationPath, describeNotification } from "../../../domain/people/notification.ts";
import { isoTime } from "../../../domain/system/time.ts";
import {
  changeSettings,
  getSettings,
  readInbox,
  readUnreadCount,
  setAllRead,
  setRead,
} from "../../../operations/people/notifications.ts";
import type { NotificationReader, ShownNotification } from "../../../store/people/notifications.ts";
import {
  notificationPage,
  inboxParameters,
  notificationSettings,
  notificationSettingsInput,
  readAllInput,
  readInput,
  unreadCount,
} from "../contract/inbox.ts";
import { readCursor, writeCursor } from "../parameters.ts";
import { type Admin, type AdminServer, getPerson } from "../routes.ts";

const PAGE_SIZE = 50;

export function inboxRoutes(app: AdminServer, { deps }: Admin): void {
  const config = { access: { own: "untouched" } } as const;

  app.get(
    "/inbox",
    { config, schema: { querystring: inboxParameters, response: { 200: notificationPage } } },
    async (request) => {
      const { unread, cursor } = request.query;
      const { notifications, unread: count } = await readInbox(deps, getReader(request), {
        unread: unread === "true",
        after: readCursor(cursor),
        limit: PAGE_SIZE,
      });
      const last = notifications.at(-1);
      return {
        notifications: notifications.map(present),
        unread: count,
        next_cursor: last === undefined || notifications.length < PAGE_SIZE ? null : writeCursor(last),
      };
    },
  );

  app.get("/inbox/unread", { config, schema: { response: { 200: unreadCount } } }, async (request) => ({
    unread: await readUnreadCount(deps, getReader(request)),
  }));

  app.post("/inbox/read", { config, schema: { body: readInput } }, async (request, reply) => {
    const { ids, read } = request.body;
    await setRead(deps, getPerson(request).account.id, ids, read);
    return reply.code(204).send();
  });

  app.post("/inbox/read-all", { config, schema: { body: readAllInput } }, async (request, reply) => {
    await setAllRead(deps, getPerson(request).account.id, Date.parse(request.body.until));
    return reply.code(204).send();
  });

  app.get(
    "/notification-settings",
    { config, schema: { response: { 200: notificationSettings } } },
    async (request) => {
      const { mail, muted, timeZone } = await deps.store.read((db) => getSettings(db, getPerson(request).account.id));
      return { mail, muted: [...muted], time_zone: timeZone, sends_mail: deps.mail !== null };
    },
  );

  app.put("/notification-settings", { config, schema: { body: notificationSettingsInput } }, async (request, reply) => {
    const { mail, muted, time_zone: timeZone } = request.body;
    await changeSettings(deps, getPerson(request).account.id, { mail, muted, timeZone });
    return reply.code(204).send();
  });
}

function getReader(request: FastifyRequest): NotificationReader {
  const { account, session } = getPerson(request);
  return { accountId: account.id, hasSecondFactor: session.hasSecondFactor };
}

function present(one: ShownNotification) {
  return {
    id: one.id,
    kind: one.kind,
    at: isoTime(one.at),
    read_at: one.readAt === null ? null : isoTime(one.readAt),
    website: { id: one.websiteId, name: one.websiteName },
    target_id: one.targetId,
    title: one.title ?? one.detail.host ?? one.detail.token ?? one.detail.sender ?? null,
    count: one.total,
    sentence: describeNotification({ ...one, count: one.total }, one.actorName),
    text: one.detail.text ?? null,
    path: buildNotificationPath(one),
  };
}
