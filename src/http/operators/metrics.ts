/** A process's counters as plain numbers; prometheus.ts formats them at each scrape. */
import type { MailOutcome } from "../../domain/system/email.ts";
import { type Outcome, OUTCOMES } from "../../domain/webhooks/attempt.ts";

const ROUTES = [
  "list",
  "detail",
  "slug",
  "related",
  "redirects",
  "tags",
  "categories",
  "events",
  "state",
  "openapi",
  "other",
] as const;
export type Route = (typeof ROUTES)[number];

const READ_BUCKETS_MS = [0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 1_000] as const;
/** For webhook attempts and dashboard requests. */
const SLOW_BUCKETS_MS = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000] as const;
const PUBLICATION_BUCKETS_MS = [250, 500, 1_000, 2_500, 5_000, 10_000, 60_000, 600_000] as const;
/** The label of everything without a series of its own. */
const OTHER = "other";

export interface Sample {
  /** Defaults to the metric's own name. */
  metricName?: string;
  labels: Record<string, string>;
  value: number;
}

/** The thread for long requests and imports. */
export interface LongWorkStats {
  isRunning: boolean;
  /** Requests and imports in progress. */
  active: number;
  /** Requests waiting for memory. */
  waiting: number;
  /** How often the thread failed. */
  failures: number;
}

/** The numbers of one histogram. */
export class Durations {
  readonly #limits: readonly number[];
  /** By bucket; the last one counts values above all limits. */
  readonly #counts: Float64Array;
  #sumMs = 0;

  /** `limits`: milliseconds, ascending. */
  constructor(limits: readonly number[]) {
    this.#limits = limits;
    this.#counts = new Float64Array(limits.length + 1);
  }

  observe(ms: number): void {
    let bucket = 0;
    while (bucket < this.#limits.length && ms > (this.#limits[bucket] ?? 0)) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sumMs += ms;
  }

  /** The samples of a Prometheus histogram. */
  samples(name: string, labels: Record<string, string>): Sample[] {
    let total = 0;
    const buckets = Array.from(this.#counts, (count, index): Sample => {
      total += count;
      const most = this.#limits[index];
      const le = most === undefined ? "+Inf" : String(most / 1_000);
      return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: total };
    });
    return buckets.concat(
      { metricName: `${name}_sum`, labels, value: this.#sumMs / 1_000 },
      { metricName: `${name}_count`, labels, value: total },
    );
  }
}

interface RouteCounts {
  /** By HTTP status. */
  statuses: Float64Array;
  durations: Durations;
}

/**
 * Counts by a label with any number of values, such as the website: the first values get series of their own, and the rest
 * share one. No count ever moves from one series to another, so that each series only grows.
 */
export class LimitedCounts<Kind extends string> {
  readonly #max: number;
  readonly #kinds: readonly Kind[];
  readonly #counts = new Map<string, Record<Kind, number>>();
  readonly #others: Record<Kind, number>;

  /** `max`: how many labels get a series of their own. `kinds`: what is counted for each. */
  constructor(max: number, kinds: readonly Kind[]) {
    this.#max = max;
    this.#kinds = kinds;
    this.#others = this.#zeros();
  }

