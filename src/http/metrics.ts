/** How reads went, in plain numbers; prometheus.ts puts them in words when somebody asks. */

export const ROUTES = ["list", "detail", "events", "openapi", "other"] as const;
export type Route = (typeof ROUTES)[number];

const BUCKETS_MS = [0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 1_000] as const;
export const DURATION = "rostrum_read_duration_seconds";

/** How reads went, by route. */
export class ReadMetrics {
  readonly #statuses = new Map<Route, Map<number, number>>(ROUTES.map((route) => [route, new Map()]));
  readonly #durations = new Map(
    ROUTES.map((route) => [route, { counts: new Float64Array(BUCKETS_MS.length + 1), sumMs: 0 }]),
  );

  observe(route: Route, status: number, ms: number): void {
    const statuses = this.#statuses.get(route);
    if (statuses !== undefined) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const durations = this.#durations.get(route);
    if (durations === undefined) return;
    let bucket = 0;
    while (bucket < BUCKETS_MS.length && ms > (BUCKETS_MS[bucket] ?? 0)) bucket++;
    durations.counts[bucket] = (durations.counts[bucket] ?? 0) + 1;
    durations.sumMs += ms;
  }

  counts(): { route: Route; status: number; count: number }[] {
    return ROUTES.flatMap((route) =>
      Array.from(this.#statuses.get(route) ?? [], ([status, count]) => ({ route, status, count })),
    );
  }

  /** The samples of a Prometheus histogram. */
  durations(): { metricName: string; labels: Record<string, string>; value: number }[] {
    return Array.from(this.#durations, ([route, { counts, sumMs }]) => {
      let total = 0;
      const buckets = Array.from(counts, (count, index) => {
        total += count;
        const most = BUCKETS_MS[index];
        const le = most === undefined ? "+Inf" : String(most / 1_000);
        return { metricName: `${DURATION}_bucket`, labels: { route, le }, value: total };
      });
      return [
        ...buckets,
        { metricName: `${DURATION}_sum`, labels: { route }, value: sumMs / 1_000 },
        { metricName: `${DURATION}_count`, labels: { route }, value: total },
      ];
    }).flat();
  }
}
