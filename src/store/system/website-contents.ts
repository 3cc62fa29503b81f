import type { Snapshot } from "../store.ts";

/** Counts of what a website has, without what was revoked or deleted before. */
export interface WebsiteContents {
  /** Including those in the trash. */
  articles: number;
  events: number;
  keys: number;
  webhooks: number;
  /** Members of this website alone, including invited ones. */
  members: number;
}

export async function countContents(db: Snapshot, websiteId: string): Promise<WebsiteContents> {
  const row = await db.get(
    `SELECT (SELECT COUNT(*) FROM articles WHERE website_id = ?) AS articles,
       (SELECT COUNT(*) FROM events WHERE website_id = ?) AS events,
       (SELECT COUNT(*) FROM api_keys WHERE website_id = ? AND revoked_at IS NULL) AS keys,
       (SELECT COUNT(*) FROM endpoints WHERE website_id = ? AND deleted_at IS NULL) AS webhooks,
       (SELECT COUNT(*) FROM memberships WHERE website_id = ?) AS members`,
    websiteId,
    websiteId,
    websiteId,
    websiteId,
    websiteId,
  );
  return row ?? { articles: 0, events: 0, keys: 0, webhooks: 0, members: 0 };
}
