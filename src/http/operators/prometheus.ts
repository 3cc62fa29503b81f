/** `/metrics`. Loaded on first use: a service without monitoring saves the memory of prom-client. */
import { collectDefaultMetrics, Registry } from "prom-client";
import type { ContentProcessStats } from "../../domain/system/content-process-stats.ts";
import type { DatabaseStats } from "../../operations/system/measure.ts";
import type { PoolStats } from "../../store/store.ts";
import type { DispatcherHealth } from "./health.ts";
import { Histogram, type DashboardThreadStats, type Sample, type ServiceMetrics } from "./metrics.ts";

export interface MetricsSources extends ServiceMetrics {
  version: string;
  dispatcher: () => DispatcherHealth;
  dashboardThread: () => DashboardThreadStats;
  content: () => ContentProcessStats;
  pool: () => PoolStats;
  /** Null: not known yet. */
  clockSkewMs: () => number | null;
  cacheBytes: () => number;
  isReady: () => Promise<boolean>;
  isDraining: () => boolean;
  disk: () => Promise<DiskStats>;
  errors: () => ErrorStats;
  /** May fail while the database is unreachable. */
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
  logged: number;
  diskFull: number;
}

/** Null: the metric has no series now. */
type Value = number | boolean | null | readonly Sample[] | Histogram;
/** By name. One that ends in `_total` is a counter, and any other a gauge or a histogram. */
type Metrics = Record<string, readonly [help: string, value: Value]>;

/** Node's own metrics come from prom-client. Ours are numbers that exist already, and need only their text. */
export class Prometheus {
  readonly #sources: MetricsSources;
  readonly #node = new Registry();

