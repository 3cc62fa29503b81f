/** Every metric of Rostrum's own, as `/metrics` and docs/reference/metrics.md describe it. */

export const METRIC_AREAS = [
  "The process",
  "Readers",
  "The dashboard and the management API",
  "Senders",
  "Webhooks",
  "Schedules and mails",
  "Long texts",
  "The database",
] as const;

interface Metric {
  area: (typeof METRIC_AREAS)[number];
  /** Of its series; a histogram has `le` as well. */
  labels?: readonly string[];
  isHistogram?: true;
  /** Read from the database: absent while that is away, and the same in every process. */
  isShared?: true;
  help: string;
}

/** By name. One that ends in `_total` is a counter, and any other a gauge or a histogram. */
export const METRICS = {
  rostrum_build_info: {
    area: "The process",
    labels: ["version"],
    help: "Always 1. Several versions at once are normal only during an upgrade.",
  },
  rostrum_ready: { area: "The process", help: "1 while /readyz answers 200." },
  rostrum_draining: { area: "The process", help: "1 from SIGTERM until the process ends." },
  rostrum_errors_total: { area: "The process", help: "Lines of level 50 (error) in the log." },
  rostrum_disk_full_total: {
    area: "The process",
    help: "Changes that failed because a disk was full, the database's or this machine's.",
  },
  rostrum_disk_free_bytes: {
    area: "The process",
    help: "Free space on the disk of the database file; on PostgreSQL, of the data folder.",
  },
  rostrum_disk_size_bytes: { area: "The process", help: "Size of that disk." },
  rostrum_last_backup_timestamp_seconds: {
    area: "The process",
    help: "UNIX time at which the last backup finished; absent if unknown. It is the time of the file last-backup in the data folder, which rostrum backup writes. After a backup by other means, touch that file. With a continuous backup of SQLite, the time up to which everything is copied.",
  },
  rostrum_backup_lag_seconds: {
    area: "The process",
    help: "For how long there have been changes that the continuous backup has not copied, pictures included; 0 if all are. Only with ROSTRUM_BACKUP_URL.",
  },
  rostrum_telemetry_total: {
    area: "The process",
    labels: ["signal", "result"],
    help: "Spans (traces) and lines (logs) that the collector took, or that were dropped because it was slow, away or refused them. Only with OTEL_EXPORTER_OTLP_ENDPOINT.",
  },
  rostrum_reads_total: {
    area: "Readers",
    labels: ["route", "status"],
    help: "Finished requests of the read API. With 429 the key is at its rate limit. A sudden rise of 401 or 403 means that a key is wrong.",
  },
  rostrum_read_duration_seconds: {
    area: "Readers",
    labels: ["route"],
    isHistogram: true,
    help: "Time from a request's headers to its answer.",
  },
  rostrum_read_cache_total: {
    area: "Readers",
    labels: ["result"],
    help: "Answers with lists, articles or events: hit if ready in memory, else miss.",
  },
  rostrum_read_cache_bytes: { area: "Readers", help: "Memory that cached answers take." },
  rostrum_website_reads_total: {
    area: "Readers",
    labels: ["website"],
    help: "Finished requests with a valid key, by the website's id. Only with ROSTRUM_METRICS_LABELS.",
  },
  rostrum_dashboard_requests_total: {
    area: "The dashboard and the management API",
    labels: ["method", "route", "status"],
    help: "Finished requests of the dashboard's API. The route is a pattern, such as /articles/:id.",
  },
  rostrum_dashboard_request_duration_seconds: {
    area: "The dashboard and the management API",
    labels: ["route"],
    isHistogram: true,
    help: "How long requests of the dashboard's API took, without the stream of live updates.",
  },
  rostrum_management_requests_total: {
    area: "The dashboard and the management API",
    labels: ["method", "route", "status"],
    help: "Finished requests of the management API.",
  },
  rostrum_mcp_calls_total: {
    area: "The dashboard and the management API",
    labels: ["tool", "outcome"],
    help: "Calls of agents' tools: done, refused, or failed because of a fault in the service.",
  },
  rostrum_arrivals_total: {
    area: "Senders",
    labels: ["kind", "outcome"],
    help: "Requests of senders that this process read, by the sender's kind: stored, needs_attention, or ignored (such as tests).",
  },
  rostrum_arrival_reply_duration_seconds: {
    area: "Senders",
    isHistogram: true,
    help: "Time until senders were answered, without requests that were refused.",
  },
  rostrum_arrivals_waiting: {
    area: "Senders",
    isShared: true,
    help: "Requests of senders that are saved and not yet read.",
  },
  rostrum_arrivals_oldest_seconds: {
    area: "Senders",
    isShared: true,
    help: "Age of the oldest of them; 0 if there is none.",
  },
  rostrum_webhook_attempts_total: {
    area: "Webhooks",
    labels: ["outcome"],
    help: "Attempts of this process to deliver. With blocked, the address is not public. If dns or timeout rises for all receivers at once, the fault is in your network.",
  },
  rostrum_webhook_attempt_duration_seconds: {
    area: "Webhooks",
    isHistogram: true,
    help: "How long attempts took.",
  },
  rostrum_webhook_deliveries_total: {
    area: "Webhooks",
    labels: ["result"],
    help: "Deliveries that ended in this process: delivered, exhausted or parked.",
  },
  rostrum_webhook_endpoint_attempts_total: {
    area: "Webhooks",
    labels: ["webhook", "result"],
    help: "Attempts that succeeded or failed, by the webhook's id. Only with ROSTRUM_METRICS_LABELS.",
  },
  rostrum_webhook_endpoints_disabled_total: {
    area: "Webhooks",
    help: "Times that this process disabled a webhook.",
  },
  rostrum_dispatcher_running: {
    area: "Webhooks",
    help: "1 while the thread that delivers webhooks runs and has a heartbeat. It starts with the first webhook.",
  },
  rostrum_dispatcher_heartbeat_seconds: {
    area: "Webhooks",
    help: "Time since that thread's last heartbeat; 0 while it does not run.",
  },
  rostrum_dispatcher_restarts_total: {
    area: "Webhooks",
    help: "Restarts of that thread after it failed, or had no heartbeat for 10 s.",
  },
  rostrum_webhook_queue_depth: {
    area: "Webhooks",
    isShared: true,
    help: "Deliveries that wait or are being sent.",
  },
  rostrum_webhook_queue_oldest_seconds: {
    area: "Webhooks",
    isShared: true,
    help: "Age of the oldest of them; 0 if there is none.",
  },
  rostrum_webhook_endpoint_queue_depth: {
    area: "Webhooks",
    labels: ["webhook"],
    isShared: true,
    help: "The same, of the webhooks with the longest queues. Only with ROSTRUM_METRICS_LABELS.",
  },
  rostrum_webhook_parked: {
    area: "Webhooks",
    isShared: true,
    help: "Parked deliveries, counted up to 100,000.",
  },
  rostrum_webhook_endpoints: {
    area: "Webhooks",
    labels: ["state"],
    isShared: true,
    help: "Webhooks that are enabled, paused or disabled.",
  },
  rostrum_dead_letters: {
    area: "Webhooks",
    labels: ["kind"],
    isShared: true,
    help: "Work that was set aside because it kept failing. Each entry is removed some time after its last failure.",
  },
  rostrum_schedule_lag_seconds: {
    area: "Schedules and mails",
    isShared: true,
    help: "How late the most overdue scheduled article is; 0 if none is late.",
  },
  rostrum_schedule_delay_seconds: {
    area: "Schedules and mails",
    isHistogram: true,
    help: "How late this process published scheduled articles.",
  },
  rostrum_mails_queued: {
    area: "Schedules and mails",
    isShared: true,
    help: "Mails that wait to be sent.",
  },
  rostrum_mails_total: {
    area: "Schedules and mails",
    labels: ["result"],
    help: "Attempts to send a mail: sent, failed (it is tried again), or refused (given up).",
  },
  rostrum_long_work_running: {
    area: "Long texts",
    help: "1 while the thread for long requests and imports runs. It starts with the first of them and ends when idle.",
  },
  rostrum_long_work: {
    area: "Long texts",
    labels: ["state"],
    help: "Long requests and imports that are active, or waiting for memory.",
  },
  rostrum_long_work_failures_total: { area: "Long texts", help: "Times that this thread failed." },
  rostrum_content_processes: {
    area: "Long texts",
    help: "Child processes that work on texts now, for all threads.",
  },
  rostrum_content_waiting: { area: "Long texts", help: "Texts that wait for a child process." },
  rostrum_content_processes_started_total: { area: "Long texts", help: "Child processes that were started." },
  rostrum_content_processes_killed_total: {
    area: "Long texts",
    labels: ["reason"],
    help: "Child processes that were killed because a text took too much time or memory. The text was refused.",
  },
  rostrum_database_up: {
    area: "The database",
    help: "1 if the database answered this scrape. While it is 0, the metrics that come from the database are absent.",
  },
  rostrum_database_size_bytes: {
    area: "The database",
    isShared: true,
    help: "Size of the database with its indexes, without SQLite's WAL.",
  },
  rostrum_wal_size_bytes: {
    area: "The database",
    help: "Size of SQLite's WAL, the file beside the database into which changes are written first. Always 0 on PostgreSQL.",
  },
  rostrum_clock_skew_seconds: {
    area: "The database",
    help: "How far this machine's clock is ahead of the database's; negative if behind. Always 0 on SQLite.",
  },
  rostrum_nodes: { area: "The database", isShared: true, help: "Processes that serve." },
  rostrum_database_connections: {
    area: "The database",
    labels: ["state"],
    help: "Connections for requests that are in_use or idle. SQLite has up to three, within the process.",
  },
  rostrum_database_connections_max: {
    area: "The database",
    help: "How many connections there may be (ROSTRUM_DATABASE_POOL).",
  },
  rostrum_database_waiting: { area: "The database", help: "Transactions that wait for a connection." },
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof METRICS;
