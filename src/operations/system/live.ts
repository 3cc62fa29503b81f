/**
 * Tells those who look at a website what of it has changed, whoever changed it: a person, a command, a schedule, an
 * import, another process.
 *
 * While somebody looks, the store is asked again and again whether anybody has committed, which is no query; if so, what
 * is looked at is compared with what it was, twice a second at most. Some commits on PostgreSQL are told to nobody, as those
 * that write down deliveries: there it is compared each second. Whoever may not look any more is sent away by the same
 * comparison, and by the clock.
 */
import { LIVE_TOPICS, type LiveTopic, topicsFor } from "../../domain/system/live-topics.ts";
import { can, type Grant, roleOn } from "../../domain/people/permissions.ts";
import { HOUR_MS, hourOf } from "../../domain/system/time.ts";
import { countWebsites, grantsOf, type Marks, readMarks, withSecondFactor } from "../../store/system/change-markers.ts";
import { listRequiringSecondFactor } from "../../store/system/websites.ts";
import type { Deps } from "./deps.ts";

/** Whether anybody has committed is asked so often. */
const GLANCE_EVERY_MS = 100;
const MIN_BETWEEN_MS = 500;
const COMPARE_UNHEARD_EVERY_MS = 1_000;
/** Sessions end by the clock, too. */
const COMPARE_EVERY_MS = 15_000;
const LOG_AGAIN_AFTER_MS = 60_000;

export interface LiveOptions {
  deps: Pick<Deps, "store" | "clock">;
  onError: (error: unknown, message: string) => void;
}

/** Somebody who looks at a website. */
export interface Watcher {
  websiteId: string;
  sessionId: string;
  onChange: (topics: readonly LiveTopic[]) => void;
  /** The session has ended, or may not see the website any more; or the service stops. Nothing follows. */
  onEnd: () => void;
}

/** What of a session concerns its screens. */
interface Seat {
  grants: readonly Grant[];
  /** How many websites there are, for whoever sees them all. */
  websites: number | null;
  /** Ids of websites that ask for a second factor, which the session has not shown. */
  withoutFactor: readonly string[];
}

interface ExpectedVersion {
  marks: ReadonlyMap<string, Marks>;
  seats: ReadonlyMap<string, Seat>;
}

