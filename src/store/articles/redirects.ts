/**
 * Earlier slugs and aliases of published articles. Each leads in one step to the current slug of a published article: the one that has the slug
 * now, else the last one that had it. A redirect refers to an article, never to another slug, so there are no chains and no loops.
 */
import { inBatches, placeholders, valuesList } from "../system/sql-batch.ts";
import type { Reader, Writer } from "../store.ts";

export interface Redirect {
  source: string;
  isAlias: boolean;
  articleId: string;
  slug: string;
  platformUrl: string | null;
}

/** Records that the article was published under the slug up to this content version. */
export async function saveEarlierSlug(
  db: Writer,
  { websiteId, rowNo, slug }: { websiteId: string; rowNo: number; slug: string },
  version: number,
): Promise<void> {
  await db.run(
    `INSERT INTO redirects (website_id, source, row_no, is_alias, version) VALUES (?, ?, ?, 0, ?)
     ON CONFLICT (website_id, source, row_no) DO UPDATE SET version = excluded.version, is_alias = 0`,
    websiteId,
    slug,
    rowNo,
    version,
  );
}

/** Makes these the aliases of the article, each a former address of it. */
export async function saveAliases(
  db: Writer,
  { websiteId, rowNo }: { websiteId: string; rowNo: number },
  aliases: readonly string[],
): Promise<void> {
  await db.run("DELETE FROM redirects WHERE row_no = ? AND is_alias = 1", rowNo);
  await inBatches(aliases, (batch) =>
    db.run(
      `INSERT INTO redirects (website_id, source, row_no, is_alias, version) VALUES ${valuesList(batch, "(?, ?, ?, 1, 0)")}
       ON CONFLICT (website_id, source, row_no) DO NOTHING`,
      ...batch.flatMap((alias) => [websiteId, alias, rowNo]),
    ),
  );
}

/** The id of the published article that last had the slug. */
export async function findRedirect(db: Reader, websiteId: string, source: string): Promise<string | undefined> {
  const row = await db.get(
    `SELECT id FROM redirects JOIN articles USING (row_no)
     WHERE redirects.website_id = ? AND source = ? AND ${IS_SHOWN}
     ORDER BY redirects.version DESC, redirects.row_no DESC LIMIT 1`,
    websiteId,
    source,
  );
  return row?.id;
}

const IS_SHOWN = "articles.status = 'published' AND articles.deleted_at IS NULL";

/**
 * Condition on a redirect and its article: the redirect leads there, because no published article has the slug, or had it later.
 */
const LEADS = `${IS_SHOWN} AND articles.slug <> redirects.source
  AND NOT EXISTS (SELECT 1 FROM articles live WHERE live.website_id = redirects.website_id AND live.slug = redirects.source
    AND live.deleted_at IS NULL AND live.status = 'published')
  AND NOT EXISTS (SELECT 1 FROM redirects later JOIN articles target ON target.row_no = later.row_no
    WHERE later.website_id = redirects.website_id AND later.source = redirects.source
      AND (later.version, later.row_no) > (redirects.version, redirects.row_no)
      AND target.status = 'published' AND target.deleted_at IS NULL)` as const;

/** At most `limit` redirects after the given one, ordered by source. */
export async function listRedirects(db: Reader, websiteId: string, after: string, limit: number): Promise<Redirect[]> {
  const rows = await db.all(
    `SELECT redirects.source AS source, is_alias, articles.id AS id, articles.slug AS slug, platform_url
     FROM redirects JOIN articles ON articles.row_no = redirects.row_no
     WHERE redirects.website_id = ? AND redirects.source > ? AND ${LEADS}
     ORDER BY redirects.source LIMIT CAST(? AS BIGINT)`,
    websiteId,
    after,
    limit,
  );
  return rows.map((row) => ({
    source: row.source,
    isAlias: row.is_alias === 1,
    articleId: row.id,
    slug: row.slug,
    platformUrl: row.platform_url,
  }));
}

/** The earlier slugs that lead to each row. */
export async function earlierSlugs(db: Reader, rowNos: readonly number[]): Promise<Map<number, string[]>> {
  const found = await inBatches(rowNos, (batch) =>
    db.all(
      `SELECT redirects.row_no AS row_no, redirects.source AS source
       FROM redirects JOIN articles ON articles.row_no = redirects.row_no
       WHERE redirects.row_no IN (${placeholders(batch)}) AND is_alias = 0 AND ${LEADS} ORDER BY redirects.source`,
      ...batch,
    ),
  );
  const slugs = new Map<number, string[]>();
  for (const { row_no, source } of found.flat()) slugs.set(row_no, [...(slugs.get(row_no) ?? []), source]);
  return slugs;
}
