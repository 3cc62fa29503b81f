/** What `rostrum top` shows, computed from what the processes said of themselves within the last seconds. */
import { isoTime } from "../../domain/system/time.ts";
import type { Metrics, Series } from "./scrape.ts";

/** The last samples of one process. */
export interface Watched {
  address: string;
  samples: readonly Sample[];
  /** Why there is no new sample; null if there is. */
  reason: string | null;
}

export interface Sample {
  /** Of a clock that nobody sets, ms. */
  at: number;
  metrics: Metrics;
}

/** Seconds over which rates and percentiles are computed. Shorter, and those of a quiet service would jump. */
const WINDOW_MS = 10_000;

/** As `--json` prints them. `null`: nothing happened, or it is unknown. */
export interface Figures {
  time: string;
  requests: Record<"readers" | "dashboard" | "management" | "senders", Requests>;
  webhooks: {
    attempts_per_second: number | null;
    failed_per_second: number | null;
    delivered_per_second: number | null;
    latency_ms: Percentiles;
    enabled: number | null;
    paused: number | null;
    disabled: number | null;
  };
  queues: Record<"deliveries" | "arrivals" | "mails" | "parked" | "scheduled" | "dead_letters" | "long_work", Queue>;
  processes: ProcessFigures[];
  /** That serve; more than are asked if some are not named. */
  nodes: number | null;
  disk: Record<"database_bytes" | "wal_bytes" | "free_bytes" | "size_bytes", number | null> & {
    last_backup: string | null;
  };
}

interface Requests {
  per_second: number | null;
  /** Answered with 5xx. */
  failed_per_second: number | null;
  /** Answered with 4xx. */
  refused_per_second: number | null;
  latency_ms: Percentiles;
}

interface Queue {
  waiting: number | null;
  oldest_seconds: number | null;
}

export interface ProcessFigures {
  address: string;
  state: "ready" | "not ready" | "draining" | "away";
  /** Why it is away. */
  reason: string | null;
  version: string | null;
  uptime_seconds: number | null;
  requests_per_second: number | null;
  cpu_percent: number | null;
  memory_bytes: number | null;
  event_loop_p99_ms: number | null;
  errors_logged: number | null;
}

type Percentiles = Record<"p50" | "p95" | "p99", number | null>;

const NO_PERCENTILES: Percentiles = { p50: null, p95: null, p99: null };

/** Adds a sample, and drops those that are too old or of an earlier start of the process. */
export function watch(watched: Watched, sample: Sample): Watched {
  const start = value(sample.metrics, "process_start_time_seconds");
  const earlier = watched.samples.filter(({ metrics }) => value(metrics, "process_start_time_seconds") === start);
  // The newest of those at the window's edge stays: rates need two.
  const first = earlier.findLastIndex(({ at }) => sample.at - at >= WINDOW_MS);
  return { address: watched.address, samples: [...earlier.slice(Math.max(0, first)), sample], reason: null };
}

/** `now`: the machine's clock, ms. */
export function toFigures(processes: readonly Watched[], now: number): Figures {
  const present = processes.filter(({ reason }) => reason === null);
  // The same in every process.
  const shared = present.map(latest).find((metrics) => value(metrics, "rostrum_database_up") === 1) ?? new Map();
  const disk = present.map(latest).toSorted((a, b) => freeShare(a) - freeShare(b))[0] ?? new Map();
  const backupAt = value(disk, "rostrum_last_backup_timestamp_seconds");
  const by = (name: string, label: string, wanted: string) =>
    value(shared, name, ({ labels }) => labels[label] === wanted);
  const queue = (waiting: string, oldest: string | null = null): Queue => ({
    waiting: value(shared, waiting),
    oldest_seconds: oldest === null ? null : value(shared, oldest),
  });
  return {
    time: isoTime(now),
    requests: {
      readers: requests(present, "rostrum_reads_total", "rostrum_read_duration_seconds"),
      dashboard: requests(present, "rostrum_dashboard_requests_total", "rostrum_dashboard_request_duration_seconds"),
      management: requests(present, "rostrum_management_requests_total", null),
      // What became of an arrival is no status.
      senders: {
        ...requests(present, "rostrum_arrivals_total", "rostrum_arrival_reply_duration_seconds"),
        failed_per_second: null,
        refused_per_second: null,
      },
    },
    webhooks: {
      attempts_per_second: rate(present, "rostrum_webhook_attempts_total"),
      failed_per_second: rate(
        present,
        "rostrum_webhook_attempts_total",
        ({ labels }) => labels["outcome"] !== "success",
      ),
      delivered_per_second: rate(
        present,
        "rostrum_webhook_deliveries_total",
        ({ labels }) => labels["result"] === "delivered",
      ),
      latency_ms: percentiles(present, "rostrum_webhook_attempt_duration_seconds"),
      enabled: by("rostrum_webhook_endpoints", "state", "enabled"),
      paused: by("rostrum_webhook_endpoints", "state", "paused"),
      disabled: by("rostrum_webhook_endpoints", "state", "disabled"),
    },
    queues: {
      deliveries: queue("rostrum_webhook_queue_depth", "rostrum_webhook_queue_oldest_seconds"),
      arrivals: queue("rostrum_arrivals_waiting", "rostrum_arrivals_oldest_seconds"),
      mails: queue("rostrum_mails_queued"),
      scheduled: { waiting: null, oldest_seconds: value(shared, "rostrum_schedule_lag_seconds") },
      parked: queue("rostrum_webhook_parked"),
      dead_letters: queue("rostrum_dead_letters"),
      long_work: {
        waiting: total(present.map((one) => value(latest(one), "rostrum_long_work", isWaiting))),
        oldest_seconds: null,
      },
    },
    processes: processes.map((one) => toProcess(one, now)),
    nodes: value(shared, "rostrum_nodes"),
    disk: {
      database_bytes: value(shared, "rostrum_database_size_bytes"),
      wal_bytes: value(shared, "rostrum_wal_size_bytes"),
      free_bytes: value(disk, "rostrum_disk_free_bytes"),
      size_bytes: value(disk, "rostrum_disk_size_bytes"),
      last_backup: backupAt === null ? null : isoTime(backupAt * 1_000),
    },
  };
}

