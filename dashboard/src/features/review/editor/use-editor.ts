/**
 * What is written, and what has become of it. The values lie over a base, the article as it was last seen; only what
 * differs is sent, together with the version of that base. Whatever changed meanwhile is refused by the service, shown as a
 * conflict, and becomes the new base only when the person has chosen.
 */
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import type { ReviewedArticle } from "../../../../../src/http/admin/contract/review.ts";
import { ApiError, at, patch, post } from "../../../api/client.ts";
import { useAnnounce } from "../../../shared/announce.tsx";
import { useConfirm } from "../../../shared/confirm.tsx";
import { reviewedQuery, takeAnswer } from "../queries.ts";
import { sendText } from "./accept-loss.ts";
import { mergeOf } from "./merge.ts";
import type { LocalDraftStore, LocalDraft } from "./local-drafts.ts";
import { useDraftAutosave } from "./use-draft-autosave.ts";
import { changesOf, type EditorValues, type FieldName, isUntouched, valuesOf } from "./values.ts";

/** Two texts, and one place. */
type Conflict =
  /** Somebody else has changed the article. */
  | { kind: "other"; message: string; latest: ReviewedArticle }
  /** What was typed earlier is to come back, over what is there now. */
  | { kind: "earlier"; message: string; offer: LocalDraft };

export interface Editor {
  /** As it was last seen. */
  base: ReviewedArticle;
  was: EditorValues;
  values: EditorValues;
  set: <Name extends FieldName>(name: Name, value: EditorValues[Name]) => void;
  setAll: (values: EditorValues) => void;
  isDirty: boolean;
  /** Whether there is something that readers do not have yet, and nothing stands against giving it to them. */
  canUpdate: boolean;
  busy: "save" | "update" | null;
  error: unknown;
  savedAt: Date | null;
  conflict: Conflict | null;
  /** Somebody has changed the article, and nobody has looked at it yet; null: nobody has. */
  newer: ReviewedArticle | null;
  lookAtNewer: () => void;
  /** Ends the conflict: goes on with these values. */
  merge: (values: EditorValues) => void;
  /** Ends the conflict: goes on with theirs; one's own is set aside. */
  takeTheirs: () => void;
  /** @returns whether everything is saved now. */
  save: (live?: boolean) => Promise<boolean>;
  /** What was typed earlier and not saved; or what was set aside for somebody else's version. */
  offered: LocalDraft | null;
  bringBack: () => void;
  letGo: () => void;
}

export function useEditor(latest: ReviewedArticle, drafts: LocalDraftStore): Editor {
  const client = useQueryClient();
  const announce = useAnnounce();
  const confirm = useConfirm();
  const [base, setBase] = useState(latest);
  const [values, setValues] = useState(() => valuesOf(latest));
  const [offers, setOffers] = useState(() => drafts.read().filter((one) => !isUntouched(valuesOf(latest), one.values)));
  const [busy, setBusy] = useState<"save" | "update" | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [savedAt, setSavedAt] = useState<Date | null>(null);
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const was = valuesOf(base);
  const isDirty = !isUntouched(was, values);
  const isMoved = isOtherState(base, latest);

  // Nobody has begun to write, or what changed cannot be written here: the newest is the base.
  if (isMoved && busy === null && conflict === null) {
    const theirs = valuesOf(latest);
    const { values: merged, onlyTheirs, both } = mergeOf(was, values, theirs);
    // Where it stands is told by the website itself, soon after each publication.
    const isTold = onlyTheirs.every((part) => part === "platform_url" || part === "platform_post_id");
    if (!isDirty || (both.length === 0 && isTold)) {
      setBase(latest);
      setValues(isDirty ? merged : theirs);
    }
  }

  const typed = useRef(values);
  useEffect(() => {
    typed.current = values;
  });
  useDraftAutosave(drafts, { was, values, isDirty, offers });

  /** Something new is the base; what was typed since `sent` stays typed. */
  function settle(answer: ReviewedArticle, sent: EditorValues): EditorValues {
    takeAnswer(client, answer);
    const now = mergeOf(sent, typed.current, valuesOf(answer)).values;
    setBase(answer);
    setValues(now);
    return now;
  }

  async function save(live = false): Promise<boolean> {
    if (busy !== null || conflict !== null) return false;
    const isPublished = base.line.status === "published";
    if (!isDirty && !(live && base.draft !== null)) return true;
    const sent = values;
    setBusy(live ? "update" : "save");
    setError(null);
    let answer = base;
    try {
      let now = sent;
      if (isDirty) {
        const body = {
          version: base.line.version,
          draft_saved_at: base.draft?.saved_at ?? null,
          ...(isPublished && { as_draft: true }),
          changes: changesOf(was, sent),
        };
        answer = await sendText(confirm, (more) =>
          patch<ReviewedArticle>(at`/articles/${base.article.id}`, { body: { ...body, ...more } }),
        );
        now = settle(answer, sent);
      }
      const saved = valuesOf(answer);
      if (live && answer.draft !== null) {
        const body = { version: answer.line.version, draft_saved_at: answer.draft.saved_at };
        answer = await post<ReviewedArticle>(at`/articles/${answer.article.id}/draft/publish`, { body });
        now = settle(answer, saved);
      }
      setSavedAt(thisMoment());
      announce(live ? "Saved and updated." : "Saved.");
      return isUntouched(valuesOf(answer), now);
    } catch (thrown) {
      if (!(await openConflict(thrown, answer))) setError(thrown);
      return false;
    } finally {
      setBusy(null);
    }
  }

  /** @returns whether it is one, and not another refusal. */
  async function openConflict(thrown: unknown, seen: ReviewedArticle): Promise<boolean> {
    if (!(thrown instanceof ApiError) || thrown.status !== 409) return false;
    const query = reviewedQuery(base.website_id, base.article.id);
    const now = await client.fetchQuery({ ...query, staleTime: 0 }).catch(() => null);
    if (now === null || !isOtherState(seen, now)) return false;
    setConflict({ kind: "other", message: thrown.message, latest: now });
    return true;
  }

  function takeOffer(): void {
    setOffers((all) => all.slice(1));
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
    merge: (merged) => {
      if (conflict?.kind === "other") setBase(conflict.latest);
      if (conflict?.kind === "earlier") setOffers((all) => all.filter((one) => one !== conflict.offer));
      setValues(merged);
      setConflict(null);
      setError(null);
      announce("Merged. Not saved yet.");
    },
    takeTheirs: () => {
      if (conflict?.kind === "other") {
        const aside = { at: new Date().toISOString(), base: was, values };
        setOffers((all) => [aside, ...all]);
        setBase(conflict.latest);
        setValues(valuesOf(conflict.latest));
        announce("The new version is loaded. What you had typed is set aside.");
      }
      setConflict(null);
      setError(null);
    },
    save,
    offered: offers[0] ?? null,
    bringBack: () => {
      const [offer] = offers;
      if (offer === undefined) return;
      const { values: merged, both } = mergeOf(offer.base, offer.values, values);
      if (both.length > 0) {
        setConflict({ kind: "earlier", message: "The article has changed since you typed that.", offer });
        return;
      }
      setValues(merged);
      takeOffer();
    },
    letGo: takeOffer,
  };
}

/** Whether the service would refuse a change that was made of the one. */
function isOtherState(one: ReviewedArticle, other: ReviewedArticle): boolean {
  return one.line.version !== other.line.version || one.draft?.saved_at !== other.draft?.saved_at;
}

function thisMoment(): Date {
  return new Date();
}
