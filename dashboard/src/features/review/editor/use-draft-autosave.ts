import { useEffect, useEffectEvent, useLayoutEffect } from "react";
import { deviceName } from "../../../shared/device-name.ts";
import type { LocalDraft } from "./local-drafts.ts";
import type { EditorValues } from "./values.ts";
import type { DraftStore } from "./working-copies.ts";

interface Typed {
  /** The id of the current draft. */
  draftId: string;
  /** The values before the edit. */
  was: EditorValues;
  values: EditorValues;
  isDirty: boolean;
  /** Earlier drafts that the user has neither restored nor discarded. */
  offers: readonly LocalDraft[];
}

const KEEP_AFTER_MS = 400;

/** Stores the input shortly after each change, and at once when the page is closed. */
export function useDraftAutosave(drafts: DraftStore, typed: Typed): void {
  const { offers } = typed;
  useLayoutEffect(() => drafts.hold(offers.map(({ id }) => id)), [drafts, offers]);
  useEffect(() => {
    const timer = setTimeout(() => drafts.keep(toEntries(typed)), KEEP_AFTER_MS);
    return () => clearTimeout(timer);
  }, [drafts, typed]);
  const keep = useEffectEvent(() => drafts.keep(toEntries(typed)));
  useEffect(() => {
    const now = () => {
      keep();
      drafts.flush();
    };
    window.addEventListener("pagehide", now);
    return () => {
      window.removeEventListener("pagehide", now);
      keep();
      drafts.close();
    };
  }, [drafts]);
}

/** When each set of values was typed, ISO 8601. */
const changes = new WeakMap<EditorValues, string>();

const DEVICE = deviceName(navigator.userAgent);

function toEntries({ draftId, was, values, isDirty, offers }: Typed): LocalDraft[] {
  const at = changes.get(values) ?? new Date().toISOString();
  changes.set(values, at);
  return [...(isDirty ? [{ id: draftId, at, device: DEVICE, base: was, values }] : []), ...offers];
}
