/** Translations of published articles, and the articles of a language. */
import type { Article } from "../../domain/articles/article.ts";
import { inBatches, placeholders } from "../system/sql-batch.ts";
import type { Reader } from "../store.ts";

export interface Translation {
  /** BCP 47; null: the website's own language. */
  language: string | null;
  id: string;
  slug: string;
}

/** Articles of one translation group that are listed. */
const MAX_TRANSLATIONS = 100;

/** The published articles of each translation group of these articles, which belong to one website. */
export async function loadTranslations(
  db: Reader,
  articles: readonly Pick<Article, "websiteId" | "translationGroup">[],
): Promise<Map<string, Translation[]>> {
  const groups = new Set(articles.flatMap(({ translationGroup }) => translationGroup ?? []));
  const { websiteId = "" } = articles[0] ?? {};
  const found = await inBatches([...groups], (batch) =>
    db.all(
      `SELECT translation_group, language, id, slug FROM articles
       WHERE website_id = ? AND translation_group IN (${placeholders(batch)}) AND status = 'published' AND deleted_at IS NULL
       ORDER BY translation_group, language, id LIMIT CAST(? AS BIGINT)`,
      websiteId,
      ...batch,
      batch.length * MAX_TRANSLATIONS,
    ),
  );
  const translations = new Map<string, Translation[]>();
  for (const { translation_group: group, ...translation } of found.flat()) {
    const others = translations.get(group ?? "") ?? [];
    if (others.length < MAX_TRANSLATIONS) others.push(translation);
    translations.set(group ?? "", others);
  }
  return translations;
}

/** Published translations of these articles, themselves included, of those that are in a translation group. */
export function listTranslated(db: Reader, ids: readonly string[]) {
  return db.all(
    `SELECT source.id AS source_id, articles.language AS language, articles.id AS id, articles.slug AS slug,
       articles.platform_url AS platform_url
     FROM articles source JOIN articles ON articles.website_id = source.website_id
       AND articles.translation_group = source.translation_group
     WHERE source.id IN (${placeholders(ids)}) AND source.translation_group IS NOT NULL AND articles.language IS NOT NULL
       AND articles.status = 'published' AND articles.deleted_at IS NULL
     ORDER BY articles.language, articles.id LIMIT CAST(? AS BIGINT)`,
    ...ids,
    ids.length * MAX_TRANSLATIONS,
  );
}

/** Articles of the language, in every state and in the trash, in no particular order. */
export function languageRows(db: Reader, websiteId: string, language: string): Promise<Uint32Array> {
  return db.rowNumbers("SELECT row_no FROM articles WHERE website_id = ? AND language = ?", websiteId, language);
}
