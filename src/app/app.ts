/** Opens what every command needs. Everything is closed in reverse order. */
import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import { join } from "node:path";
import { ASSET_CACHE_FOLDER, RENDITIONS_FOLDER, type Config, type DatabaseConfig } from "../process/config.ts";
import { type ContentLimits, ContentPool } from "../content-processes/pool.ts";
import { PicturePool } from "../content-processes/pictures.ts";
import { ContentCounters } from "../content-processes/processes.ts";
import { AssetBucket } from "../asset-files/bucket.ts";
import { FileCache } from "../asset-files/file-cache.ts";
import { Renditions } from "../asset-files/renditions.ts";
import { AssetFolder } from "../asset-files/folder.ts";
import type { AssetFiles, Deps } from "../operations/system/deps.ts";
import { AppError } from "../domain/system/errors.ts";
import { isWeakKey } from "../domain/system/key-strength.ts";
import { deriveSecretKey, type SecretBox, secretBox } from "../domain/system/secret-box.ts";
import { secretKeyFrom } from "../process/secret-key-file.ts";
import { newId, newIdAt } from "../process/uuid.ts";
import type { openPostgres } from "../store/engine/postgres/postgres.ts";
import { openSqlite } from "../store/engine/sqlite/sqlite.ts";
import type { SmtpSender } from "../email/smtp.ts";
import type { LinkChecker } from "../webhooks/http/link-checker.ts";
import type { PictureFetcher } from "../webhooks/http/picture-fetcher.ts";
import { AddressGuard, parseCidrs } from "../webhooks/net/ssrf-guard.ts";
import type { RequestSender } from "../webhooks/http/send-request.ts";
import type { StepReport } from "../store/migration-steps.ts";
import { assertCurrentSchema, migrate, MIGRATIONS } from "../store/migrations.ts";
import type { Store } from "../store/store.ts";

export interface App extends Deps, AsyncDisposable {
  config: Config;
  /** Counters of the child processes behind `deriveContent`. */
  contentCounters: ContentCounters;
  /** Starts the process behind `deriveContent` before the first text. */
  startContentProcess: () => void;
}

export const WEAK_KEY = "ROSTRUM_SECRET_KEY is easy to guess, as it is a placeholder or repeats itself";
export const CHOOSE_KEY = 'set it to what "openssl rand -hex 32" prints.';

/** In the data folder, beside the database. */
export const SECRET_KEY_FILE = "secret.key";

/** Disk space for copies of pictures on each machine, when pictures are kept in a bucket. */
const ASSET_CACHE_BYTES = 1_000_000_000;
/** On the disk of each machine. */
const RENDITIONS_BYTES = 1_000_000_000;

const require = createRequire(import.meta.url);

/**
 * Opens the store and requires that its tables are of this version.
 *
 * @throws AppError `unavailable`; `conflict` when the tables are of another version and may not be migrated; `misconfigured`
 * for a weak key.
 */
