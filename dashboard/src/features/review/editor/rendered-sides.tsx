/** Two versions of a text as readers would see them, side by side: what differs, and what stands around it. */
import { useQueries } from "@tanstack/react-query";
import { diffArrays } from "diff";
import { type ReactNode, useMemo } from "react";
import type { ReviewedArticle } from "../../../../../src/http/admin/contract/review.ts";
import { ErrorNote } from "../../../shared/error-note.tsx";
import { BlockSkeleton } from "../../../shared/skeletons.tsx";
import { ArticleFrame } from "../document/article-frame.tsx";
import classes from "./rendered-sides.module.css";
import { askPreview } from "./use-preview.ts";
import type { EditorValues } from "./values.ts";

interface RenderedSidesProps {
  article: ReviewedArticle;
  names: { theirs: string; mine: string };
  theirs: EditorValues;
  mine: EditorValues;
}

export function RenderedSides({ article, names, theirs, mine }: RenderedSidesProps): ReactNode {
  const [one, other] = useQueries({
    queries: [theirs, mine].map(({ title, source, text }) => ({
      queryKey: ["preview", article.website_id, article.article.id, "side", source, title, text],
      queryFn: ({ signal }: { signal: AbortSignal }) => {
        const changes = source === "html" ? { content: text } : { markdown: text };
        return askPreview(article.website_id, article, changes, { title }, signal);
      },
      retry: false,
    })),
  });
  const [before, after] = [one?.data?.content, other?.data?.content];
  const sides = useMemo(
    () => (before === undefined || after === undefined ? null : pickChanges(before, after)),
    [before, after],
  );
  const error = one?.error ?? other?.error;
  if (error != null) return <ErrorNote error={error} title="The two texts could not be shown" />;
  if (sides === null) return <BlockSkeleton height={120} />;
  return (
    <div className={classes.root}>
      {[names.theirs, names.mine].map((name, index) => (
        <figure key={name} className={classes.side}>
          <figcaption>{name}</figcaption>
          {sides[index] === "" ? (
            <p className={classes.nothing}>Nothing is there.</p>
          ) : (
            <ArticleFrame
              article={{ title: "", html: sides[index] ?? "", imageUrl: null, imageAlt: null }}
              base={article.public_url}
              articleId={article.article.id}
              label={name}
            />
          )}
        </figure>
      ))}
    </div>
  );
}

const LEFT_OUT = "<p>…</p>";

/** Leaves out the blocks that are the same on both sides, except those next to a difference. */
function pickChanges(before: string, after: string): [string, string] {
  const sides: [string, string] = ["", ""];
  const parts = diffArrays(toBlocks(before), toBlocks(after));
  for (const [index, { added, removed, value }] of parts.entries()) {
    if (added) sides[1] += value.join("");
    else if (removed) sides[0] += value.join("");
    else {
      const first = index === 0 ? [] : value.slice(0, 1);
      const last = index === parts.length - 1 ? [] : value.slice(-1);
      const shown = value.length <= first.length + last.length ? value : [...first, LEFT_OUT, ...last];
      for (const side of [0, 1] as const) sides[side] += shown.join("");
    }
  }
  return sides;
}

function toBlocks(html: string): string[] {
  const { body } = new DOMParser().parseFromString(html, "text/html");
  return [...body.childNodes]
    .map((node) => (node instanceof Element ? node.outerHTML : (node.textContent ?? "")))
    .filter((block) => block.trim() !== "");
}
