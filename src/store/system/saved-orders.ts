/**
 * Which file holds a saved order (operations/articles/read-model/order-files.ts): its random token is written in a transaction that sees the
 * very version that the file has. A database with the token therefore has that version behind it, whatever was restored or copied.
 */
import { ARTICLE_STATUSES, type ArticleStatus } from "../../domain/articles/article.ts";
import type { Snapshot, Writer } from "../store.ts";

export async function findOrderToken(
  db: Snapshot,
  websiteId: string,
  status: ArticleStatus,
): Promise<string | undefined> {
  const row = await db.get("SELECT value FROM settings WHERE name = ?", settingName(websiteId, status));
  return row?.value;
}

export async function saveOrderToken(
  db: Writer,
  websiteId: string,
  status: ArticleStatus,
  token: string,
): Promise<void> {
  await db.run(
    "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    settingName(websiteId, status),
    token,
  );
}

export async function deleteOrderTokens(db: Writer, websiteId: string): Promise<void> {
  for (const status of ARTICLE_STATUSES) {
    await db.run("DELETE FROM settings WHERE name = ?", settingName(websiteId, status));
  }
}

function settingName(websiteId: string, status: ArticleStatus): string {
  return `order ${websiteId} ${status}`;
}
