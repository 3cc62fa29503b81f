import { useEffect, useEffectEvent } from "react";
import type { LocalDraftStore, LocalDraft } from "./local-drafts.ts";
import type { EditorValues } from "./values.ts";

interface Typed {
  /** The values before the edit. */
  was: EditorValues;
  values: EditorValues;
  isDirty: boolean;
  /** Earlier drafts that the user has neither restored nor discarded. */
  offers: readonly LocalDraft[];
}

const KEEP_AFTER_MS = 400;

/** Stores the input shortly after each change, and at once when the page is closed. */
export function useDraftAutosave(drafts: LocalDraftStore, typed: Typed): void {
  useEffect(() => {
    const timer = setTimeout(() => drafts.keep(toEntries(typed)), KEEP_AFTER_MS);
    return () => clearTimeout(timer);
  }, [drafts, typed]);
  const keep = useEffectEvent(() => drafts.keep(toEntries(typed)));
  useEffect(() => {
    const now = () => keep();
    window.addEventListener("pagehide", now);
    return () => {
      window.removeEventListener("pagehide", now);
      now();
    };
  }, []);
}

function toEntries({ was, values, isDirty, offers }: Typed): LocalDraft[] {
  return [...(isDirty ? [{ at: new Date().toISOString(), base: was, values }] : []), ...offers];
}
