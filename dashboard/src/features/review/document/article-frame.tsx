import { useComputedColorScheme } from "@mantine/core";
import { type ReactNode, type RefObject, useEffect, useMemo, useRef } from "react";
import stylesheet from "./article.css?url";
import { type ArticleDocument, articleDocument, type ShownArticle, STEP_PX } from "./article-document.ts";
import classes from "./article-frame.module.css";

interface ArticleFrameProps {
  article: ShownArticle;
  /** What relative addresses of pictures are relative to; null: not known. */
  base: string | null;
}

/**
 * The article in a frame that may do nothing (`sandbox=""`). The keys that scroll a page scroll it while the focus is on
 * no control: what is inside the frame cannot hear the page's shortcuts, so nobody needs to go there.
 */
export function ArticleFrame({ article, base }: ArticleFrameProps): ReactNode {
  const scheme = useComputedColorScheme("light");
  const frame = useRef<HTMLIFrameElement>(null);
  const { title, html, imageUrl, imageAlt } = article;
  const shown = useMemo(
    () => articleDocument({ title, html, imageUrl, imageAlt }, { scheme, stylesheet, base }),
    [title, html, imageUrl, imageAlt, scheme, base],
  );
  useScrollKeys(frame, shown);
  return (
    <iframe
      // Another document is another frame: the browser's history holds one entry for all of them.
      key={shown.source}
      ref={frame}
      className={classes.frame}
      sandbox=""
      srcDoc={shown.source}
      title={`Article: ${title}`}
      referrerPolicy="no-referrer"
      tabIndex={-1}
      onPointerLeave={giveKeysBack}
    />
  );
}

/** After a click into the frame, to select something, keys went there; once the pointer leaves it they are the page's again. */
function giveKeysBack(): void {
  if (document.activeElement instanceof HTMLIFrameElement) {
    document.querySelector<HTMLElement>("#main h1")?.focus({ preventScroll: true });
  }
}

/** How much of what is seen stays when a page is turned. */
const OVERLAP = 0.12;

function useScrollKeys(frame: RefObject<HTMLIFrameElement | null>, { height }: ArticleDocument): void {
  useEffect(() => {
    let step = 0;
    let of: HTMLIFrameElement | null = null;
    function onKey(event: KeyboardEvent): void {
      const element = frame.current;
      if (element === null || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (!isFree(event.target)) return;
      // Each document begins at its beginning.
      if (of !== element) step = 0;
      of = element;
      const page = Math.max(1, Math.round((element.clientHeight * (1 - OVERLAP)) / STEP_PX));
      const last = Math.max(0, Math.ceil((height * widthFactor(element) - element.clientHeight / 2) / STEP_PX));
      const by = stepsOf(event, page, last);
      if (by === undefined) return;
      event.preventDefault();
      step = Math.min(last, Math.max(0, step + by));
      // The one thing that a page may do with a frame of another origin: ask it for a place by its name.
      element.contentWindow?.location.replace(`about:srcdoc#y${step}`);
    }
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [frame, height]);
}

function stepsOf({ key, shiftKey }: KeyboardEvent, page: number, last: number): number | undefined {
  if (key === " ") return shiftKey ? -page : page;
  if (shiftKey) return undefined;
  return { PageDown: page, PageUp: -page, ArrowDown: 2, ArrowUp: -2, Home: -last, End: last }[key];
}

/** A narrow column is a longer one. */
function widthFactor(element: HTMLElement): number {
  return Math.max(1, 640 / Math.max(200, element.clientWidth - 56));
}

/** On nothing that has a use for the key itself: the page, or its heading. */
function isFree(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (document.querySelector('[role="dialog"][aria-modal="true"]') !== null) return false;
  return target === document.body || target.id === "main" || target.localName === "h1";
}
