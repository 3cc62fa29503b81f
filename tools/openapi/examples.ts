/** Examples from a fictional website, Lantern Row Tea. The types and test/contract check them against the schemas. */
import type { Type } from "typebox";
import type {
  articleAnswer,
  articleListAnswer,
  categoryListAnswer,
  eventListAnswer,
  redirectListAnswer,
  relatedAnswer,
  stateAnswer,
  tagListAnswer,
} from "./responses.ts";
import type { article, articleSummary } from "../../src/http/contract/article.ts";
import type { deletedEnvelope, publishedEnvelope, updatedEnvelope } from "./event.ts";

const ID = "0198a3b2-4c1d-7e5f-8a6b-9c0d1e2f3a4b";
const WEBSITE_ID = "0198a3b0-77aa-7c3e-9b1f-2d4e6f8a0b1c";
const API_URL = `/api/public/articles/${ID}`;

const html =
  "<p>First flush Darjeeling is picked in March, when the bushes wake up. The leaves are light, and so is the cup: " +
  "think of green grapes and cut hay.</p>\n<h2>Cooler water, shorter time</h2>\n<p>Let the kettle rest for three " +
  "minutes, until the water is at about 85 °C. Use two grams of leaf for 100 ml and pour after two and a half " +
  'minutes. <a href="/blog/water-for-tea">Soft water</a> helps more than any teapot.</p>\n';
const markdown =
  "First flush Darjeeling is picked in March, when the bushes wake up. The leaves are light, and so is the cup: " +
  "think of green grapes and cut hay.\n\n## Cooler water, shorter time\n\nLet the kettle rest for three " +
  "minutes, until the water is at about 85 °C. Use two grams of leaf for 100 ml and pour after two and a half " +
  "minutes. [Soft water](/blog/water-for-tea) helps more than any teapot.\n";
const text =
  "First flush Darjeeling is picked in March, when the bushes wake up. The leaves are light, and so is the cup: " +
  "think of green grapes and cut hay.\n\nCooler water, shorter time\n\nLet the kettle rest for three " +
  "minutes, until the water is at about 85 °C. Use two grams of leaf for 100 ml and pour after two and a half " +
  "minutes. Soft water helps more than any teapot.";

const summaryExample: Type.Static<typeof articleSummary> = {
  id: ID,
  title: "How to Brew First Flush Darjeeling",
  excerpt:
    "First flush Darjeeling is picked in March, when the bushes wake up. The leaves are light, and so is the cup: think of green grapes and cut hay. Cooler water,…",
  slug: "brew-first-flush-darjeeling",
  status: "published",
  seo_keywords: ["first flush darjeeling", "brew darjeeling"],
  meta_description:
    "Two grams, 85 °C, two and a half minutes: how to brew first flush Darjeeling so that it tastes of green grapes and not of hay.",
  target_keyword: "first flush darjeeling",
  featured_image_url: "https://images.example.com/blog/first-flush.jpg",
  featured_image_alt: "Pale amber tea in a white bowl beside fresh green leaves",
  word_count: 70,
  reading_time: 1,
  categories: ["Brewing Guides"],
  tags: ["darjeeling", "black tea"],
  created_at: "2026-03-02T08:15:00.000Z",
  published_at: "2026-03-03T09:00:00.000Z",
  platform_url: "https://www.example.com/blog/brew-first-flush-darjeeling",
  platform_post_id: null,
};

function ownStep(name: string, at: string, actor: string, metadata: Record<string, unknown> = {}) {
  return {
    name,
    status: "completed" as const,
    started_at: at,
    completed_at: at,
    duration_ms: 0,
    actor,
    error: null,
    metadata,
  };
}

const articleExample: Type.Static<typeof article> = {
  ...summaryExample,
  content: html,
  internal_links: [{ text: "Soft water", url: "/blog/water-for-tea" }],
  approved_at: "2026-03-03T08:41:27.000Z",
  quality_metrics: {
    overall_score: 45,
    dimensions: { seo: 99, readability: 100, structure: 75, links: 41, images: 100, evidence: 57, originality: 100 },
    checks: [
      {
        id: "title_length",
        status: "pass",
        score: 100,
        value: 34,
        threshold: "25–65 characters",
        message: "The title has a good length.",
      },
      {
        id: "specifics",
        status: "warn",
        score: 57,
        value: 20,
        threshold: "70 or more names and numbers per 1,000 words",
        message: "Be more concrete: name people, places, products, dates or figures.",
      },
      {
        id: "word_count",
        status: "fail",
        score: 15,
        value: 70,
        threshold: "600 words or more",
        message: "This article is short. Aim for 600 words or more.",
      },
    ],
    facts: {
      flesch_reading_ease: 89,
      average_sentence_words: 13.2,
      keyword_count: 1,
      keyword_density: 1.43,
      title_length: 34,
      meta_description_length: 126,
      headings: 1,
      internal_links: 1,
      external_links: 0,
      images: 0,
      images_without_alt: 0,
    },
    integrity: {
      status: "warn",
      blocking: 0,
      warnings: 1,
      findings: [
        {
          kind: "tool_tracking_link",
          severity: "warn",
          field: "text",
          block: 2,
          start: 0,
          end: 10,
          quote: "Soft water",
          message: "The address of this link says that an AI tool found it.",
          fix: "strip_parameter",
        },
      ],
    },
    engine_version: "2.0.0",
    content_hash: "32957186c068b630142395f2ca2f2db067f69823ae18504d6be17dceedee7219",
    evaluated_at: "2026-03-02T08:15:00.211Z",
    reported: { originality: 0.97 },
  },
  pipeline_steps: [
    {
      name: "draft",
      status: "completed",
      started_at: "2026-03-02T08:14:12.000Z",
      completed_at: "2026-03-02T08:14:53.500Z",
      duration_ms: 41_500,
      actor: "writer-1",
      error: null,
      metadata: { prompt_version: 7 },
    },
    ownStep("sanitize", "2026-03-02T08:15:00.203Z", "rostrum", { removed: [], changed: false }),
    ownStep("analyze", "2026-03-02T08:15:00.211Z", "rostrum", { language: "en", engine_version: "2.0.0" }),
    ownStep("approve", "2026-03-03T08:41:27.000Z", "cli"),
    ownStep("publish", "2026-03-03T09:00:00.000Z", "cli"),
  ],
};

