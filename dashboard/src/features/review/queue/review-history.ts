/**
 * ReviewQueue through a list that gets shorter at every decision: what was decided is kept, so that one can go back to it, and
 * so that “12 of 50” goes on to 13 of 50, not to 12 of 49.
 */
import type { ArticlePlace } from "../../../../../src/http/admin/contract/articles.ts";

export interface Decided {
  id: string;
  title: string;
  /** “Approved”. */
  done: string;
  /** Before and after it when it was decided. */
  previousId: string | null;
  nextId: string | null;
}

/** Those that have left the list, in the order of the decisions. */
export type ReviewHistory = readonly Decided[];

export interface Position {
  /** From 1; null: it is not in the list, and was not decided here. */
  number: number | null;
  total: number;
  previousId: string | null;
  nextId: string | null;
  /** What was done with it here; null if it is still open. */
  done: string | null;
}

/** The article's position in the list, counting those that have left it. `place` undefined: not known yet. */
export function positionOf(id: string, place: ArticlePlace | undefined, trail: ReviewHistory): Position {
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
    // Before the first that is open lies what was decided last.
    previousId: place?.previous_id ?? trail.at(-1)?.id ?? null,
    nextId: place?.next_id ?? null,
    done: null,
  };
}

/** With one more decision; an article that is decided again stands at its newest place. */
export function withDecided(trail: ReviewHistory, decided: Decided): ReviewHistory {
  return [...trail.filter(({ id }) => id !== decided.id), decided];
}

/** Without an article that is back in the list, or never left it. */
export function withoutArticle(trail: ReviewHistory, id: string): ReviewHistory {
  return trail.some((decided) => decided.id === id) ? trail.filter((decided) => decided.id !== id) : trail;
}

/**
 * Where the next article will stand once the one at `place` has left the list, until the service says so itself.
 * undefined: nobody knows.
 */
export function placeAfter(place: ArticlePlace | undefined, next: ArticlePlace | undefined): ArticlePlace | undefined {
  if (place === undefined || place.index === null || next === undefined) return undefined;
  return { ...next, index: place.index, total: Math.max(0, place.total - 1), previous_id: place.previous_id };
}
