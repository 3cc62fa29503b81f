/** `/metrics`. Loaded on first use: a service without monitoring saves its 2 MB. */
import { collectDefaultMetrics, Gauge, type Metric, Registry } from "prom-client";
import type { ContentProcessStats } from "../../domain/system/content-process-stats.ts";
import type { DatabaseStats } from "../../operations/system/measure.ts";
import type { PoolStats } from "../../store/store.ts";
import type { DispatcherHealth } from "./health.ts";
import type {
  DashboardMetrics,
  LongWorkStats,
  MailMetrics,
  ReadMetrics,
  Sample,
  ScheduleMetrics,
  WebhookMetrics,
} from "./metrics.ts";

export interface MetricsSources {
  version: string;
  reads: ReadMetrics;
  dashboard: DashboardMetrics;
  webhooks: WebhookMetrics;
  mails: MailMetrics;
  schedule: ScheduleMetrics;
  dispatcher: () => DispatcherHealth;
  longWork: () => LongWorkStats;
  /** For all threads. */
  content: () => ContentProcessStats;
  pool: () => PoolStats;
  /** Null: not known yet. */
  clockSkewMs: () => number | null;
  cacheBytes: () => number;
  isReady: () => Promise<boolean>;
  isDraining: () => boolean;
  disk: () => Promise<DiskStats>;
  errors: () => ErrorStats;
  /** Called at each scrape; may fail while the database is unreachable. */
  database: () => Promise<DatabaseStats>;
}

/** The disk of the data folder and, on SQLite, of the database. */
export interface DiskStats {
  freeBytes: number;
  sizeBytes: number;
  /** When the last backup finished, UNIX time in seconds; null: unknown. */
  lastBackupAt: number | null;
}

export interface ErrorStats {
  /** Log lines of level `error`. */
  logged: number;
  /** Writes that failed because the disk was full. */
  diskFull: number;
}

type Read = () => Sample[] | Promise<Sample[]>;

/** Metrics that are read from their sources at each scrape. */
class Families {
  readonly #registry: Registry;
  /** The registry uses nothing of a metric but `name` and `get`. */
  readonly #template: Metric;

  constructor(registry: Registry) {
    this.#registry = registry;
    this.#template = new Gauge({ name: "template", help: "-", registers: [] });
  }

  gauge(name: string, help: string, read: Read): void {
    this.#add("gauge", name, help, read);
  }

  counter(name: string, help: string, read: Read): void {
    this.#add("counter", name, help, read);
  }

  /** `read` receives the metric's name. */
  histogram(name: string, help: string, read: (name: string) => Sample[]): void {
    this.#add("histogram", name, help, () => read(name));
  }

  #add(type: "gauge" | "counter" | "histogram", name: string, help: string, read: Read): void {
    const get = async () => ({ name, help, type, aggregator: "sum", values: await read() });
    this.#registry.registerMetric(Object.assign(Object.create(this.#template) as Metric, { name, get }));
  }
}

export function metricsRegistry(sources: MetricsSources): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const families = new Families(registry);
  processFamilies(families, sources);
  readFamilies(families, sources);
  dashboardFamilies(families, sources);
  webhookFamilies(families, sources);
  workFamilies(families, sources);
  databaseFamilies(families, sources);
  return registry;
}

function processFamilies(families: Families, { version, isReady, isDraining, disk, errors }: MetricsSources): void {
  families.gauge("rostrum_build_info", "Always 1; the version is in the label.", () => [
    { labels: { version }, value: 1 },
  ]);
  families.gauge("rostrum_ready", "1: /readyz says that the process can serve.", async () => one(await isReady()));
  families.gauge("rostrum_draining", "1: the process is about to stop, and /readyz is 503.", () => one(isDraining()));
  families.counter("rostrum_errors_total", "Lines of level error in the log.", () => one(errors().logged));
  families.counter("rostrum_disk_full_total", "Changes that failed because a disk was full.", () =>
    one(errors().diskFull),
  );
  const asked = shared(disk);
  families.gauge("rostrum_disk_free_bytes", "Free bytes of the disk with the data folder.", async () =>
    one((await asked())?.freeBytes),
  );
  families.gauge("rostrum_disk_size_bytes", "Size of the disk with the data folder.", async () =>
    one((await asked())?.sizeBytes),
  );
  families.gauge(
    "rostrum_last_backup_timestamp_seconds",
    "When the last backup was finished, UNIX time; left out where none is known.",
    async () => one((await asked())?.lastBackupAt ?? undefined),
  );
}

