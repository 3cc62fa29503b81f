/** The queue of articles under review. Its state outlives the single article. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { ArticlePlace } from "../../../../../src/http/admin/contract/articles.ts";
import { DEFAULT_QUEUE } from "../../../shared/article-queue.ts";
import { afterPaint } from "../../../shared/after-paint.ts";
import { useAnnounce } from "../../../shared/announce.tsx";
import { readChoice, saveChoice } from "../../../api/stored-choice.ts";
import { placeQuery, reviewedQuery } from "../queries.ts";
import type { QueueFilter } from "../search.ts";
import {
  type Decided,
  placeOfNext,
  placeOutside,
  type QueuePosition,
  getPosition,
  type ReviewHistory,
  withDecided,
  withoutArticle,
} from "./review-history.ts";
import { isInView } from "./views.ts";

export interface ReviewQueue {
  queue: QueueFilter;
  position: QueuePosition;
  /** The article after the next one; null if there is none, or it is unknown. */
  secondNextId: string | null;
  /** The article's current index in the list; null if it is not in it, or unknown. */
  index: number | null;
  /** Whether the position is known. */
  isKnown: boolean;
  /** The last decision; null: none yet. */
  last: Decided | null;
  /** Whether a decision shows the next article. */
  advances: boolean;
  go: (id: string) => void;
  /**
   * Records the decision about the article shown, and advances to the next one if `advances`. `line`: the article after the
   * decision. `done`: “Approved”.
   *
   * @returns the ID of the article shown next; null: the current one stays.
   */
  record: (title: string, line: ViewLine, done: string) => string | null;
  /** Removes the decision: the article is back, or was not decided after all. */
  forget: (id: string) => void;
  /** Whether the next article is shown after a decision, if there is one. */
  autoAdvance: boolean;
  setAutoAdvance: (autoAdvance: boolean) => void;
}

type ViewLine = Parameters<typeof isInView>[1];

/** Number of the next articles to load ahead. */
const LOOK_AHEAD = 4;
/** With fewer known articles ahead, the list is loaded again: soon enough that none to be loaded ahead is ever unknown. */
const MIN_KNOWN = 20;

interface QueueProps {
  websiteId: string;
  /** The article shown. */
  id: string;
  /** The article that the service is asked about: the one shown, or, in its first rendering, the one before. */
  settledId: string;
  queue: QueueFilter | null;
  show: (id: string) => void;
}

/** null: the article was not opened from a list. */
export function useQueue({ websiteId, id, settledId, queue, show: showArticle }: QueueProps): ReviewQueue | null {
  const client = useQueryClient();
  const announce = useAnnounce();
  const [walk, setWalk] = useState<{ of: string; trail: ReviewHistory }>({ of: "", trail: [] });
  const [autoAdvance, setAutoAdvance] = useAutoAdvance();
  const of = JSON.stringify(queue);
  const trail = walk.of === of ? walk.trail : [];
  const placeOf = (one: string) => placeQuery(websiteId, one, queue ?? { view: DEFAULT_QUEUE });
  const settled = useQuery({ ...placeOf(settledId), enabled: queue !== null });
  const place = id === settledId ? settled : { data: client.getQueryData(placeOf(id).queryKey) };
  const position = getPosition(id, place.data, trail);
  const { nextId, previousId } = position;
  const [first, second = null] = place.data?.next_ids ?? [];
  const secondNextId = first === nextId ? second : null;
  const ahead = (place.data?.next_ids ?? []).slice(0, LOOK_AHEAD).join(" ");

  useEffect(() => {
    if (of === "null" || id !== settledId) return;
    if (nextId !== null) void client.prefetchQuery(reviewedQuery(websiteId, nextId));
    // Each is loaded once. A decision about another article invalidates them, but they are loaded again when they are shown.
    for (const one of [...ahead.split(" "), previousId ?? ""]) {
      if (one !== "") void client.prefetchQuery({ ...reviewedQuery(websiteId, one), staleTime: "static" });
    }
  }, [client, websiteId, id, settledId, nextId, previousId, ahead, of]);

  // After several decisions in a row, the list of the next articles gets too short: load it again.
  const known = place.data;
  const isShort =
    known !== undefined &&
    known.index !== null &&
    known.next_ids.length < MIN_KNOWN &&
    known.index + 1 + known.next_ids.length < known.total;
  useEffect(() => {
    if (!isShort || id !== settledId) return;
    void client.invalidateQueries({ queryKey: ["articles", websiteId, "place"] }, { cancelRefetch: false });
  }, [client, websiteId, id, settledId, isShort]);

  if (queue === null) return null;

  const changeTrail = (change: (trail: ReviewHistory) => ReviewHistory) =>
    setWalk((now) => ({ of, trail: change(now.of === of ? now.trail : []) }));

  /** Sets the expected position until the service's answer replaces it. */
  function expectPlace(articleId: string, expected: ArticlePlace): void {
    const { queryKey } = placeOf(articleId);
    // An answer to an earlier query would overwrite it.
    void client.cancelQueries({ queryKey });
    client.setQueryData(queryKey, expected);
  }

  function go(to: string): void {
    if (to === nextId && client.getQueryData(placeOf(to).queryKey) === undefined) {
      const expected = placeOfNext(id, place.data, false);
      // Without a decision, the service knows better at once.
      if (expected !== undefined) client.setQueryData(placeOf(to).queryKey, expected, { updatedAt: 1 });
    }
    show(to);
  }

  function show(to: string): void {
    showArticle(to);
    const known = client.getQueryData(reviewedQuery(websiteId, to).queryKey);
    if (known !== undefined) afterPaint(() => announce(known.article.title));
  }

  const advances = autoAdvance && nextId !== null;

  function record(title: string, line: ViewLine, done: string): string | null {
    if (queue === null) return null;
    const hasLeft = !isInView(queue.view, line);
    changeTrail((now) =>
      hasLeft ? withDecided(now, { id, title, done, previousId, nextId }) : withoutArticle(now, id),
    );
    if (hasLeft && nextId !== null) {
      const expected = placeOfNext(id, place.data, true);
      if (expected !== undefined) expectPlace(nextId, expected);
      if (place.data !== undefined) expectPlace(id, placeOutside(place.data));
    }
    if (!advances) return null;
    show(nextId);
    return nextId;
  }

  return {
    queue,
    position,
    secondNextId,
    index: place.data?.index ?? null,
    isKnown: place.data !== undefined,
    last: trail.at(-1) ?? null,
    advances,
    go,
    record,
    forget: (gone) => {
      changeTrail((now) => withoutArticle(now, gone));
      void client.invalidateQueries({ queryKey: ["articles", websiteId, "place"] });
    },
    autoAdvance,
    setAutoAdvance,
  };
}

const STORED = "rostrum.review.goes-on";

function useAutoAdvance(): [boolean, (autoAdvance: boolean) => void] {
  const [autoAdvance, setAutoAdvance] = useState(() => readChoice(STORED) !== "off");
  return [
    autoAdvance,
    (next) => {
      saveChoice(STORED, next ? "on" : "off");
      setAutoAdvance(next);
    },
  ];
}
