import { useComputedColorScheme } from "@mantine/core";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { apiPath, buildUrl } from "../../../api/client.ts";
import { ignoreStrayDrops } from "../../../shared/stray-drops.ts";
import stylesheet from "./article.css?url";
import { articleDocument, describeBroken, type FramedArticle } from "./article-document.ts";
import { textDirection } from "./text-language.ts";
import classes from "./article-frame.module.css";

interface ArticleFrameProps {
  article: FramedArticle;
  /** Base URL for relative URLs; null if unknown. */
  base: string | null;
  /** The article whose pictures the service fetches, so that their hosts do not learn who reads it; null loads them directly. */
  articleId: string | null;
  /** The language of the text; undefined: unknown. */
  lang?: string | undefined;
  /** Its name for screen readers; by default the article's title. */
  label?: string | undefined;
  /** The page shows the title itself. */
  isHeadless?: boolean | undefined;
  /** Loaded, but out of sight. */
  isAhead?: boolean | undefined;
  /** Called with the document once it can be read. */
  onShown?: ((shown: Document) => void) | undefined;
}

/** Allows no scripts, forms or plugins, and no navigation of this tab. */
const SANDBOX = "allow-same-origin allow-popups allow-popups-to-escape-sandbox";

/**
 * Shows the article in a frame as high as its text, so that it scrolls with the page. Nothing in it can run. It has the
 * dashboard's origin, so that the page can measure it and take its keys; its links open in new tabs that know nothing of this
 * page.
 */
export function ArticleFrame(props: ArticleFrameProps): ReactNode {
  const { article, base, articleId, lang, label, isHeadless = false, isAhead = false, onShown } = props;
  const scheme = useComputedColorScheme("light");
  const { title, html, imageUrl, imageAlt, marked } = article;
  const source = useMemo(
    () =>
      articleDocument(
        { title, html, imageUrl, imageAlt, marked },
        {
          scheme,
          stylesheet,
          base,
          isFullHeight: true,
          isHeadless,
          areLinksOpen: true,
          pictureUrl: articleId === null ? undefined : (address) => pictureUrl(articleId, address),
        },
      ),
    [title, html, imageUrl, imageAlt, marked, scheme, base, articleId, isHeadless],
  );
  const [shown, setShown] = useState<Document | null>(null);
  useFullHeight(shown);
  useEffect(() => (shown === null ? undefined : describeBroken(shown)), [shown]);
  useKeys(shown);
  // After it has loaded, so that a language that is known later does not load it again.
  useEffect(() => setLanguage(shown, lang), [shown, lang]);
  return (
    <iframe
      // Each document gets a new frame: loading it into the same frame would add a history entry.
      key={source}
      className={classes.frame}
      data-ahead={isAhead || undefined}
      sandbox={SANDBOX}
      srcDoc={source}
      title={isAhead ? undefined : (label ?? `Article: ${title}`)}
      referrerPolicy="no-referrer"
      onLoad={({ currentTarget: { contentDocument } }) => {
        setShown(contentDocument);
        if (contentDocument === null) return;
        ignoreStrayDrops(contentDocument);
        onShown?.(contentDocument);
      }}
    />
  );
}

export function setLanguage(shown: Document | null, lang: string | undefined): void {
  if (shown === null) return;
  if (lang === undefined) shown.documentElement.removeAttribute("lang");
  else shown.documentElement.lang = lang;
  shown.querySelector("article")?.setAttribute("dir", textDirection(lang));
}

/** The URL at which the service provides a picture of an article. Its own pictures need none. */
export function pictureUrl(articleId: string, address: string): string {
  const isOurs = URL.parse(address)?.origin === window.location.origin;
  return isOurs ? address : buildUrl(apiPath`/articles/${articleId}/picture`, { url: address });
}

/** Space above the element for what is fixed to the top of the page. */
const ABOVE_PX = 140;

/** Scrolls the page to an element of the article. */
export function scrollToPart(element: Element): void {
  // The title is no part of the frame.
  const frameTop = findFrame(element.ownerDocument)?.getBoundingClientRect().top ?? 0;
  const top = window.scrollY + frameTop + element.getBoundingClientRect().top;
  window.scrollTo({ top: Math.max(0, top - ABOVE_PX) });
}

function findFrame(shown: Document): HTMLElement | null {
  const frame = shown.defaultView?.frameElement;
  return frame instanceof HTMLElement ? frame : null;
}

function useFullHeight(shown: Document | null): void {
  useEffect(() => {
    if (shown === null) return undefined;
    const measure = () => {
      const frame = findFrame(shown);
      if (frame !== null) frame.style.height = `${Math.ceil(shown.body.getBoundingClientRect().height)}px`;
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(shown.body);
    return () => observer.disconnect();
  }, [shown]);
}

/** Makes the page's shortcuts work in the article, and the article's links to its own parts scroll the page. */
function useKeys(shown: Document | null): void {
  useEffect(() => {
    if (shown === null) return undefined;
    const onKey = (event: KeyboardEvent) => {
      const { key, code, ctrlKey, metaKey, shiftKey, altKey, repeat } = event;
      const same = { key, code, ctrlKey, metaKey, shiftKey, altKey, repeat, bubbles: true, cancelable: true };
      if (!document.body.dispatchEvent(new KeyboardEvent("keydown", same))) event.preventDefault();
    };
    const onClick = (event: MouseEvent) => {
      // Elements in a frame are not instances of this window's classes.
      const link = (event.target as Element | null)?.closest("a[data-to]");
      const name = link?.getAttribute("data-to");
      if (name == null) return;
      event.preventDefault();
      const places = [...shown.querySelectorAll("[data-place]")];
      const place = places.find((element) => element.getAttribute("data-place") === name);
      if (place !== undefined) scrollToPart(place);
    };
    shown.addEventListener("keydown", onKey);
    shown.addEventListener("click", onClick);
    return () => {
      shown.removeEventListener("keydown", onKey);
      shown.removeEventListener("click", onClick);
    };
  }, [shown]);
}