function readFamilies(families: Families, { reads, cacheBytes }: MetricsSources): void {
  families.counter("rostrum_reads_total", "Finished requests of the read API, by route and status.", () =>
    reads.counts().map(({ route, status, count }) => ({ labels: { route, status: String(status) }, value: count })),
  );
  families.histogram(
    "rostrum_read_duration_seconds",
    "How long the read API took from a request's headers to its answer.",
    (name) => reads.durations(name),
  );
  families.counter(
    "rostrum_read_cache_total",
    "Lists, articles and events that were answered, by whether the answer was ready in memory: hit or miss.",
    () => labelled("result", Object.entries({ hit: reads.hits, miss: reads.misses })),
  );
  families.gauge("rostrum_read_cache_bytes", "Memory that answers ready in memory take.", () => one(cacheBytes()));
  const { websites } = reads;
  if (websites === null) return;
  families.counter(
    "rostrum_website_reads_total",
    "Finished requests of the read API with a valid key, by website; those without a series of their own are other.",
    () => Array.from(websites, ([website, { reads: value }]) => ({ labels: { website }, value })),
  );
}

function dashboardFamilies(families: Families, { dashboard }: MetricsSources): void {
  families.counter(
    "rostrum_dashboard_requests_total",
    "Finished requests of the dashboard's API, by method, route and status.",
    () => dashboard.counts(),
  );
  families.histogram(
    "rostrum_dashboard_request_duration_seconds",
    "How long the dashboard's API took, by route; without streams.",
    (name) => dashboard.durations(name),
  );
}

function webhookFamilies(families: Families, { webhooks, dispatcher }: MetricsSources): void {
  families.counter("rostrum_webhook_attempts_total", "Attempts of webhooks, by outcome.", () =>
    labelled("outcome", webhooks.attempts),
  );
  families.counter(
    "rostrum_webhook_deliveries_total",
    "Deliveries of webhooks that came to an end, by how: delivered, exhausted or parked.",
    () => labelled("result", webhooks.deliveries),
  );
  families.histogram("rostrum_webhook_attempt_duration_seconds", "How long attempts of webhooks took.", (name) =>
    webhooks.durations(name),
  );
  families.counter("rostrum_webhook_endpoints_disabled_total", "Times that a webhook was disabled.", () =>
    one(webhooks.disabled),
  );
  const { byWebhook } = webhooks;
  if (byWebhook !== null) {
    families.counter(
      "rostrum_webhook_endpoint_attempts_total",
      "Attempts by webhook and result: succeeded or failed; webhooks without series of their own are other.",
      () =>
        Array.from(byWebhook, ([webhook, counts]) =>
          Object.entries(counts).map(([result, value]) => ({ labels: { webhook, result }, value })),
        ).flat(),
    );
  }
  families.gauge(
    "rostrum_dispatcher_running",
    "1: the thread that delivers webhooks runs, and has a heartbeat; it starts with the first webhook.",
    () => one(dispatcher().state === "running"),
  );
  families.gauge(
    "rostrum_dispatcher_heartbeat_seconds",
    "Time since the last heartbeat of the thread that delivers webhooks; 0: it is not running.",
    () => one(dispatcher().heartbeatSeconds),
  );
  families.counter(
    "rostrum_dispatcher_restarts_total",
    "Times that the thread that delivers webhooks was started again, after it had failed or had hung.",
    () => one(dispatcher().restarts),
  );
}

function workFamilies(families: Families, { longWork, content, mails, schedule }: MetricsSources): void {
  families.histogram(
    "rostrum_schedule_delay_seconds",
    "How long after their planned time articles were published, by this process.",
    (name) => schedule.durations(name),
  );
  families.counter("rostrum_mails_total", "Tries to send a mail, by how they ended: sent, failed or refused.", () =>
    labelled("result", mails.tries),
  );
  families.gauge("rostrum_long_work_running", "1: the thread for long requests and imports runs.", () =>
    one(longWork().isRunning),
  );
  families.gauge("rostrum_long_work", "Long requests and imports, by state: active or waiting.", () =>
    labelled("state", Object.entries({ active: longWork().active, waiting: longWork().waiting })),
  );
  families.counter(
    "rostrum_long_work_failures_total",
    "Times that the thread for long requests and imports failed.",
    () => one(longWork().failures),
  );
  families.gauge("rostrum_content_processes", "Child processes that work on texts and run now.", () =>
    one(content().running),
  );
  families.gauge("rostrum_content_waiting", "Texts that wait for a child process.", () => one(content().waiting));
  families.counter(
    "rostrum_content_processes_started_total",
    "Child processes that were started to work on texts.",
    () => one(content().started),
  );
  families.counter(
    "rostrum_content_processes_killed_total",
    "Child processes that were ended because a text took too much, by what: time or memory.",
    () => labelled("reason", Object.entries({ time: content().killedForTime, memory: content().killedForMemory })),
  );
}

