/** Opens what every command needs. Everything is closed in reverse order. */
import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import { join } from "node:path";
import { ASSET_CACHE_FOLDER, RENDITIONS_FOLDER, type Config, type DatabaseConfig } from "../process/settings/config.ts";
import type { ContentLimits, ContentPool } from "../content-processes/pool.ts";
import type { PicturePool } from "../content-processes/pictures.ts";
import type { ContentCounters } from "../content-processes/processes.ts";
import type { backedUp } from "../asset-files/backed-up.ts";
import type { foreignPlace } from "../backup/place-owner.ts";
import type { AssetBucket } from "../asset-files/bucket.ts";
import type { FileCache } from "../asset-files/file-cache.ts";
import type { Renditions } from "../asset-files/renditions.ts";
import type { AssetFolder } from "../asset-files/folder.ts";
import type { AssetFiles, Deps } from "../operations/system/deps.ts";
import type { ContentProcessStats } from "../domain/system/content-process-stats.ts";
import { AppError } from "../domain/system/errors.ts";
import { isWeakKey } from "../domain/system/key-strength.ts";
import { deriveSecretKey, type SecretBox, secretBox } from "../domain/system/secret-box.ts";
import { backupPictures } from "../process/settings/file-places.ts";
import { secretKeyFrom } from "../process/settings/secret-key-file.ts";
import { newId, newIdAt } from "../process/uuid.ts";
import type { openPostgres } from "../store/engine/postgres/postgres.ts";
import { openSqlite } from "../store/engine/sqlite/sqlite.ts";
import type { RequestTracer } from "../http/connection/trace-requests.ts";
import type { SmtpSender } from "../email/smtp.ts";
import type { LinkChecker } from "../webhooks/http/link-checker.ts";
import type { PictureFetcher } from "../webhooks/http/picture-fetcher.ts";
import type { AddressGuard, parseCidrs } from "../webhooks/net/ssrf-guard.ts";
import type { RequestSender } from "../webhooks/http/send-request.ts";
import type { Span } from "../telemetry/span.ts";
import type { Tracer } from "../telemetry/tracer.ts";
import type { StepReport } from "../store/migration-steps.ts";
import { assertAdditive, assertCurrentSchema, migrate, MIGRATIONS } from "../store/migrations.ts";
import type { Database } from "../store/store.ts";

export interface App extends Deps, AsyncDisposable {
  store: Database;
  config: Config;
  /** Absent: no traces are exported. */
  tracing?: Tracing;
  contentStats: () => ContentProcessStats;
  startContentProcess: () => void;
}

interface Tracing {
  tracer: Tracer;
  requests: RequestTracer;
  /** Exports a span, or passes it on to the thread that does. */
  addSpan: (span: Span) => void;
}

export const WEAK_KEY = "ROSTRUM_SECRET_KEY is easy to guess, as it is a placeholder or repeats itself";
export const CHOOSE_KEY = 'set it to what "openssl rand -hex 32" prints.';

/** In the data folder, beside the database. */
export const SECRET_KEY_FILE = "secret.key";

/** Disk space for copies of pictures on each machine, when pictures are kept in a bucket. */
const ASSET_CACHE_BYTES = 1_000_000_000;
/** Long enough for most hosts, and short for a person who waits for a page with pictures that are gone. */
const PICTURE_FAILS_AFTER_MS = 4_000;
/** On the disk of each machine. */
const RENDITIONS_BYTES = 1_000_000_000;

const require = createRequire(import.meta.url);

/**
 * Opens the store; all else at first use, as most commands need no more. @throws AppError `unavailable`; `conflict` for
 * tables of another version that may not be migrated; `misconfigured` for a weak key.
 */
