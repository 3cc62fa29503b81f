import { type Static, Type } from "typebox";
import { MAIL_CHOICES, NOTIFICATION_KINDS } from "../../../domain/people/notification.ts";
import { count, oneOf, textOrNull, time, timeOrNull } from "../../contract/schema-helpers.ts";

const strict = { additionalProperties: false };
const kind = oneOf(NOTIFICATION_KINDS, {});

export const inboxParameters = Type.Object(
  {
    unread: Type.Optional(oneOf(["true", "false"], { description: "Only unread ones; default: all." })),
    cursor: Type.Optional(Type.String({ maxLength: 200 })),
  },
  strict,
);

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

export const readInput = Type.Object(
  { ids: Type.Array(Type.String({ maxLength: 100 }), { minItems: 1, maxItems: 500 }), read: Type.Boolean() },
  strict,
);

export const readAllInput = Type.Object(
  { until: time("The newest that the user has seen: what came since stays unread.") },
  strict,
);

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

export const notificationSettingsInput = Type.Object({ mail, muted, time_zone: timeZone }, strict);

export const unsubscribeInput = Type.Object({ token: Type.String({ minLength: 1, maxLength: 2_000 }) }, strict);

export const unsubscribeLink = Type.Object({
  email: Type.String({ description: "Where the e-mail was sent." }),
  kinds: Type.Union([Type.Array(kind), Type.Null()], {
    description: "The kinds of e-mails that it turns off; null: the daily one.",
  }),
  is_off: Type.Boolean({ description: "Whether they are off already." }),
});
export type UnsubscribeLink = Static<typeof unsubscribeLink>;
