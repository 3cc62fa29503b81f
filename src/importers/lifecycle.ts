import { isoTime } from "./dates.ts";
import type { ArticleStatus, Millis } from "../domain/articles/article.ts";

export interface LifecycleSource {
  /** What the source says; `null`: nothing. */
  state: "draft" | "scheduled" | "published" | null;
  /** When it was or will be published. */
  date: Millis | null;
  created?: Millis | null;
  updated?: Millis | null;
}

/** The fields of the JSON article that tell where an article stands and since when. */
export interface Lifecycle {
  status: ArticleStatus;
  created_at: string | undefined;
  updated_at: string | undefined;
  published_at: string | undefined;
  publish_at: string | undefined;
}

/**
 * Where an article stands by what its source says. Without a word about it a date decides: an article with one is
 * published, in the future it is approved and scheduled; one without any is pending.
 */
export function lifecycle(source: LifecycleSource, now: Millis): Lifecycle {
  const { date } = source;
  const state = source.state ?? (date === null ? "draft" : "published");
  const isScheduled = state === "scheduled" || (state === "published" && date !== null && date > now);
  const isPublished = state === "published" && !isScheduled;
  // A schedule that has passed is not caught up with: a person decides about an article whose day is over.
  const isAhead = isScheduled && date !== null && date > now;
  return {
    status: isPublished ? "published" : isScheduled ? "approved" : "pending",
    created_at: isoTime(source.created ?? (isAhead ? null : date)),
    updated_at: isoTime(source.updated),
    published_at: isPublished ? isoTime(date) : undefined,
    publish_at: isAhead ? isoTime(date) : undefined,
  };
}
