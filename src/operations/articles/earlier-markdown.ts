/**
 * Cleans Markdown that an earlier version stored as its author sent it, before it is published, exported or saved again.
 */
import { isOfEarlierVersion } from "../../domain/articles/approval.ts";
import type { FullArticle } from "../../domain/articles/article.ts";
import { escapeMarkdown } from "../../domain/articles/content/escape-markdown.ts";
import { AppError, isBusy, isUnavailable } from "../../domain/system/errors.ts";
import { findArticleAnywhere, findBody } from "../../store/articles/articles.ts";
import type { Deps } from "../system/deps.ts";

type CleanDeps = Pick<Deps, "store" | "prepare" | "clock">;

/**
 * Returns a function that cleans the article's Markdown. Call it outside any transaction: it may have to process a whole
 * article.
 */
export async function markdownCleaner(deps: CleanDeps, id: string): Promise<(full: FullArticle) => FullArticle> {
  const seen = await deps.store.read(async (db) => {
    const article = await findArticleAnywhere(db, id);
    return article === undefined || !isOfEarlierVersion({ article })
      ? undefined
      : { article, body: await findBody(db, article.rowNo) };
  });
  if (seen === undefined) return (full) => full;
  const clean = await withCleanMarkdown(deps, seen);
  return (full) =>
    full.body.markdown === seen.body.markdown
      ? { ...full, body: { ...full.body, markdown: clean.body.markdown } }
      : full;
}

/** The article with clean Markdown. */
export async function withCleanMarkdown(
  deps: Pick<Deps, "prepare" | "clock">,
  full: FullArticle,
): Promise<FullArticle> {
  const { article, body } = full;
  if (body.source !== "markdown" || !isOfEarlierVersion(full)) return full;
  return { article, body: { ...body, markdown: await cleanedMarkdown(deps, full) } };
}

async function cleanedMarkdown(
  deps: Pick<Deps, "prepare" | "clock">,
  { article, body: { html, markdown, text } }: FullArticle,
): Promise<string> {
  const source = { ...article, html, markdown, excerpt: null, internalLinks: null, websiteUrl: null };
  try {
    return (await deps.prepare(article.websiteId, source, deps.clock())).markdown;
  } catch (error) {
    if (!(error instanceof AppError) || isBusy(error) || isUnavailable(error)) throw error;
    // The text exceeds today's processing limits, but a scheduled publication must still succeed.
    return `${escapeMarkdown(text)}\n`;
  }
}
