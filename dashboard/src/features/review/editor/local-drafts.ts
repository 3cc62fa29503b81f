/**
 * What somebody has typed and not saved, kept in the tab: a crash, a lost session or a careless click loses nothing. It is
 * kept for the person and the article, and offered to nobody else.
 */
import type { EditorValues } from "./values.ts";

export interface LocalDraft {
  /** ISO 8601. */
  at: string;
  /** What was there when the typing began. */
  base: EditorValues;
  values: EditorValues;
}

export interface LocalDraftStore {
  /** Newest first. */
  read: () => readonly LocalDraft[];
  /** Empty: nothing is kept. What does not fit is not kept; the article itself can still be saved. */
  keep: (all: readonly LocalDraft[]) => void;
}

/** `of`: an article's id, or what else stands for the text, such as `new` with the website's id. */
export function openLocalDrafts(storage: Storage, accountId: string, of: string): LocalDraftStore {
  const key = `rostrum.unsaved.${accountId}.${of}`;
  return {
    read: () => parse(storage.getItem(key)),
    keep: (all) => {
      try {
        if (all.length === 0) storage.removeItem(key);
        else storage.setItem(key, JSON.stringify(all.slice(0, MAX_TEXTS)));
      } catch {
        storage.removeItem(key);
      }
    },
  };
}

const MAX_TEXTS = 3;

function parse(stored: string | null): readonly LocalDraft[] {
  try {
    const value: unknown = JSON.parse(stored ?? "[]");
    return Array.isArray(value) ? value.filter(isLocalDraft) : [];
  } catch {
    return [];
  }
}

function isLocalDraft(value: unknown): value is LocalDraft {
  const { at, base, values } = (value ?? {}) as Partial<LocalDraft>;
  return typeof at === "string" && isValues(base) && isValues(values);
}

/** By an earlier version of this page it may have been written otherwise. */
function isValues(value: unknown): value is EditorValues {
  const { title, text, source, tags } = (value ?? {}) as Partial<EditorValues>;
  return typeof title === "string" && typeof text === "string" && typeof source === "string" && Array.isArray(tags);
}
