/** Marks in the article which of its links are broken or redirected. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { linksQuery, MAX_CHECKED_LINKS, toMark } from "./checked-links.ts";
import { listLinks, toPageUrl } from "./list-links.ts";

interface CheckedArticle {
  websiteId: string;
  id: string;
  html: string;
  /** Base URL of relative links; null if unknown. */
  base: string | null;
}

/** Whoever steps through a queue asks for no checks. */
const CHECK_AFTER_MS = 1_000;

/** @returns how many links of the displayed document readers cannot follow. */
export function useLinkMarks({ websiteId, id, html, base }: CheckedArticle, shown: Document | null): number {
  const isReading = useStays(id, CHECK_AFTER_MS);
  const urls = useMemo(
    () => (isReading ? listLinks(html, base).slice(0, MAX_CHECKED_LINKS) : []),
    [isReading, html, base],
  );
  const { data } = useQuery({ ...linksQuery(websiteId, id, urls), enabled: urls.length > 0 });
  const marked = useMemo(() => {
    if (shown === null || data === undefined) return [];
    const marks = new Map(data.links.map((link) => [link.url, toMark(link)]));
    return [...shown.querySelectorAll(LINKS)].flatMap((element) => {
      const mark = marks.get(toPageUrl(element.getAttribute("href") ?? "", null) ?? "");
      return mark ? [{ element, ...mark }] : [];
    });
  }, [shown, data]);
  useEffect(() => {
    const titles = marked.map(({ element }) => element.getAttribute("title") ?? "");
    for (const [index, { element, state, description }] of marked.entries()) {
      element.setAttribute("data-link", state);
      element.setAttribute("title", `${titles[index]}\n${description}`);
    }
    return () => {
      for (const [index, { element }] of marked.entries()) {
        element.removeAttribute("data-link");
        element.setAttribute("title", titles[index] ?? "");
      }
    };
  }, [marked]);
  return marked.filter(({ state }) => state === "broken").length;
}

/** Links of the text as it will be: without those that a change has removed. */
const LINKS = "a.link[href]:not([data-to], [data-redline=del] *, [data-redline-block=del] *)";

/** The marked links that readers cannot follow. */
export function listBrokenLinks(shown: Document): Element[] {
  return [...shown.querySelectorAll('[data-link="broken"]')];
}

/** Whether the value has been the same for this long. */
function useStays(value: string, ms: number): boolean {
  const [stayed, setStayed] = useState<string | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setStayed(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return stayed === value;
}
