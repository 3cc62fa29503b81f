/** Opens what every command works with. What was opened is closed in reverse order. */
import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import { join } from "node:path";
import { v7 as uuidv7 } from "uuid";
import type { Config } from "./config.ts";
import type { PrepareContent } from "./domain/content/content.ts";
import type { Deps } from "./operations/deps.ts";
import { keyOfSetting, type SecretBox, secretBox } from "./domain/secret-box.ts";
import { secretKeyFrom } from "./secret-key.ts";
import { openSqlite, type SqliteStore } from "./store/engines/sqlite.ts";
import { AddressGuard, parseCidrs } from "./webhooks/guard.ts";
import type { Sender } from "./webhooks/send.ts";
import { migrate } from "./store/migrations.ts";

export interface App extends Deps, AsyncDisposable {
  store: SqliteStore;
  config: Config;
}

/** In the data folder, beside the database. */
export const SECRET_KEY_FILE = "secret.key";

const require = createRequire(import.meta.url);

/** Opens the store and brings it to this version. @throws AppError `unavailable`. */
export async function openApp(config: Config): Promise<App> {
  const store = openSqlite(config.databasePath);
  try {
    await migrate(store, Date.now());
  } catch (error) {
    await store[Symbol.asyncDispose]();
    throw error;
  }
  let box: SecretBox | undefined;
  let sender: Sender | undefined;
  const { allowHttp, allowCidrs, timeoutMs } = config.webhooks;
  const guard = new AddressGuard({ allowHttp, allowCidrs: parseCidrs(allowCidrs) ?? [] });
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
    [Symbol.asyncDispose]: async () => {
      await sender?.[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

/** Loaded when the first message is sent. */
function senderModule(): { Sender: typeof Sender } {
  // The module is what its own file says.
  return require("./webhooks/send.ts") as { Sender: typeof Sender };
}

/** Loaded when the first article is saved: a server that only reads never pays its 20 MB. */
function contentPipeline(): { prepareContent: PrepareContent } {
  // The module is what its own file says.
  return require("./domain/content/content.ts") as { prepareContent: PrepareContent };
}
