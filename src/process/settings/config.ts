/** Reads the settings (settings.ts, docs/reference/settings.md). Only this folder reads them from the environment. */
import { join, resolve } from "node:path";
import { DEFAULT_POLICY, type RetryPolicy } from "../../domain/webhooks/delivery.ts";
import { AppError } from "../../domain/system/errors.ts";
import type { HttpCaches } from "../../http/read-api/snapshot-answers.ts";
import {
  cidrs,
  daysFrom,
  defaultSender,
  filled,
  flag,
  httpUrl,
  isPostgresUrl,
  type Kind,
  mailServer,
  oneOf,
  secretKey,
  seconds,
  sender,
  waits,
  wholeNumber,
} from "./setting-values.ts";
import {
  bucketPlace,
  type BucketSettings,
  type FilePlace,
  isWithin,
  localPath,
  parseFilePlace,
} from "./file-places.ts";
import {
  type Environment,
  readEnvironment,
  type SettingReader,
  settingReader,
  describeUnknown,
} from "./environment.ts";
import { readTelemetrySettings } from "./telemetry-settings.ts";
import type { SettingName } from "./settings.ts";
import type { TelemetryConfig } from "../../telemetry/telemetry-config.ts";

const DAY_MS = 86_400_000;
const PORT = wholeNumber(0, 65_535, "a port number from 0 to 65535");
const days = wholeNumber(1, 3_650, "whole days from 1 to 3650");
const upToMillion = (least: number, what: string) => wholeNumber(least, 1_000_000, `a whole number ${what}`);
const INDEX_NOW_URL = "https://api.indexnow.org/indexnow";
/** In the data folder: cached copies of pictures that are kept in a bucket. */
export const ASSET_CACHE_FOLDER = "asset-cache";
/** In the data folder: forms of pictures in other widths and formats. */
export const RENDITIONS_FOLDER = "asset-renditions";
/** In the data folder: the pictures of articles, unless ROSTRUM_ASSETS names another folder. */
export const ASSETS_FOLDER = "assets";
const CACHE_TAG_HEADERS = ["Cache-Tag", "Surrogate-Key"] as const;
const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

/** Plain data, so that it can be passed to other threads. */
export interface Config {
  host: string;
  port: number;
  dataDir: string;
  database: DatabaseConfig;
  publicUrl: string | null;
  /** Where IndexNow reports changes. */
  indexNowUrl: string;
  /** Port that serves /metrics, /healthz and /readyz instead of `port`; null: `port`. */
  metricsPort: number | null;
  /** Networks of the proxies whose X-Forwarded-For is trusted, separated by commas; null: none. */
  trustProxy: string | null;
  /** Maximum number of websites, and of webhooks, with their own series in /metrics. */
  maxMetricLabels: number;
  logLevel: (typeof LOG_LEVELS)[number];
  /** Requests per second and key; 0: unlimited. */
  rateLimit: number;
  cacheBytes: number;
  httpCaches: HttpCaches;
  /** Maximum open connections; further ones are closed at once. */
  maxConnections: number;
  /** How long the service keeps serving after SIGTERM while /readyz responds with 503. */
  drainMs: number;
  /** The setting as given (domain/system/secret-box.ts); null: the key is in the data folder. */
  secretKey: string | null;
  /** The previous key during a rotation, to decrypt what it encrypted; null: none. */
  previousSecretKey: string | null;
  webhooks: WebhookConfig;
  retention: RetentionConfig;
  /** Null: no emails are sent. */
  mail: MailConfig | null;
  /** Where the pictures of articles are. */
  assets: FilePlace;
  s3: BucketSettings;
  backup: BackupConfig;
  /** Null: neither traces nor logs are exported. */
  telemetry: TelemetryConfig | null;
  /** A sentence for each setting that this version does not have, or whose value it replaces by the default. */
  ignoredSettings: string[];
}

interface BackupConfig {
  /** Null: no continuous backup. */
  place: FilePlace | null;
  /** How far back it can be restored. */
  keepMs: number;
}

export type DatabaseConfig = SqliteConfig | PostgresConfig;

interface SqliteConfig {
  kind: "sqlite";
  path: string;
}

interface PostgresConfig {
  kind: "postgres";
  /** With the password: not for logs (see `describeDatabase`). */
  url: string;
  connections: number;
  /** Whether connections go through PgBouncer in transaction mode. */
  isPooled: boolean;
}

interface WebhookConfig extends RetryPolicy {
  allowHttp: boolean;
  allowCidrs: string;
  timeoutMs: number;
  keepMs: number;
  /** How long events keep their content; null: forever. */
  eventKeepMs: number | null;
}

interface RetentionConfig {
  /** How long articles stay in the trash; null: forever. */
  trashMs: number | null;
  /** Null: forever. */
  auditMs: number | null;
  /** How long requests of senders are kept; null: forever. */
  arrivalMs: number | null;
}

