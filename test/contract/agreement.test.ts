/** The contract's schemas and the domain's types say the same: the first part of this file is checked by compiling it. */
import { test } from "node:test";
import type { Type } from "typebox";
import type { Article, ArticleBody, FullArticle, QualityMetrics } from "../../src/domain/articles/article.ts";
import { SOUND } from "../../src/domain/articles/findings.ts";
import {
  deletedEvent,
  publishedEvent,
  updatedEvent,
  type detailAdditions,
  type ListForm,
} from "../../src/domain/articles/api-format.ts";
import type { EventCause } from "../../src/domain/webhooks/event.ts";
import { messageBody } from "../../src/domain/webhooks/webhook-message.ts";
import type { article, articleSummary } from "../../src/http/contract/article.ts";
import type { deletedData, publishedData, updatedData } from "../../tools/openapi/event.ts";
import { assertDescribed, schemaNamed } from "./described.ts";

export type Agreement = [
  Holds<Same<Type.Static<typeof articleSummary>, ListForm>>,
  Holds<Same<Type.Static<typeof article>, ListForm & ReturnType<typeof detailAdditions>>>,
  Holds<Same<Type.Static<typeof publishedData>, EventArticle & { published_at: string }>>,
  Holds<Same<Type.Static<typeof updatedData>, EventArticle & { updated_at: string; updated_fields: string[] }>>,
  Holds<Same<Type.Static<typeof deletedData>, { article_id: string; deleted_at: string; api_url: string }>>,
];

/** What events say of an article, in the types that it is built from. */
type EventArticle = {
  article_id: ListForm["id"];
  api_url: string;
  content: { html: ArticleBody["html"]; markdown: ArticleBody["markdown"]; text: ArticleBody["text"] };
  user_id: EventCause["actor"];
} & Pick<
  ListForm,
  | "title"
  | "slug"
  | "meta_description"
  | "seo_keywords"
  | "target_keyword"
  | "categories"
  | "tags"
  | "featured_image_url"
  | "featured_image_alt"
  | "status"
  | "created_at"
>;

type Plain<T> = T extends object ? { [Key in keyof T]: Plain<T[Key]> } : T;

/** Each type is exactly the other, key by key and in both directions. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- only so does the compiler compare for identity
type Same<A, B> = (<T>() => T extends Plain<A> ? 1 : 2) extends <T>() => T extends Plain<B> ? 1 : 2 ? true : false;

type Holds<T extends true> = T;

test("the events that the domain makes have the fields that the contract names, and no other", () => {
  const cause: EventCause = { id: "0198a3b9-0d2e-7f40-9a1b-3c5d7e9f0a2b", at: 1_000, actor: "cli", traceparent: null };
  const events = [
    publishedEvent(FULL, cause),
    updatedEvent(FULL, FULL.article, ["title"], cause),
    deletedEvent(FULL.article, cause),
  ];
  const names = ["ArticlePublishedEvent", "ArticleUpdatedEvent", "ArticleDeletedEvent"];
  for (const [index, { kind, payload }] of events.entries()) {
    assertDescribed(schemaNamed(names[index] ?? ""), JSON.parse(payload), kind);
  }
});

const EXTENDED = {
  "article.published": "ExtendedArticlePublishedEvent",
  "article.updated": "ExtendedArticleUpdatedEvent",
  "article.deleted": "ExtendedArticleDeletedEvent",
} as const;

test("an extended body is what the description says of it, also where nothing was stored for it", () => {
  const cause: EventCause = { id: FULL.article.id, at: 0, actor: "somebody", traceparent: null };
  const before = { ...FULL.article, slug: "before", tags: ["a"], categories: [] };
  for (const event of [
    publishedEvent(FULL, cause),
    updatedEvent(FULL, before, ["slug"], cause),
    deletedEvent(FULL.article, cause),
  ]) {
    for (const stored of [event.extension, null]) {
      const body: unknown = JSON.parse(messageBody(event.payload, "extended", stored));
      assertDescribed(schemaNamed(EXTENDED[event.kind]), body, event.kind);
    }
  }
});

const ARTICLE: Article = {
  id: "0198a3b2-4c1d-7e5f-8a6b-9c0d1e2f3a4b",
  websiteId: "0198a3b0-77aa-7c3e-9b1f-2d4e6f8a0b1c",
  status: "published",
  reviewState: null,
  origin: "written",
  authorId: null,
  assigneeId: null,
  authors: [],
  metaTitle: null,
  canonicalUrl: null,
  aliases: [],
  language: null,
  translationGroup: null,
  title: "Water for Tea",
  slug: "water-for-tea",
  excerpt: "Soft water.",
  authorExcerpt: null,
  seoKeywords: [],
  metaDescription: null,
  targetKeyword: null,
  featuredImageUrl: null,
  featuredImageAlt: null,
  categories: [],
  tags: [],
  wordCount: 2,
  readingTime: 1,
  createdAt: 0,
  updatedAt: 1_000,
  stateSince: 1_000,
  approvedAt: 500,
  publishedAt: 1_000,
  publishAt: null,
  platformUrl: null,
  platformPostId: null,
  userId: null,
  contentHash: "hash",
  approvedHash: "hash",
  deletedAt: null,
  version: 1,
};

const METRICS: QualityMetrics = {
  overall_score: 0,
  dimensions: { seo: 0, readability: 0, structure: 0, links: 0, images: 0, evidence: 0, originality: 0 },
  checks: [],
  facts: {
    flesch_reading_ease: null,
    average_sentence_words: 2,
    keyword_count: 0,
    keyword_density: 0,
    title_length: 13,
    meta_description_length: 0,
    headings: 0,
    internal_links: 0,
    external_links: 0,
    images: 0,
    images_without_alt: 0,
  },
  integrity: SOUND,
  engine_version: "2.0.0",
  content_hash: "hash",
  evaluated_at: "1970-01-01T00:00:00.000Z",
};

const FULL: FullArticle = {
  article: ARTICLE,
  body: {
    html: "<p>Soft water.</p>",
    markdown: "Soft water.\n",
    markdownSource: null,
    text: "Soft water.",
    source: "html",
    internalLinks: [],
    linksSupplied: false,
    metricsJson: JSON.stringify(METRICS),
    reportedMetrics: null,
    suppliedSteps: [],
    steps: [],
  },
};
