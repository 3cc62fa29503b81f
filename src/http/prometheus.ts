/** `/metrics`. Loaded when it is first asked for: a service that nobody watches does without its 2 MB. */
import { collectDefaultMetrics, Counter, Gauge, type Metric, Registry } from "prom-client";
import { DURATION, type ReadMetrics } from "./metrics.ts";

export function metricsRegistry(reads: ReadMetrics, version: string): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: "rostrum_build_info",
    help: "Always 1; the version is in the label.",
    labelNames: ["version"],
    registers: [registry],
  }).set({ version }, 1);
  const requests = new Counter({
    name: "rostrum_reads_total",
    help: "Finished requests of the read API, by route and status.",
    labelNames: ["route", "status"],
    registers: [registry],
    collect() {
      this.reset();
      for (const { route, status, count } of reads.counts()) this.inc({ route, status }, count);
    },
  });
  registry.registerMetric(
    // The registry asks a metric for nothing but `name` and `get`.
    Object.assign(Object.create(requests) as Metric, {
      name: DURATION,
      get: () =>
        Promise.resolve({
          name: DURATION,
          help: "How long the read API took from a request's headers to its answer.",
          type: "histogram",
          aggregator: "sum",
          values: reads.durations(),
        }),
    }),
  );
  return registry;
}
