/** A process's counters as plain numbers, so that reads wait for no more; prometheus.ts formats them. */
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

const READ_BUCKETS_MS = [0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 1_000];
/** For webhook attempts and dashboard requests. */
const SLOW_BUCKETS_MS = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000];
const PUBLICATION_BUCKETS_MS = [250, 500, 1_000, 2_500, 5_000, 10_000, 60_000, 600_000];
/** The label of everything without a series of its own. */
const OTHER = "other";

export interface DashboardThreadStats {
  isRunning: boolean;
  active: number;
  waiting: number;
  failures: number;
}

export interface Sample {
  /** Appended to the metric's name. */
  suffix?: string;
  labels: Record<string, string>;
  value: number;
}

export class Counter {
  readonly #labels: readonly string[];
  readonly #series = new Map<string, Sample>();

  constructor(...labels: string[]) {
    this.#labels = labels;
  }

  /** A counter with one label, which shows all these values from the start. */
  static of(label: string, values: readonly string[]): Counter {
    const counter = new Counter(label);
    for (const value of values) counter.add(0, value);
    return counter;
  }

  /** `values`: of the labels. */
  add(count: number, ...values: string[]): void {
    const key = values.join(" ");
    const known = this.#series.get(key);
    if (known !== undefined) known.value += count;
    else {
      const labels = Object.fromEntries(this.#labels.map((label, at) => [label, values[at] ?? ""]));
      this.#series.set(key, { labels, value: count });
    }
  }

  samples(): Sample[] {
    return [...this.#series.values()];
  }
}

interface Durations {
  /** By bucket; the last one counts durations above all bounds. */
  counts: Float64Array;
  sumMs: number;
}

export class Histogram {
  readonly #boundsMs: readonly number[];
  readonly #label: string | null;
  readonly #series = new Map<string, Durations>();

  /** `boundsMs`: of the buckets, ascending. `values`: of the label, which are shown from the start. */
  constructor(boundsMs: readonly number[], label: string | null = null, values: readonly string[] = []) {
    this.#boundsMs = boundsMs;
    this.#label = label;
    for (const value of label === null ? [""] : values) this.#add(value);
  }

  /** `value`: of the label. */
  observe(ms: number, value = ""): void {
    const durations = this.#series.get(value) ?? this.#add(value);
    let bucket = 0;
    while (bucket < this.#boundsMs.length && ms > (this.#boundsMs[bucket] ?? 0)) bucket++;
    durations.counts[bucket] = (durations.counts[bucket] ?? 0) + 1;
    durations.sumMs += ms;
  }

  samples(): Sample[] {
    return [...this.#series].flatMap(([value, { counts, sumMs }]) => {
      const labels = this.#label === null ? {} : { [this.#label]: value };
      let total = 0;
      const buckets = Array.from(counts, (count, at): Sample => {
        total += count;
        const bound = this.#boundsMs[at];
        const le = bound === undefined ? "+Inf" : String(bound / 1_000);
        return { suffix: "_bucket", labels: { ...labels, le }, value: total };
      });
      return buckets.concat(
        { suffix: "_sum", labels, value: sumMs / 1_000 },
        { suffix: "_count", labels, value: total },
      );
    });
  }

  #add(value: string): Durations {
    const durations = { counts: new Float64Array(this.#boundsMs.length + 1), sumMs: 0 };
    this.#series.set(value, durations);
    return durations;
  }
}

/** The first values of an unbounded label have series of their own, the rest share one: each series only grows. */
class LimitedValues {
  readonly #max: number;
  readonly #values = new Set<string>();

  constructor(max: number) {
    this.#max = max;
  }

  limit(value: string): string {
    if (this.#values.has(value)) return value;
    if (this.#values.size === this.#max) return OTHER;
    this.#values.add(value);
    return value;
  }
}

export class ReadMetrics {
  /** By route and HTTP status. */
  readonly #counts = new Map(ROUTES.map((route) => [route as string, new Float64Array(600)]));
  readonly durations = new Histogram(READ_BUCKETS_MS, "route", ROUTES);
  /** Null: not counted. */
  readonly byWebsite: Counter | null;
  readonly #websites: LimitedValues;
  hits = 0;
  misses = 0;

  /** `maxWebsites`: how many get a series of their own; 0: nothing is counted by website. */
  constructor(maxWebsites = 0) {
    this.byWebsite = maxWebsites === 0 ? null : Counter.of("website", [OTHER]);
    this.#websites = new LimitedValues(maxWebsites);
  }

  /** `websiteId`: null without a valid key. `isReady`: served from memory. */
  observe(route: Route, status: number, ms: number, websiteId: string | null, isReady = false): void {
    if ((status === 200 || status === 304) && route !== "openapi") {
      if (isReady) this.hits++;
      else this.misses++;
    }
    const counts = this.#counts.get(route);
    if (counts !== undefined) counts[status] = (counts[status] ?? 0) + 1;
    this.durations.observe(ms, route);
    if (this.byWebsite !== null && websiteId !== null) this.byWebsite.add(1, this.#websites.limit(websiteId));
  }

  counts(): Sample[] {
    return [...this.#counts].flatMap(([route, counts]) =>
      Array.from(counts, (value, status) => ({ labels: { route, status: String(status) }, value })).filter(
        ({ value }) => value > 0,
      ),
    );
  }
}

export class DashboardMetrics {
  readonly requests = new Counter("method", "route", "status");
  readonly durations = new Histogram(SLOW_BUCKETS_MS, "route");
  /** Requests of the management API. */
  readonly managed = new Counter("method", "route", "status");
  /** Calls of agents' tools. */
  readonly toolCalls = new Counter("tool", "outcome");
  /** Arrivals by the kind of their sender, once it is known what became of them. */
  readonly arrivals = new Counter("kind", "outcome");
  readonly arrivalReplies = new Histogram(SLOW_BUCKETS_MS);

  /** `route`: its pattern, as paths are unlimited; undefined: none matched. `ms`: null for a stream without an end. */
  observe(
    api: "dashboard" | "management",
    method: string,
    route: string | undefined,
    status: number,
    ms: number | null,
  ): void {
    // Clients may send any method to an unknown path.
    const labels = [route === undefined ? OTHER : method, route ?? OTHER, String(status)];
    if (api === "management") {
      this.managed.add(1, ...labels);
      return;
    }
    this.requests.add(1, ...labels);
    if (ms !== null) this.durations.observe(ms, route ?? OTHER);
  }
}

interface ObservedAttempt {
  endpointId: string;
  outcome: Outcome;
  result: string;
  ms: number;
  hasDisabled: boolean;
}

const RESULTS = ["delivered", "exhausted", "parked"];

class WebhookMetrics {
  readonly attempts = Counter.of("outcome", OUTCOMES);
  readonly deliveries = Counter.of("result", RESULTS);
  readonly durations = new Histogram(SLOW_BUCKETS_MS);
  /** Attempts by webhook. Null: not counted. */
  readonly byWebhook: Counter | null;
  readonly #webhooks: LimitedValues;
  disabled = 0;

  /** `maxWebhooks`: how many get a series of their own; 0: attempts are not counted by webhook. */
  constructor(maxWebhooks = 0) {
    this.byWebhook = maxWebhooks === 0 ? null : new Counter("webhook", "result");
    this.#webhooks = new LimitedValues(maxWebhooks);
    this.#countByWebhook(OTHER, null);
  }

  observe({ endpointId, outcome, result, ms, hasDisabled }: ObservedAttempt): void {
    this.attempts.add(1, outcome);
    if (RESULTS.includes(result)) this.deliveries.add(1, result);
    if (hasDisabled) this.disabled++;
    this.durations.observe(ms);
    this.#countByWebhook(this.#webhooks.limit(endpointId), outcome === "success");
  }

  /** Shows both series of a webhook, whatever the first attempt's result; null: only that. */
  #countByWebhook(webhook: string, hasSucceeded: boolean | null): void {
    this.byWebhook?.add(Number(hasSucceeded === true), webhook, "succeeded");
    this.byWebhook?.add(Number(hasSucceeded === false), webhook, "failed");
  }
}

export interface ServiceMetrics {
  reads: ReadMetrics;
  dashboard: DashboardMetrics;
  webhooks: WebhookMetrics;
  /** Attempts to send an e-mail, by outcome. */
  mails: Counter;
  schedule: Histogram;
}

/** `maxLabels`: how many websites and webhooks get series of their own. */
export function createMetrics(maxLabels: number): ServiceMetrics {
  return {
    reads: new ReadMetrics(maxLabels),
    dashboard: new DashboardMetrics(),
    webhooks: new WebhookMetrics(maxLabels),
    mails: Counter.of("result", ["sent", "failed", "refused"]),
    schedule: new Histogram(PUBLICATION_BUCKETS_MS),
  };
}
