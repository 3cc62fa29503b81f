/**
 * What somebody is reading does not change under their eyes: nobody should approve a text that came a moment ago. A newer
 * one is announced, and shown when they ask for it; a new state of the same text is shown at once.
 */
import { useState } from "react";
import type { ReviewedArticle } from "../../../../src/http/admin/contract/review.ts";

export interface Seen {
  seen: ReviewedArticle;
  /** Its text has changed since; null: it has not. */
  newer: ReviewedArticle | null;
  load: () => void;
  /** For what one has changed oneself. */
  take: (answer: ReviewedArticle) => void;
}

export function useSeen(latest: ReviewedArticle): Seen {
  const [seen, setSeen] = useState(latest);
  const isOther = seen.article.id !== latest.article.id;
  const isSame = isOther || readsTheSame(seen, latest);
  // Set while rendering: the state follows what was asked, and no frame shows what is past.
  if (isSame && seen !== latest) setSeen(latest);
  return {
    seen: isSame ? latest : seen,
    newer: isSame ? null : latest,
    load: () => setSeen(latest),
    take: setSeen,
  };
}

/** Whether a reader finds the same in both, whatever their states. */
function readsTheSame(one: ReviewedArticle, other: ReviewedArticle): boolean {
  return one === other || JSON.stringify(read(one)) === JSON.stringify(read(other));
}

function read({ article, draft, source, markdown }: ReviewedArticle): unknown[] {
  const { title, slug, excerpt, content, meta_description, target_keyword, seo_keywords, categories, tags } = article;
  return [
    [title, slug, excerpt, content, meta_description, target_keyword, seo_keywords, categories, tags],
    [article.featured_image_url, article.featured_image_alt],
    [source, source === "markdown" ? markdown : null],
    draft === null ? null : [draft.changes, draft.saved_at],
  ];
}
