/** The database of a test: SQLite, or one of its own on the PostgreSQL server that the environment names. */
import { createDatabase, dropDatabase } from "./postgres.ts";

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
