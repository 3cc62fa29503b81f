/** The queue of articles under review. Its state outlives the single article. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { ReviewedArticle } from "../../../../../src/http/admin/contract/review.ts";
import { DEFAULT_QUEUE } from "../../../shared/article-queue.ts";
import { useAnnounce } from "../../../shared/announce.tsx";
import { placeQuery, reviewedQuery } from "../queries.ts";
import type { Queue } from "../search.ts";
import {
  type Decided,
  placeAfter,
  type Position,
  getPosition,
  type ReviewHistory,
  withDecided,
  withoutArticle,
} from "./review-history.ts";
import { isInView } from "./views.ts";

export interface ReviewQueue {
  queue: Queue;
  position: Position;
  /** Whether the position is known. */
  isKnown: boolean;
  /** The last decision; null: none yet. */
  last: Decided | null;
  go: (id: string) => void;
  /**
   * Records the decision, and advances to the next article with `autoAdvance`. `done`: “Approved”.
   *
   * @returns the ID of the article shown next; null: the current one stays.
   */
  record: (answer: ReviewedArticle, done: string) => string | null;
  /** Removes the decision: the article is back, or was not decided after all. */
  forget: (id: string) => void;
  /** Whether the next article is shown after a decision. */
  autoAdvance: boolean;
  setAutoAdvance: (autoAdvance: boolean) => void;
}

/** null: the article was not opened from a list. */
export function useQueue(websiteId: string, id: string, queue: Queue | null): ReviewQueue | null {
  const client = useQueryClient();
  const navigate = useNavigate();
  const announce = useAnnounce();
  const [walk, setWalk] = useState<{ of: string; trail: ReviewHistory }>({ of: "", trail: [] });
  const [autoAdvance, setAutoAdvance] = useAutoAdvance();
  const of = JSON.stringify(queue);
  const trail = walk.of === of ? walk.trail : [];
  const place = useQuery({
    ...placeQuery(websiteId, id, queue ?? { view: DEFAULT_QUEUE }),
    enabled: queue !== null,
  });
  const position = getPosition(id, place.data, trail);
  const { nextId } = position;

  useEffect(() => {
    if (queue === null || nextId === null) return;
    void client.prefetchQuery(reviewedQuery(websiteId, nextId));
    void client.prefetchQuery(placeQuery(websiteId, nextId, queue));
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `of` identifies the list independently of the object.
  }, [client, websiteId, nextId, of]);

  if (queue === null) return null;

  function go(to: string): void {
    void navigate({ to: "/articles/$id", params: { id: to }, search: queue ?? {}, resetScroll: false });
    const known = client.getQueryData(reviewedQuery(websiteId, to).queryKey);
    if (known !== undefined) announce(known.article.title);
  }

  function record(answer: ReviewedArticle, done: string): string | null {
    if (queue === null) return null;
    const { previousId } = position;
    if (isInView(queue.view, answer.line)) {
      setWalk({ of, trail: withoutArticle(trail, id) });
    } else {
      setWalk({ of, trail: withDecided(trail, { id, title: answer.article.title, done, previousId, nextId }) });
      if (nextId !== null) {
        const key = placeQuery(websiteId, nextId, queue).queryKey;
        client.setQueryData(key, (known) => placeAfter(place.data, known) ?? known);
        void client.invalidateQueries({ queryKey: key });
      }
    }
    if (!autoAdvance || nextId === null) return null;
    go(nextId);
    return nextId;
  }

  return {
    queue,
    position,
    isKnown: place.data !== undefined,
    last: trail.at(-1) ?? null,
    go,
    record,
    forget: (gone) => setWalk({ of, trail: withoutArticle(trail, gone) }),
    autoAdvance,
    setAutoAdvance,
  };
}

const STORED = "rostrum.review.goes-on";

function useAutoAdvance(): [boolean, (autoAdvance: boolean) => void] {
  const [autoAdvance, setAutoAdvance] = useState(() => localStorage.getItem(STORED) !== "off");
  return [
    autoAdvance,
    (next) => {
      localStorage.setItem(STORED, next ? "on" : "off");
      setAutoAdvance(next);
    },
  ];
}
