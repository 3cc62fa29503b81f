/**
 * Cleans Markdown that an earlier version stored as its author sent it, before it is published, exported or saved again.
 */
import { isOfEarlierVersion } from "../../domain/articles/approval.ts";
import type { FullArticle } from "../../domain/articles/article.ts";
import { escapeMarkdown } from "../../domain/articles/content/escape-markdown.ts";
import { AppError, isBusy, isUnavailable } from "../../domain/system/errors.ts";
import type { Deps } from "../system/deps.ts";

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
  deps: Pick<Deps, "prepare" | "clock">,
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
  deps: Pick<Deps, "prepare" | "clock">,
  full: FullArticle,
): Promise<FullArticle> {
  if (!isUnclean(full)) return full;
  const { article, body } = full;
  return { article, body: { ...body, markdown: await cleanedMarkdown(deps, full) } };
}

function isUnclean(full: FullArticle): boolean {
  return full.body.source === "markdown" && isOfEarlierVersion(full);
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