const listExample: Type.Static<typeof articleListAnswer> = {
  success: true,
  data: { articles: [summaryExample], pagination: { total: 11, limit: 1, offset: 0 } },
};

const listDebugExample: Type.Static<typeof articleListAnswer> = {
  success: true,
  data: { articles: [summaryExample], pagination: { total: 11, limit: 1, offset: 0 } },
  debug: {
    request_id: "tea-1-9f3c2a-k7",
    api_version: "v1",
    node: "tea-1-9f3c2a",
    query: { status: "published", limit: 1, offset: 0, sort: "-published_at" },
    timing_ms: { total: 0.412, auth: 0.021, database: 0.18, serialize: 0.211 },
    cache: "miss",
    content_version: 17,
    api_key: { name: "Website", prefix: "rs_jXvS" },
    warnings: ["Unknown parameter ignored: page"],
  },
};

const articleAnswerExample: Type.Static<typeof articleAnswer> = { success: true, data: { article: articleExample } };

const eventIdentity = { article_id: ID, title: summaryExample.title, slug: summaryExample.slug };
const eventRest = {
  api_url: API_URL,
  content: { html, markdown, text },
  meta_description: summaryExample.meta_description,
  seo_keywords: summaryExample.seo_keywords,
  target_keyword: summaryExample.target_keyword,
  categories: summaryExample.categories,
  tags: summaryExample.tags,
  featured_image_url: summaryExample.featured_image_url,
  featured_image_alt: summaryExample.featured_image_alt,
  status: summaryExample.status,
  created_at: summaryExample.created_at,
  user_id: "cli",
};

const publishedExample: Type.Static<typeof publishedEnvelope> = {
  event: "article.published",
  timestamp: "2026-03-03T09:00:00.004Z",
  website_id: WEBSITE_ID,
  data: { ...eventIdentity, published_at: "2026-03-03T09:00:00.000Z", ...eventRest },
};

const updatedExample: Type.Static<typeof updatedEnvelope> = {
  event: "article.updated",
  timestamp: "2026-03-05T14:20:11.530Z",
  website_id: WEBSITE_ID,
  data: {
    ...eventIdentity,
    updated_at: "2026-03-05T14:20:11.528Z",
    updated_fields: ["meta_description", "tags"],
    ...eventRest,
  },
};

const deletedExample: Type.Static<typeof deletedEnvelope> = {
  event: "article.deleted",
  timestamp: "2026-04-01T16:02:45.871Z",
  website_id: WEBSITE_ID,
  data: { article_id: ID, deleted_at: "2026-04-01T16:02:45.871Z", api_url: API_URL },
};

const eventsExample: Type.Static<typeof eventListAnswer> = {
  success: true,
  data: {
    events: [{ id: "msg_0198a3b9-0d2e-7f40-9a1b-3c5d7e9f0a2b", sequence: 14, ...deletedExample }],
    pagination: { after: 13, limit: 50, next_after: 14, latest_sequence: 14, has_more: false },
  },
};

const stateExample: Type.Static<typeof stateAnswer> = {
  success: true,
  data: { version: "vibs5L9E.p17", latest_sequence: 14, language: "en" },
};

const tagsExample: Type.Static<typeof tagListAnswer> = {
  success: true,
  data: {
    tags: [{ name: "black tea", slug: "black-tea", count: 7 }],
    pagination: { total: 23, limit: 1, offset: 0 },
  },
};

const categoriesExample: Type.Static<typeof categoryListAnswer> = {
  success: true,
  data: {
    categories: [{ name: "Brewing Guides", slug: "brewing-guides", count: 5 }],
    pagination: { total: 1, limit: 1000, offset: 0 },
  },
};

const relatedExample: Type.Static<typeof relatedAnswer> = { success: true, data: { articles: [summaryExample] } };

const redirectsExample: Type.Static<typeof redirectListAnswer> = {
  success: true,
  data: {
    redirects: [
      {
        from: "first-flush",
        kind: "slug",
        language: "en",
        article_id: ID,
        slug: "brew-first-flush-darjeeling",
        platform_url: "https://www.example.com/blog/brew-first-flush-darjeeling",
      },
    ],
    pagination: { limit: 1000, next_after: "first-flush", has_more: false },
  },
};

export const EXAMPLES = {
  articles: { summary: "A page of one article", value: listExample },
  articlesWithDebug: { summary: "With `debug=true`", value: listDebugExample },
  article: { summary: "A published article (three of its checks are shown)", value: articleAnswerExample },
  events: { summary: "What came after sequence 13", value: eventsExample },
  redirects: { summary: "An article that was renamed", value: redirectsExample },
  tags: { summary: "The most frequent tag", value: tagsExample },
  categories: { summary: "All categories", value: categoriesExample },
  related: { summary: "An article with the same tags", value: relatedExample },
  state: { summary: "The current version", value: stateExample },
  published: { summary: "An article was published", value: publishedExample },
  updated: { summary: "Its description and tags were changed", value: updatedExample },
  deleted: { summary: "It was unpublished", value: deletedExample },
};
