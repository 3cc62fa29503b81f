import { useComputedColorScheme } from "@mantine/core";
import { type ReactNode, useEffect, useEffectEvent, useState } from "react";
import type { Finding } from "../../../../../src/domain/articles/findings.ts";
import { ignoreStrayDrops } from "../../../shared/stray-drops.ts";
import { indexText } from "../comments/text-index.ts";
import stylesheet from "../document/article.css?url";
import { articleDocument, describeBroken, HERE, type FramedArticle } from "../document/article-document.ts";
import { pictureUrl, setLanguage } from "../document/article-frame.tsx";
import { markFindings } from "../findings/marks.ts";
import { findPlace } from "../findings/places.ts";
import classes from "./preview-frame.module.css";

interface PreviewFrameProps {
  article: FramedArticle;
  base: string | null;
  /** The article whose pictures the service fetches, so that their hosts do not learn who writes it; null: a new one. */
  articleId: string | null;
  /** The language of the text; undefined: unknown. */
  lang: string | undefined;
  /** Picks the block being edited, at which the frame starts. */
  begin: (blocks: readonly Element[]) => Element | undefined;
  /** Marked in the text. */
  findings: readonly Finding[];
  /** The finding to show; null: none. */
  active: Finding | null;
}

/**
 * Previews the text in a frame in which nothing can run. Each new document is loaded behind
 * the old one, scrolled to the place being edited, and then shown, so that nothing flashes or jumps.
 */
export function PreviewFrame({
  article,
  base,
  articleId,
  lang,
  begin,
  findings,
  active,
}: PreviewFrameProps): ReactNode {
  const scheme = useComputedColorScheme("light");
  const { title, html, imageUrl, imageAlt } = article;
  const [{ shown, coming }, setDocuments] = useState<Documents>({ shown: null, coming: null });
  // The position is read when new text arrives, not when the caret moves.
  const beginAt = useEffectEvent(begin);
  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      const around = {
        scheme,
        stylesheet,
        base,
        isStill: true,
        begin: beginAt,
        pictureUrl: articleId === null ? undefined : (address: string) => pictureUrl(articleId, address),
      };
      const source = articleDocument({ title, html, imageUrl, imageAlt }, around);
      setDocuments((all) => ({ ...all, coming: source === all.shown ? null : source }));
    });
    return () => cancelAnimationFrame(frame);
  }, [title, html, imageUrl, imageAlt, scheme, base, articleId]);

  const [loaded, setLoaded] = useState<Document | null>(null);
  useEffect(() => setLanguage(loaded, lang), [loaded, lang]);
  useEffect(() => (loaded === null ? undefined : describeBroken(loaded)), [loaded]);
  useEffect(() => {
    if (loaded?.defaultView == null) return;
    const index = indexText(loaded);
    markFindings(loaded, index, findings, active);
    const range = active && findPlace(loaded, index, active);
    if (range == null) return;
    const { innerHeight, scrollY } = loaded.defaultView;
    loaded.defaultView.scrollTo({ top: scrollY + range.getBoundingClientRect().top - innerHeight / 3 });
  }, [loaded, findings, active]);

  function show(frame: HTMLIFrameElement, source: string): void {
    if (source !== coming) return;
    setLoaded(frame.contentDocument);
    if (frame.contentDocument !== null) ignoreStrayDrops(frame.contentDocument);
    frame.contentWindow?.location.replace(`about:srcdoc#${HERE}`);
    // Two frames: the first one comes before the scrolled document is painted.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        setDocuments((all) => (all.coming === source ? { shown: source, coming: null } : all));
      }),
    );
  }

  return (
    <div className={classes.root}>
      {[shown, coming]
        .filter((one) => one !== null)
        .map((one) => (
          <iframe
            key={one}
            className={classes.frame}
            data-behind={(one === coming && shown !== null) || undefined}
            // Nothing in it can run; with the dashboard's origin, it may load pictures from the service.
            sandbox="allow-same-origin"
            srcDoc={one}
            title={one === coming ? "Preview, loading" : "Preview"}
            referrerPolicy="no-referrer"
            tabIndex={-1}
            onLoad={(event) => show(event.currentTarget, one)}
          />
        ))}
    </div>
  );
}

/** Documents as HTML sources. */
interface Documents {
  shown: string | null;
  coming: string | null;
}
