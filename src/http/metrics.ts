/** How reads went, in plain numbers; prometheus.ts puts them in words when somebody asks. */

const ROUTES = ["list", "detail", "events", "openapi", "other"] as const;
export type Route = (typeof ROUTES)[number];

const BUCKETS_MS = [0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 1_000] as const;
export const DURATION = "rostrum_read_duration_seconds";

interface Sample {
  metricName: string;
  labels: Record<string, string>;
  value: number;
}

interface RouteCounts {
  /** By status. */
  statuses: Float64Array;
  /** By bucket; the last holds what took longer than all of them. */
  durations: Float64Array;
  sumMs: number;
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
    let bucket = 0;
    while (bucket < BUCKETS_MS.length && ms > (BUCKETS_MS[bucket] ?? 0)) bucket++;
    counts.durations[bucket] = (counts.durations[bucket] ?? 0) + 1;
    counts.sumMs += ms;
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
    return ROUTES.flatMap((route) => {
      const { durations, sumMs } = this.#routes[route];
      let total = 0;
      const buckets = Array.from(durations, (count, index): Sample => {
        total += count;
        const most = BUCKETS_MS[index];
        const le = most === undefined ? "+Inf" : String(most / 1_000);
        return { metricName: `${DURATION}_bucket`, labels: { route, le }, value: total };
      });
      return buckets.concat(
        { metricName: `${DURATION}_sum`, labels: { route }, value: sumMs / 1_000 },
        { metricName: `${DURATION}_count`, labels: { route }, value: total },
      );
    });
  }
}

function noCounts(): RouteCounts {
  return { statuses: new Float64Array(600), durations: new Float64Array(BUCKETS_MS.length + 1), sumMs: 0 };
}