export async function openApp(
  config: Config,
  {
    migrates = false,
    contentCounters,
    contentLimits = {},
    pools,
    onMigrationStep,
    addSpan,
    ...options
  }: AppOptions = {},
): Promise<App> {
  await using opened = new AsyncDisposableStack();
  const untraced = opened.use(openStore(config.database, options));
  if (migrates === "additions") await assertAdditive(untraced);
  if (migrates !== false) await migrate(untraced, Date.now(), MIGRATIONS, onMigrationStep);
  else await assertCurrentSchema(untraced, Date.now());
  const tracing = openTracing(config, untraced, addSpan);
  const store = tracing?.tracer.traced(untraced) ?? untraced;
  assertStrongKey(config);
  const parts = opened.move();
  const part = <T extends Disposable | AsyncDisposable>(build: () => T) => once(() => parts.use(build()));
  const { allowHttp, timeoutMs } = config.webhooks;
  const guard = once(() => addressGuard(config, allowHttp));
  // The operator's networks are for webhooks and imports, not for whoever reads an article.
  const publicGuard = once(() => addressGuard({ webhooks: { allowCidrs: "" } }, true));
  const counters = once(() => contentCounters ?? new (processesModule().ContentCounters)());
  const ownContent = part(() => new (contentModule().ContentPool)(contentLimits, counters()));
  const ownPictures = part(() => new (pictureModule().PicturePool)(counters()));
  const content = () => pools?.content ?? ownContent();
  const pictures = () => pools?.pictures ?? ownPictures();
  // What readers ask for does not delay uploads.
  const renditionPool = part(() => new (pictureModule().PicturePool)(counters()));
  const renditions = once(
    () =>
      new (renditionModule().Renditions)(fileCache(config.dataDir, RENDITIONS_FOLDER, RENDITIONS_BYTES), (...args) =>
        renditionPool().render(...args),
      ),
  );
  // A bucket that never answers would keep the process alive.
  const ending = new AbortController();
  parts.defer(() => ending.abort());
  const files = once(() => renditions().removedWith(openBackedUpFiles(config, untraced, ending.signal)));
  const pictureFetcher = part(
    () => new (fetcherModule().PictureFetcher)(publicGuard(), { failAfterMs: PICTURE_FAILS_AFTER_MS }),
  );
  const pictureCopier = part(() => new (fetcherModule().PictureFetcher)(addressGuard(config, true)));
  const linkChecker = part(() => new (linkModule().LinkChecker)(publicGuard(), () => store.now()));
  const sender = part(() => new (senderModule().RequestSender)({ guard: guard(), timeoutMs }));
  const { mail } = config;
  const smtp = mail && part(() => new (smtpModule().SmtpSender)(mail));
  const secrets = once(() => openSecretBox(config));
  return {
    config,
    contentStats: () => counters().stats,
    startContentProcess: () => content().start(),
    store,
    ...(tracing !== undefined && { tracing, traceEvent: (event) => tracing.tracer.event(event) }),
    clock: store.now.bind(store),
    newId,
    randomBytes,
    deriveContent: (...args) => content().deriveContent(...args),
    findPassages: (websiteId, input) => content().findPassages(websiteId, input),
    readArrival: (websiteId, arrival) => content().readArrival(websiteId, arrival),
    readProofs: (websiteId, body, places) => content().readProofs(websiteId, body, places),
    compare: (websiteId, before, after) => content().compare(websiteId, before, after),
    secrets,
    checkAddress: (url) => guard().check(url),
    post: (message, signal) => sender().send(message, signal),
    fetchPicture: (websiteId, url) => pictureFetcher().fetch(websiteId, url),
    copyPicture: (websiteId, url) => pictureCopier().fetch(websiteId, url),
    checkLink: (websiteId, url, again) => linkChecker().check(websiteId, url, again),
    assetFiles: {
      isShared: config.assets.kind !== "folder" || config.assets.isShared,
      put: (key, path) => files().put(key, path),
      open: (key) => files().open(key),
      has: (key) => files().has(key),
      remove: (key) => files().remove(key),
      list: () => files().list(),
    },
    openRendition: (asset, path, rendition) => renditions().open(asset, path, rendition),
    inspectPicture: (websiteId, path, cleaned) => pictures().inspect(websiteId, path, cleaned),
    mail: mail && smtp && { base: mail.base, send: (one, id, signal) => smtp().send(one, id, signal) },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

function once<T>(build: () => T): () => T {
  let built: T | undefined;
  return () => (built ??= build());
}

function openTracing(
  { telemetry, publicUrl }: Config,
  store: Database,
  addSpan: AppOptions["addSpan"],
): Tracing | undefined {
  if (telemetry === null || telemetry.tracesUrl === null || addSpan === undefined) return undefined;
  const { sampler } = telemetry;
  const clockSkewMs = () => store.clockSkewMs();
  const tracer = new (tracerModule().Tracer)({ sampler, randomBytes, clockSkewMs, onSpan: addSpan });
  return { tracer, requests: new (requestTracerModule().RequestTracer)(tracer, publicUrl), addSpan };
}

function openSecretBox({ secretKey, previousSecretKey, dataDir }: Config): SecretBox {
  return secretBox(
    (secretKey === null ? undefined : deriveSecretKey(secretKey)) ??
      secretKeyFrom(join(dataDir, SECRET_KEY_FILE), randomBytes),
    randomBytes,
    previousSecretKey === null ? undefined : deriveSecretKey(previousSecretKey),
  );
}

function addressGuard(
  { webhooks: { allowCidrs } }: { webhooks: Pick<Config["webhooks"], "allowCidrs"> },
  allowHttp: boolean,
): AddressGuard {
  const guard = guardModule();
  return new guard.AddressGuard({ allowHttp, allowCidrs: guard.parseCidrs(allowCidrs) ?? [] });
}

function fileCache(dataDir: string, folder: string, maxBytes: number): FileCache {
  return new (fileCacheModule().FileCache)(join(dataDir, folder), maxBytes);
}

function assertStrongKey({ secretKey }: Config): void {
  if (secretKey === null || !isWeakKey(secretKey)) return;
  throw new AppError("misconfigured", `${WEAK_KEY}: ${CHOOSE_KEY}`);
}

/** @param signal ends requests to a bucket. */
export function openAssetFiles(
  { assets, dataDir }: Pick<Config, "assets" | "dataDir">,
  signal?: AbortSignal,
): AssetFiles {
  if (assets.kind === "folder") return new (folderModule().AssetFolder)(assets.path, assets);
  return new (bucketModule().AssetBucket)(assets, fileCache(dataDir, ASSET_CACHE_FOLDER, ASSET_CACHE_BYTES), signal);
}

function openBackedUpFiles(config: Config, store: Pick<Database, "read">, signal: AbortSignal): AssetFiles {
  const { place } = config.backup;
  const files = openAssetFiles(config);
  if (place === null) return files;
  const copies = openAssetFiles({ assets: backupPictures(place), dataDir: config.dataDir }, signal);
  const isForeign = placeOwnerModule().foreignPlace(store, place, signal);
  return backedUpModule().backedUp(files, copies, isForeign);
}

export interface StoreOptions {
  /** SQLite only: pages that the writing connection keeps. */
  cacheKib?: number;
  /** PostgreSQL only: maximum number of connections. Default: the setting. */
  connections?: number;
  /** PostgreSQL only (store/engine/postgres/host-pools.ts), milliseconds. */
  queryTimeoutMs?: number;
  lockTimeoutMs?: number;
  idleTimeoutMs?: number;
  looksUp?: boolean;
  notifyIntervalMs?: number;
}

interface AppOptions extends StoreOptions {
  /** Whether to migrate tables of an earlier version. Only a service does so; `additions`: beside another one. */
  migrates?: boolean | "additions";
  /** Called after each step of a migration on PostgreSQL. */
  onMigrationStep?: (report: StepReport) => void;
  /** Called with the spans of what the app does; absent: it makes none. */
  addSpan?: Tracing["addSpan"];
  contentCounters?: ContentCounters;
  contentLimits?: Partial<ContentLimits>;
  pools?: Pools | undefined;
}

/** Processes that outlive an app, for several one after the other: starting one takes a second. Absent: an app starts its own. */
export interface Pools {
  content: ContentPool;
  pictures: PicturePool;
}

const TIMEOUTS = { queryTimeoutMs: 65_000, lockTimeoutMs: 10_000, idleTimeoutMs: 5_000 } as const;

/** @throws AppError `unavailable` when the file cannot be used. A server is not contacted before the first query. */
export function openStore(database: DatabaseConfig, options: StoreOptions = {}): Database {
  if (database.kind === "sqlite") return openSqlite(database.path, options.cacheKib);
  const { url, isPooled } = database;
  const { connections } = database;
  return postgresModule().openPostgres({ url, isPooled, connections, ...TIMEOUTS, ...options }, newIdAt);
}

// Loaded on demand: PostgreSQL's driver alone takes 40 ms and 13 MB. `require` is untyped.
const postgresModule = () => require("../store/engine/postgres/postgres.ts") as { openPostgres: typeof openPostgres };
const tracerModule = () => require("../telemetry/tracer.ts") as { Tracer: typeof Tracer };
const requestTracerModule = () =>
  require("../http/connection/trace-requests.ts") as { RequestTracer: typeof RequestTracer };
const senderModule = () => require("../webhooks/http/send-request.ts") as { RequestSender: typeof RequestSender };
const linkModule = () => require("../webhooks/http/link-checker.ts") as { LinkChecker: typeof LinkChecker };
const fetcherModule = () => require("../webhooks/http/picture-fetcher.ts") as { PictureFetcher: typeof PictureFetcher };
const smtpModule = () => require("../email/smtp.ts") as { SmtpSender: typeof SmtpSender };
const processesModule = () =>
  require("../content-processes/processes.ts") as { ContentCounters: typeof ContentCounters };
const contentModule = () => require("../content-processes/pool.ts") as { ContentPool: typeof ContentPool };
const pictureModule = () => require("../content-processes/pictures.ts") as { PicturePool: typeof PicturePool };
const renditionModule = () => require("../asset-files/renditions.ts") as { Renditions: typeof Renditions };
const fileCacheModule = () => require("../asset-files/file-cache.ts") as { FileCache: typeof FileCache };
const folderModule = () => require("../asset-files/folder.ts") as { AssetFolder: typeof AssetFolder };
const backedUpModule = () => require("../asset-files/backed-up.ts") as { backedUp: typeof backedUp };
const placeOwnerModule = () => require("../backup/place-owner.ts") as { foreignPlace: typeof foreignPlace };
const bucketModule = () => require("../asset-files/bucket.ts") as { AssetBucket: typeof AssetBucket };
const guardModule = () =>
  require("../webhooks/net/ssrf-guard.ts") as { AddressGuard: typeof AddressGuard; parseCidrs: typeof parseCidrs };
