/**
 * Shows the article, and prepares those out of sight that a key would show next, because a frame takes long to load. The earlier
 * one is removed once the next is on the screen.
 */
import { useQueryClient } from "@tanstack/react-query";
import {
  createContext,
  type ReactNode,
  startTransition,
  useCallback,
  useContext,
  useDeferredValue,
  useState,
  useSyncExternalStore,
} from "react";
import type { ReviewedArticle } from "../../../../../src/http/admin/contract/review.ts";
import { reviewedQuery } from "../queries.ts";
import { ArticleFrame } from "./article-frame.tsx";
import { useTextLanguage } from "./text-language.ts";
import classes from "./article-frame.module.css";

interface Shown {
  reviewed: ReviewedArticle;
  /** What the keys show next. */
  nearIds: readonly string[];
}

export const ShownContext = createContext<Shown | null>(null);

/** Tells the frames which article to show now. The rest of the page is rendered after them. */
export const ShownArticleProvider = ShownContext.Provider;

interface ArticleFramesProps {
  /** Base URL of relative URLs where the article has no address yet; null: unknown. */
  base: string | null;
  /** Another view of the article is shown instead. */
  isHidden: boolean;
  /** Called with each document that can be read, and the article's ID. */
  onLoaded: (id: string, shown: Document) => void;
}

export function ArticleFrames({ base, isHidden, onLoaded }: ArticleFramesProps): ReactNode {
  const shown = useContext(ShownContext);
  if (shown === null) throw new Error("frames were used outside ShownArticleProvider");
  const { reviewed: current, nearIds } = shown;
  const { website_id: websiteId } = current;
  // Frames come and go in a second rendering.
  const settledId = useDeferredValue(current.article.id);
  const near = useDeferredValue(nearIds);
  const wanted = new Set([current.article.id, settledId, ...near]);
  const [order, setOrder] = useState<readonly string[]>([]);
  const kept = order.filter((id) => wanted.has(id));
  // In the order in which they were made: a frame that moves in the document loads again.
  const ids = [...kept, ...[...wanted].filter((id) => !kept.includes(id))];
  if (ids.join(" ") !== order.join(" ")) setOrder(ids);
  const others = useCached(websiteId, ids);
  return (
    <div className={classes.frames} hidden={isHidden}>
      {ids.map((id, index) => {
        const reviewed = id === current.article.id ? current : others[index];
        return (
          reviewed !== undefined && (
            <Frame
              key={id}
              reviewed={reviewed}
              base={base}
              isShown={!isHidden && id === current.article.id}
              onLoaded={onLoaded}
            />
          )
        );
      })}
    </div>
  );
}

/** The cached articles, without loading any. A disabled query would keep other components from loading them. */
function useCached(websiteId: string, ids: readonly string[]): (ReviewedArticle | undefined)[] {
  const client = useQueryClient();
  const keys = ids.map((id) => reviewedQuery(websiteId, id).queryKey);
  const subscribe = useCallback((listener: () => void) => client.getQueryCache().subscribe(listener), [client]);
  useSyncExternalStore(subscribe, () => keys.map((key) => client.getQueryState(key)?.dataUpdatedAt).join(" "));
  return keys.map((key) => client.getQueryData(key));
}

interface FrameProps extends Pick<ArticleFramesProps, "base" | "onLoaded"> {
  reviewed: ReviewedArticle;
  isShown: boolean;
}

function Frame({
  reviewed: { article, language, public_url, website_id },
  base,
  isShown,
  onLoaded,
}: FrameProps): ReactNode {
  const { id, title, content, featured_image_url, featured_image_alt } = article;
  const lang = useTextLanguage(website_id, language);
  return (
    <ArticleFrame
      article={{ title, html: content, imageUrl: featured_image_url, imageAlt: featured_image_alt }}
      base={public_url ?? base}
      articleId={id}
      lang={lang}
      isHeadless
      isAhead={!isShown}
      onShown={(shown) => startTransition(() => onLoaded(id, shown))}
    />
  );
}
