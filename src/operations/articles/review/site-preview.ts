/** Previews on the customer's website (docs/specification.md, 4.5): its token shows that one article in any state. */
import type { Article, ArticleBody } from "../../../domain/articles/article.ts";
import { type Millis, HOUR_MS } from "../../../domain/system/time.ts";
import { hashToken, mintToken } from "../../../domain/people/one-time-token.ts";
import { AppError } from "../../../domain/system/errors.ts";
import { fillPreviewUrl } from "../../../domain/system/website.ts";
import {
  deletePreviewTokens,
  findPreviewedId,
  hasPreviewToken,
  insertPreviewToken,
} from "../../../store/articles/preview-tokens.ts";
import { toDetail } from "../../../store/articles/article-queries.ts";
import { findArticle } from "../../../store/articles/articles.ts";
import type { Actor, Deps } from "../../system/deps.ts";
import { recordArticleChange } from "../write/article-notes.ts";
import { loadToChange } from "../write/article-persistence.ts";
import { asPublished, loadReviewed } from "./article-review.ts";
import type { Detail } from "../read-model/read-model.ts";

const VALID_MS = HOUR_MS;

export interface SitePreview {
  /** Shown once: only its hash is stored. */
  token: string;
  url: string;
  expiresAt: Millis;
}

/** Valid for an hour. @throws AppError `not_found`; `conflict` in the trash, or without a preview address. */
export function createSitePreview(
  deps: Pick<Deps, "store" | "clock" | "newId" | "randomBytes">,
  id: string,
  actor: Actor,
): Promise<SitePreview> {
  const token = mintToken(deps.randomBytes);
  return deps.store.write(async (db) => {
    const { website, full } = await loadToChange(db, id);
    const { article } = full;
    if (article.deletedAt !== null) {
      throw new AppError("conflict", "This article is in the trash; restore it to preview it.");
    }
    if (website.previewUrl === null) {
      throw new AppError(
        "conflict",
        "This website has no preview address yet; an owner sets it in the website's settings, or with: rostrum website preview-address",
      );
    }
    const now = deps.clock();
    const expiresAt = now + VALID_MS;
    // One entry an hour and person: looking at an article again and again does not fill its history.
    if (!(await hasPreviewToken(db, { articleId: id, createdBy: actor.id }, now))) {
      await recordArticleChange(db, deps, actor, article, { action: "article.previewed" });
    }
    await insertPreviewToken(db, {
      hash: hashToken(token),
      websiteId: website.id,
      articleId: id,
      createdBy: actor.id,
      createdAt: now,
      expiresAt,
    });
    return { token, url: fillPreviewUrl(website.previewUrl, website, article, token), expiresAt };
  });
}

/** Ends all previews of the article. @throws AppError `not_found`. @returns how many there were. */
export function endSitePreviews(deps: Pick<Deps, "store">, id: string): Promise<number> {
  return deps.store.write(async (db) => {
    const { website } = await loadToChange(db, id);
    return deletePreviewTokens(db, website.id, id);
  });
}

export interface Previewed {
  id: string;
  slug: string;
  detail: Detail;
  article: Article;
  body: ArticleBody;
}

/** Includes its draft copy. Undefined if the token is not valid here, or the article is in the trash. */
export async function findPreviewed(
  deps: Pick<Deps, "store" | "clock" | "deriveContent">,
  websiteId: string,
  token: string,
): Promise<Previewed | undefined> {
  const found = await deps.store.read(async (db) => {
    const id = await findPreviewedId(db, websiteId, hashToken(token), deps.clock());
    return id === undefined ? undefined : loadReviewed(db, id);
  });
  return found && toPreviewed(deps, found);
}

/** The website's article with the changes of its draft copy; undefined if there is none, or it is in the trash. */
export async function findLatest(
  deps: Pick<Deps, "store" | "clock" | "deriveContent">,
  websiteId: string,
  id: string,
): Promise<Previewed | undefined> {
  const found = await deps.store.read(async (db) => {
    const article = await findArticle(db, websiteId, id);
    return article && loadReviewed(db, id);
  });
  return found && toPreviewed(deps, found);
}

async function toPreviewed(
  deps: Pick<Deps, "clock" | "deriveContent">,
  found: Awaited<ReturnType<typeof loadReviewed>>,
): Promise<Previewed | undefined> {
  if (found.full.article.deletedAt !== null) return undefined;
  const { rowNo } = found.full.article;
  const { article, body } = found.draft === undefined ? found.full : await asPublished(deps, found);
  return { id: article.id, slug: article.slug, detail: toDetail({ ...article, rowNo }, body), article, body };
}
