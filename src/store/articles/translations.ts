/** Translations of published articles, and the articles of a language. */
import type { Article } from "../../domain/articles/article.ts";
import { inBatches, placeholders } from "../system/sql-batch.ts";
import { declareRow } from "../row.ts";
import type { Snapshot } from "../store.ts";

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
  db: Snapshot,
  articles: readonly Pick<Article, "websiteId" | "translationGroup">[],
): Promise<Map<string, Translation[]>> {
  const { websiteId = "" } = articles[0] ?? {};
  const members = await loadGroups(
    db,
    websiteId,
    articles.map((article) => article.translationGroup),
  );
  return new Map(
    Array.from(members, ([group, all]) => [group, all.map(({ language, id, slug }) => ({ language, id, slug }))]),
  );
}

interface TranslatedPage extends Translation {
  platform_url: string | null;
}

/** Published translations of each of these articles that is in a translation group, itself included. */
export async function listTranslated(
  db: Snapshot,
  websiteId: string,
  ids: readonly string[],
): Promise<Map<string, TranslatedPage[]>> {
  const sources = await inBatches(ids, (batch) =>
    db.all(
      `SELECT id, translation_group FROM articles
       WHERE website_id = ? AND id IN (${placeholders(batch)}) AND translation_group IS NOT NULL`,
      websiteId,
      ...batch,
    ),
  );
  const all = sources.flat();
  const members = await loadGroups(
    db,
    websiteId,
    all.map((one) => one.translation_group),
  );
  return new Map(all.map(({ id, translation_group: group }) => [id, members.get(group ?? "") ?? []]));
}

/** The published articles of each group, of large groups the first. Engines order nulls differently. */
async function loadGroups(
  db: Snapshot,
  websiteId: string,
  groups: readonly (string | null)[],
): Promise<Map<string, TranslatedPage[]>> {
  const names = new Set(groups.flatMap((group) => group ?? []));
  const found = await inBatches([...names], (batch) =>
    db.all(
      declareRow<TranslatedPage & { translation_group: string }>(
        `SELECT translation_group, language, id, slug, platform_url FROM (
           SELECT translation_group, language, id, slug, platform_url,
             row_number() OVER (PARTITION BY translation_group ORDER BY language IS NOT NULL, language, id) AS place
           FROM articles
           WHERE website_id = ? AND translation_group IN (${placeholders(batch)}) AND status = 'published'
             AND deleted_at IS NULL
         ) AS members
         WHERE place <= ${MAX_TRANSLATIONS} ORDER BY translation_group, place`,
      ),
      websiteId,
      ...batch,
    ),
  );
  const members = new Map<string, TranslatedPage[]>();
  for (const { translation_group: group, ...page } of found.flat()) {
    const others = members.get(group);
    if (others === undefined) members.set(group, [page]);
    else others.push(page);
  }
  return members;
}

/** The other articles of the translation group in every state, without the trash, by language. */
export function listGroup(db: Snapshot, { websiteId, id, translationGroup }: Article) {
  return db.all(
    `SELECT id, title, language, status FROM articles
     WHERE website_id = ? AND translation_group = ? AND id <> ? AND deleted_at IS NULL
     ORDER BY language IS NOT NULL, language, id LIMIT ${MAX_TRANSLATIONS}`,
    websiteId,
    translationGroup,
    id,
  );
}

/** Articles of the language in every state, and in the trash, in no order. `isOther`: of all other languages. */
export function languageRows(db: Snapshot, websiteId: string, language: string, isOther = false): Promise<Uint32Array> {
  return db.rowNumbers(
    `SELECT row_no FROM articles WHERE website_id = ? AND language ${isOther ? "<>" : "="} ?`,
    websiteId,
    language,
  );
}
