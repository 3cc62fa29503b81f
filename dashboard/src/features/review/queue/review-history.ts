/**
 * The history of a review queue, which gets shorter with every decision: decided articles are kept, so that the user can go
 * back to them, and so that “12 of 50” is followed by 13 of 50, not by 12 of 49.
 */
import type { ArticlePlace } from "../../../../../src/http/admin/contract/articles.ts";

export interface Decided {
  id: string;
  title: string;
  /** “Approved”. */
  done: string;
  /** Its neighbours at the time of the decision. */
  previousId: string | null;
  nextId: string | null;
}

/** The articles that have left the list, in the order of the decisions. */
export type ReviewHistory = readonly Decided[];

export interface QueuePosition {
  /** From 1; null: not in the list, and not decided here. */
  number: number | null;
  total: number;
  previousId: string | null;
  nextId: string | null;
  /** The decision made here; null if there is none yet. */
  done: string | null;
}

/** The article's position in the list, counting those that have left it. `place` undefined: not loaded yet. */
export function getPosition(id: string, place: ArticlePlace | undefined, trail: ReviewHistory): QueuePosition {
  const index = trail.findIndex((decided) => decided.id === id);
  const decided = trail[index];
  const total = (place?.total ?? 0) + trail.length;
  if (decided !== undefined && (place === undefined || place.index === null)) {
    return {
      number: index + 1,
      total,
      previousId: trail[index - 1]?.id ?? decided.previousId,
      nextId: trail[index + 1]?.id ?? decided.nextId,
      done: decided.done,
    };
  }
  return {
    number: place === undefined || place.index === null ? null : trail.length + place.index + 1,
    total,
    // The last decided article precedes the first open one.
    previousId: place?.previous_id ?? trail.at(-1)?.id ?? null,
    nextId: place?.next_id ?? null,
    done: null,
  };
}

/** Adds a decision; an article that is decided again moves to the end. */
export function withDecided(trail: ReviewHistory, decided: Decided): ReviewHistory {
  return [...trail.filter(({ id }) => id !== decided.id), decided];
}

/** Removes an article that is back in the list, or never left it. */
export function withoutArticle(trail: ReviewHistory, id: string): ReviewHistory {
  return trail.some((decided) => decided.id === id) ? trail.filter((decided) => decided.id !== id) : trail;
}

/**
 * The position of the next article, known before the service reports it: after the one at `place` has left the list
 * (`hasLeft`), or while it stays. undefined if unknown.
 */
export function placeOfNext(id: string, place: ArticlePlace | undefined, hasLeft: boolean): ArticlePlace | undefined {
  if (place === undefined || place.index === null) return undefined;
  const { index, total, previous_id, next_ids } = place;
  const following = next_ids.slice(1);
  // Whether more articles follow is unknown here.
  if (next_ids.length === 0 || (following.length === 0 && index + 2 < total)) return undefined;
  return {
    ...(hasLeft ? { index, total: Math.max(0, total - 1), previous_id } : { index: index + 1, total, previous_id: id }),
    next_id: following[0] ?? null,
    next_ids: following,
  };
}

/** The position of an article that is no longer in the list. */
export function placeOutside({ total }: ArticlePlace): ArticlePlace {
  return { index: null, total: Math.max(0, total - 1), previous_id: null, next_id: null, next_ids: [] };
}