interface MailConfig {
  /** With the password: not for logs. */
  url: string;
  /** An address, or `Name <address>`. */
  from: string;
  /** Base of links: the dashboard's address without `/dashboard`. */
  base: string;
}

/** The database's address without user and password, for people and logs. */
export function describeDatabase(database: DatabaseConfig): string {
  if (database.kind === "sqlite") return database.path;
  const [address = ""] = database.url.split("?", 1);
  return address.replace(/^(\w+:\/\/)(?:.*@)?/, "$1");
}

/** What `environment` lacks is read from `.env`. @throws AppError `misconfigured` with every problem, one a line. */
export function readConfig(environment: Environment, directory: string): Config {
  const problems: string[] = [];
  const settings = readEnvironment(environment, directory, problems);
  const read = settingReader(settings, problems);
  const replaced: string[] = [];
  const config = parseSettings(settings, directory, read, problems, settingReader(settings, replaced));
  if (problems.length > 0) throw new AppError("misconfigured", problems.join("\n"));
  const ignored = replaced.map((problem) => `${problem} The default is used instead.`);
  return { ...config, ignoredSettings: [...describeUnknown(settings), ...ignored] };
}

/** What each setting that has a fixed set of values may be, in words, and how the value is read. */
export function listSettingKinds(): ReadonlyMap<SettingName, { kind: Kind<unknown>; fallback: unknown }> {
  const kinds = new Map<SettingName, { kind: Kind<unknown>; fallback: unknown }>();
  parseSettings(
    {},
    "/",
    (name, fallback, kind) => {
      kinds.set(name, { kind, fallback });
      return fallback;
    },
    [],
  );
  return kinds;
}

type ReadSettings = Omit<Config, "ignoredSettings">;

