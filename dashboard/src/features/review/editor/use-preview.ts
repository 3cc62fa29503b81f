import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { ArticleChanges, Preview, ReviewedArticle } from "../../../../../src/http/admin/contract/review.ts";
import { post } from "../../../api/client.ts";
import { diffValues, type EditorValues } from "./values.ts";

/** Debounce delay in milliseconds. */
const PAUSE_MS = 400;
/** Previews are cached only briefly: an outdated text is not needed again. */
const KEPT_MS = 30_000;

export interface PreviewState {
  /** The rendered input; until its response arrives, the last response, else the saved article. undefined: nothing yet. */
  preview: Preview | undefined;
  /** The values that the response was made from. */
  values: EditorValues;
  /** The field of the slug that `preview.slug` was made from; null: nothing was previewed yet. */
  typedSlug: string | null;
  error: unknown;
}

/** Previews the article with these values. `base` null: a new article. */
export function usePreview(
  websiteId: string,
  base: ReviewedArticle | null,
  was: EditorValues,
  now: EditorValues,
): PreviewState {
  const [values] = useDebouncedValue(now, PAUSE_MS);
  const changes = diffValues(was, values);
  const isUntouched = Object.keys(changes).length === 0;
  const isSaved = base !== null && isUntouched && base.draft === null;
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ["preview", websiteId, base?.article.id, base?.line.version, base?.draft?.saved_at, changes],
    queryFn: ({ signal }) => askPreview(websiteId, base, changes, values, signal),
    enabled: !isSaved && !(base === null && isUntouched),
    placeholderData: keepPreviousData,
    staleTime: KEPT_MS,
    gcTime: KEPT_MS,
    retry: false,
  });
  // A rejected text has no preview: the last one stays.
  const [last, setLast] = useState<{ data: Preview; slug: string } | null>(null);
  const isNew = data !== last?.data || values.slug !== last?.slug;
  if (data !== undefined && !isPlaceholderData && isNew) setLast({ data, slug: values.slug });
  // The first response is pending: the saved article is close to it.
  const saved = useMemo(() => (base !== null && base.draft === null ? savedPreview(base) : undefined), [base]);
  const typedSlug = isSaved ? was.slug : (last?.slug ?? null);
  return { preview: isSaved ? saved : (data ?? last?.data ?? saved), values, typedSlug, error: isSaved ? null : error };
}

/** Renders once, to convert the content to the other format. @throws ApiError. */
export function askPreview(
  websiteId: string,
  base: ReviewedArticle | null,
  changes: ArticleChanges,
  { title }: Pick<EditorValues, "title">,
  signal?: AbortSignal,
): Promise<Preview> {
  const isEmpty = Object.keys(changes).length === 0;
  const body = {
    website_id: websiteId,
    ...(base !== null && { id: base.article.id }),
    changes: isEmpty ? { title } : changes,
  };
  // The form itself reports a missing title.
  if (body.changes.title?.trim() === "") body.changes = { ...body.changes, title: "Untitled" };
  return post<Preview>("/articles/preview", { body, signal });
}

function savedPreview({ article, markdown }: ReviewedArticle): Preview {
  const { content, excerpt, slug, word_count, reading_time, quality_metrics } = article;
  return { content, markdown, excerpt, slug, word_count, reading_time, quality_metrics, removed: [], loss: null };
}
