/**
 * Unsaved input, kept by the service as well, a moment after typing stops: a closed tab or another device loses nothing. What the
 * service does not have yet stays in this browser, and is sent as soon as the service can be reached.
 */
import type { WorkingCopies } from "../../../../../src/http/admin/contract/working-copies.ts";
import { ApiError, apiPath, del, get, put } from "../../../api/client.ts";
import { SERVICE_BACK } from "../../../api/service-events.ts";
import { type LocalDraft, type LocalDraftStore, openLocalDrafts, parseDrafts, tabStorage } from "./local-drafts.ts";

/** Where what was typed last is. */
export interface CopyState {
  /**
   * `refused`: only in this browser, because it is too long for the service; `unkept`: only on the page, because it is too long for
   * both; `nowhere`: only on the page, because the service is away, too.
   */
  place: "sending" | "service" | "browser" | "refused" | "unkept" | "nowhere";
  /** When the service received it; null: it has received nothing yet. */
  at: Date | null;
}

export interface DraftStore extends LocalDraftStore {
  /** The same object until it changes. */
  state: () => CopyState;
  /** Calls back whenever `state` has changed. @returns a function that ends it. */
  subscribe: (onChange: () => void) => () => void;
  /** What the service has, newest first; what is not `needed` is deleted. Empty if it cannot be reached. */
  fetch: (isNeeded: (draft: LocalDraft) => boolean) => Promise<readonly LocalDraft[]>;
  /** These are shown: the next `keep` without one of them deletes it. */
  hold: (ids: readonly string[]) => void;
  /** Sends what is not sent, without waiting; the page may be closed. */
  flush: () => void;
  /** Sends the last time, and again only from the next page. */
  close: () => void;
}

interface Of {
  accountId: string;
  websiteId: string;
  /** null: an article that does not exist yet. */
  articleId: string | null;
}

const SEND_AFTER_MS = 1_000;
/** While the user types without a pause. */
const MAX_WAIT_MS = 5_000;
const RETRY_MS = 10_000;
/** What a browser sends after its page was closed. */
const MAX_KEEPALIVE_BYTES = 60_000;

