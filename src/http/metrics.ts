/** How reads and webhooks went, in plain numbers; prometheus.ts puts them in words when somebody asks. */
import type { Outcome } from "../domain/webhooks/attempt.ts";

const ROUTES = ["list", "detail", "events", "openapi", "other"] as const;
export type Route = (typeof ROUTES)[number];

const BUCKETS_MS = [0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 1_000] as const;
export const DURATION = "rostrum_read_duration_seconds";
const ATTEMPT_BUCKETS_MS = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000] as const;
export const ATTEMPT_DURATION = "rostrum_webhook_attempt_duration_seconds";

interface Sample {
  metricName: string;
  labels: Record<string, string>;
  value: number;
}

/** One histogram's numbers. */
class Durations {
  readonly #limits: readonly number[];
  /** By bucket; the last holds what took longer than all of them. */
  readonly #counts: Float64Array;
  #sumMs = 0;

  /** `limits`: milliseconds, upwards. */
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
  /** By status. */
  statuses: Float64Array;
  durations: Durations;
}

/** How reads went, by route. */
export class ReadMetrics {
  readonly #routes = {
    list: noCounts(),
    detail: noCounts(),
    events: noCounts(),
    openapi: noCounts(),
    other: noCounts(),
  } satisfies Record<Route, RouteCounts>;

  observe(route: Route, status: number, ms: number): void {
    const { [route]: counts } = this.#routes;
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
  durations(): Sample[] {
    return ROUTES.flatMap((route) => this.#routes[route].durations.samples(DURATION, { route }));
  }
}

/** How attempts of webhooks went since the process started. */
export class WebhookMetrics {
  readonly #attempts = new Map<Outcome, number>();
  readonly #deliveries = new Map<string, number>();
  readonly #durations = new Durations(ATTEMPT_BUCKETS_MS);
  #disabled = 0;

  observe(attempt: { outcome: Outcome; result: string; ms: number; hasDisabled: boolean }): void {
    this.#attempts.set(attempt.outcome, (this.#attempts.get(attempt.outcome) ?? 0) + 1);
    if (attempt.result === "delivered" || attempt.result === "exhausted" || attempt.result === "parked") {
      this.#deliveries.set(attempt.result, (this.#deliveries.get(attempt.result) ?? 0) + 1);
    }
    if (attempt.hasDisabled) this.#disabled++;
    this.#durations.observe(attempt.ms);
  }

  get attempts(): ReadonlyMap<Outcome, number> {
    return this.#attempts;
  }

  /** Deliveries that came to an end, by how. */
  get deliveries(): ReadonlyMap<string, number> {
    return this.#deliveries;
  }

  /** Endpoints that were disabled. */
  get disabled(): number {
    return this.#disabled;
  }

  /** The samples of a Prometheus histogram. */
  durations(): Sample[] {
    return this.#durations.samples(ATTEMPT_DURATION, {});
  }
}

function noCounts(): RouteCounts {
  return { statuses: new Float64Array(600), durations: new Durations(BUCKETS_MS) };
}
