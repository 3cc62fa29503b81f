import { isoTimeIfKnown } from "./dates.ts";
import type { ArticleStatus } from "../domain/articles/article.ts";
import type { Millis } from "../domain/system/time.ts";

export interface LifecycleSource {
  /** The state that the source gives; `null`: none. */
  state: "draft" | "scheduled" | "published" | null;
  /** Past or planned publication date. */
  date: Millis | null;
  created?: Millis | null;
  updated?: Millis | null;
}

/** The fields of the JSON article for its state and dates. */
export interface Lifecycle {
  status: ArticleStatus;
  created_at: string | undefined;
  updated_at: string | undefined;
  published_at: string | undefined;
  publish_at: string | undefined;
}

/**
 * Derives the state from the source. If the source gives none, the date decides: with a past date the article is published,
 * with a future one it is approved and scheduled, without a date it is pending.
 */
export function lifecycle(source: LifecycleSource, now: Millis): Lifecycle {
  const { date } = source;
  const state = source.state ?? (date === null ? "draft" : "published");
  const isScheduled = state === "scheduled" || (state === "published" && date !== null && date > now);
  const isPublished = state === "published" && !isScheduled;
  // A missed schedule is not made up for: a person decides about such an article.
  const isAhead = isScheduled && date !== null && date > now;
  return {
    status: isPublished ? "published" : isScheduled ? "approved" : "pending",
    created_at: isoTimeIfKnown(source.created ?? (isAhead ? null : date)),
    updated_at: isoTimeIfKnown(source.updated),
    published_at: isPublished ? isoTimeIfKnown(date) : undefined,
    publish_at: isAhead ? isoTimeIfKnown(date) : undefined,
  };
}