  count(label: string, kind: Kind): void {
    let counts = this.#counts.get(label);
    if (counts === undefined) {
      if (this.#counts.size < this.#max) this.#counts.set(label, (counts = this.#zeros()));
      else counts = this.#others;
    }
    counts[kind]++;
  }

  *[Symbol.iterator](): Generator<[label: string, counts: Readonly<Record<Kind, number>>]> {
    yield* this.#counts;
    yield [OTHER, this.#others];
  }

  #zeros(): Record<Kind, number> {
    // Every kind is a key of the object.
    return Object.fromEntries(this.#kinds.map((kind) => [kind, 0])) as Record<Kind, number>;
  }
}

/** Requests of the read API, by route. */
export class ReadMetrics {
  readonly #routes = {
    list: noCounts(),
    detail: noCounts(),
    slug: noCounts(),
    related: noCounts(),
    redirects: noCounts(),
    tags: noCounts(),
    categories: noCounts(),
    events: noCounts(),
    state: noCounts(),
    openapi: noCounts(),
    other: noCounts(),
  } satisfies Record<Route, RouteCounts>;
  /** Null: not counted. */
  readonly websites: LimitedCounts<"reads"> | null;
  /** Lists, articles and events that were served from memory, and those that were not. */
  hits = 0;
  misses = 0;

  /** `maxWebsites`: how many get a series of their own; 0: nothing is counted by website. */
  constructor(maxWebsites = 0) {
    this.websites = maxWebsites === 0 ? null : new LimitedCounts(maxWebsites, ["reads"]);
  }

  /** `isReady`: served from memory. */
  observe(route: Route, status: number, ms: number, isReady = false): void {
    const { [route]: counts } = this.#routes;
    if ((status === 200 || status === 304) && route !== "openapi") {
      if (isReady) this.hits++;
      else this.misses++;
    }
    counts.statuses[status] = (counts.statuses[status] ?? 0) + 1;
    counts.durations.observe(ms);
  }

  counts(): { route: Route; status: number; count: number }[] {
    return ROUTES.flatMap((route) =>
      Array.from(this.#routes[route].statuses, (count, status) => ({ route, status, count })).filter(
        ({ count }) => count > 0,
      ),
    );
  }

  /** The samples of a Prometheus histogram. */
  durations(name: string): Sample[] {
    return ROUTES.flatMap((route) => this.#routes[route].durations.samples(name, { route }));
  }
}

/** Requests of the dashboard. */
export class DashboardMetrics {
  readonly #counts = new Map<string, { labels: Record<string, string>; count: number }>();
  readonly #durations = new Map<string, Durations>();

  /**
   * `route`: its pattern, of which the program has a fixed number; undefined: no route matched. `ms`: null for a stream,
   * which lasts until its client disconnects.
   */
  observe(method: string, route: string | undefined, status: number, ms: number | null): void {
    // Clients may send any method to an unknown path.
    const labels = { method: route === undefined ? OTHER : method, route: route ?? OTHER, status: String(status) };
    const name = Object.values(labels).join(" ");
    const counted = this.#counts.get(name) ?? { labels, count: 0 };
    counted.count++;
    this.#counts.set(name, counted);
    if (ms === null) return;
    const durations = this.#durations.get(labels.route) ?? new Durations(SLOW_BUCKETS_MS);
    durations.observe(ms);
    this.#durations.set(labels.route, durations);
  }

  counts(): Sample[] {
    return Array.from(this.#counts.values(), ({ labels, count }) => ({ labels, value: count }));
  }

  /** The samples of a Prometheus histogram. */
  durations(name: string): Sample[] {
    return Array.from(this.#durations, ([route, durations]) => durations.samples(name, { route })).flat();
  }
}

const RESULTS = ["delivered", "exhausted", "parked"] as const;

export interface ObservedAttempt {
  endpointId: string;
  outcome: Outcome;
  result: string;
  ms: number;
  hasDisabled: boolean;
}

/** Webhook attempts since the process started. */
export class WebhookMetrics {
  readonly attempts = new Map<string, number>(OUTCOMES.map((outcome) => [outcome, 0]));
  /** Finished deliveries, by result. */
  readonly deliveries = new Map<string, number>(RESULTS.map((result) => [result, 0]));
  readonly #durations = new Durations(SLOW_BUCKETS_MS);
  /** Attempts by webhook. Null: not counted. */
  readonly byWebhook: LimitedCounts<"succeeded" | "failed"> | null;
  /** How often an endpoint was disabled. */
  disabled = 0;

  /** `maxWebhooks`: how many get a series of their own; 0: attempts are not counted by webhook. */
  constructor(maxWebhooks = 0) {
    this.byWebhook = maxWebhooks === 0 ? null : new LimitedCounts(maxWebhooks, ["succeeded", "failed"]);
  }

  observe({ endpointId, outcome, result, ms, hasDisabled }: ObservedAttempt): void {
    increment(this.attempts, outcome);
    if (this.deliveries.has(result)) increment(this.deliveries, result);
    if (hasDisabled) this.disabled++;
    this.#durations.observe(ms);
    this.byWebhook?.count(endpointId, outcome === "success" ? "succeeded" : "failed");
  }

  /** The samples of a Prometheus histogram. */
  durations(name: string): Sample[] {
    return this.#durations.samples(name, {});
  }
}

/** Outcomes of attempts to send e-mails. */
export class MailMetrics {
  readonly tries = new Map<string, number>([
    ["sent", 0],
    ["failed", 0],
    ["refused", 0],
  ]);

  observe(outcome: MailOutcome["kind"]): void {
    increment(this.tries, outcome);
  }
}

/** How late scheduled articles were published. */
export class ScheduleMetrics {
  readonly #durations = new Durations(PUBLICATION_BUCKETS_MS);

  observe(lateMs: number): void {
    this.#durations.observe(Math.max(0, lateMs));
  }

  /** The samples of a Prometheus histogram. */
  durations(name: string): Sample[] {
    return this.#durations.samples(name, {});
  }
}

function increment(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function noCounts(): RouteCounts {
  return { statuses: new Float64Array(600), durations: new Durations(READ_BUCKETS_MS) };
}
