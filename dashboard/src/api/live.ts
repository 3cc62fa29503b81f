/**
 * Live updates: the service reports what has changed, and the affected queries are refetched. The first message of a stream
 * lists every topic, because changes may have been missed.
 */
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { LiveChange } from "../../../src/http/admin/contract/overview.ts";
import type { WhoAmI } from "../../../src/http/admin/contract/session.ts";
import { buildUrl } from "./client.ts";
import { SERVICE_BACK, SERVICE_SILENT } from "./service-events.ts";
import { SESSION_KEY } from "./session.ts";

type Topic = LiveChange["topics"][number];

/** The query keys, by prefix, that each topic invalidates; see query.ts. */
const KEYS_OF: Record<Topic, (websiteId: string) => readonly (readonly string[])[]> = {
  articles: (id) => [["articles", id], ["overview", id], ["getting-started", id], ["audit"]],
  keys: (id) => [["keys", id], ["getting-started", id], ["audit"]],
  senders: (id) => [["senders", id], ["getting-started", id], ["audit"]],
  webhooks: (id) => [["webhooks", id], ["overview", id], ["getting-started", id], ["audit"]],
  deliveries: (id) => [
    ["deliveries", id],
    ["webhooks", id],
    ["overview", id],
    ["getting-started", id],
  ],
  reads: (id) => [
    ["keys", id],
    ["overview", id],
    ["getting-started", id],
  ],
  members: () => [["members"], ["session"], ["audit"]],
  websites: () => [["websites"], ["session"], ["audit"]],
  inbox: () => [["inbox"]],
  presence: (id) => [["presence", id]],
};

const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 30_000;
/** Changes are batched for this long, so that a hundred imported articles cause one refetch. */
const GATHER_MS = 400;
/** A tab that has been hidden for this long closes its connection. */
const HIDDEN_MS = 60_000;
const AWAY_MS = 5_000;
/** How long a stream waits to reconnect after a later page of the same session has superseded it. */
const SUPERSEDED_MS = 60_000;

/** @returns whether the stream has been down long enough to tell the user that the page may be out of date. */
export function useLive(websiteId: string | null): boolean {
  const client = useQueryClient();
  const [isAway, setAway] = useState(false);
  useEffect(() => {
    if (websiteId === null) return undefined;
    const live = new Live(websiteId, client, setAway);
    return () => live.close();
  }, [client, websiteId]);
  return isAway;
}

/** Whether a stream has been opened since the page was loaded. */
let hasOpened = false;

/**
 * The state that came with the session, for the first stream of a page: the session is fetched before everything else, so that
 * the stream only needs to report what has changed since.
 */
function takeFirstState(websiteId: string, client: QueryClient): string | null {
  const state = client.getQueryState<WhoAmI | null>(SESSION_KEY);
  const isFirst = !hasOpened && state?.dataUpdateCount === 1;
  hasOpened = true;
  const live = state?.data?.live ?? null;
  return isFirst && live?.website_id === websiteId ? live.since : null;
}

class Live {
  readonly #websiteId: string;
  readonly #client: QueryClient;
  readonly #onAway: (isAway: boolean) => void;
  readonly #changed = new Set<Topic>();
  #source: EventSource | null = null;
  /** Whether the next message is the first of this stream. */
  #isFirst = false;
  /** The state of the website that everything on the page is at least as new as; null: unknown. */
  #since: string | null;
  #failures = 0;
  #retry: number | undefined;
  #gathering: number | undefined;
  #away: number | undefined;
  #hidden: number | undefined;

