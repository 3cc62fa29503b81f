/** The database of a test: SQLite, or a new database on the PostgreSQL server that the environment names. */
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { openStore, type StoreOptions } from "../../src/app/app.ts";
import { type Config, readConfig } from "../../src/process/settings/config.ts";
import { migrate } from "../../src/store/migrations.ts";
import type { Database } from "../../src/store/store.ts";
import { tempFolder } from "./folder.ts";
import { createDatabase, dropDatabase } from "./postgres-databases.ts";

// Set by tools/test.ts for its run on PostgreSQL.
// oxlint-disable-next-line node/no-process-env -- the tests have no other configuration
const SERVER = process.env["ROSTRUM_TEST_DATABASE_SERVER"];

export const ENGINE: "sqlite" | "postgres" = SERVER === undefined ? "sqlite" : "postgres";

/** A database on the server with this version's tables: copying it takes a fraction of the time of the migrations. */
// oxlint-disable-next-line node/no-process-env -- as above
const TEMPLATE = process.env["ROSTRUM_TEST_DATABASE_TEMPLATE"];

export interface TestDatabase extends AsyncDisposable {
  /** `DATABASE_URL`, unless the database is a file in the data folder. */
  settings: Record<string, string>;
}

/** Creates a database. On PostgreSQL it has this version's tables unless `isEmpty`. */
export async function testDatabase({ isEmpty = false } = {}): Promise<TestDatabase> {
  if (SERVER === undefined) return { settings: {}, [Symbol.asyncDispose]: () => Promise.resolve() };
  const url = await createDatabase(SERVER, isEmpty ? undefined : TEMPLATE);
  return { settings: { DATABASE_URL: url }, [Symbol.asyncDispose]: () => dropDatabase(url) };
}

export interface TestStore extends AsyncDisposable {
  store: Database;
  /** Opens another store on the same database, which the first sees as another process. Closed with it. */
  another(): Database;
}

let sqliteTemplate: Promise<Buffer> | undefined;

/**
 * Gives a new data folder a database with this version's tables: copying it takes a fraction of the time of the migrations.
 * On PostgreSQL `testDatabase` does that.
 */
export async function copySqliteTemplate({ database }: Pick<Config, "database">): Promise<void> {
  if (database.kind !== "sqlite" || existsSync(database.path)) return;
  sqliteTemplate ??= createSqliteTemplate();
  await mkdir(dirname(database.path), { recursive: true, mode: 0o700 });
  await writeFile(database.path, await sqliteTemplate, { mode: 0o600 });
}

async function createSqliteTemplate(): Promise<Buffer> {
  await using folder = await tempFolder();
  {
    await using store = openStoreBy({ ROSTRUM_DATA_DIR: folder.path });
    await migrate(store, 0);
  }
  return await readFile(folder.at("rostrum.db"));
}

/** Opens a store with this version's tables, without the service around it. */
export async function openTestStore(): Promise<TestStore> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await tempFolder());
  const { settings } = opened.use(await testDatabase());
  await copySqliteTemplate(readConfig({ ROSTRUM_DATA_DIR: folder.path, ...settings }, "/"));
  const open = () => openStoreBy({ ROSTRUM_DATA_DIR: folder.path, ...settings });
  const store = opened.use(open());
  await migrate(store, 0);
  const owned = opened.move();
  return {
    store,
    another: () => owned.use(open()),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Creates a database with this version's tables and no connections. @returns its URL. */
export async function createTemplate(serverUrl: string): Promise<string> {
  const url = await createDatabase(serverUrl);
  await using store = openStoreBy({ ROSTRUM_DATA_DIR: "/", DATABASE_URL: url });
  await migrate(store, 0);
  return url;
}

/** Opens the store that the settings name, without creating tables. */
export function openStoreBy(settings: Record<string, string>, options?: StoreOptions): Database {
  return openStore(readConfig(settings, "/").database, options);
}
