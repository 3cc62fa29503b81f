/** Returns to the position in the list that the user left: marks and focuses the row of the article that was open. */
import { type RefObject, useEffect, useRef, useState } from "react";
import type { ArticleListItem } from "../../../../src/http/admin/contract/articles.ts";
import { findPlace, rememberPlace, takeLastArticle } from "../../shared/list-place.ts";
import { type ArticlesSearch, toQueue } from "./search.ts";

/** @returns the id of the article whose row is marked. */
export function useKeptPlace(
  table: RefObject<HTMLElement | null>,
  search: ArticlesSearch,
  lines: readonly ArticleListItem[],
): string | null {
  const [last] = useState(takeLastArticle);
  const isBack = useRef(last === null);
  const hasLines = lines.length > 0;
  const queue = toQueue(search);

  useEffect(() => {
    if (isBack.current || !hasLines) return;
    isBack.current = true;
    const row = table.current?.querySelector<HTMLElement>(`tr[data-article="${CSS.escape(last ?? "")}"]`);
    const place = findPlace(queue);
    window.scrollTo({ top: place?.scrollY ?? 0 });
    row?.querySelector<HTMLElement>("a")?.focus({ preventScroll: true });
    if (row !== null && row !== undefined && !isInSight(row)) row.scrollIntoView({ block: "center" });
  });

  const { from, size } = search;
  const key = JSON.stringify(queue);
  useEffect(() => {
    // Saved while scrolling, because the position is already the next page's when this page is left.
    const remember = () => rememberPlace(toQueue(search), { from, size, scrollY: window.scrollY });
    if (isBack.current) remember();
    window.addEventListener("scrollend", remember);
    return () => window.removeEventListener("scrollend", remember);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `key` identifies the list independently of the object.
  }, [key, from, size]);
  return last;
}

function isInSight(element: HTMLElement): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return top >= 0 && bottom <= window.innerHeight;
}