export async function openApp(
  config: Config,
  {
    migrates = false,
    contentCounters = new ContentCounters(),
    contentLimits = {},
    onMigrationStep,
    ...options
  }: AppOptions = {},
): Promise<App> {
  const store = openStore(config.database, options);
  try {
    if (migrates) await migrate(store, Date.now(), MIGRATIONS, onMigrationStep);
    else await assertCurrentSchema(store, Date.now());
    assertStrongKey(config);
  } catch (error) {
    await store[Symbol.asyncDispose]();
    throw error;
  }
  let box: SecretBox | undefined;
  let sender: RequestSender | undefined;
  let smtp: SmtpSender | undefined;
  const { allowHttp, allowCidrs, timeoutMs } = config.webhooks;
  const guard = new AddressGuard({ allowHttp, allowCidrs: parseCidrs(allowCidrs) ?? [] });
  const content = new ContentPool(contentLimits, contentCounters);
  const pictures = new PicturePool(contentCounters);
  // What readers ask for does not delay uploads.
  const renditionPool = new PicturePool(contentCounters);
  const renditions = new Renditions(
    new FileCache(join(config.dataDir, RENDITIONS_FOLDER), RENDITIONS_BYTES),
    (websiteId, request) => renditionPool.render(websiteId, request),
  );
  let pictureFetcher: PictureFetcher | undefined;
  let linkChecker: LinkChecker | undefined;
  const contentGuard = new AddressGuard({ allowHttp: true, allowCidrs: parseCidrs(allowCidrs) ?? [] });
  const { mail } = config;
  return {
    config,
    contentCounters,
    startContentProcess: () => content.start(),
    store,
    clock: () => store.now(),
    newId,
    randomBytes,
    deriveContent: (...args) => content.deriveContent(...args),
    findPassages: (websiteId, input) => content.findPassages(websiteId, input),
    compare: (websiteId, before, after) => content.compare(websiteId, before, after),
    secrets: () =>
      (box ??= secretBox(
        (config.secretKey === null ? undefined : deriveSecretKey(config.secretKey)) ??
          secretKeyFrom(join(config.dataDir, SECRET_KEY_FILE), randomBytes),
        randomBytes,
        config.previousSecretKey === null ? undefined : deriveSecretKey(config.previousSecretKey),
      )),
    checkAddress: (url) => guard.check(url),
    post: (message, signal) =>
      (sender ??= new (senderModule().RequestSender)({ guard, timeoutMs })).send(message, signal),
    fetchPicture: (websiteId, url) =>
      (pictureFetcher ??= new (pictureModule().PictureFetcher)(contentGuard)).fetch(websiteId, url),
    checkLink: (websiteId, url, again) =>
      (linkChecker ??= new (linkModule().LinkChecker)(contentGuard, () => store.now())).check(websiteId, url, again),
    assetFiles: renditions.removedWith(openAssetFiles(config)),
    openRendition: renditions.open,
    inspectPicture: (websiteId, path, cleaned) => pictures.inspect(websiteId, path, cleaned),
    mail: mail && {
      base: mail.base,
      send: (one, id, signal) => (smtp ??= new (smtpModule().SmtpSender)(mail)).send(one, id, signal),
    },
    [Symbol.asyncDispose]: async () => {
      await content[Symbol.asyncDispose]();
      await pictures[Symbol.asyncDispose]();
      await renditionPool[Symbol.asyncDispose]();
      smtp?.[Symbol.dispose]();
      pictureFetcher?.[Symbol.dispose]();
      linkChecker?.[Symbol.dispose]();
      await sender?.[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

function assertStrongKey({ secretKey }: Config): void {
  if (secretKey === null || !isWeakKey(secretKey)) return;
  throw new AppError("misconfigured", `${WEAK_KEY}: ${CHOOSE_KEY}`);
}

export function openAssetFiles({ assets, dataDir }: Pick<Config, "assets" | "dataDir">): AssetFiles {
  if (assets.kind === "folder") return new AssetFolder(assets.path, assets);
  return new AssetBucket(assets, new FileCache(join(dataDir, ASSET_CACHE_FOLDER), ASSET_CACHE_BYTES));
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
  /** Whether to migrate tables of an earlier version. Only a service does so. */
  migrates?: boolean;
  /** Called after each step of a migration on PostgreSQL. */
  onMigrationStep?: (report: StepReport) => void;
  contentCounters?: ContentCounters;
  contentLimits?: Partial<ContentLimits>;
}

const TIMEOUTS = { queryTimeoutMs: 65_000, lockTimeoutMs: 10_000, idleTimeoutMs: 5_000 } as const;

/** @throws AppError `unavailable` when the file cannot be used. A server is not contacted before the first query. */
export function openStore(database: DatabaseConfig, options: StoreOptions = {}): Store {
  if (database.kind === "sqlite") return openSqlite(database.path, options.cacheKib);
  const { url, isPooled } = database;
  const { connections } = database;
  return postgresModule().openPostgres({ url, isPooled, connections, ...TIMEOUTS, ...options }, newIdAt);
}

/** Loaded on demand: it takes 40 ms and 13 MB. */
function postgresModule(): { openPostgres: typeof openPostgres } {
  // `require` is untyped.
  return require("../store/engine/postgres/postgres.ts") as { openPostgres: typeof openPostgres };
}

/** Loaded for the first message. */
function senderModule(): { RequestSender: typeof RequestSender } {
  // `require` is untyped.
  return require("../webhooks/http/send-request.ts") as { RequestSender: typeof RequestSender };
}

/** Loaded when the first link is checked. */
function linkModule(): { LinkChecker: typeof LinkChecker } {
  return require("../webhooks/http/link-checker.ts") as { LinkChecker: typeof LinkChecker };
}

/** Loaded when the first picture is read. */
function pictureModule(): { PictureFetcher: typeof PictureFetcher } {
  return require("../webhooks/http/picture-fetcher.ts") as { PictureFetcher: typeof PictureFetcher };
}

/** Loaded for the first email. */
function smtpModule(): { SmtpSender: typeof SmtpSender } {
  // `require` is untyped.
  return require("../email/smtp.ts") as { SmtpSender: typeof SmtpSender };
}
