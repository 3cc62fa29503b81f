/** `/metrics`. Loaded on first use: a service without monitoring saves the memory of prom-client. */
import { collectDefaultMetrics, Registry } from "prom-client";
import type { ContentProcessStats } from "../../domain/system/content-process-stats.ts";
import type { DatabaseStats } from "../../operations/system/measure.ts";
import type { PoolStats } from "../../store/store.ts";
import type { BackupHealth, DispatcherHealth } from "./health.ts";
import { type MetricName, METRICS } from "./metric-list.ts";
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
  /** Null: there is no continuous backup. */
  backup: () => BackupHealth | null;
  errors: () => ErrorStats;
  /** By signal, what was exported to a collector; null: nothing is. */
  telemetry: () => ReadonlyMap<string, { exported: number; dropped: number }> | null;
  /** May fail while the database is unreachable. */
  database: () => Promise<DatabaseStats>;
}

/** The disk of the data folder and, on SQLite, of the database. */
export interface DiskStats {
  freeBytes: number;
  sizeBytes: number;
  /** Of SQLite's WAL. */
  walBytes: number;
  /** When the last backup finished, UNIX time in seconds; null: unknown. */
  lastBackupAt: number | null;
}

export interface ErrorStats {
  logged: number;
  diskFull: number;
}

/** Null: the metric has no series now. */
type Value = number | boolean | null | readonly Sample[] | Histogram;
type Metrics = Partial<Record<MetricName, Value>>;

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
    const values: Partial<Record<string, Value>> = {
      ...processMetrics(sources, isReady, disk),
      ...readMetrics(sources),
      ...dashboardMetrics(sources),
      ...webhookMetrics(sources),
      ...workMetrics(sources),
      ...connectionMetrics(sources),
      ...databaseMetrics(database, sources.webhooks.byWebhook !== null),
    } satisfies Metrics;
    const texts = Object.entries(METRICS).flatMap(([name, { help }]) => {
      const value = values[name];
      return value === undefined ? [] : toText(name, help, value);
    });
    return `${node}\n${texts.join("\n")}`;
  }
}

function processMetrics(
  { version, isDraining, errors, telemetry, backup }: MetricsSources,
  isReady: boolean,
  disk: DiskStats | null,
): Metrics {
  const { logged, diskFull } = errors();
  const signals = telemetry();
  const { lagSeconds = null, hasDatabase = false } = backup() ?? {};
  const copiedAt = lagSeconds === null || !hasDatabase ? 0 : Date.now() / 1_000 - lagSeconds;
  return {
    ...(signals !== null && {
      rostrum_telemetry_total: [...signals].flatMap(([signal, { exported, dropped }]) => [
        { labels: { signal, result: "exported" }, value: exported },
        { labels: { signal, result: "dropped" }, value: dropped },
      ]),
    }),
    rostrum_build_info: by("version", { [version]: 1 }),
    rostrum_ready: isReady,
    rostrum_draining: isDraining(),
    rostrum_errors_total: logged,
    rostrum_disk_full_total: diskFull,
    rostrum_disk_free_bytes: disk?.freeBytes ?? null,
    rostrum_disk_size_bytes: disk?.sizeBytes ?? null,
    rostrum_wal_size_bytes: disk?.walBytes ?? null,
    rostrum_last_backup_timestamp_seconds: Math.max(disk?.lastBackupAt ?? 0, copiedAt) || null,
    rostrum_backup_lag_seconds: lagSeconds,
  };
}

function readMetrics({ reads, cacheBytes }: MetricsSources): Metrics {
  const { hits: hit, misses: miss, byWebsite } = reads;
  return {
    rostrum_reads_total: reads.counts(),
    rostrum_read_duration_seconds: reads.durations,
    rostrum_read_cache_total: by("result", { hit, miss }),
    rostrum_read_cache_bytes: cacheBytes(),
    ...(byWebsite !== null && {
      rostrum_website_reads_total: byWebsite.samples(),
    }),
  };
}

