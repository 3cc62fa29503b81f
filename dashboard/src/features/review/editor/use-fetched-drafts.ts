import { type Dispatch, type SetStateAction, useEffect, useEffectEvent } from "react";
import type { LocalDraft } from "./local-drafts.ts";
import type { DraftStore } from "./working-copies.ts";

/** Adds what the service has kept of the user's other pages and devices. */
export function useFetchedDrafts(
  drafts: DraftStore,
  setOffers: Dispatch<SetStateAction<readonly LocalDraft[]>>,
  isNeeded: (draft: LocalDraft) => boolean,
): void {
  const isStillNeeded = useEffectEvent(isNeeded);
  useEffect(() => {
    let isGone = false;
    async function add(): Promise<void> {
      const found = await drafts.fetch((draft) => isStillNeeded(draft));
      if (isGone) return;
      setOffers((all) => {
        const others = found.filter(({ id }) => all.every((one) => one.id !== id));
        return [...all, ...others].toSorted((a, b) => b.at.localeCompare(a.at));
      });
    }
    void add();
    return () => {
      isGone = true;
    };
  }, [drafts, setOffers]);
}
