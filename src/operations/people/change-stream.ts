/**
 * Notifies those who watch a website of its changes, whoever made them: a person, a command, a schedule, an import,
 * another process.
 *
 * While somebody watches, the commit counter is polled, which needs no query; after a commit, the watched data is
 * compared with its earlier state, at most twice a second. Some commits on PostgreSQL send no notification, such as
 * those that record deliveries, so there the data is compared every second. The same comparison disconnects watchers
 * who have lost access; it also runs on a timer.
 */
import { createHash } from "node:crypto";
import { LIVE_TOPICS, type LiveTopic, topicsFor } from "../../domain/people/live-topics.ts";
import { can, type Grant, roleOn } from "../../domain/people/permissions.ts";
import {
  countWebsites,
  inboxMarks,
  listGrants,
  type Marks,
  readMarks,
  withSecondFactor,
} from "../../store/system/change-markers.ts";
import { listRequiringSecondFactor } from "../../store/system/websites.ts";
import type { PollingDeps } from "../system/deps.ts";

/** How often to check the commit counter (no query). */
const POLL_INTERVAL_MS = 100;
const MIN_COMPARE_INTERVAL_MS = 500;
const COMPARE_WITHOUT_NOTIFICATION_INTERVAL_MS = 1_000;
/** Runs without a commit, too, because sessions expire. */
const COMPARE_INTERVAL_MS = 15_000;
const LOG_INTERVAL_MS = 60_000;

export interface ChangeStreamOptions {
  deps: PollingDeps;
  onError: (error: unknown, message: string) => void;
}

export interface Watcher {
  websiteId: string;
  sessionId: string;
  onChange: (topics: readonly LiveTopic[]) => void;
  /** The session has ended or lost access to the website, or the service stops. No further call follows. */
  onEnd: () => void;
}

interface SessionAccess {
  grants: readonly Grant[];
  /** The number of websites, if the session sees them all. */
  websites: number | null;
  /** Ids of websites that require a second factor, if the session has not shown one. */
  withoutFactor: readonly string[];
  /** Changes whenever the person's notifications do. */
  inbox: string;
}

interface ShownState {
  marks: ReadonlyMap<string, Marks>;
  access: ReadonlyMap<string, SessionAccess>;
}

/** What a website is like now, as the session sees it: pass it to `watch` to learn what has changed since. */
export async function readLiveState(
  deps: ChangeStreamOptions["deps"],
  websiteId: string,
  sessionId: string,
): Promise<string> {
  return describe(await readState(deps, [websiteId], [sessionId]), { websiteId, sessionId });
}

