/** Every setting, as docs/reference/settings.md lists them; config.ts reads no other, and says which values each may have. */

interface Setting {
  area: (typeof SETTING_AREAS)[number];
  /** As an operator would write it, or in words; null: no default. */
  default: string | null;
  /** The values, of settings for which config.ts has no sentence. */
  values?: string;
  means: string;
}

export const SETTING_AREAS = [
  "The service",
  "Data",
  "Secrets",
  "Pictures",
  "Continuous backup",
  "Readers",
  "Webhooks",
  "Mail",
  "How long data is kept",
  "Monitoring",
  "Programs of your sites",
] as const;

const SECRET_FILE = "A file that contains";

export const SETTINGS = {
  HOST: { area: "The service", default: "`127.0.0.1`", means: "The address on which the service listens." },
  PORT: { area: "The service", default: "`4000`", means: "The port on which the service listens." },
  ROSTRUM_PUBLIC_URL: {
    area: "The service",
    default: null,
    means: "The address at which others reach the service. Links in mails and answers use it. Set it behind a proxy.",
  },
  ROSTRUM_TRUST_PROXY: {
    area: "The service",
    default: null,
    means:
      "Networks of the proxies whose `X-Forwarded-For` is trusted ([a reverse proxy](../operate.md#a-reverse-proxy)).",
  },
  ROSTRUM_MAX_CONNECTIONS: {
    area: "The service",
    default: "`4096`",
    means: "How many connections may be open. Further ones are closed at once.",
  },
  ROSTRUM_DRAIN_SECONDS: {
    area: "The service",
    default: "`5`",
    means:
      "How long the service keeps serving after SIGTERM, while `/readyz` says `draining`. After Ctrl-C it stops at once.",
  },
  ROSTRUM_LOG_LEVEL: {
    area: "The service",
    default: "`info`",
    means: "`info` logs requests and webhook attempts that were refused or failed; `debug` logs all of them.",
  },
  ROSTRUM_DATA_DIR: {
    area: "Data",
    default: "`data` in the working folder",
    values: "a folder",
    means: "Where the service keeps its data: the SQLite database, the secret key, and pictures.",
  },
  DATABASE_URL: {
    area: "Data",
    default: "`rostrum.db` in the data folder",
    means:
      "The database. On PostgreSQL (15 or newer), name several hosts with commas between them if there are replicas.",
  },
  DATABASE_URL_FILE: { area: "Data", default: null, values: "a file", means: `${SECRET_FILE} \`DATABASE_URL\`.` },
  ROSTRUM_DATABASE_POOL: {
    area: "Data",
    default: "`10`",
    means: "Connections to PostgreSQL that each process opens for requests. It opens up to five more for other work.",
  },
  ROSTRUM_DATABASE_PGBOUNCER: {
    area: "Data",
    default: "`0`",
    means: "`1` if PgBouncer, in transaction mode, stands between Rostrum and PostgreSQL.",
  },
  ROSTRUM_SECRET_KEY: {
    area: "Secrets",
    default: "`secret.key` in the data folder",
    means:
      "Encrypts the secrets of webhooks, senders and authenticators. Keep a copy outside the backups. A key that is easy to guess is refused.",
  },
  ROSTRUM_SECRET_KEY_FILE: {
    area: "Secrets",
    default: null,
    values: "a file",
    means: `${SECRET_FILE} \`ROSTRUM_SECRET_KEY\`.`,
  },
  ROSTRUM_SECRET_KEY_PREVIOUS: {
    area: "Secrets",
    default: null,
    means: "The earlier key, while it is being [replaced](../operate.md#changing-the-secret-key).",
  },
  ROSTRUM_SECRET_KEY_PREVIOUS_FILE: {
    area: "Secrets",
    default: null,
    values: "a file",
    means: `${SECRET_FILE} \`ROSTRUM_SECRET_KEY_PREVIOUS\`.`,
  },
  ROSTRUM_ASSETS: {
    area: "Pictures",
    default: "`assets` in the data folder",
    values: "a folder, or `s3://bucket/folder`",
    means:
      "Where the pictures of articles are. Several processes need a place that all of them see ([pictures](../operate.md#where-pictures-are-kept)).",
  },
  ROSTRUM_S3_ENDPOINT: { area: "Pictures", default: null, means: "The address of the bucket's service." },
  ROSTRUM_S3_REGION: { area: "Pictures", default: "`us-east-1`", means: "The bucket's region." },
  ROSTRUM_S3_ACCESS_KEY_ID: { area: "Pictures", default: null, means: "The access key for the bucket." },
  ROSTRUM_S3_SECRET_ACCESS_KEY: { area: "Pictures", default: null, means: "The secret of that access key." },
  ROSTRUM_S3_SECRET_ACCESS_KEY_FILE: {
    area: "Pictures",
    default: null,
    values: "a file",
    means: `${SECRET_FILE} \`ROSTRUM_S3_SECRET_ACCESS_KEY\`.`,
  },
  ROSTRUM_BACKUP_URL: {
    area: "Continuous backup",
    default: null,
    values: "`file:<folder>`, or `s3://bucket/folder`",
    means:
      "Where the data is copied to as it changes ([continuous backup](../operate.md#continuous-backup)). A bucket is reached by the same `ROSTRUM_S3_*` as that of pictures.",
  },
  ROSTRUM_BACKUP_KEEP_DAYS: {
    area: "Continuous backup",
    default: "`30`",
    means: "How far back the data can be restored, to any second.",
  },
  ROSTRUM_RATE_LIMIT: {
    area: "Readers",
    default: "`50`",
    means: "Requests per second for each API key, in each process. Bursts may be twice as large.",
  },
  ROSTRUM_CACHE_MB: {
    area: "Readers",
    default: "`64`",
    means: "Memory for cached answers, in each process.",
  },
  ROSTRUM_SHARED_CACHE: {
    area: "Readers",
    default: "`0`",
    means: "`1` allows a CDN to store published articles ([caches](../api.md#caches-and-versions)).",
  },
  ROSTRUM_CACHE_TAGS: {
    area: "Readers",
    default: null,
    means: "The header in which answers name their cache tags, for the CDN that you use.",
  },
  ROSTRUM_INDEXNOW_URL: {
    area: "Readers",
    default: "`https://api.indexnow.org/indexnow`",
    means: "Where [IndexNow](../feeds.md#indexnow) reports changes to search engines.",
  },
  ROSTRUM_WEBHOOK_RETRY_SECONDS: {
    area: "Webhooks",
    default: "`10,120,1440`",
    means: "The wait before each retry, for up to ten retries.",
  },
  ROSTRUM_WEBHOOK_TIMEOUT_SECONDS: {
    area: "Webhooks",
    default: "`10`",
    means: "How long a receiver may take to answer.",
  },
  ROSTRUM_WEBHOOK_DISABLE_AFTER: {
    area: "Webhooks",
    default: "`10`",
    means: "How many failures in a row disable a webhook.",
  },
  ROSTRUM_WEBHOOK_DISABLE_COUNTS: {
    area: "Webhooks",
    default: "`delivery`",
    means: "What counts as a failure: a `delivery` all of whose attempts failed, or each `attempt`.",
  },
  ROSTRUM_WEBHOOK_ALLOW_HTTP: {
    area: "Webhooks",
    default: "`0`",
    means: "`1` allows webhooks to `http://` addresses.",
  },
  ROSTRUM_WEBHOOK_ALLOW_CIDRS: {
    area: "Webhooks",
    default: null,
    means: "Networks that webhooks may call although they are not public.",
  },
  SMTP_URL: { area: "Mail", default: null, means: "The mail server. Without it, no mails are sent." },
  SMTP_URL_FILE: { area: "Mail", default: null, values: "a file", means: `${SECRET_FILE} \`SMTP_URL\`.` },
  ROSTRUM_MAIL_FROM: {
    area: "Mail",
    default: "the user of `SMTP_URL`, or `rostrum@` and the host of `ROSTRUM_PUBLIC_URL`",
    means: "The sender of mails.",
  },
  ROSTRUM_WEBHOOK_KEEP_DAYS: {
    area: "How long data is kept",
    default: "`30`",
    means: "Deliveries with their attempts, and parked events. The events themselves are kept.",
  },
  ROSTRUM_EVENT_KEEP_DAYS: {
    area: "How long data is kept",
    default: "`0`",
    means:
      "The [content](../api.md#content-that-was-removed) of events. If an article was deleted or unpublished, its events lose their content as soon as all receivers have them.",
  },
  ROSTRUM_TRASH_KEEP_DAYS: {
    area: "How long data is kept",
    default: "`0`",
    means: "Articles in the trash, before they are deleted permanently.",
  },
  ROSTRUM_AUDIT_KEEP_DAYS: { area: "How long data is kept", default: "`0`", means: "Entries of the audit log." },
  ROSTRUM_ARRIVAL_KEEP_DAYS: {
    area: "How long data is kept",
    default: "`30`",
    means: "What [senders](../senders.md) sent.",
  },
  ROSTRUM_METRICS_PORT: {
    area: "Monitoring",
    default: null,
    means:
      "A separate port for `/metrics`, `/healthz` and `/readyz`. Without it they are on `PORT`; with `ROSTRUM_TRUST_PROXY` they then answer only this machine.",
  },
  ROSTRUM_METRICS_LABELS: {
    area: "Monitoring",
    default: "`0`",
    means: "How many websites, and how many webhooks, have metrics of their own. The others are counted together.",
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    area: "Monitoring",
    default: null,
    means: "A collector of OpenTelemetry, which then gets [traces](../operate.md#traces), by OTLP over HTTP.",
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    area: "Monitoring",
    default: "`/v1/traces` at that address",
    means: "The whole address for traces, if it is another.",
  },
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: {
    area: "Monitoring",
    default: "`/v1/logs` at that address",
    means: "The whole address for logs, if it is another.",
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    area: "Monitoring",
    default: null,
    means:
      "Headers of each request to the collector, such as its key. Percent-encode commas and equals signs in values.",
  },
  OTEL_EXPORTER_OTLP_HEADERS_FILE: {
    area: "Monitoring",
    default: null,
    values: "a file",
    means: `${SECRET_FILE} \`OTEL_EXPORTER_OTLP_HEADERS\`.`,
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: {
    area: "Monitoring",
    default: "`http/json`",
    means:
      "Requests are JSON, which every collector takes at the address for `http/protobuf`, usually at port 4318. There is no gRPC.",
  },
  OTEL_EXPORTER_OTLP_TIMEOUT: {
    area: "Monitoring",
    default: "`10000`",
    means: "How many milliseconds the collector may take to answer.",
  },
  OTEL_TRACES_EXPORTER: { area: "Monitoring", default: "`otlp`", means: "`none` exports no traces." },
  OTEL_LOGS_EXPORTER: {
    area: "Monitoring",
    default: "`console`",
    means: "`otlp` sends the log to the collector as well as to standard output.",
  },
  OTEL_SERVICE_NAME: {
    area: "Monitoring",
    default: "that of `OTEL_RESOURCE_ATTRIBUTES`, or `rostrum`",
    means: "The name of the service in traces and logs.",
  },
  OTEL_RESOURCE_ATTRIBUTES: {
    area: "Monitoring",
    default: null,
    means: "What else traces and logs say about the service, such as its environment.",
  },
  OTEL_TRACES_SAMPLER: {
    area: "Monitoring",
    default: "`parentbased_always_on`",
    means:
      "Which traces are recorded. With `parentbased_` those that others have begun are recorded if they recorded them.",
  },
  OTEL_TRACES_SAMPLER_ARG: {
    area: "Monitoring",
    default: "`1`",
    means: "The share of traces that a sampler with `traceidratio` records.",
  },
  OTEL_SDK_DISABLED: { area: "Monitoring", default: "`false`", means: "`true` exports neither traces nor logs." },
  ROSTRUM_URL: {
    area: "Programs of your sites",
    default: null,
    values: "an address",
    means: "The service that the examples and the kits for sites read from. The service ignores it.",
  },
  ROSTRUM_API_KEY: {
    area: "Programs of your sites",
    default: null,
    values: "an API key",
    means: "The key with which they read. The service ignores it.",
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;