export class Live implements AsyncDisposable {
  readonly #options: LiveOptions;
  readonly #watchers = new Set<Watcher>();
  /** Asked for, and not compared yet. */
  readonly #coming = new Set<Watcher>();
  #seen: ExpectedVersion = { marks: new Map(), seats: new Map() };
  #activity = Number.NaN;
  /** `performance.now()` of the last comparison that nobody had asked for, and of the last failure that was told. */
  #comparedAt = Number.NEGATIVE_INFINITY;
  #toldAt = Number.NEGATIVE_INFINITY;
  #comparing: Promise<void> = Promise.resolve();
  /** The comparison that has not begun yet, if there is one: it sees whoever comes until it begins. */
  #next: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(options: LiveOptions) {
    this.#options = options;
  }

  /**
   * From the moment this resolves, what changes is told.
   *
   * @returns to be disposed of when nobody looks any more; undefined when the session may not look, or the service stops.
   */
  async watch(watcher: Watcher): Promise<{ topics: readonly LiveTopic[]; stop: () => void } | undefined> {
    this.#coming.add(watcher);
    try {
      await this.#compare();
    } finally {
      this.#coming.delete(watcher);
    }
    const seat = this.#seen.seats.get(watcher.sessionId);
    if (this.#isOver || seat === undefined || !maySee(seat, watcher.websiteId)) return undefined;
    this.#watchers.add(watcher);
    this.#plan();
    const topics = topicsFor(roleOn(seat.grants, watcher.websiteId));
    return { topics, stop: () => void this.#watchers.delete(watcher) };
  }

  /** Sends everybody away. */
  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers) this.#sendAway(watcher);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.end();
    await this.#comparing;
  }

  #plan(): void {
    if (this.#timer !== undefined || this.#isOver || this.#watchers.size === 0) return;
    this.#timer = setTimeout(() => {
      void this.#glance().finally(() => {
        this.#timer = undefined;
        this.#plan();
      });
    }, GLANCE_EVERY_MS).unref();
  }

  async #glance(): Promise<void> {
    if (!this.#isTime()) return;
    this.#comparedAt = performance.now();
    try {
      await this.#compare();
      this.#toldAt = Number.NEGATIVE_INFINITY;
    } catch (error) {
      // What was seen stays as it was: it is compared with that once the database is back.
      if (performance.now() - this.#toldAt < LOG_AGAIN_AFTER_MS) return;
      this.#toldAt = performance.now();
      this.#options.onError(error, "whether something changed could not be found out for those who look; trying again");
    }
  }

  #isTime(): boolean {
    const { store } = this.#options.deps;
    const since = performance.now() - this.#comparedAt;
    if (since < MIN_BETWEEN_MS) return false;
    const unheardMs = store.engine === "postgres" ? COMPARE_UNHEARD_EVERY_MS : COMPARE_EVERY_MS;
    return since >= unheardMs || store.activity() !== this.#activity;
  }

  /** One after the other. */
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
    const { store, clock } = this.#options.deps;
    const watchers = [...this.#watchers, ...this.#coming];
    // Before the snapshot: a commit in between is looked at again, never missed.
    const activity = store.activity();
    const now = clock();
    const websiteIds = [...new Set(watchers.map(({ websiteId }) => websiteId))];
    const sessionIds = [...new Set(watchers.map(({ sessionId }) => sessionId))];
    const before = this.#seen;
    this.#seen = await store.read(async (db) => {
      const [marks, grants, websites, shown, requiring] = await Promise.all([
        Promise.all(websiteIds.map(async (id) => [id, await readMarks(db, id, hourOf(now) - HOUR_MS)] as const)),
        grantsOf(db, sessionIds, now),
        countWebsites(db),
        withSecondFactor(db, sessionIds),
        listRequiringSecondFactor(db),
      ]);
      const seats = [...grants].map(
        ([id, one]) =>
          [
            id,
            { grants: one, websites: seesAll(one) ? websites : null, withoutFactor: shown.has(id) ? [] : requiring },
          ] as const,
      );
      return { marks: new Map(marks), seats: new Map(seats) };
    });
    this.#activity = activity;
    for (const watcher of this.#watchers) this.#tell(watcher, before);
  }

  #tell(watcher: Watcher, before: ExpectedVersion): void {
    const { websiteId, sessionId } = watcher;
    const seat = this.#seen.seats.get(sessionId);
    if (seat === undefined || !maySee(seat, websiteId)) {
      this.#sendAway(watcher);
      return;
    }
    const [marks, earlier] = [this.#seen.marks.get(websiteId), before.marks.get(websiteId)];
    const earlierSeat = before.seats.get(sessionId);
    const changed = new Set<LiveTopic>();
    for (const topic of topicsFor(roleOn(seat.grants, websiteId))) {
      if (marks?.[topic] !== earlier?.[topic]) changed.add(topic);
    }
    if (JSON.stringify(earlierSeat?.grants) !== JSON.stringify(seat.grants)) changed.add("members").add("websites");
    if (earlierSeat?.websites !== seat.websites) changed.add("websites");
    if (changed.size > 0) watcher.onChange(LIVE_TOPICS.filter((topic) => changed.has(topic)));
  }

  #sendAway(watcher: Watcher): void {
    this.#watchers.delete(watcher);
    watcher.onEnd();
  }
}

function maySee({ grants, withoutFactor }: Seat, websiteId: string): boolean {
  return !withoutFactor.includes(websiteId) && can(roleOn(grants, websiteId), "articles.read");
}

function seesAll(grants: readonly Grant[]): boolean {
  return roleOn(grants, null) !== null;
}
