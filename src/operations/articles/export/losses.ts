import type { FullArticle } from "../../../domain/articles/article.ts";

/** What a format of another program cannot hold, with the number of articles that have it. */
export class Losses {
  readonly #counts = new Map<string, number>();

  /** Counts the article for each of the `reasons` that applies to it. */
  count(reasons: Record<string, boolean>): void {
    for (const [reason, applies] of Object.entries(reasons)) {
      if (applies) this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1);
    }
  }

  /** A sentence for each, the most frequent first. */
  describe(): string[] {
    return [...this.#counts]
      .toSorted(([, a], [, b]) => b - a)
      .map(([reason, count]) => `${count} ${count === 1 ? "article" : "articles"}: ${reason}`);
  }
}

/** What neither WordPress nor Ghost has a place for. */
export function sharedLosses({ article, body }: FullArticle): Record<string, boolean> {
  const { status, reviewState, publishedAt, publishAt } = article;
  return {
    "the Markdown that it was written in; its HTML is exported": body.source === "markdown",
    "the state of its review": reviewState !== null && reviewState !== "in_review",
    "its approval": status === "approved" && publishAt === null,
    "when it was approved": article.approvedAt !== null,
    "when it was first published, as it is not published now": status !== "published" && publishedAt !== null,
    "the account of its author or of its editor": article.authorId !== null || article.assigneeId !== null,
    "a list of links that was supplied": body.linksSupplied,
    "what its generator reported": body.reportedMetrics !== null || body.suppliedSteps.length > 0,
    "the id of its user": article.userId !== null,
    "its id on another platform": article.platformPostId !== null,
    "the description of a picture that it does not have":
      article.featuredImageUrl === null && article.featuredImageAlt !== null,
  };
}
