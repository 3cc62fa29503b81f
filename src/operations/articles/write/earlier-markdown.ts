/**
 * Cleans Markdown that an earlier version stored as its author sent it, or cleaned by other rules, before it is approved,
 * published or exported.
 */
import { isOfEarlierVersion } from "../../../domain/articles/approval.ts";
import { type FullArticle, parseMetrics } from "../../../domain/articles/article.ts";
import { escapeMarkdown } from "../../../domain/articles/content/markdown/escape-markdown.ts";
import { ENGINE_VERSION } from "../../../domain/articles/content/limits.ts";
import { AppError, isBusy, isUnavailable } from "../../../domain/system/errors.ts";
import type { Deps } from "../../system/deps.ts";

/** The article with clean Markdown. */
export type Clean = (full: FullArticle) => FullArticle;

/** Thrown for an article whose Markdown has to be cleaned outside the transaction first. */
class NotCleaned extends Error {
  readonly full: FullArticle;

  constructor(full: FullArticle) {
    super("the article's Markdown is not cleaned yet");
    this.full = full;
  }
}

/**
 * Runs a transaction that may clean the Markdown of its article. Cleaning processes the whole article, so that the
 * transaction is then abandoned and runs again afterwards.
 */
export async function withCleaner<T>(
  deps: Pick<Deps, "deriveContent" | "clock">,
  write: (clean: Clean) => Promise<T>,
): Promise<T> {
  try {
    return await write((full) => {
      if (isUnclean(full)) throw new NotCleaned(full);
      return full;
    });
  } catch (error) {
    if (!(error instanceof NotCleaned)) throw error;
    const { markdown } = error.full.body;
    const clean = await withCleanMarkdown(deps, error.full);
    return write((full) =>
      full.body.markdown === markdown ? { ...full, body: { ...full.body, markdown: clean.body.markdown } } : full,
    );
  }
}

export async function withCleanMarkdown(
  deps: Pick<Deps, "deriveContent" | "clock">,
  full: FullArticle,
): Promise<FullArticle> {
  if (!isUnclean(full)) return full;
  const { article, body } = full;
  return { article, body: { ...body, markdown: await cleanedMarkdown(deps, full) } };
}

function isUnclean(full: FullArticle): boolean {
  const { source, metricsJson } = full.body;
  if (source !== "markdown") return false;
  return isOfEarlierVersion(full) || parseMetrics(metricsJson).engine_version !== ENGINE_VERSION;
}

async function cleanedMarkdown(
  deps: Pick<Deps, "deriveContent" | "clock">,
  { article, body: { html, markdown, text } }: FullArticle,
): Promise<string> {
  const source = { ...article, html, markdown, excerpt: null, internalLinks: null, websiteUrl: null };
  try {
    return (await deps.deriveContent(article.websiteId, source, deps.clock())).markdown;
  } catch (error) {
    if (!(error instanceof AppError) || isBusy(error) || isUnavailable(error)) throw error;
    // The text exceeds today's processing limits, but a scheduled publication must still succeed.
    return `${escapeMarkdown(text)}\n`;
  }
}
