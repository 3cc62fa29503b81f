/** Operations that apply to databases of one kind only. */
import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { type App, openApp } from "../../app/app.ts";
import type { Io } from "../command.ts";
import { type Config, type DatabaseConfig, describeDatabase, readConfig } from "../../process/settings/config.ts";
import { AppError } from "../../domain/system/errors.ts";
import { type DataLock, findService, lockData } from "../../process/data-lock.ts";
import { hasTable } from "../../store/system/has-table.ts";
import type { Store } from "../../store/store.ts";
import { countDispatchers, countNodes } from "../../store/system/heartbeats.ts";

/** Path of the SQLite database. @throws AppError `conflict`, with `instead` as advice, for PostgreSQL. */
export function requireSqlitePath(database: DatabaseConfig, instead: string): string {
  if (database.kind === "sqlite") return database.path;
  throw new AppError("conflict", `The data is in PostgreSQL (${describeDatabase(database)}): ${instead}`);
}

/** Exclusive access to a SQLite database; on PostgreSQL see `assertNotServed`. @throws AppError `conflict`. */
export function lockSqlite(database: DatabaseConfig, command: Parameters<typeof lockData>[1]): DataLock | undefined {
  return database.kind === "sqlite" ? lockData(database.path, command) : undefined;
}

/** @throws AppError `conflict` when a service runs on the PostgreSQL database, on any machine. */
export async function assertNotServed(store: Store, database: DatabaseConfig): Promise<void> {
  if (database.kind === "sqlite") return;
  const living = await store.read(async (db) => {
    if (!(await hasTable(db, "workers"))) return 0;
    return Math.max(await countNodes(db), await countDispatchers(db));
  });
  if (living === 0) return;
  throw new AppError(
    "conflict",
    `The service is running on ${describeDatabase(database)} (${living === 1 ? "1 process" : `${living} processes`}): ` +
      "stop the service first, on every machine.",
  );
}

/** The service's public URL, as far as the command can tell. */
export function getServiceUrl(config: Config): string {
  return config.publicUrl ?? getLocalUrl(config);
}

/** Where this machine reaches the service: on SQLite a running one has recorded it. */
export function getLocalUrl({ database, host, port }: Config): string {
  const name = { "0.0.0.0": "127.0.0.1", "::": "::1" }[host] ?? host;
  const recorded = database.kind === "sqlite" ? findService(database.path)?.url : undefined;
  return recorded ?? `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

type OpenOptions = NonNullable<Parameters<typeof openApp>[1]> & { mayCreate?: boolean };

/**
 * Opens the database that the command's settings name. A SQLite database is only created if `mayCreate`: in a wrong folder an
 * empty one would look as if everything were gone. @throws AppError as `openApp` and `readConfig`.
 */
export async function openFor(
  { environment, directory, pools }: Pick<Io, "environment" | "directory" | "pools">,
  { mayCreate = false, ...options }: OpenOptions = {},
): Promise<App> {
  const config = readConfig(environment, directory);
  if (!mayCreate) requireDatabase(config);
  return openApp(config, { pools, ...options });
}

/** @throws AppError `unavailable` if the SQLite database does not exist. */
export function requireDatabase({ database }: Pick<Config, "database">): void {
  if (database.kind !== "sqlite" || existsSync(database.path)) return;
  const folder = dirname(database.path);
  // A file in place of the folder has a sentence of its own.
  if (statSync(folder, { throwIfNoEntry: false })?.isFile() === true) return;
  throw new AppError(
    "unavailable",
    `There is no Rostrum data in ${folder}. Run the command in the folder where the service is started, or set ` +
      "ROSTRUM_DATA_DIR to the folder that holds its data.",
  );
}