  constructor(websiteId: string, client: QueryClient, onAway: (isAway: boolean) => void) {
    this.#websiteId = websiteId;
    this.#client = client;
    this.#onAway = onAway;
    this.#since = takeFirstState(websiteId, client);
    document.addEventListener("visibilitychange", this.#onVisibilityChange);
    window.addEventListener("online", this.#reconnect);
    window.addEventListener("focus", this.#reconnect);
    window.addEventListener(SERVICE_BACK, this.#reconnect);
    this.#open();
  }

  close(): void {
    document.removeEventListener("visibilitychange", this.#onVisibilityChange);
    window.removeEventListener("online", this.#reconnect);
    window.removeEventListener("focus", this.#reconnect);
    window.removeEventListener(SERVICE_BACK, this.#reconnect);
    clearTimeout(this.#hidden);
    clearTimeout(this.#gathering);
    this.#disconnect();
    this.#markOnline();
  }

  #open(): void {
    const source = new EventSource(buildUrl("/live", { website_id: this.#websiteId, since: this.#since }));
    this.#since = null;
    this.#source = source;
    source.addEventListener("open", () => {
      this.#isFirst = true;
      this.#failures = 0;
      this.#markOnline();
    });
    source.addEventListener("change", (event: MessageEvent<string>) => this.#take(event.data));
    // The session has too many pages open. This one yields to a later one, and reconnects after a while or when it
    // regains the focus.
    source.addEventListener("superseded", () => {
      this.#disconnect();
      this.#retry = window.setTimeout(() => this.#open(), SUPERSEDED_MS);
    });
    // `EventSource` reconnects by itself, but without backoff, and not after every kind of failure.
    source.addEventListener("error", () => this.#fail());
  }

  #disconnect(): void {
    clearTimeout(this.#retry);
    this.#source?.close();
    this.#source = null;
  }

  #fail(): void {
    this.#disconnect();
    window.dispatchEvent(new Event(SERVICE_SILENT));
    this.#away ??= window.setTimeout(() => this.#onAway(true), AWAY_MS);
    // The browser does not say why the stream failed. This finds out if the session has ended.
    if (this.#failures > 0) void this.#client.invalidateQueries({ queryKey: SESSION_KEY });
    const wait = Math.min(FIRST_WAIT_MS * 2 ** this.#failures, MAX_WAIT_MS);
    this.#failures += 1;
    // Jitter, so that tabs do not all reconnect at once when the service is back.
    this.#retry = window.setTimeout(() => this.#open(), wait * (0.75 + Math.random() / 2));
  }

  #take(data: string): void {
    const { topics } = JSON.parse(data) as LiveChange;
    if (this.#isFirst) {
      this.#isFirst = false;
      this.#beginAnew(topics);
      return;
    }
    for (const topic of topics) this.#changed.add(topic);
    this.#gathering ??= window.setTimeout(() => this.#invalidate(), GATHER_MS);
  }

  #invalidate(): void {
    this.#gathering = undefined;
    for (const queryKey of this.#toQueryKeys(this.#changed)) void this.#client.invalidateQueries({ queryKey });
    this.#changed.clear();
  }

  /** Data fetched before now may be older than the first change reported; so may responses still on their way. */
  #beginAnew(topics: readonly Topic[]): void {
    for (const key of this.#toQueryKeys(topics)) {
      for (const { queryKey, promise, state } of this.#client.getQueryCache().findAll({ queryKey: key })) {
        const invalidate = () => void this.#client.invalidateQueries({ queryKey, exact: true });
        if (state.fetchStatus === "fetching" && promise !== undefined) promise.then(invalidate, invalidate);
        else invalidate();
      }
    }
  }

  #toQueryKeys(topics: Iterable<Topic>): Iterable<readonly string[]> {
    // A service of a later version may have topics that this page does not know.
    const known = [...topics].filter((topic) => Object.hasOwn(KEYS_OF, topic));
    const all = known.flatMap((topic) => KEYS_OF[topic](this.#websiteId));
    // Several topics share keys.
    return new Map(all.map((key) => [key.join(" "), key])).values();
  }

  readonly #onVisibilityChange = (): void => {
    clearTimeout(this.#hidden);
    if (document.visibilityState === "hidden") {
      this.#hidden = window.setTimeout(() => this.#disconnect(), HIDDEN_MS);
    } else {
      this.#reconnect();
    }
  };

  readonly #reconnect = (): void => {
    if (this.#source !== null || document.visibilityState === "hidden") return;
    clearTimeout(this.#retry);
    this.#failures = 0;
    this.#open();
  };

  #markOnline(): void {
    clearTimeout(this.#away);
    this.#away = undefined;
    this.#onAway(false);
  }
}