function dashboardMetrics({ dashboard }: MetricsSources): Metrics {
  return {
    rostrum_dashboard_requests_total: dashboard.requests.samples(),
    rostrum_management_requests_total: dashboard.managed.samples(),
    rostrum_mcp_calls_total: dashboard.toolCalls.samples(),
    rostrum_arrivals_total: dashboard.arrivals.samples(),
    rostrum_arrival_reply_duration_seconds: dashboard.arrivalReplies,
    rostrum_dashboard_request_duration_seconds: dashboard.durations,
  };
}

function webhookMetrics({ webhooks, dispatcher }: MetricsSources): Metrics {
  const { state, heartbeatSeconds, restarts } = dispatcher();
  const { byWebhook } = webhooks;
  return {
    rostrum_webhook_attempts_total: webhooks.attempts.samples(),
    rostrum_webhook_deliveries_total: webhooks.deliveries.samples(),
    rostrum_webhook_attempt_duration_seconds: webhooks.durations,
    rostrum_webhook_endpoints_disabled_total: webhooks.disabled,
    ...(byWebhook !== null && {
      rostrum_webhook_endpoint_attempts_total: byWebhook.samples(),
    }),
    rostrum_dispatcher_running: state === "running",
    rostrum_dispatcher_heartbeat_seconds: heartbeatSeconds,
    rostrum_dispatcher_restarts_total: restarts,
  };
}

function workMetrics({ dashboardThread, content, mails, schedule }: MetricsSources): Metrics {
  const { isRunning, active, waiting, failures } = dashboardThread();
  const texts = content();
  return {
    rostrum_schedule_delay_seconds: schedule,
    rostrum_mails_total: mails.samples(),
    rostrum_long_work_running: isRunning,
    rostrum_long_work: by("state", { active, waiting }),
    rostrum_long_work_failures_total: failures,
    rostrum_content_processes: texts.running,
    rostrum_content_waiting: texts.waiting,
    rostrum_content_processes_started_total: texts.started,
    rostrum_content_processes_killed_total: by("reason", { time: texts.killedForTime, memory: texts.killedForMemory }),
  };
}

function connectionMetrics({ pool, clockSkewMs }: MetricsSources): Metrics {
  const { inUse, idle, max, waiting } = pool();
  const skewMs = clockSkewMs();
  return {
    rostrum_database_connections: by("state", { in_use: inUse, idle }),
    rostrum_database_connections_max: max,
    rostrum_database_waiting: waiting,
    rostrum_clock_skew_seconds: skewMs === null ? null : skewMs / 1_000,
  };
}

function databaseMetrics(stats: DatabaseStats | null, isByWebhook: boolean): Metrics {
  return {
    rostrum_database_up: stats !== null,
    rostrum_nodes: stats?.nodes ?? null,
    rostrum_database_size_bytes: stats?.bytes ?? null,
    rostrum_webhook_queue_depth: stats?.depth ?? null,
    rostrum_webhook_queue_oldest_seconds: stats?.oldestSeconds ?? null,
    rostrum_webhook_parked: stats?.parked ?? null,
    rostrum_webhook_endpoints: by("state", { ...stats?.endpoints }),
    ...(isByWebhook && {
      rostrum_webhook_endpoint_queue_depth: by("webhook", Object.fromEntries(stats?.longestQueues ?? [])),
    }),
    rostrum_dead_letters: by("kind", { ...stats?.deadLetters }),
    rostrum_mails_queued: stats?.mails ?? null,
    rostrum_arrivals_waiting: stats?.arrivals.waiting ?? null,
    rostrum_arrivals_oldest_seconds: stats?.arrivals.oldestSeconds ?? null,
    rostrum_schedule_lag_seconds: stats?.scheduleLagSeconds ?? null,
  };
}

function by(label: string, values: Record<string, number>): Sample[] {
  return Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value }));
}

function toText(name: string, help: string, value: Value): string {
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
