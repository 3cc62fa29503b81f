/**
 * Keeps the text on the screen while it is being read, so that nobody approves a text that has just arrived. A newer text is
 * announced and shown on request; a new state of the same text is shown at once.
 */
import { useState } from "react";
import type { ReviewedArticle } from "../../../../src/http/admin/contract/review.ts";

export interface SeenArticle {
  seen: ReviewedArticle;
  /** The latest version if its text differs; null if not. */
  newer: ReviewedArticle | null;
  load: () => void;
  /** For the user's own changes. */
  take: (answer: ReviewedArticle) => void;
}

export function useSeen(latest: ReviewedArticle): SeenArticle {
  const [seen, setSeen] = useState(latest);
  const isOther = seen.article.id !== latest.article.id;
  const isSame = isOther || readsTheSame(seen, latest);
  // Set while rendering, so that no frame shows an outdated state.
  if (isSame && seen !== latest) setSeen(latest);
  return {
    seen: isSame ? latest : seen,
    newer: isSame ? null : latest,
    load: () => setSeen(latest),
    // The user may already be viewing another article, which must not be replaced.
    take: (answer) => setSeen((now) => (now.article.id === answer.article.id ? answer : now)),
  };
}

/** Whether both have the same text for readers, regardless of their states. */
function readsTheSame(one: ReviewedArticle, other: ReviewedArticle): boolean {
  return one === other || JSON.stringify(read(one)) === JSON.stringify(read(other));
}

function read(reviewed: ReviewedArticle): unknown[] {
  const { article, draft, source, markdown, authors, meta_title, canonical_url, aliases, language } = reviewed;
  const { title, slug, excerpt, content, meta_description, target_keyword, seo_keywords, categories, tags } = article;
  return [
    [title, slug, excerpt, content, meta_description, target_keyword, seo_keywords, categories, tags],
    [
      article.featured_image_url,
      article.featured_image_alt,
      authors,
      meta_title,
      canonical_url,
      aliases,
      language,
      reviewed.translation_group,
    ],
    [source, source === "markdown" ? markdown : null],
    draft === null ? null : [draft.changes, draft.saved_at],
  ];
}
