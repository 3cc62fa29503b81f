/** An article with everything that a reviewer sees. */
import type { Website } from "../../domain/system/website.ts";
import { findWebsiteId } from "../../store/articles/articles.ts";
import { type DraftCopy, findDraftCopy } from "../../store/articles/draft-copies.ts";
import type { Reader, StoredFull } from "../../store/store.ts";
import type { Deps } from "../system/deps.ts";
import { loadArticle, loadWebsite, noSuchArticle } from "./article-persistence.ts";

export interface Reviewed {
  full: StoredFull;
  draft: DraftCopy | undefined;
  website: Website;
}

/** Loads the article in any state, including the trash. @throws AppError `not_found`. */
export function getReviewed(deps: Pick<Deps, "store">, id: string): Promise<Reviewed> {
  return deps.store.read((db) => loadReviewed(db, id));
}

/** @throws AppError `not_found`. */
export async function loadReviewed(db: Reader, id: string): Promise<Reviewed> {
  const full = await loadArticle(db, id);
  return {
    full,
    draft: await findDraftCopy(db, full.article.rowNo),
    website: await loadWebsite(db, full.article.websiteId),
  };
}

/** The id of the article's website. @throws AppError `not_found`. */
export async function websiteOfArticle(deps: Pick<Deps, "store">, id: string): Promise<string> {
  const websiteId = await deps.store.read((db) => findWebsiteId(db, id));
  if (websiteId === undefined) throw noSuchArticle(id);
  return websiteId;
}
