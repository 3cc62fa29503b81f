import { useComputedColorScheme } from "@mantine/core";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import stylesheet from "../document/article.css?url";
import { articleDocument, HERE, type ShownArticle } from "../document/article-document.ts";
import classes from "./preview-frame.module.css";

interface PreviewFrameProps {
  article: ShownArticle;
  base: string | null;
  /** Picks the block that is being written: the frame begins there. */
  begin: (blocks: readonly Element[]) => Element | undefined;
}

/**
 * What is written, in a frame that may do nothing, and that nobody can ask where it was scrolled to. So each new document
 * is made ready behind the old one, scrolled to the place that is being written, and then shown: nothing flashes or jumps.
 */
export function PreviewFrame({ article, base, begin }: PreviewFrameProps): ReactNode {
  const scheme = useComputedColorScheme("light");
  const { title, html, imageUrl, imageAlt } = article;
  // Where one writes is asked when the text comes, not while the caret wanders.
  const beginning = useRef(begin);
  useEffect(() => {
    beginning.current = begin;
  });
  const source = useMemo(
    () =>
      articleDocument(
        { title, html, imageUrl, imageAlt },
        { scheme, stylesheet, base, isStill: true, begin: (blocks) => beginning.current(blocks) },
      ).source,
    [title, html, imageUrl, imageAlt, scheme, base],
  );
  const [ready, setReady] = useState<string | null>(null);
  const sources = ready === null || ready === source ? [source] : [ready, source];

  function show(frame: HTMLIFrameElement, loaded: string): void {
    if (loaded === ready) return;
    frame.contentWindow?.location.replace(`about:srcdoc#${HERE}`);
    // Twice: the first is before the scrolled document is drawn.
    requestAnimationFrame(() => requestAnimationFrame(() => setReady(loaded)));
  }

  return (
    <div className={classes.root}>
      {sources.map((one) => (
        <iframe
          key={one}
          className={classes.frame}
          data-behind={(one !== ready && ready !== null) || undefined}
          sandbox=""
          srcDoc={one}
          title={one === source ? "Preview" : "Preview before the last change"}
          aria-hidden={one !== source || undefined}
          referrerPolicy="no-referrer"
          tabIndex={-1}
          onLoad={(event) => show(event.currentTarget, one)}
        />
      ))}
    </div>
  );
}
