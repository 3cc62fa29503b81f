/** The database of a test: SQLite, or one of its own on the PostgreSQL server that the environment names. */
import { openStore, type StoreOptions } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { migrate } from "../../src/store/migrations.ts";
import type { Store } from "../../src/store/store.ts";
import { tempFolder } from "./folder.ts";
import { createDatabase, dropDatabase } from "./postgres-databases.ts";

// Set by tools/test.ts, for its pass on PostgreSQL.
// oxlint-disable-next-line node/no-process-env -- the tests have no other configuration
const SERVER = process.env["ROSTRUM_TEST_DATABASE_SERVER"];

export const ENGINE: "sqlite" | "postgres" = SERVER === undefined ? "sqlite" : "postgres";

export interface TestDatabase extends AsyncDisposable {
  /** `DATABASE_URL`, where it is not a file of the data folder. */
  settings: Record<string, string>;
}

export async function testDatabase(): Promise<TestDatabase> {
  if (SERVER === undefined) return { settings: {}, [Symbol.asyncDispose]: () => Promise.resolve() };
  const url = await createDatabase(SERVER);
  return { settings: { DATABASE_URL: url }, [Symbol.asyncDispose]: () => dropDatabase(url) };
}

export interface TestStore extends AsyncDisposable {
  store: Store;
  /** One more on the same database: to the first it is another process. Closed with it. */
  another(): Store;
}

/** A store without the service around it, with this version's tables. */
export async function openTestStore(): Promise<TestStore> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await tempFolder());
  const { settings } = opened.use(await testDatabase());
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

/** As the settings say; without the tables. */
export function openStoreBy(settings: Record<string, string>, options?: StoreOptions): Store {
  return openStore(readConfig(settings, "/").database, options);
}
