import { existsSync } from "node:fs";
import { copyFile, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { randomBytes } from "node:crypto";
import { type Config, readConfig } from "../config.ts";
import { AppError } from "../domain/errors.ts";
import { noteRestoration } from "../operations/restorations.ts";
import { servingProcess } from "../running.ts";
import { openSqlite } from "../store/engines/sqlite.ts";
import { migrate } from "../store/migrations.ts";
import type { Store } from "../store/store.ts";
import { type Command, parse } from "./command.ts";
import { sqlitePath } from "./databases.ts";
import { readable, writable } from "./files.ts";
import { trySecretKey } from "./secret-key.ts";

export const restore: Command = {
  summary: "put a backup in place of the data",
  help: `Usage: rostrum restore FILE [--json]

Puts the data of a backup in place of the present data. The present data is kept beside it, under another name.
Stop the service first. The key that opens the webhooks' signing secrets is not in a backup; when the one here is another
one, this command says so.`,
  async run(args, io) {
    const { values, positionals } = parse(args, { json: { type: "boolean" } }, ["The backup's file"]);
    const file = positionals[0] ?? "";
    const config = readConfig(io.environment, io.directory);
    const databasePath = sqlitePath(
      config.database,
      'restore it with pg_restore or from its log, then run "rostrum restored" (docs/operate.md).',
    );
    const serving = servingProcess(databasePath);
    if (serving !== null) {
      throw new AppError(
        "conflict",
        `The service is running (process ${serving.pid}, ${serving.url}): stop it, then restore, then start it again.`,
      );
    }
    const copy = `${databasePath}.restoring`;
    await writable(databasePath, () => mkdir(dirname(databasePath), { recursive: true }));
    await removeDatabase(copy);
    try {
      await readable(file, () => copyFile(file, copy));
      // SQLite takes an empty file for an empty database; it is what a backup without room leaves behind.
      if ((await stat(copy)).size === 0) {
        throw new AppError("invalid", `${file} cannot be restored: it is empty.`);
      }
      const problem = await prepareCopy(file, copy, config);
      const kept = await moveAside(databasePath);
      await rename(copy, databasePath);
      await syncFolder(dirname(databasePath));
      io.out(
        values.json
          ? `${JSON.stringify({ restored: file, kept })}\n`
          : `Restored ${file}.${kept === null ? "" : ` The data of before is kept as ${kept}.`}\n`,
      );
      if (problem !== null) io.err(`${problem}\n`);
    } finally {
      await removeDatabase(copy);
    }
    return 0;
  },
};

/**
 * Checks the copy, brings it to this version, and makes every ETag of before invalid.
 *
 * @returns what is wrong with the key of the webhooks' secrets, in a sentence; null when nothing is.
 */
async function prepareCopy(file: string, copy: string, config: Config): Promise<string | null> {
  try {
    await using store = openSqlite(copy);
    const problems = await store.integrityProblems();
    if (problems.length > 0) throw new AppError("invalid", `it is damaged (${problems[0]})`);
    await migrate(store, Date.now());
    await noteRestoration({ store, randomBytes });
    return await keyProblem(store, config);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError("invalid", `${file} cannot be restored: ${error.message.replace(copy, "it")}`, { cause: error });
  }
}

/** A key file that holds no key does not stop a restore: it can be put right afterwards. */
async function keyProblem(store: Store, config: Config): Promise<string | null> {
  try {
    return (await trySecretKey(store, config)).problem;
  } catch (error) {
    if (error instanceof AppError && error.code === "misconfigured") return error.message;
    throw error;
  }
}

/** @returns where the present data is kept, or null when there was none. */
async function moveAside(databasePath: string): Promise<string | null> {
  if (!existsSync(databasePath)) return null;
  const kept = `${databasePath}.before-restore-${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "")}`;
  for (const suffix of ["", "-wal", "-shm"]) {
    if (existsSync(databasePath + suffix)) await rename(databasePath + suffix, kept + suffix);
  }
  return kept;
}

async function removeDatabase(path: string): Promise<void> {
  for (const suffix of ["", "-wal", "-shm"]) await rm(path + suffix, { force: true });
}

/** A rename is durable when its folder is. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
