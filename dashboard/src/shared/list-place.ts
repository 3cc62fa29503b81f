/** Remembers the position in a list when the user opens an article, until the page is reloaded. */
import type { QueueSearch } from "./article-queue.ts";

interface ListPlace {
  from?: number | undefined;
  size?: number | undefined;
  scrollY: number;
}

const places = new Map<string, ListPlace>();
let lastArticle: string | null = null;

/** Called by the article's page, so that its row is marked on return. */
export function rememberArticle(id: string): void {
  lastArticle = id;
}

/** Id of the article that was open last; null if none was since the last call. */
export function takeLastArticle(): string | null {
  const id = lastArticle;
  lastArticle = null;
  return id;
}

export function rememberPlace(queue: QueueSearch, place: ListPlace): void {
  places.set(toKey(queue), place);
}

export function findPlace(queue: QueueSearch): ListPlace | undefined {
  return places.get(toKey(queue));
}

/** The page of the list that contains the article at `index`; if that is unknown, the page that was left. */
export function toPage(queue: QueueSearch, index: number | null, usualSize: number): { from?: number; size?: number } {
  const { from: left, size } = findPlace(queue) ?? {};
  const from = index === null ? left : Math.floor(index / (size ?? usualSize)) * (size ?? usualSize);
  return { ...(from !== undefined && from > 0 && { from }), ...(size !== undefined && { size }) };
}

function toKey({ view, q, category, tag, keyword, author, origin, finding, sort }: QueueSearch): string {
  return JSON.stringify([view, q, category, tag, keyword, author, origin, finding, sort]);
}
