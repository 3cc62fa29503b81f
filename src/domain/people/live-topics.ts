import { type Action, can, type Role } from "./permissions.ts";

export const LIVE_TOPICS = [
  "articles",
  "keys",
  "senders",
  "webhooks",
  "deliveries",
  "reads",
  "members",
  "websites",
  "inbox",
  "presence",
] as const;
export type LiveTopic = (typeof LIVE_TOPICS)[number];

/** The permission to see each topic; the overview, which everybody sees, has deliveries and reads. */
const SEEN_WITH = {
  articles: "articles.read",
  keys: "keys.manage",
  senders: "keys.manage",
  webhooks: "webhooks.manage",
  deliveries: "articles.read",
  reads: "articles.read",
  members: "members.manage",
  websites: "articles.read",
  inbox: "articles.read",
  presence: "articles.read",
} as const satisfies Record<LiveTopic, Action>;

export function topicsFor(role: Role | null): LiveTopic[] {
  return LIVE_TOPICS.filter((topic) => can(role, SEEN_WITH[topic]));
}
