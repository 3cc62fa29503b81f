/** Opens what every command works with. What was opened is closed in reverse order. */
import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import { join } from "node:path";
import { v7 as uuidv7 } from "uuid";
import type { Config, DatabaseConfig } from "./config.ts";
import type { PrepareContent } from "./domain/content/content.ts";
import type { Deps } from "./operations/deps.ts";
import { keyOfSetting, type SecretBox, secretBox } from "./domain/secret-box.ts";
import { secretKeyFrom } from "./secret-key.ts";
import type { openPostgres } from "./store/engines/postgres.ts";
import { openSqlite } from "./store/engines/sqlite.ts";
import type { SmtpSender } from "./smtp.ts";
import { AddressGuard, parseCidrs } from "./webhooks/guard.ts";
import type { Sender } from "./webhooks/send.ts";
import { migrate } from "./store/migrations.ts";
import type { Store } from "./store/store.ts";

export interface App extends Deps, AsyncDisposable {
  config: Config;
}

/** In the data folder, beside the database. */
export const SECRET_KEY_FILE = "secret.key";

const require = createRequire(import.meta.url);

/** Opens the store and brings it to this version. @throws AppError `unavailable`. */
export async function openApp(config: Config, options: StoreOptions = {}): Promise<App> {
  const store = openStore(config.database, options);
  try {
    await migrate(store, Date.now());
  } catch (error) {
    await store[Symbol.asyncDispose]();
    throw error;
  }
  let box: SecretBox | undefined;
  let sender: Sender | undefined;
  let smtp: SmtpSender | undefined;
  const { allowHttp, allowCidrs, timeoutMs } = config.webhooks;
  const guard = new AddressGuard({ allowHttp, allowCidrs: parseCidrs(allowCidrs) ?? [] });
  const { mail } = config;
  return {
    config,
    store,
    clock: Date.now,
    newId: uuidv7,
    randomBytes,
    prepare: (source, clock) => contentPipeline().prepareContent(source, clock),
    secrets: () =>
      (box ??= secretBox(
        (config.secretKey === null ? undefined : keyOfSetting(config.secretKey)) ??
          secretKeyFrom(join(config.dataDir, SECRET_KEY_FILE), randomBytes),
        randomBytes,
      )),
    checkAddress: (url) => guard.check(url),
    post: (message, signal) => (sender ??= new (senderModule().Sender)({ guard, timeoutMs })).send(message, signal),
    mail: mail && {
      base: mail.base,
      send: (one, id, signal) => (smtp ??= new (smtpModule().SmtpSender)(mail)).send(one, id, signal),
    },
    [Symbol.asyncDispose]: async () => {
      smtp?.[Symbol.dispose]();
      await sender?.[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

export interface StoreOptions {
  /** Of PostgreSQL: most connections; the setting when left out. */
  connections?: number;
  /** Of PostgreSQL (postgres-connections.ts); times are milliseconds. */
  queryTimeoutMs?: number;
  lockTimeoutMs?: number;
  idleTimeoutMs?: number;
  looksUp?: boolean;
}

const TIMEOUTS = { queryTimeoutMs: 65_000, lockTimeoutMs: 10_000, idleTimeoutMs: 5_000 } as const;

/** @throws AppError `unavailable` when the file cannot be used; a server is not asked before the first query. */
export function openStore(database: DatabaseConfig, options: StoreOptions = {}): Store {
  if (database.kind === "sqlite") return openSqlite(database.path);
  const { url, isPooled } = database;
  const { connections } = database;
  return postgresModule().openPostgres({ url, isPooled, connections, ...TIMEOUTS, ...options }, uuidv7);
}

/** Loaded where it is used: it is 40 ms and 13 MB. */
function postgresModule(): { openPostgres: typeof openPostgres } {
  // The module is what its own file says.
  return require("./store/engines/postgres.ts") as { openPostgres: typeof openPostgres };
}

/** Loaded when the first message is sent. */
function senderModule(): { Sender: typeof Sender } {
  // The module is what its own file says.
  return require("./webhooks/send.ts") as { Sender: typeof Sender };
}

/** Loaded when the first mail is sent. */
function smtpModule(): { SmtpSender: typeof SmtpSender } {
  // The module is what its own file says.
  return require("./smtp.ts") as { SmtpSender: typeof SmtpSender };
}

/** Loaded when the first article is saved: a server that only reads never pays its 20 MB. */
function contentPipeline(): { prepareContent: PrepareContent } {
  // The module is what its own file says.
  return require("./domain/content/content.ts") as { prepareContent: PrepareContent };
}
