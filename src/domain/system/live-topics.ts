/** What of a website can change before somebody's eyes. */
import { type Action, can, type Role } from "../people/permissions.ts";

export const LIVE_TOPICS = ["articles", "keys", "webhooks", "deliveries", "reads", "members", "websites"] as const;
export type LiveTopic = (typeof LIVE_TOPICS)[number];

/** Who cannot see it need not ask for it again. Deliveries and reads stand on the overview, which everybody sees. */
const SEEN_WITH = {
  articles: "articles.read",
  keys: "keys.manage",
  webhooks: "webhooks.manage",
  deliveries: "articles.read",
  reads: "articles.read",
  members: "members.manage",
  websites: "articles.read",
} as const satisfies Record<LiveTopic, Action>;

/** The topics that concern somebody with that role. */
export function topicsFor(role: Role | null): LiveTopic[] {
  return LIVE_TOPICS.filter((topic) => can(role, SEEN_WITH[topic]));
}
