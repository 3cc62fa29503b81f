/** Opens what every command works with. What was opened is closed in reverse order. */
import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import { v7 as uuidv7 } from "uuid";
import type { Config } from "./config.ts";
import type { PrepareContent } from "./domain/content/content.ts";
import type { Deps } from "./operations/deps.ts";
import { openSqlite, type SqliteStore } from "./store/engines/sqlite.ts";
import { migrate } from "./store/migrations.ts";

export interface App extends Deps, AsyncDisposable {
  store: SqliteStore;
  config: Config;
}

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
  return {
    config,
    store,
    clock: Date.now,
    newId: uuidv7,
    randomBytes,
    prepare: (source, clock) => contentPipeline().prepareContent(source, clock),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

/** Loaded when the first article is saved: a server that only reads never pays its 20 MB. */
function contentPipeline(): { prepareContent: PrepareContent } {
  // The module is what its own file says.
  return require("./domain/content/content.ts") as { prepareContent: PrepareContent };
}
