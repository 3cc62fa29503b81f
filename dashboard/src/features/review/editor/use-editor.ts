/**
 * The editor's state. The values are edits of a base, the article as last loaded; only the differences are sent, with the
 * base's version. If the article has changed since, the service rejects the save; the editor shows the conflict, and the new
 * version becomes the base only when the user has chosen.
 */
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import type { ReviewedArticle } from "../../../../../src/http/admin/contract/review.ts";
import { ApiError, apiPath, patch, post } from "../../../api/client.ts";
import { useAnnounce } from "../../../shared/announce.tsx";
import { type Confirm, useConfirm } from "../../../shared/confirm.tsx";
import { historyQuery, reviewedQuery, takeAnswer } from "../queries.ts";
import { sendText } from "./accept-loss.ts";
import { type MergePart, mergeValues } from "./merge.ts";
import type { LocalDraft } from "./local-drafts.ts";
import { useDraftAutosave } from "./use-draft-autosave.ts";
import { diffValues, type EditorValues, type FieldName, isUntouched, toEditorValues } from "./values.ts";
import type { DraftStore } from "./working-copies.ts";
import { useOfferedDrafts } from "./use-offered-drafts.ts";

/** Two texts for the same article. */
type Conflict =
  /** Another user has changed the article. */
  | { kind: "other"; message: string; latest: ReviewedArticle }
  /** Earlier input is to be restored, but the article has changed since. */
  | { kind: "earlier"; message: string; offer: LocalDraft };

export interface MergedChange {
  before: { base: ReviewedArticle; values: EditorValues };
  /** The version that was merged. */
  latest: ReviewedArticle;
  /** The values with the change. */
  values: EditorValues;
  parts: readonly MergePart[];
}

export interface Editor {
  /** The article as last loaded. */
  base: ReviewedArticle;
  was: EditorValues;
  values: EditorValues;
  set: <Name extends FieldName>(name: Name, value: EditorValues[Name]) => void;
  setAll: (values: EditorValues) => void;
  isDirty: boolean;
  /** Whether there are changes that readers do not have yet and that can be published now. */
  canUpdate: boolean;
  busy: "save" | "update" | null;
  error: unknown;
  savedAt: Date | null;
  conflict: Conflict | null;
  /** Another user's change that this user has not looked at yet; null if there is none. */
  newer: ReviewedArticle | null;
  lookAtNewer: () => void;
  /** Another user's change that was merged into this user's unsaved text; null once it is saved, undone or dismissed. */
  merged: MergedChange | null;
  /** Takes it back, and keeps what was typed since. */
  undoMerge: () => void;
  dismissMerge: () => void;
  /** Resolves the conflict: continues with these values. */
  merge: (values: EditorValues) => void;
  /** Resolves the conflict: continues with the other user's version and sets this user's input aside. */
  takeTheirs: () => void;
  /** @returns whether everything is saved now. */
  save: (live?: boolean) => Promise<boolean>;
  /** Earlier unsaved input, or input set aside for another user's version. */
  offered: LocalDraft | null;
  restoreDraft: () => void;
  discardOffer: () => void;
}

