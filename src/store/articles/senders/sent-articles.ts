/** The articles that a sender has brought by Ghost's protocol, under its ids of 24 hexadecimal digits. */
import { senderSource } from "../../../domain/articles/senders/sender.ts";
import type { Snapshot } from "../../store.ts";

export interface SentFilter {
  /** Null: any. */
  slug: string | null;
  title: string | null;
  isPublished: boolean | null;
}

/** Those that are not in the trash, the newest first. */
export async function listSent(
  db: Snapshot,
  { id, websiteId }: { id: string; websiteId: string },
  { slug, title, isPublished }: SentFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ total: number; sent: { externalId: string; rowNo: number }[] }> {
  const prefix = senderSource(id, "");
  // Digits come before letters in every collation, unlike what ends a prefix elsewhere.
  const values = [websiteId, `${prefix}0`, `${prefix}g`, prefix.length + ID_LENGTH, slug, slug, title, title];
  const status = isPublished === null ? [1, 1] : [0, isPublished ? 1 : 0];
  const counted = await db.get(
    `SELECT count(*) AS articles FROM article_origins JOIN articles ON articles.row_no = article_origins.row_no ${BROUGHT}`,
    ...values,
    ...status,
  );
  const rows = await db.all(
    `SELECT article_origins.source, articles.row_no
     FROM article_origins JOIN articles ON articles.row_no = article_origins.row_no ${BROUGHT}
     ORDER BY articles.row_no DESC LIMIT CAST(? AS BIGINT) OFFSET CAST(? AS BIGINT)`,
    ...values,
    ...status,
    limit,
    offset,
  );
  const sent = rows.map((row) => ({ externalId: row.source.slice(prefix.length), rowNo: row.row_no }));
  return { total: counted?.articles ?? 0, sent };
}

const ID_LENGTH = 24;

const BROUGHT = `WHERE article_origins.website_id = ? AND article_origins.source >= ? AND article_origins.source < ?
  AND length(article_origins.source) = CAST(? AS BIGINT) AND articles.deleted_at IS NULL
  AND (CAST(? AS TEXT) IS NULL OR articles.slug = ?) AND (CAST(? AS TEXT) IS NULL OR articles.title = ?)
  AND (CAST(? AS BIGINT) = 1 OR (CASE WHEN articles.status = 'published' THEN 1 ELSE 0 END) = CAST(? AS BIGINT))`;