/** Adds to `problems` what is wrong. `readOrDefault`: for what must not stop the service. */
function parseSettings(
  settings: Environment,
  directory: string,
  read: SettingReader,
  problems: string[],
  readOrDefault = read,
): ReadSettings {
  const connections = read("ROSTRUM_DATABASE_POOL", 10, wholeNumber(1, 1_000));
  const isPooled = read("ROSTRUM_DATABASE_PGBOUNCER", false, flag);
  const dataDir = resolve(directory, settings["ROSTRUM_DATA_DIR"] ?? "data");
  const host = read("HOST", "127.0.0.1", filled("an address to listen on, such as 127.0.0.1"));
  const port = read("PORT", 4000, PORT);
  const publicUrl = read("ROSTRUM_PUBLIC_URL", null, httpUrl("https://articles.example.com"));
  const server = "an address like smtps://user:password@mail.example.com";
  const smtpUrl = read("SMTP_URL", null, { parse: mailServer, expected: server });
  const whose = "an e-mail address, or a name and one as in Rostrum <a@b.example>";
  const from = read("ROSTRUM_MAIL_FROM", null, { parse: sender, expected: whose });
  const database = read<DatabaseConfig, DatabaseConfig>(
    "DATABASE_URL",
    { kind: "sqlite", path: join(dataDir, "rostrum.db") },
    {
      parse: (value) => {
        const path = localPath("sqlite", value, directory);
        if (path !== undefined) return { kind: "sqlite", path };
        return isPostgresUrl(value) ? { kind: "postgres", url: value, connections, isPooled } : undefined;
      },
      expected:
        "absent, sqlite:<path>, or postgres://user:password@host:5432/database, whose sslmode, if any, is disable, prefer, require, no-verify, verify-ca or verify-full",
    },
  );
  const s3: BucketSettings = {
    endpoint: read("ROSTRUM_S3_ENDPOINT", null, httpUrl("https://s3.eu-central-1.amazonaws.com")),
    region: read("ROSTRUM_S3_REGION", "us-east-1", filled("a region such as eu-central-1")),
    accessKeyId: read("ROSTRUM_S3_ACCESS_KEY_ID", null, filled("the id of an access key")),
    secretAccessKey: read("ROSTRUM_S3_SECRET_ACCESS_KEY", null, filled("the secret of the access key")),
  };
  const unguessable = "at least 16 characters; best are 32 random bytes, as `openssl rand -hex 32` prints them";
  return {
    host,
    port,
    dataDir,
    database,
    publicUrl,
    indexNowUrl: read("ROSTRUM_INDEXNOW_URL", INDEX_NOW_URL, httpUrl(INDEX_NOW_URL)),
    metricsPort: read("ROSTRUM_METRICS_PORT", null, PORT),
    trustProxy: read("ROSTRUM_TRUST_PROXY", null, cidrs),
    maxMetricLabels: read("ROSTRUM_METRICS_LABELS", 0, wholeNumber(0, 1_000)),
    logLevel: read("ROSTRUM_LOG_LEVEL", "info", oneOf(...LOG_LEVELS)),
    rateLimit: read("ROSTRUM_RATE_LIMIT", 50, upToMillion(0, "of requests per second; 0 is off")),
    cacheBytes: read("ROSTRUM_CACHE_MB", 64, upToMillion(1, "of megabytes of at least 1")) * 1024 * 1024,
    httpCaches: {
      isShared: read("ROSTRUM_SHARED_CACHE", false, flag),
      tagHeader: read("ROSTRUM_CACHE_TAGS", null, {
        parse: (value) => CACHE_TAG_HEADERS.find((name) => name.toLowerCase() === value.toLowerCase()),
        expected: `one of ${CACHE_TAG_HEADERS.join(", ")}`,
      }),
    },
    maxConnections: read("ROSTRUM_MAX_CONNECTIONS", 4_096, upToMillion(1, "of at least 1")),
    drainMs: read("ROSTRUM_DRAIN_SECONDS", 5_000, seconds(0, 600)),
    secretKey: read("ROSTRUM_SECRET_KEY", null, { parse: secretKey, expected: unguessable }),
    previousSecretKey: read("ROSTRUM_SECRET_KEY_PREVIOUS", null, {
      parse: secretKey,
      expected: "the earlier ROSTRUM_SECRET_KEY",
    }),
    webhooks: readWebhookSettings(read),
    telemetry: readTelemetrySettings(read, readOrDefault, problems),
    retention: {
      trashMs: read("ROSTRUM_TRASH_KEEP_DAYS", null, daysFrom(1)),
      auditMs: read("ROSTRUM_AUDIT_KEEP_DAYS", null, daysFrom(30)),
      arrivalMs: read("ROSTRUM_ARRIVAL_KEEP_DAYS", 30 * DAY_MS, daysFrom(1)),
    },
    assets: collecting(problems, () => readAssetsPlace(settings, directory, s3)) ?? {
      kind: "folder",
      path: join(dataDir, ASSETS_FOLDER),
      // On SQLite all processes are on one machine.
      isShared: database.kind === "sqlite",
    },
    s3,
    backup: {
      place: collecting(problems, () => readBackupPlace(settings, directory, dataDir, s3)) ?? null,
      keepMs: read("ROSTRUM_BACKUP_KEEP_DAYS", 30, days) * DAY_MS,
    },
    mail:
      smtpUrl === null
        ? null
        : {
            url: smtpUrl,
            from: from ?? defaultSender(smtpUrl, publicUrl),
            base: publicUrl ?? `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
          },
  };
}

function readWebhookSettings(read: SettingReader): Config["webhooks"] {
  return {
    allowHttp: read("ROSTRUM_WEBHOOK_ALLOW_HTTP", false, flag),
    allowCidrs: read("ROSTRUM_WEBHOOK_ALLOW_CIDRS", "", cidrs),
    waitsMs: read("ROSTRUM_WEBHOOK_RETRY_SECONDS", DEFAULT_POLICY.waitsMs, waits),
    timeoutMs: read("ROSTRUM_WEBHOOK_TIMEOUT_SECONDS", 10_000, seconds(0.1, 60)),
    disableAfter: read("ROSTRUM_WEBHOOK_DISABLE_AFTER", DEFAULT_POLICY.disableAfter, wholeNumber(1, 1_000)),
    counts: read("ROSTRUM_WEBHOOK_DISABLE_COUNTS", DEFAULT_POLICY.counts, {
      parse: oneOf("delivery", "attempt").parse,
      expected: "delivery or attempt",
    }),
    keepMs: read("ROSTRUM_WEBHOOK_KEEP_DAYS", 30, days) * DAY_MS,
    eventKeepMs: read("ROSTRUM_EVENT_KEEP_DAYS", null, daysFrom(30)),
  };
}

function readAssetsPlace(settings: Environment, directory: string, s3: BucketSettings): FilePlace | null {
  const { ROSTRUM_ASSETS: assets } = settings;
  if (assets === undefined) return null;
  if (assets.startsWith("s3:")) return bucketPlace("ROSTRUM_ASSETS", assets, s3);
  return { kind: "folder", path: resolve(directory, assets), isShared: true };
}

function readBackupPlace(
  settings: Environment,
  directory: string,
  dataDir: string,
  s3: BucketSettings,
): FilePlace | null {
  const { ROSTRUM_BACKUP_URL: url } = settings;
  if (url === undefined) return null;
  const place = parseFilePlace("ROSTRUM_BACKUP_URL", url, directory, s3);
  if (place.kind === "folder" && isWithin(dataDir, place.path)) {
    throw new AppError(
      "misconfigured",
      `ROSTRUM_BACKUP_URL is "${url}", a folder within ROSTRUM_DATA_DIR; name one on another disk, which is not lost with the data.`,
    );
  }
  return place;
}

/** Adds to `problems` what is wrong. */
function collecting<T>(problems: string[], work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    problems.push(error.message);
    return null;
  }
}