function toProcess(watched: Watched, now: number): ProcessFigures {
  const { address, reason } = watched;
  const metrics = latest(watched);
  const startedAt = value(metrics, "process_start_time_seconds");
  const cpu = rate([watched], "process_cpu_seconds_total");
  const loopSeconds = value(metrics, "nodejs_eventloop_lag_p99_seconds");
  const names = ["rostrum_reads_total", "rostrum_dashboard_requests_total", "rostrum_management_requests_total"];
  if (reason !== null) return { ...AWAY, address, reason };
  return {
    address,
    state:
      value(metrics, "rostrum_draining") === 1
        ? "draining"
        : value(metrics, "rostrum_ready") === 1
          ? "ready"
          : "not ready",
    reason,
    version: metrics.get("rostrum_build_info")?.[0]?.labels["version"] ?? null,
    uptime_seconds: startedAt === null ? null : Math.round(Math.max(0, now / 1_000 - startedAt)),
    requests_per_second: total(names.map((name) => rate([watched], name))),
    cpu_percent: cpu === null ? null : rounded(100 * cpu),
    memory_bytes: value(metrics, "process_resident_memory_bytes"),
    event_loop_p99_ms: loopSeconds === null ? null : rounded(1_000 * loopSeconds),
    errors_logged: value(metrics, "rostrum_errors_total"),
  };
}

const AWAY = {
  state: "away",
  version: null,
  uptime_seconds: null,
  requests_per_second: null,
  cpu_percent: null,
  memory_bytes: null,
  event_loop_p99_ms: null,
  errors_logged: null,
} as const;

const hasStatus =
  (first: string): Wanted =>
  ({ labels }) =>
    labels["status"]?.startsWith(first) === true;
const isWaiting = ({ labels }: Series) => labels["state"] === "waiting";

function freeShare(metrics: Metrics): number {
  const [free, size] = [value(metrics, "rostrum_disk_free_bytes"), value(metrics, "rostrum_disk_size_bytes")];
  return free === null || size === null ? Infinity : free / size;
}

function latest({ samples }: Watched): Metrics {
  return samples.at(-1)?.metrics ?? new Map();
}

type Wanted = (series: Series) => boolean;

/** Sum of the series; null if there are none. */
function value(metrics: Metrics, name: string, wanted: Wanted = () => true): number | null {
  return total((metrics.get(name) ?? []).filter(wanted).map((series) => series.value));
}

function total(values: readonly (number | null)[]): number | null {
  return values.reduce((sum, one) => (one === null ? sum : (sum ?? 0) + one), null);
}

function requests(processes: readonly Watched[], counter: string, histogram: string | null): Requests {
  return {
    per_second: rate(processes, counter),
    failed_per_second: rate(processes, counter, hasStatus("5")),
    refused_per_second: rate(processes, counter, hasStatus("4")),
    latency_ms: histogram === null ? NO_PERCENTILES : percentiles(processes, histogram),
  };
}

/** Of a counter, of all processes together; null until there are two samples of one. */
function rate(processes: readonly Watched[], name: string, wanted?: Wanted): number | null {
  return total(
    processes.map(({ samples }) => {
      const [first, last] = [samples[0], samples.at(-1)];
      if (first === undefined || last === undefined || first === last) return null;
      const increase = (value(last.metrics, name, wanted) ?? 0) - (value(first.metrics, name, wanted) ?? 0);
      return rounded((1_000 * increase) / (last.at - first.at));
    }),
  );
}

/** As Prometheus computes them: linear within a bucket, and the last bound for whatever is above it. */
function percentiles(processes: readonly Watched[], histogram: string): Percentiles {
  const counts = new Map<number, number>();
  for (const { samples } of processes) {
    const [first, last] = [samples[0], samples.at(-1)];
    if (first === undefined || last === undefined || first === last) continue;
    for (const [{ metrics }, sign] of [
      [last, 1],
      [first, -1],
    ] as const) {
      for (const { labels, value: count } of metrics.get(`${histogram}_bucket`) ?? []) {
        const bound = labels["le"] === "+Inf" ? Infinity : 1_000 * Number(labels["le"]);
        counts.set(bound, (counts.get(bound) ?? 0) + sign * count);
      }
    }
  }
  const buckets = [...counts].toSorted(([a], [b]) => a - b);
  return { p50: percentile(buckets, 0.5), p95: percentile(buckets, 0.95), p99: percentile(buckets, 0.99) };
}

function percentile(buckets: readonly (readonly [bound: number, count: number])[], share: number): number | null {
  const rank = share * (buckets.at(-1)?.[1] ?? 0);
  if (rank === 0) return null;
  let [lower, below] = [0, 0];
  for (const [bound, count] of buckets) {
    if (count >= rank) {
      return bound === Infinity ? lower : rounded(lower + ((bound - lower) * (rank - below)) / (count - below));
    }
    [lower, below] = [bound, count];
  }
  return lower;
}

function rounded(number: number): number {
  return Math.round(1_000 * number) / 1_000;
}
