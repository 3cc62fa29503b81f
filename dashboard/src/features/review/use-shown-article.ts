/**
 * Which article the page shows. A step to another one shows it at once, from what was loaded ahead; the address follows when it
 * is on the screen.
 */
import { useNavigate, useParams } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { afterPaint } from "../../shared/after-paint.ts";
import type { QueueFilter } from "./search.ts";

interface ShownId {
  id: string;
  show: (id: string) => void;
}

export function useShownId(queue: QueueFilter | null): ShownId {
  const { id: addressed } = useParams({ from: "/signed-in/website/articles/$id" });
  const navigate = useNavigate();
  /** What the address is to go through, the article shown last; empty: the address says which one. */
  const [steps, setSteps] = useState<readonly string[]>([]);
  const target = useRef<string | null>(null);
  useEffect(
    () => () => {
      target.current = null;
    },
    [],
  );
  const last = steps.at(-1);
  const isAhead = last !== undefined && last !== addressed && steps.includes(addressed);
  if (!isAhead && steps.length > 0) setSteps([]);

  function show(to: string): void {
    setSteps([...(isAhead ? steps : [addressed]), to]);
    // Before the new article is rendered, when reading it costs no layout.
    if (window.scrollY > 0) window.scrollTo(0, 0);
    const isPending = target.current !== null;
    target.current = to;
    if (isPending) return;
    afterPaint(() => {
      const id = target.current;
      target.current = null;
      if (id !== null) void navigate({ to: "/articles/$id", params: { id }, search: queue ?? {} });
    });
  }

  return { id: isAhead ? last : addressed, show };
}
