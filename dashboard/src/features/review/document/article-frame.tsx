import { useComputedColorScheme } from "@mantine/core";
import { type ReactNode, type RefObject, useEffect, useMemo, useRef } from "react";
import stylesheet from "./article.css?url";
import { type ArticleDocument, articleDocument, type ShownArticle, STEP_PX } from "./article-document.ts";
import classes from "./article-frame.module.css";

interface ArticleFrameProps {
  article: ShownArticle;
  /** Base URL of relative image URLs; null: unknown. */
  base: string | null;
}

/**
 * Shows the article in a frame without any permissions (`sandbox=""`). The frame cannot receive the page's shortcuts, so the
 * scroll keys scroll it from outside while no control has the focus; nobody needs to focus the frame.
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
      // Each document gets a new frame: loading it into the same frame would add a history entry.
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

/** Takes the focus back from the frame once the pointer leaves it: a click to select text moves the focus into the frame. */
function giveKeysBack(): void {
  if (document.activeElement instanceof HTMLIFrameElement) {
    document.querySelector<HTMLElement>("#main h1")?.focus({ preventScroll: true });
  }
}

/** The part of the visible height that stays visible after Page Up or Page Down. */
const OVERLAP = 0.12;

function useScrollKeys(frame: RefObject<HTMLIFrameElement | null>, { height }: ArticleDocument): void {
  useEffect(() => {
    let step = 0;
    let of: HTMLIFrameElement | null = null;
    function onKey(event: KeyboardEvent): void {
      const element = frame.current;
      if (element === null || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (!isFree(event.target)) return;
      // A new document starts at the top.
      if (of !== element) step = 0;
      of = element;
      const page = Math.max(1, Math.round((element.clientHeight * (1 - OVERLAP)) / STEP_PX));
      const last = Math.max(0, Math.ceil((height * widthFactor(element) - element.clientHeight / 2) / STEP_PX));
      const by = getScrollStep(event, page, last);
      if (by === undefined) return;
      event.preventDefault();
      step = Math.min(last, Math.max(0, step + by));
      // The only way to scroll a frame of another origin: navigate it to a fragment.
      element.contentWindow?.location.replace(`about:srcdoc#y${step}`);
    }
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [frame, height]);
}

function getScrollStep({ key, shiftKey }: KeyboardEvent, page: number, last: number): number | undefined {
  if (key === " ") return shiftKey ? -page : page;
  if (shiftKey) return undefined;
  return { PageDown: page, PageUp: -page, ArrowDown: 2, ArrowUp: -2, Home: -last, End: last }[key];
}

/** The article grows taller in a narrow column. */
function widthFactor(element: HTMLElement): number {
  return Math.max(1, 640 / Math.max(200, element.clientWidth - 56));
}

/** Whether no control has the focus that would handle the key itself. */
function isFree(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (document.querySelector('[role="dialog"][aria-modal="true"]') !== null) return false;
  return target === document.body || target.id === "main" || target.localName === "h1";
}
