/** The events that changes of an article cause (docs/specification.md, section 6). */
import type { EventCause, EventKind, NewEvent } from "../webhooks/event.ts";
import { isoTime, isoTimeOrNull } from "../system/time.ts";
import { apiUrl, editorialAdditions } from "./api-format.ts";
import type { Article, ArticleBody, FullArticle } from "./article.ts";

/** Section 6.4. */
export function publishedEvent({ article, body }: FullArticle, cause: EventCause): NewEvent {
  const data = {
    ...identity(article),
    published_at: isoTimeOrNull(article.publishedAt),
    ...sharedFields(article, body, cause),
  };
  return newEvent("article.published", article, cause, data, listFields(article));
}

/** Section 6.5. `updatedFields` are field names of the API. */
export function updatedEvent(
  { article, body }: FullArticle,
  before: PageKeys,
  updatedFields: readonly string[],
  cause: EventCause,
): NewEvent {
  const data = {
    ...identity(article),
    updated_at: isoTime(article.updatedAt),
    updated_fields: updatedFields,
    ...sharedFields(article, body, cause),
  };
  const extension = {
    ...listFields(article),
    published_at: isoTimeOrNull(article.publishedAt),
    previous: pageKeys(before),
  };
  return newEvent("article.updated", article, cause, data, extension);
}

/** Section 6.6: basic fields only. `article`: as it was before; where there was none, only its id. */
export function deletedEvent(article: Article | Pick<Article, "id" | "websiteId">, cause: EventCause): NewEvent {
  const data = { article_id: article.id, deleted_at: isoTime(cause.at), api_url: apiUrl(article.id) };
  const previous = "slug" in article ? pageKeys(article) : null;
  const extension = previous && { slug: previous.slug, previous };
  return newEvent("article.deleted", article, cause, data, extension);
}

/** The fields by which a website finds its pages. */
type PageKeys = Pick<Article, "slug" | "tags" | "categories" | "language" | "platformUrl" | "status">;

function pageKeys({ slug, tags, categories, language, platformUrl, status }: PageKeys) {
  return { slug, tags, categories, language, platform_url: platformUrl, status };
}

/** The fields of the list form (section 2.1) that section 6.4 does not have, and what neither form has. */
function listFields(article: Article) {
  return {
    excerpt: article.excerpt,
    word_count: article.wordCount,
    reading_time: article.readingTime,
    platform_url: article.platformUrl,
    platform_post_id: article.platformPostId,
    ...editorialAdditions(article),
  };
}

function identity(article: Article) {
  return { article_id: article.id, title: article.title, slug: article.slug };
}

function sharedFields(article: Article, body: ArticleBody, cause: EventCause) {
  return {
    api_url: apiUrl(article.id),
    content: { html: body.html, markdown: body.markdown, text: body.text },
    meta_description: article.metaDescription,
    seo_keywords: article.seoKeywords,
    target_keyword: article.targetKeyword,
    categories: article.categories,
    tags: article.tags,
    featured_image_url: article.featuredImageUrl,
    featured_image_alt: article.featuredImageAlt,
    status: article.status,
    created_at: isoTime(article.createdAt),
    user_id: cause.actor,
  };
}

function newEvent(
  kind: EventKind,
  article: Pick<Article, "id" | "websiteId">,
  cause: EventCause,
  data: object,
  extension: object | null,
): NewEvent {
  return {
    id: cause.id,
    websiteId: article.websiteId,
    kind,
    articleId: article.id,
    createdAt: cause.at,
    traceparent: cause.traceparent,
    payload: JSON.stringify({ event: kind, timestamp: isoTime(cause.at), website_id: article.websiteId, data }),
    extension: extension === null ? null : JSON.stringify(extension),
  };
}