function databaseFamilies(families: Families, { database, pool, clockSkewMs, webhooks }: MetricsSources): void {
  families.gauge("rostrum_database_connections", "Connections for requests, by state: in_use or idle.", () => {
    const { inUse, idle } = pool();
    return labelled("state", Object.entries({ in_use: inUse, idle }));
  });
  families.gauge("rostrum_database_connections_max", "Connections for requests that there may be.", () =>
    one(pool().max),
  );
  families.gauge("rostrum_database_waiting", "Transactions that wait for a connection.", () => one(pool().waiting));
  families.gauge(
    "rostrum_clock_skew_seconds",
    "How far this machine's clock is ahead of the database's; negative: behind. Always 0 on SQLite.",
    () => {
      const skewMs = clockSkewMs();
      return one(skewMs === null ? undefined : skewMs / 1_000);
    },
  );
  // One query serves a whole scrape. If the database does not answer, the series that come from it are left out.
  const stats = shared(database);
  families.gauge(
    "rostrum_database_up",
    "1: the database answered this scrape; 0: it is away, and the series that come from it are left out.",
    async () => one((await stats()) !== undefined),
  );
  families.gauge("rostrum_nodes", "Processes that serve, as the database knows them.", async () =>
    one((await stats())?.nodes),
  );
  families.gauge("rostrum_webhook_queue_depth", "Deliveries that are waiting or under way.", async () =>
    one((await stats())?.depth),
  );
  families.gauge(
    "rostrum_webhook_queue_oldest_seconds",
    "Age of the oldest delivery that is waiting or under way; 0: there is none.",
    async () => one((await stats())?.oldestSeconds),
  );
  families.gauge("rostrum_webhook_parked", "Parked deliveries, counted up to 100,000.", async () =>
    one((await stats())?.parked),
  );
  families.gauge("rostrum_webhook_endpoints", "Webhooks, by state: enabled, paused or disabled.", async () =>
    labelled("state", Object.entries((await stats())?.endpoints ?? {})),
  );
  if (webhooks.byWebhook !== null) {
    families.gauge(
      "rostrum_webhook_endpoint_queue_depth",
      "Deliveries that are waiting or under way, of the webhooks with the longest queues.",
      async () => labelled("webhook", (await stats())?.longestQueues ?? []),
    );
  }
  families.gauge(
    "rostrum_dead_letters",
    "What was set aside because it always failed, by kind; each is forgotten some time after its last failure.",
    async () => labelled("kind", Object.entries((await stats())?.deadLetters ?? {})),
  );
  families.gauge("rostrum_mails_queued", "Mails that wait to be sent.", async () => one((await stats())?.mails));
  families.gauge(
    "rostrum_schedule_lag_seconds",
    "How long the scheduled article that should have been published first has been waiting; 0: none is late.",
    async () => one((await stats())?.scheduleLagSeconds),
  );
}

/** Undefined: unknown, and left out of the metrics. */
function one(value: number | boolean | undefined): Sample[] {
  return value === undefined ? [] : [{ labels: {}, value: Number(value) }];
}

function labelled(name: string, entries: Iterable<readonly [label: string, value: number]>): Sample[] {
  return Array.from(entries, ([label, value]) => ({ labels: { [name]: label }, value }));
}

/** Shares one call among all callers that wait for it at the same time. Undefined: the call failed. */
function shared<T>(ask: () => Promise<T>): () => Promise<T | undefined> {
  let asked: Promise<T | undefined> | undefined;
  return () =>
    (asked ??= ask()
      .catch(() => undefined)
      .finally(() => {
        asked = undefined;
      }));
}
