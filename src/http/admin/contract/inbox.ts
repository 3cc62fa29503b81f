import { type Static, Type } from "typebox";
import { MAIL_CHOICES, NOTIFICATION_KINDS } from "../../../domain/people/notification.ts";
import { count, oneOf, orNull, strictObject, textOrNull, time, timeOrNull } from "../../contract/schema-helpers.ts";

const kind = oneOf(NOTIFICATION_KINDS, {});

export const inboxParameters = strictObject({
  unread: Type.Optional(oneOf(["true", "false"], { description: "Only unread ones; default: all." })),
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
});

const unread = count("Unread notifications, 100 at most.");

export const notificationPage = Type.Object({
  notifications: Type.Array(
    Type.Object({
      id: Type.String(),
      kind,
      at: time("When the newest of what it is about happened."),
      read_at: timeOrNull("null: unread."),
      website: Type.Object({ id: Type.String(), name: Type.String() }),
      target_id: textOrNull("The article or the webhook; null: several articles."),
      title: textOrNull("Title of the article, or host of the webhook."),
      count: count("How many articles it is about."),
      sentence: Type.String({ description: "What happened." }),
      text: textOrNull("What was requested, the text of the comment, or why it failed."),
      path: Type.String({ description: "The page and the place on it, from /dashboard on." }),
    }),
  ),
  unread,
  next_cursor: textOrNull("null on the last page."),
});
export type NotificationPage = Static<typeof notificationPage>;

export const unreadCount = Type.Object({ unread });
export type UnreadCount = Static<typeof unreadCount>;

export const readInput = strictObject({
  ids: Type.Array(Type.String({ maxLength: 100 }), { minItems: 1, maxItems: 500 }),
  read: Type.Boolean(),
});

export const readAllInput = strictObject({
  until: time("The newest that the user has seen: what came since stays unread."),
});

const mail = oneOf(MAIL_CHOICES, {
  description: "soon: a few minutes after something happened; daily: at eight in the morning.",
});
const muted = Type.Array(kind, { maxItems: 100, description: "Kinds that are not e-mailed." });
const timeZone = Type.String({ maxLength: 100, description: "IANA name, for the daily e-mail." });

export const notificationSettings = Type.Object({
  mail,
  muted,
  time_zone: timeZone,
  sends_mail: Type.Boolean({ description: "Whether this service sends e-mails at all." }),
});
export type NotificationSettings = Static<typeof notificationSettings>;

export const notificationSettingsInput = strictObject({ mail, muted, time_zone: timeZone });

export const unsubscribeInput = strictObject({ token: Type.String({ minLength: 1, maxLength: 2_000 }) });

export const unsubscribeLink = Type.Object({
  email: Type.String({ description: "Where the e-mail was sent." }),
  kinds: orNull(Type.Array(kind), "The kinds of e-mails that it turns off; null: the daily one."),
  is_off: Type.Boolean({ description: "Whether they are off already." }),
});
export type UnsubscribeLink = Static<typeof unsubscribeLink>;
