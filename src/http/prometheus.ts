/** `/metrics`. Loaded when it is first asked for: a service that nobody watches does without its 2 MB. */
import { collectDefaultMetrics, Counter, Gauge, type Metric, Registry } from "prom-client";
import type { DispatcherHealth } from "./health.ts";
import { ATTEMPT_DURATION, DURATION, type ReadMetrics, type WebhookMetrics } from "./metrics.ts";

export interface MetricsSources {
  reads: ReadMetrics;
  webhooks: WebhookMetrics;
  dispatcher: () => DispatcherHealth;
  /** How far the process's clock is ahead of the database's, milliseconds; null: not known yet. */
  clockSkewMs: () => number | null;
  /** Called at each scrape; it may fail while the database is away. */
  queue: () => Promise<QueueFigures>;
  version: string;
}

export interface QueueFigures {
  /** Deliveries that are waiting or under way. */
  depth: number;
  /** Since the oldest of them was made; 0: there is none. */
  oldestSeconds: number;
  /** Endpoints by state. */
  endpoints: Record<string, number>;
  /** What was set aside, by kind. */
  deadLetters: Record<string, number>;
}

export function metricsRegistry(sources: MetricsSources): Registry {
  const { reads, webhooks, dispatcher, clockSkewMs, queue, version } = sources;
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
  const histogram = (name: string, help: string, samples: () => object[]) =>
    registry.registerMetric(
      // The registry asks a metric for nothing but `name` and `get`.
      Object.assign(Object.create(requests) as Metric, {
        name,
        get: () => Promise.resolve({ name, help, type: "histogram", aggregator: "sum", values: samples() }),
      }),
    );
  histogram(DURATION, "How long the read API took from a request's headers to its answer.", () => reads.durations());
  histogram(ATTEMPT_DURATION, "How long attempts of webhooks took.", () => webhooks.durations());
  const attempts = new Counter({
    name: "rostrum_webhook_attempts_total",
    help: "Attempts of webhooks, by outcome.",
    labelNames: ["outcome"],
    registers: [],
    collect() {
      this.reset();
      for (const [outcome, count] of webhooks.attempts) this.inc({ outcome }, count);
    },
  });
  const deliveries = new Counter({
    name: "rostrum_webhook_deliveries_total",
    help: "Deliveries of webhooks that came to an end, by how: delivered, exhausted or parked.",
    labelNames: ["result"],
    registers: [],
    collect() {
      this.reset();
      for (const [result, count] of webhooks.deliveries) this.inc({ result }, count);
    },
  });
  const disabled = new Counter({
    name: "rostrum_webhook_endpoints_disabled_total",
    help: "Times that a webhook was disabled.",
    registers: [],
    collect() {
      this.reset();
      this.inc(webhooks.disabled);
    },
  });
  const heartbeat = new Gauge({
    name: "rostrum_dispatcher_heartbeat_seconds",
    help: "Time since the last heartbeat of the thread that delivers webhooks; 0: it is not running.",
    registers: [],
    collect() {
      this.set(dispatcher().heartbeatSeconds);
    },
  });
  const restarts = new Counter({
    name: "rostrum_dispatcher_restarts_total",
    help: "Times that the thread that delivers webhooks was started again, after it had failed or had hung.",
    registers: [],
    collect() {
      this.reset();
      this.inc(dispatcher().restarts);
    },
  });
  const clockSkew = new Gauge({
    name: "rostrum_clock_skew_seconds",
    help: "How far this machine's clock is ahead of the database's; negative: behind. Always 0 on SQLite.",
    registers: [],
    collect() {
      const skewMs = clockSkewMs();
      if (skewMs === null) this.remove();
      else this.set(skewMs / 1_000);
    },
  });
  // One query for all that one scrape needs. Null: the database did not answer, and the series that come from it are left out.
  let asked: Promise<QueueFigures | null> | undefined;
  const figures = () =>
    (asked ??= queue()
      .catch(() => null)
      .finally(() => {
        asked = undefined;
      }));
  const isUp = new Gauge({
    name: "rostrum_database_up",
    help: "1: the database answered this scrape; 0: it is away, and the series that come from it are left out.",
    registers: [],
    async collect() {
      this.set((await figures()) === null ? 0 : 1);
    },
  });
  const depth = new Gauge({
    name: "rostrum_webhook_queue_depth",
    help: "Deliveries that are waiting or under way.",
    registers: [],
    async collect() {
      const found = await figures();
      if (found === null) this.remove();
      else this.set(found.depth);
    },
  });
  const oldest = new Gauge({
    name: "rostrum_webhook_queue_oldest_seconds",
    help: "Age of the oldest delivery that is waiting or under way; 0: there is none.",
    registers: [],
    async collect() {
      const found = await figures();
      if (found === null) this.remove();
      else this.set(found.oldestSeconds);
    },
  });
  const endpoints = new Gauge({
    name: "rostrum_webhook_endpoints",
    help: "Webhooks, by state: enabled, paused or disabled.",
    labelNames: ["state"],
    registers: [],
    async collect() {
      this.reset();
      for (const [state, count] of Object.entries((await figures())?.endpoints ?? {})) this.set({ state }, count);
    },
  });
  const deadLetters = new Gauge({
    name: "rostrum_dead_letters",
    help: "What was set aside because it always failed, by kind; each is forgotten some time after its last failure.",
    labelNames: ["kind"],
    registers: [],
    async collect() {
      this.reset();
      for (const [kind, count] of Object.entries((await figures())?.deadLetters ?? {})) this.set({ kind }, count);
    },
  });
  registry.registerMetric(attempts);
  registry.registerMetric(deliveries);
  registry.registerMetric(disabled);
  registry.registerMetric(heartbeat);
  registry.registerMetric(restarts);
  registry.registerMetric(clockSkew);
  registry.registerMetric(isUp);
  registry.registerMetric(depth);
  registry.registerMetric(oldest);
  registry.registerMetric(endpoints);
  registry.registerMetric(deadLetters);
  return registry;
}