  constructor(sources: MetricsSources) {
    this.#sources = sources;
    collectDefaultMetrics({ register: this.#node });
  }

  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;

  async text(): Promise<string> {
    const sources = this.#sources;
    const [node, isReady, disk, database] = await Promise.all([
      this.#node.metrics(),
      sources.isReady(),
      sources.disk().catch(() => null),
      sources.database().catch(() => null),
    ]);
    const metrics = {
      ...processMetrics(sources, isReady, disk),
      ...readMetrics(sources),
      ...dashboardMetrics(sources),
      ...webhookMetrics(sources),
      ...workMetrics(sources),
      ...connectionMetrics(sources),
      ...databaseMetrics(database, sources.webhooks.byWebhook !== null),
    };
    return `${node}\n${Object.entries(metrics).map(toText).join("\n")}`;
  }
}

function processMetrics(
  { version, isDraining, errors }: MetricsSources,
  isReady: boolean,
  disk: DiskStats | null,
): Metrics {
  const { logged, diskFull } = errors();
  return {
    rostrum_build_info: ["Always 1; the version is in the label.", by("version", { [version]: 1 })],
    rostrum_ready: ["1: /readyz says that the process can serve.", isReady],
    rostrum_draining: ["1: the process is about to stop, and /readyz is 503.", isDraining()],
    rostrum_errors_total: ["Lines of level error in the log.", logged],
    rostrum_disk_full_total: ["Changes that failed because a disk was full.", diskFull],
    rostrum_disk_free_bytes: ["Free bytes of the disk with the data folder.", disk?.freeBytes ?? null],
    rostrum_disk_size_bytes: ["Size of the disk with the data folder.", disk?.sizeBytes ?? null],
    rostrum_last_backup_timestamp_seconds: [
      "When the last backup was finished, UNIX time; left out where none is known.",
      disk?.lastBackupAt ?? null,
    ],
  };
}

function readMetrics({ reads, cacheBytes }: MetricsSources): Metrics {
  const { hits: hit, misses: miss, byWebsite } = reads;
  return {
    rostrum_reads_total: ["Finished requests of the read API, by route and status.", reads.counts()],
    rostrum_read_duration_seconds: [
      "How long the read API took from a request's headers to its answer.",
      reads.durations,
    ],
    rostrum_read_cache_total: [
      "Lists, articles and events that were answered, by whether the answer was ready in memory: hit or miss.",
      by("result", { hit, miss }),
    ],
    rostrum_read_cache_bytes: ["Memory that answers ready in memory take.", cacheBytes()],
    ...(byWebsite !== null && {
      rostrum_website_reads_total: [
        "Finished requests of the read API with a valid key, by website; those without a series of their own are other.",
        byWebsite.samples(),
      ],
    }),
  };
}

function dashboardMetrics({ dashboard }: MetricsSources): Metrics {
  return {
    rostrum_dashboard_requests_total: [
      "Finished requests of the dashboard's API, by method, route and status.",
      dashboard.requests.samples(),
    ],
    rostrum_management_requests_total: [
      "Finished requests of the management API, by method, route and status.",
      dashboard.managed.samples(),
    ],
    rostrum_mcp_calls_total: [
      "Calls of agents' tools, by tool and outcome: done, refused, or failed by a fault here.",
      dashboard.toolCalls.samples(),
    ],
    rostrum_arrivals_total: [
      "What senders sent, by their kind and what became of it: stored, needs_attention or ignored.",
      dashboard.arrivals.samples(),
    ],
    rostrum_arrival_reply_duration_seconds: [
      "How long the answers to senders took; without those that were refused.",
      dashboard.arrivalReplies,
    ],
    rostrum_dashboard_request_duration_seconds: [
      "How long the dashboard's API took, by route; without streams.",
      dashboard.durations,
    ],
  };
}

function webhookMetrics({ webhooks, dispatcher }: MetricsSources): Metrics {
  const { state, heartbeatSeconds, restarts } = dispatcher();
  const { byWebhook } = webhooks;
  return {
    rostrum_webhook_attempts_total: ["Attempts of webhooks, by outcome.", webhooks.attempts.samples()],
    rostrum_webhook_deliveries_total: [
      "Deliveries of webhooks that came to an end, by how: delivered, exhausted or parked.",
      webhooks.deliveries.samples(),
    ],
    rostrum_webhook_attempt_duration_seconds: ["How long attempts of webhooks took.", webhooks.durations],
    rostrum_webhook_endpoints_disabled_total: ["Times that a webhook was disabled.", webhooks.disabled],
    ...(byWebhook !== null && {
      rostrum_webhook_endpoint_attempts_total: [
        "Attempts by webhook and result: succeeded or failed; webhooks without series of their own are other.",
        byWebhook.samples(),
      ],
    }),
    rostrum_dispatcher_running: [
      "1: the thread that delivers webhooks runs, and has a heartbeat; it starts with the first webhook.",
      state === "running",
    ],
    rostrum_dispatcher_heartbeat_seconds: [
      "Time since the last heartbeat of the thread that delivers webhooks; 0: it is not running.",
      heartbeatSeconds,
    ],
    rostrum_dispatcher_restarts_total: [
      "Times that the thread that delivers webhooks was started again, after it had failed or had hung.",
      restarts,
    ],
  };
}

function workMetrics({ dashboardThread, content, mails, schedule }: MetricsSources): Metrics {
  const { isRunning, active, waiting, failures } = dashboardThread();
  const texts = content();
  return {
    rostrum_schedule_delay_seconds: [
      "How long after their planned time articles were published, by this process.",
      schedule,
    ],
    rostrum_mails_total: ["Tries to send a mail, by how they ended: sent, failed or refused.", mails.samples()],
    rostrum_long_work_running: ["1: the thread for long requests and imports runs.", isRunning],
    rostrum_long_work: ["Long requests and imports, by state: active or waiting.", by("state", { active, waiting })],
    rostrum_long_work_failures_total: ["Times that the thread for long requests and imports failed.", failures],
    rostrum_content_processes: ["Child processes that work on texts and run now.", texts.running],
    rostrum_content_waiting: ["Texts that wait for a child process.", texts.waiting],
    rostrum_content_processes_started_total: ["Child processes that were started to work on texts.", texts.started],
    rostrum_content_processes_killed_total: [
      "Child processes that were ended because a text took too much, by what: time or memory.",
      by("reason", { time: texts.killedForTime, memory: texts.killedForMemory }),
    ],
  };
}

function connectionMetrics({ pool, clockSkewMs }: MetricsSources): Metrics {
  const { inUse, idle, max, waiting } = pool();
  const skewMs = clockSkewMs();
  return {
    rostrum_database_connections: [
      "Connections for requests, by state: in_use or idle.",
      by("state", { in_use: inUse, idle }),
    ],
    rostrum_database_connections_max: ["Connections for requests that there may be.", max],
    rostrum_database_waiting: ["Transactions that wait for a connection.", waiting],
    rostrum_clock_skew_seconds: [
      "How far this machine's clock is ahead of the database's; negative: behind. Always 0 on SQLite.",
      skewMs === null ? null : skewMs / 1_000,
    ],
  };
}

function databaseMetrics(stats: DatabaseStats | null, isByWebhook: boolean): Metrics {
  return {
    rostrum_database_up: [
      "1: the database answered this scrape; 0: it is away, and the series that come from it are left out.",
      stats !== null,
    ],
    rostrum_nodes: ["Processes that serve, as the database knows them.", stats?.nodes ?? null],
    rostrum_webhook_queue_depth: ["Deliveries that are waiting or under way.", stats?.depth ?? null],
    rostrum_webhook_queue_oldest_seconds: [
      "Age of the oldest delivery that is waiting or under way; 0: there is none.",
      stats?.oldestSeconds ?? null,
    ],
    rostrum_webhook_parked: ["Parked deliveries, counted up to 100,000.", stats?.parked ?? null],
    rostrum_webhook_endpoints: [
      "Webhooks, by state: enabled, paused or disabled.",
      by("state", { ...stats?.endpoints }),
    ],
    ...(isByWebhook && {
      rostrum_webhook_endpoint_queue_depth: [
        "Deliveries that are waiting or under way, of the webhooks with the longest queues.",
        by("webhook", Object.fromEntries(stats?.longestQueues ?? [])),
      ],
    }),
    rostrum_dead_letters: [
      "What was set aside because it always failed, by kind; each is forgotten some time after its last failure.",
      by("kind", { ...stats?.deadLetters }),
    ],
    rostrum_mails_queued: ["Mails that wait to be sent.", stats?.mails ?? null],
    rostrum_arrivals_waiting: [
      "Requests of senders that are stored and not understood yet.",
      stats?.arrivals.waiting ?? null,
    ],
    rostrum_arrivals_oldest_seconds: [
      "Age of the oldest of them; 0: there is none.",
      stats?.arrivals.oldestSeconds ?? null,
    ],
    rostrum_schedule_lag_seconds: [
      "How long the scheduled article that should have been published first has been waiting; 0: none is late.",
      stats?.scheduleLagSeconds ?? null,
    ],
  };
}

function by(label: string, values: Record<string, number>): Sample[] {
  return Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value }));
}

function toText([name, [help, value]]: [string, Metrics[string]]): string {
  const type = value instanceof Histogram ? "histogram" : name.endsWith("_total") ? "counter" : "gauge";
  const lines = toSamples(value).map(({ suffix = "", labels, value: number }) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}=${JSON.stringify(text)}`);
    return `${name}${suffix}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${number}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

function toSamples(value: Value): readonly Sample[] {
  if (value === null) return [];
  if (value instanceof Histogram) return value.samples();
  return typeof value === "object" ? value : [{ labels: {}, value: Number(value) }];
}