export class ChangeStream implements AsyncDisposable {
  readonly #options: ChangeStreamOptions;
  readonly #watchers = new Set<Watcher>();
  /** Watchers whose first comparison has not finished. */
  readonly #coming = new Set<Watcher>();
  #seen: ShownState = { marks: new Map(), access: new Map() };
  #commitCounter = Number.NaN;
  /** `performance.now()` of the last scheduled comparison, and of the last failure that was logged. */
  #comparedAt = Number.NEGATIVE_INFINITY;
  #lastLoggedAt = Number.NEGATIVE_INFINITY;
  #comparing: Promise<void> = Promise.resolve();
  /** The comparison that has not started yet, if any: it includes all watchers added until it starts. */
  #next: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(options: ChangeStreamOptions) {
    this.#options = options;
  }

  /** Reports changes once it resolves. @returns topics that differ from `since`, and `stop`; undefined: no access. */
  async watch(
    watcher: Watcher,
    since?: string,
  ): Promise<{ topics: readonly LiveTopic[]; stop: () => void } | undefined> {
    this.#coming.add(watcher);
    try {
      await this.#compare();
    } finally {
      this.#coming.delete(watcher);
    }
    const granted = this.#seen.access.get(watcher.sessionId);
    if (this.#isOver || granted === undefined || !maySee(granted, watcher.websiteId)) return undefined;
    this.#watchers.add(watcher);
    this.#plan();
    const known = since?.split(".") ?? [];
    const now = describe(this.#seen, watcher).split(".");
    const changed = new Set(LIVE_TOPICS.filter((_topic, at) => known[at] !== now[at]));
    const topics = topicsFor(roleOn(granted.grants, watcher.websiteId)).filter((topic) => changed.has(topic));
    return { topics, stop: () => void this.#watchers.delete(watcher) };
  }

  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers) this.#disconnect(watcher);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.end();
    await this.#comparing;
  }

  #plan(): void {
    if (this.#timer !== undefined || this.#isOver || this.#watchers.size === 0) return;
    this.#timer = setTimeout(() => {
      void this.#poll().finally(() => {
        this.#timer = undefined;
        this.#plan();
      });
    }, POLL_INTERVAL_MS).unref();
  }

  async #poll(): Promise<void> {
    if (!this.#isTime()) return;
    this.#comparedAt = performance.now();
    try {
      await this.#compare();
      this.#lastLoggedAt = Number.NEGATIVE_INFINITY;
    } catch (error) {
      // The earlier state is kept, and compared once the database is back.
      if (performance.now() - this.#lastLoggedAt < LOG_INTERVAL_MS) return;
      this.#lastLoggedAt = performance.now();
      this.#options.onError(error, "changes for live updates could not be checked; trying again");
    }
  }

  #isTime(): boolean {
    const { store } = this.#options.deps;
    const since = performance.now() - this.#comparedAt;
    if (since < MIN_COMPARE_INTERVAL_MS) return false;
    const unheardMs = store.engine === "postgres" ? COMPARE_WITHOUT_NOTIFICATION_INTERVAL_MS : COMPARE_INTERVAL_MS;
    return since >= unheardMs || store.commitCounter() !== this.#commitCounter;
  }

  /** Runs comparisons one after the other. */
  #compare(): Promise<void> {
    if (this.#next !== undefined) return this.#next;
    const next = this.#comparing.then(() => {
      this.#next = undefined;
      return this.#compareNow();
    });
    this.#next = next;
    this.#comparing = next.catch(() => undefined);
    return next;
  }

  async #compareNow(): Promise<void> {
    if (this.#isOver) return;
    const watchers = [...this.#watchers, ...this.#coming];
    // Read before the snapshot: a commit in between is checked again, never missed.
    const commitCounter = this.#options.deps.store.commitCounter();
    const websiteIds = [...new Set(watchers.map(({ websiteId }) => websiteId))];
    const sessionIds = [...new Set(watchers.map(({ sessionId }) => sessionId))];
    const before = this.#seen;
    this.#seen = await readState(this.#options.deps, websiteIds, sessionIds);
    this.#commitCounter = commitCounter;
    for (const watcher of this.#watchers) this.#notify(watcher, before);
  }

  #notify(watcher: Watcher, before: ShownState): void {
    const { websiteId, sessionId } = watcher;
    const granted = this.#seen.access.get(sessionId);
    if (granted === undefined || !maySee(granted, websiteId)) {
      this.#disconnect(watcher);
      return;
    }
    const [marks, earlier] = [this.#seen.marks.get(websiteId), before.marks.get(websiteId)];
    const earlierAccess = before.access.get(sessionId);
    const changed = new Set<LiveTopic>();
    for (const topic of topicsFor(roleOn(granted.grants, websiteId))) {
      const [now, then] =
        topic === "inbox" ? [granted.inbox, earlierAccess?.inbox] : [marks?.[topic], earlier?.[topic]];
      if (now !== then) changed.add(topic);
    }
    if (JSON.stringify(earlierAccess?.grants) !== JSON.stringify(granted.grants))
      changed.add("members").add("websites");
    if (earlierAccess?.websites !== granted.websites) changed.add("websites");
    if (changed.size > 0) watcher.onChange(LIVE_TOPICS.filter((topic) => changed.has(topic)));
  }

  #disconnect(watcher: Watcher): void {
    this.#watchers.delete(watcher);
    watcher.onEnd();
  }
}

async function readState(
  { store, clock }: ChangeStreamOptions["deps"],
  websiteIds: readonly string[],
  sessionIds: readonly string[],
): Promise<ShownState> {
  const now = clock();
  return store.read(async (db) => {
    const [marks, grants, websites, shown, requiring, inboxes] = await Promise.all([
      Promise.all(websiteIds.map(async (id) => [id, await readMarks(db, id, now)] as const)),
      listGrants(db, sessionIds, now),
      countWebsites(db),
      withSecondFactor(db, sessionIds),
      listRequiringSecondFactor(db),
      inboxMarks(db, sessionIds),
    ]);
    const access = [...grants].map(
      ([id, one]) =>
        [
          id,
          {
            grants: one,
            websites: seesAll(one) ? websites : null,
            withoutFactor: shown.has(id) ? [] : requiring,
            inbox: inboxes.get(id) ?? "",
          },
        ] as const,
    );
    return { marks: new Map(marks), access: new Map(access) };
  });
}

/** A short text of which the part of each topic differs after a change. */
function describe({ marks, access }: ShownState, { websiteId, sessionId }: Pick<Watcher, "websiteId" | "sessionId">) {
  const { inbox = "", ...own } = access.get(sessionId) ?? {};
  return LIVE_TOPICS.map((topic) => {
    const isOfAccess = topic === "members" || topic === "websites";
    const text = topic === "inbox" ? inbox : `${marks.get(websiteId)?.[topic]}${isOfAccess ? JSON.stringify(own) : ""}`;
    return createHash("sha256").update(text).digest("base64url").slice(0, 12);
  }).join(".");
}

function maySee({ grants, withoutFactor }: SessionAccess, websiteId: string): boolean {
  return !withoutFactor.includes(websiteId) && can(roleOn(grants, websiteId), "articles.read");
}

function seesAll(grants: readonly Grant[]): boolean {
  return roleOn(grants, null) !== null;
}
