import { useState } from "react";
import type { ReviewedArticle } from "../../../../../src/http/admin/contract/review.ts";
import type { LocalDraft } from "./local-drafts.ts";
import { useFetchedDrafts } from "./use-fetched-drafts.ts";
import { type EditorValues, isUntouched, toEditorValues } from "./values.ts";
import type { DraftStore } from "./working-copies.ts";

/** Unsaved input that the user can restore, newest first. `draftId` is that of what is being typed now. */
export function useOfferedDrafts(latest: ReviewedArticle, drafts: DraftStore) {
  const differs = (one: LocalDraft) => !isUntouched(toEditorValues(latest), one.values);
  const [offers, setOffers] = useState<readonly LocalDraft[]>(() => drafts.read().filter(differs));
  const [draftId, setDraftId] = useState<string>(() => crypto.randomUUID());
  useFetchedDrafts(drafts, setOffers, differs);
  return {
    offers,
    draftId,
    /** Offers what has been typed, and begins another draft. */
    setAside: (base: EditorValues, values: EditorValues) => {
      const aside = { id: draftId, at: new Date().toISOString(), base, values };
      setOffers((all) => [aside, ...all]);
      setDraftId(crypto.randomUUID());
    },
    removeOffer: (offer: LocalDraft) => setOffers((all) => all.filter((one) => one !== offer)),
  };
}
