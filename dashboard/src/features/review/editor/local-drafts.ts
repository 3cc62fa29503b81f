/**
 * Unsaved input, kept in the tab's storage, so that a crash, an expired session or a careless click loses nothing. It belongs
 * to one account and one article, and is offered to nobody else. working-copies.ts keeps it for other tabs and devices.
 */
import { EMPTY, type EditorValues } from "./values.ts";

export interface LocalDraft {
  /** The draft's id, which is the same on all devices. */
  id: string;
  /** ISO 8601. */
  at: string;
  /** The browser that it was typed in, such as “Firefox on Windows”. */
  device?: string;
  /** The values when typing began. */
  base: EditorValues;
  values: EditorValues;
}

export interface LocalDraftStore {
  /** Newest first. */
  read: () => readonly LocalDraft[];
  /**
   * An empty list removes all. Texts too large for the storage are not kept; the article itself can still be saved.
   * @returns whether they are kept.
   */
  keep: (all: readonly LocalDraft[]) => boolean;
}

/** The tab's storage; null if the browser blocks it. */
export function tabStorage(): Storage | null {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}

/** `of`: the article's ID, or another key for the text, such as `new` with the website's ID. */
export function openLocalDrafts(storage: Storage | null, accountId: string, of: string): LocalDraftStore {
  const key = `rostrum.unsaved.${accountId}.${of}`;
  return {
    read: () => parseDrafts(storage?.getItem(key) ?? "[]"),
    keep: (all) => {
      try {
        if (all.length === 0) storage?.removeItem(key);
        else storage?.setItem(key, JSON.stringify(all.slice(0, MAX_TEXTS)));
        return storage !== null;
      } catch {
        storage?.removeItem(key);
        return false;
      }
    },
  };
}

const MAX_TEXTS = 3;

/** Parses a JSON array of drafts, and leaves out those that this version cannot read. */
export function parseDrafts(stored: string): readonly LocalDraft[] {
  try {
    const value: unknown = JSON.parse(stored);
    // One that was typed before an update of the page may lack fields.
    return Array.isArray(value) ? value.filter(isLocalDraft).map(complete) : [];
  } catch {
    return [];
  }
}

function complete(draft: LocalDraft): LocalDraft {
  return { ...draft, base: { ...EMPTY, ...draft.base }, values: { ...EMPTY, ...draft.values } };
}

function isLocalDraft(value: unknown): value is LocalDraft {
  const { id, at, base, values } = (value ?? {}) as Partial<LocalDraft>;
  return typeof id === "string" && typeof at === "string" && isValues(base) && isValues(values);
}

/** The page may have been updated since, and the format with it. */
function isValues(value: unknown): value is EditorValues {
  const { title, text, source, tags } = (value ?? {}) as Partial<EditorValues>;
  return typeof title === "string" && typeof text === "string" && typeof source === "string" && Array.isArray(tags);
}
