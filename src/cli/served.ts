import { type DatabaseConfig, describeDatabase } from "../config.ts";
import { AppError } from "../domain/errors.ts";
import { servingProcess } from "../running.ts";
import { hasTable } from "../store/copying.ts";
import type { Store } from "../store/store.ts";
import { countDispatchers, countNodes } from "../store/workers.ts";

/**
 * For commands that must be alone with the data.
 *
 * @throws AppError `conflict` when a service runs on the database: of SQLite on this machine, of PostgreSQL anywhere.
 */
export async function refuseServed(store: Store, database: DatabaseConfig): Promise<void> {
  if (database.kind === "sqlite") {
    const serving = servingProcess(database.path);
    if (serving !== null) refuse(database, `process ${serving.pid}, ${serving.url}`);
    return;
  }
  const living = await store.read(async (db) => {
    if (!(await hasTable(db, "workers"))) return 0;
    return Math.max(await countNodes(db), await countDispatchers(db));
  });
  if (living > 0) refuse(database, living === 1 ? "1 process" : `${living} processes`);
}

function refuse(database: DatabaseConfig, who: string): never {
  throw new AppError(
    "conflict",
    `The service is running on ${describeDatabase(database)} (${who}): stop the service first, on every machine.`,
  );
}