export function openDrafts({ accountId, websiteId, articleId }: Of): DraftStore {
  const of = articleId ?? `new.${websiteId}`;
  const path = articleId === null ? "/working-copies" : apiPath`/articles/${articleId}/working-copies`;
  const query = articleId === null ? { website_id: websiteId } : {};
  const session = openLocalDrafts(tabStorage(), accountId, of);
  const unsent = new Unsent(`rostrum.unsent.${accountId}.${of}.`);
  /** The content that the service has, by the draft's ID. */
  const sent = new Map<string, string>();
  /** What the service has refused; it is sent again when it has changed. */
  const refused = new Map<string, string>();
  /** What this page has shown or made: once it is no longer kept, it is deleted. */
  const held = new Set<string>();
  let wanted = new Map<string, string>();
  let sending: Promise<void> | null = null;
  let timer: number | undefined;
  let waitingSince: number | null = null;
  /** Whether the last attempt to send failed. */
  let isFailing = false;
  /** Whether this browser has what was typed last. */
  let isHere = false;
  let isClosed = true;
  let state: CopyState = { place: "sending", at: null };
  const listeners = new Set<() => void>();

  function setPlace(place: CopyState["place"]): void {
    if (place === state.place && place !== "service") return;
    state = { place, at: place === "service" ? new Date() : state.at };
    for (const listener of listeners) listener();
  }

  function keep(all: readonly LocalDraft[]): boolean {
    if (isClosed) open();
    let isKept = session.keep(all);
    wanted = new Map(all.map((draft) => [draft.id, JSON.stringify(draft)]));
    let isChanged = false;
    for (const [id, content] of wanted) {
      held.add(id);
      if (sent.get(id) === content || refused.get(id) === content) continue;
      isChanged = true;
      isKept = unsent.set(id, content) || isKept;
    }
    isHere = isKept;
    // While the service cannot be reached, each key would otherwise say that it is being saved.
    if (isChanged && !isFailing) setPlace("sending");
    if (listWork().length > 0) schedule();
    return isKept;
  }

  function schedule(): void {
    clearTimeout(timer);
    waitingSince ??= performance.now();
    const left = Math.max(0, waitingSince + MAX_WAIT_MS - performance.now());
    timer = window.setTimeout(() => void send(), Math.min(SEND_AFTER_MS, left));
  }

  /** Saves before it deletes, so that the service always has one of both. */
  function listWork(): (() => Promise<void>)[] {
    const changed = [...wanted].filter(([id, content]) => sent.get(id) !== content && refused.get(id) !== content);
    const gone = [...held].filter((id) => !wanted.has(id));
    return [
      ...changed.map(
        ([id, content]) =>
          () =>
            save(id, content),
      ),
      ...gone.map((id) => () => remove(id)),
    ];
  }

  async function save(id: string, content: string): Promise<void> {
    const keepalive = content.length < MAX_KEEPALIVE_BYTES / 3;
    try {
      await put(`${path}/${encodeURIComponent(id)}`, { body: { ...query, content }, keepalive, waits: false });
    } catch (error) {
      if (isTemporary(error)) throw error;
      refused.set(id, content);
      return;
    }
    sent.set(id, content);
    unsent.remove(id, content);
  }

  async function remove(id: string): Promise<void> {
    unsent.remove(id);
    await del(`${path}/${encodeURIComponent(id)}`, { query, keepalive: true, waits: false }).catch((error: unknown) => {
      if (isTemporary(error)) throw error;
    });
    sent.delete(id);
    if (!wanted.has(id)) held.delete(id);
  }

  function send(): Promise<void> {
    clearTimeout(timer);
    waitingSince = null;
    sending ??= work().finally(() => {
      sending = null;
    });
    return sending;
  }

  async function work(): Promise<void> {
    try {
      for (let [next] = listWork(); next !== undefined; [next] = listWork()) await next();
      isFailing = false;
      if ([...wanted].every(([id, content]) => sent.get(id) === content)) setPlace("service");
      else setPlace(isHere ? "refused" : "unkept");
    } catch {
      isFailing = true;
      setPlace(isHere ? "browser" : "nowhere");
      if (!isClosed) timer = window.setTimeout(() => void send(), RETRY_MS);
    }
  }

  const onBack = () => void send();

  function open(): void {
    isClosed = false;
    for (const name of RETURNS) window.addEventListener(name, onBack);
  }

  return {
    read: () => {
      const all = [...session.read(), ...unsent.read()];
      const newest = new Map(all.toSorted((a, b) => a.at.localeCompare(b.at)).map((draft) => [draft.id, draft]));
      return [...newest.values()].toReversed();
    },
    keep,
    state: () => state,
    subscribe: (onChange) => {
      listeners.add(onChange);
      return () => void listeners.delete(onChange);
    },
    fetch: async (isNeeded) => {
      const { copies } = await get<WorkingCopies>(path, { query }).catch(() => ({ copies: [] }));
      const drafts = copies.flatMap(({ content }) => parseDrafts(`[${content}]`));
      for (const draft of drafts) {
        if (isNeeded(draft)) sent.set(draft.id, JSON.stringify(draft));
        else if (!wanted.has(draft.id)) held.add(draft.id);
      }
      for (const draft of unsent.read()) {
        if (!isNeeded(draft) && !wanted.has(draft.id)) unsent.remove(draft.id);
      }
      if (listWork().length > 0) schedule();
      return drafts.filter(isNeeded);
    },
    hold: (ids) => {
      for (const id of ids) held.add(id);
    },
    flush: () => void send(),
    close: () => {
      isClosed = true;
      for (const name of RETURNS) window.removeEventListener(name, onBack);
      void send();
    },
  };
}

const RETURNS = ["online", SERVICE_BACK] as const;

/** Whether it may succeed later: there was no answer, the service is out of order, or nobody is signed in. */
function isTemporary(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status === 401 || error.status >= 429;
}

/** Each draft by itself, so that the pages of one browser do not overwrite each other's. */
class Unsent {
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  read(): readonly LocalDraft[] {
    try {
      const keys = Object.keys(localStorage).filter((key) => key.startsWith(this.#prefix));
      return keys.flatMap((key) => parseDrafts(`[${localStorage.getItem(key) ?? ""}]`));
    } catch {
      // The browser blocks storage.
      return [];
    }
  }

  /** @returns whether it is stored. */
  set(id: string, content: string): boolean {
    try {
      localStorage.setItem(this.#prefix + id, content);
      return true;
    } catch {
      // Storage is full or blocked; the service receives the copy soon.
      this.remove(id);
      return false;
    }
  }

  /** `content`: only if that is what is stored. */
  remove(id: string, content?: string): void {
    const key = this.#prefix + id;
    try {
      if (content === undefined || localStorage.getItem(key) === content) localStorage.removeItem(key);
    } catch {
      // The browser blocks storage.
    }
  }
}
