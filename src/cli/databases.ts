/** What some commands do only with a database of one kind. */
import { type DatabaseConfig, describeDatabase } from "../config.ts";
import { AppError } from "../domain/errors.ts";
import { servingProcess } from "../running.ts";

/** The file of the SQLite database. @throws AppError `conflict`, with `instead` as advice, when it is PostgreSQL. */
export function sqlitePath(database: DatabaseConfig, instead: string): string {
  if (database.kind === "sqlite") return database.path;
  throw new AppError("conflict", `The data is in PostgreSQL (${describeDatabase(database)}): ${instead}`);
}

/** The process of this machine that serves the database; null: there is none, or it cannot be told, as with PostgreSQL. */
export function localService(database: DatabaseConfig): ReturnType<typeof servingProcess> {
  return database.kind === "sqlite" ? servingProcess(database.path) : null;
}
