/**
 * Earlier slugs and aliases of published articles. Each leads to the published article that has the slug now, else to
 * the last one that had it. A redirect names an article, never a slug, so that there are no chains and no loops. Where
 * slugs are unique per language, this holds for each language.
 */
import type { Millis } from "../../domain/system/time.ts";
import { declareRow } from "../row.ts";
import { inBatches, placeholders, valuesList } from "../system/sql-batch.ts";
import type { Snapshot, Writer } from "../store.ts";
import { ARTICLE_LANGUAGE, OWN_LANGUAGE } from "./article-queries.ts";

export interface Redirect {
  source: string;
  isAlias: boolean;
  /** The language that the source has or had; null: unknown. */
  language: string | null;
  articleId: string;
  slug: string;
  platformUrl: string | null;
  cursor: string;
}

/** Records that the article was published under the slug, in the language, up to this content version. */
export async function saveEarlierSlug(
  db: Writer,
  { websiteId, rowNo, slug, language }: { websiteId: string; rowNo: number; slug: string; language: string | null },
  version: number,
): Promise<void> {
  // A row of `redirects` has the last language; those before it go to `language_redirects`.
  await db.run(
    `INSERT INTO language_redirects (website_id, source, row_no, language, version)
     SELECT website_id, source, row_no, language, version FROM redirects
     WHERE website_id = ? AND source = ? AND row_no = ? AND is_alias = 0 AND language <> ?
     ON CONFLICT (website_id, source, row_no, language) DO UPDATE SET version = excluded.version`,
    websiteId,
    slug,
    rowNo,
    language ?? "",
  );
  await db.run(
    `INSERT INTO redirects (website_id, source, row_no, is_alias, version, language) VALUES (?, ?, ?, 0, ?, ?)
     ON CONFLICT (website_id, source, row_no)
     DO UPDATE SET version = excluded.version, is_alias = 0, language = excluded.language`,
    websiteId,
    slug,
    rowNo,
    version,
    language ?? "",
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

/** Articles that had the slug, the last first; per language, the website's own first. `language`: only in it. */
export function listFormer(
  db: Snapshot,
  websiteId: string,
  source: string,
  language?: string,
): Promise<{ id: string; language: string | null }[]> {
  return db.all(
    declareRow<{ id: string; language: string | null }>(
      `SELECT articles.id AS id, nullif(${LANGUAGE}, '') AS language ${FROM_REDIRECTS}
       WHERE redirects.website_id = ? AND source = ? AND ${IS_SHOWN}
         ${language === undefined ? "" : `AND ${LANGUAGE} = ?`}
       ORDER BY websites.slugs_per_language = 1 AND ${LANGUAGE} <> ${OWN_LANGUAGE},
         redirects.version DESC, redirects.row_no DESC`,
    ),
    websiteId,
    source,
    ...(language === undefined ? [] : [language]),
  );
}

export async function findRedirect(
  db: Snapshot,
  websiteId: string,
  source: string,
  language?: string,
): Promise<string | undefined> {
  const [first] = await listFormer(db, websiteId, source, language);
  return first?.id;
}

/** When the last article that was published under the slug was deleted, of those in the trash. `language`: only in it. */
export async function findGone(
  db: Snapshot,
  websiteId: string,
  source: string,
  language?: string,
): Promise<Millis | undefined> {
  const row = await db.get(
    declareRow<{ deleted_at: Millis | null }>(
      // What was published has a row for its own slug; an alias of anything else was never an address.
      `SELECT max(articles.deleted_at) AS deleted_at ${FROM_REDIRECTS}
       WHERE redirects.website_id = ? AND source = ? AND articles.deleted_at IS NOT NULL
         AND EXISTS (SELECT 1 FROM redirects own WHERE own.row_no = articles.row_no AND own.is_alias = 0)
         ${language === undefined ? "" : `AND ${LANGUAGE} = ?`}`,
    ),
    websiteId,
    source,
    ...(language === undefined ? [] : [language]),
  );
  return row?.deleted_at ?? undefined;
}

/** All redirects, as a table. PostgreSQL uses its parts' indexes only if their columns have the same types. */
const REDIRECTS = `(SELECT website_id, source, row_no, is_alias, version, language FROM redirects
  UNION ALL SELECT website_id, source, row_no, CAST(0 AS BIGINT) AS is_alias, version, language FROM language_redirects)` as const;

const FROM_REDIRECTS = `FROM ${REDIRECTS} AS redirects JOIN articles ON articles.row_no = redirects.row_no
  JOIN websites ON websites.id = redirects.website_id` as const;

const IS_SHOWN = "articles.status = 'published' AND articles.deleted_at IS NULL";

/** The language of a redirect's source: the one that is recorded, else that of the article today. */
const toLanguage = (redirect: string, article: string) =>
  `coalesce(CASE WHEN ${redirect}.language IS NULL THEN ${article}.language ELSE nullif(${redirect}.language, '') END, ${OWN_LANGUAGE})`;
const LANGUAGE = toLanguage("redirects", "articles");

/** A condition: the redirect's source names the same page in this language, too. Paths are no slugs. */
const namesSamePage = (language: string) =>
  `(websites.slugs_per_language = 0 OR redirects.source LIKE '/%' OR ${language} = ${LANGUAGE})`;

/** Condition: the redirect leads to its article, as no published article has the slug, or had it later. */
const LEADS = `${IS_SHOWN}
  AND NOT EXISTS (SELECT 1 FROM articles live WHERE live.website_id = redirects.website_id AND live.slug = redirects.source
    AND live.deleted_at IS NULL AND live.status = 'published' AND ${namesSamePage(`coalesce(live.language, ${OWN_LANGUAGE})`)})
  AND NOT EXISTS (SELECT 1 FROM ${REDIRECTS} AS later JOIN articles target ON target.row_no = later.row_no
    WHERE later.website_id = redirects.website_id AND later.source = redirects.source
      AND (later.version, later.row_no) > (redirects.version, redirects.row_no)
      AND target.status = 'published' AND target.deleted_at IS NULL
      AND ${namesSamePage(toLanguage("later", "target"))})`;

const CURSOR_SEPARATOR = "\n";

/** At most `limit` redirects after the given cursor, ordered by source. */
export async function listRedirects(
  db: Snapshot,
  websiteId: string,
  after: string,
  limit: number,
): Promise<Redirect[]> {
  const website = await db.get("SELECT slugs_per_language FROM websites WHERE id = ?", websiteId);
  const isPerLanguage = website?.slugs_per_language === 1;
  const at = isPerLanguage ? after.lastIndexOf(CURSOR_SEPARATOR) : -1;
  const source = at < 0 ? after : after.slice(0, at);
  const rows = await db.all(
    declareRow<{
      source: string;
      is_alias: number;
      language: string;
      id: string;
      slug: string;
      platform_url: string | null;
    }>(
      `SELECT redirects.source AS source, is_alias, ${LANGUAGE} AS language, articles.id AS id, articles.slug AS slug, platform_url
       ${FROM_REDIRECTS}
       WHERE redirects.website_id = ? AND ${LEADS}
         AND ${at < 0 ? "redirects.source > ?" : `redirects.source >= ? AND (redirects.source > ? OR ${LANGUAGE} > ?)`}
       ORDER BY redirects.source, ${LANGUAGE} LIMIT CAST(? AS BIGINT)`,
    ),
    websiteId,
    ...(at < 0 ? [source] : [source, source, after.slice(at + 1)]),
    limit,
  );
  return rows.map((row) => ({
    source: row.source,
    isAlias: row.is_alias === 1,
    language: row.language === "" ? null : row.language,
    articleId: row.id,
    slug: row.slug,
    platformUrl: row.platform_url,
    cursor: isPerLanguage ? `${row.source}${CURSOR_SEPARATOR}${row.language}` : row.source,
  }));
}

/** The earlier slugs that lead to each row, of those in its own language where slugs are unique per language. */
export async function earlierSlugs(db: Snapshot, rowNos: readonly number[]): Promise<Map<number, string[]>> {
  const found = await inBatches(rowNos, (batch) =>
    db.all(
      declareRow<{ row_no: number; source: string }>(
        `SELECT redirects.row_no AS row_no, redirects.source AS source ${FROM_REDIRECTS}
         WHERE redirects.row_no IN (${placeholders(batch)}) AND is_alias = 0 AND ${LEADS}
           AND ${namesSamePage(ARTICLE_LANGUAGE)}
         ORDER BY redirects.source`,
      ),
      ...batch,
    ),
  );
  const slugs = new Map<number, string[]>();
  for (const { row_no, source } of found.flat()) slugs.set(row_no, [...(slugs.get(row_no) ?? []), source]);
  return slugs;
}