export function useEditor(latest: ReviewedArticle, drafts: DraftStore): Editor {
  const client = useQueryClient();
  const announce = useAnnounce();
  const confirm = useConfirm();
  const [base, setBase] = useState(latest);
  const [values, setValues] = useState(() => toEditorValues(latest));
  const { offers, draftId, setAside, removeOffer } = useOfferedDrafts(latest, drafts);
  const [busy, setBusy] = useState<"save" | "update" | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [savedAt, setSavedAt] = useState<Date | null>(null);
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const [merged, setMerged] = useState<MergedChange | null>(null);
  /** The version whose merge was taken back. */
  const [declined, setDeclined] = useState<ReviewedArticle | null>(null);
  const offer = offers[0] ?? null;
  const was = toEditorValues(base);
  const isDirty = !isUntouched(was, values);
  const isMoved = isOtherState(base, latest);

  // The latest version becomes the base if nothing is unsaved, or if it changes nothing that is unsaved.
  if (isMoved && busy === null && conflict === null) {
    const theirs = toEditorValues(latest);
    const merge = mergeValues(was, values, theirs);
    const isDeclined = declined !== null && !isOtherState(declined, latest);
    if (!isDirty || (merge.both.length === 0 && !isDeclined)) {
      setBase(latest);
      setValues(isDirty ? merge.values : theirs);
      const parts = [...merge.onlyTheirs, ...merge.merged].filter((part) => !TOLD.has(part));
      if (isDirty && parts.length > 0) setMerged({ before: { base, values }, latest, values: merge.values, parts });
    }
  }

  const typed = useRef(values);
  useEffect(() => {
    typed.current = values;
  });
  useDraftAutosave(drafts, { draftId, was, values, isDirty, offers });

  /** Makes a new version the base; input typed since `sent` is kept. */
  function mergeAnswer(answer: ReviewedArticle, sent: EditorValues): EditorValues {
    takeAnswer(client, answer);
    const now = mergeValues(sent, typed.current, toEditorValues(answer)).values;
    setBase(answer);
    setValues(now);
    return now;
  }

  async function save(live = false): Promise<boolean> {
    if (busy !== null || conflict !== null) return false;
    if (!isDirty && !(live && base.draft !== null)) return true;
    setBusy(live ? "update" : "save");
    setError(null);
    let answer = base;
    try {
      let now = values;
      if (isDirty) {
        answer = await sendChanges(base, values, confirm);
        now = mergeAnswer(answer, values);
      }
      if (live && answer.draft !== null) {
        const saved = toEditorValues(answer);
        answer = await publishDraftCopy(answer);
        now = mergeAnswer(answer, saved);
      }
      setSavedAt(thisMoment());
      setMerged(null);
      setDeclined(null);
      announce(live ? "Saved and updated." : "Saved.");
      return isUntouched(toEditorValues(answer), now);
    } catch (thrown) {
      if (!(await openConflict(thrown, answer))) setError(thrown);
      return false;
    } finally {
      setBusy(null);
    }
  }

  /** @returns whether the error is a conflict. */
  async function openConflict(thrown: unknown, seen: ReviewedArticle): Promise<boolean> {
    if (!(thrown instanceof ApiError) || thrown.status !== 409) return false;
    const query = reviewedQuery(base.website_id, base.article.id);
    const now = await client.fetchQuery({ ...query, staleTime: 0 }).catch(() => null);
    if (now === null || !isOtherState(seen, now)) return false;
    await client.invalidateQueries({ queryKey: historyQuery(base.website_id, base.article.id).queryKey });
    const isMergeable = mergeValues(toEditorValues(seen), typed.current, toEditorValues(now)).both.length === 0;
    // It is merged with the next rendering, and can be saved then.
    if (isMergeable && (declined === null || isOtherState(declined, now))) return true;
    setConflict({ kind: "other", message: thrown.message, latest: now });
    return true;
  }

  return {
    base,
    was,
    values,
    set: useCallback((name, value) => setValues((all) => ({ ...all, [name]: value })), []),
    setAll: setValues,
    isDirty,
    canUpdate: (isDirty || base.draft !== null) && conflict === null,
    busy,
    error,
    savedAt,
    conflict,
    newer: isMoved && isDirty && busy === null && conflict === null ? latest : null,
    lookAtNewer: () => setConflict({ kind: "other", message: "It has changed since you opened it.", latest }),
    merged,
    undoMerge: () => {
      if (merged === null) return;
      setDeclined(merged.latest);
      setBase(merged.before.base);
      setValues(mergeValues(merged.values, values, merged.before.values).values);
      setMerged(null);
      announce("The merge was undone.");
    },
    dismissMerge: () => setMerged(null),
    merge: (chosen) => {
      if (conflict?.kind === "other") setBase(conflict.latest);
      if (conflict?.kind === "earlier") removeOffer(conflict.offer);
      setValues(chosen);
      setConflict(null);
      setError(null);
      announce("Merged. Not saved yet.");
    },
    takeTheirs: () => {
      if (conflict?.kind === "other") {
        setAside(was, values);
        setBase(conflict.latest);
        setValues(toEditorValues(conflict.latest));
        announce("The new version is loaded. Your changes are set aside.");
      }
      setConflict(null);
      setError(null);
    },
    save,
    offered: offer,
    restoreDraft: () => {
      if (offer === null) return;
      const { values: restored, both } = mergeValues(offer.base, offer.values, values);
      if (both.length > 0) {
        setConflict({ kind: "earlier", message: "The article has changed since you typed that.", offer });
        return;
      }
      setValues(restored);
      removeOffer(offer);
    },
    discardOffer: () => {
      if (offer !== null) removeOffer(offer);
    },
  };
}

/** The website itself reports the article's URL and ID, soon after each publication. */
const TOLD: ReadonlySet<MergePart> = new Set(["platform_url", "platform_post_id"]);

/** Saves what differs from the base; of a published article as its draft copy. */
function sendChanges(base: ReviewedArticle, values: EditorValues, confirm: Confirm): Promise<ReviewedArticle> {
  const body = {
    version: base.line.version,
    draft_saved_at: base.draft?.saved_at ?? null,
    ...(base.line.status === "published" && { as_draft: true }),
    changes: diffValues(toEditorValues(base), values),
  };
  return sendText(confirm, (more) =>
    patch<ReviewedArticle>(apiPath`/articles/${base.article.id}`, { body: { ...body, ...more } }),
  );
}

/** Makes the draft copy live. */
function publishDraftCopy({ article, line, draft }: ReviewedArticle): Promise<ReviewedArticle> {
  const body = { version: line.version, draft_saved_at: draft?.saved_at };
  return post<ReviewedArticle>(apiPath`/articles/${article.id}/draft/publish`, { body });
}

/** Whether the service would reject a change that is based on `one`. */
function isOtherState(one: ReviewedArticle, other: ReviewedArticle): boolean {
  return one.line.version !== other.line.version || one.draft?.saved_at !== other.draft?.saved_at;
}

function thisMoment(): Date {
  return new Date();
}
