import { randomBytes } from "node:crypto";
import { detectLanguage } from "../../src/content-processes/language.ts";
import type { ArticleInput, ArticleStatus, FullArticle } from "../../src/domain/articles/article.ts";
import { secretBox } from "../../src/domain/system/secret-box.ts";
import type { Millis } from "../../src/domain/system/time.ts";
import { BLANK_SOURCE, type ContentSource } from "../../src/domain/articles/content/content-source.ts";
import { deriveContent } from "../../src/domain/articles/content/content.ts";
import * as articles from "../../src/operations/articles/write/articles.ts";
import type { Actor, Deps, DeriveContent } from "../../src/operations/system/deps.ts";

/** The date of the tests. */
export const TODAY = Date.UTC(2026, 0, 15, 12);
export const DAY = 86_400_000;
/** Far ahead of the wall clock, which a running service uses to find due articles. */
export const FUTURE = Date.UTC(2900, 0, 1);

export const CHIEF: Actor = { id: "chief", mayApprove: true };
export const WRITER: Actor = { id: "writer", mayApprove: false };

/** For operations without an app around them: processes content in this process. */
export const testSecrets = () => secretBox(Buffer.alloc(32, 1), randomBytes);

export const deriveHere: DeriveContent = async (_websiteId, source, startedAt) =>
  deriveContent(source, { clock: () => startedAt, detectLanguage });

/** Long enough for an article in which nothing is found. */
export const PROSE =
  "We sell tea that grows on three small farms in the hills above the lake. Each spring we walk there to taste the " +
  "first leaves, and we buy what we would drink ourselves. The farmers set the price before the harvest begins, and " +
  "we pay half of it on the same day. That way nobody has to borrow money for the pickers, who come from the villages " +
  "around. In May the leaves are dried in the shade, rolled by hand and packed into small tins. Some of them stay " +
  "fresh for two years. Write to us if you would like to see how it is done.";

let made = 0;

/** A valid article; a number in the title makes each one distinct. */
export function makeArticle(input: ArticleInput = {}): ArticleInput {
  made++;
  return {
    title: `Article ${made}`,
    ...(input.markdown === undefined ? { content: `<p>The text of article ${made}.</p>` } : {}),
    ...input,
  };
}

/** An article with every field of the specification set. */
export function fullArticle(input: ArticleInput = {}): ArticleInput {
  return makeArticle({
    content:
      '<h2>Water</h2><p>Soft water makes <strong>better</strong> tea, as <a href="/blog/water">our page on water</a> ' +
      'says.</p><p><img src="https://img.example.com/a.png" alt="A kettle"></p>',
    excerpt: "What soft water does.",
    seoKeywords: ["tea", "water"],
    metaDescription: "How soft water changes tea.",
    targetKeyword: "soft water",
    featuredImageUrl: "https://img.example.com/kettle.jpg",
    featuredImageAlt: "A kettle on a stove",
    categories: ["Guides"],
    tags: ["water", "kettle"],
    platformUrl: "https://blog.example.com/soft-water",
    platformPostId: "4711",
    userId: "author-1",
    reportedMetrics: { seo_score: 91 },
    pipelineSteps: [
      {
        name: "research",
        status: "completed",
        started_at: "2026-01-02T03:04:05.678Z",
        completed_at: "2026-01-02T03:05:05.678Z",
        duration_ms: 60_000,
        actor: "generator",
        error: null,
        metadata: { sources: 3 },
      },
    ],
    ...input,
  });
}

/** Creates one article in each state. */
export async function oneOfEach(deps: Deps, websiteId: string): Promise<Record<ArticleStatus, FullArticle>> {
  const make = (status: ArticleStatus) =>
    articles.createArticle(deps, websiteId, makeArticle({ status, title: `One ${status}` }), CHIEF);
  return { published: await make("published"), approved: await make("approved"), pending: await make("pending") };
}

/** The same dependencies with a clock that stands still until it is set. */
export function withClock<T extends Deps>(deps: T, start: Millis): T & { now: Millis } {
  const clocked = { ...deps, now: start, clock: () => clocked.now };
  return clocked;
}

/** A short text for the content processes. */
export const SHORT_TEXT: ContentSource = { ...BLANK_SOURCE, markdown: "A text." };
