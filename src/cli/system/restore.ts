import { createReadStream, createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { randomBytes } from "node:crypto";
import { openAssetFiles } from "../../app/app.ts";
import { restoreFiles } from "../../asset-files/backup.ts";
import { type Config, readConfig } from "../../process/config.ts";
import { lockData, realPath } from "../../process/data-lock.ts";
import { readHighWaterMark } from "../../service/high-water-mark.ts";
import { AppError } from "../../domain/system/errors.ts";
import { recordRestoration } from "../../operations/website/post-restore.ts";
import { listAssetKeys } from "../../store/articles/assets.ts";
import { openSqlite } from "../../store/engine/sqlite/sqlite.ts";
import { removeDatabase, replaceDatabase } from "../../store/engine/sqlite/files.ts";
import { createPrivateFile, makePrivateFolder } from "../../store/system/files.ts";
import { appliedMigrations, pendingMigrations } from "../../store/migrations.ts";
import type { Clock, Store } from "../../store/store.ts";
import { type Command, parseOptions } from "../command.ts";
import { requireSqlitePath } from "./databases.ts";
import { readable, writable } from "../files.ts";
import { trySecretKey } from "./secret-key.ts";

export const restore: Command = {
  summary: "restore a backup",
  help: `Usage: rostrum restore FILE [--json]

Replaces the current data with a backup, and copies the pictures in FILE.assets that are missing here. The previous data is
kept beside it, under another name. Stop the service first. A backup does not contain the key that decrypts the webhooks'
signing secrets; this command reports if the key here is a different one. A backup of an earlier version is restored as it
is: the next start of the service migrates it.`,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, { json: { type: "boolean" } }, ["The backup's file"]);
    const file = positionals[0] ?? "";
    const config = readConfig(io.environment, io.directory);
    const databasePath = realPath(
      requireSqlitePath(
        config.database,
        'restore it with pg_restore or from its log, then run "rostrum restored" (docs/operate.md).',
      ),
    );
    using _lock = lockData(databasePath, "restore");
    const copy = `${databasePath}.restoring`;
    await writable(databasePath, async () => {
      makePrivateFolder(dirname(databasePath));
      removeDatabase(copy);
      createPrivateFile(copy);
    });
    try {
      await readable(file, () => pipeline(createReadStream(file), createWriteStream(copy, { flags: "r+" })));
      // SQLite accepts an empty file as an empty database; a backup that ran out of disk space leaves such a file.
      if ((await stat(copy)).size === 0) {
        throw new AppError("invalid", `${file} cannot be restored: it is empty.`);
      }
      const note = await prepareCopy(file, copy, config);
      const { files: pictures, missing } = await restorePictures(file, copy, config);
      const kept = replaceDatabase(copy, databasePath, new Date());
      io.out(
        values.json
          ? `${JSON.stringify({ restored: file, kept, pictures })}\n`
          : `Restored ${file}.${kept === null ? "" : ` The previous data is kept as ${kept}.`}\n`,
      );
      if (note !== null) io.err(`${note}\n`);
      if (missing.length > 0) {
        io.err(`${missing.length} pictures have no file here nor in ${file}.assets, such as ${missing[0]}.\n`);
      }
    } finally {
      removeDatabase(copy);
    }
  },
};

const OF_EARLIER_VERSION =
  'The backup is of an earlier version of Rostrum. That version can serve it as it is; this one migrates it with "rostrum migrate" ' +
  'or at the start of the service. "rostrum doctor" says afterwards whether the secret key opens its secrets.';

/** Checks the copy, invalidates earlier ETags. @returns a notice of its version, or of unopened secrets; null: none. */
async function prepareCopy(file: string, copy: string, config: Config): Promise<string | null> {
  try {
    await using store = openSqlite(copy);
    const problems = await store.integrityProblems();
    if (problems.length > 0) throw new AppError("invalid", `it is damaged (${problems[0]})`);
    if ((await store.read(appliedMigrations)).length === 0) throw new AppError("invalid", "it has no data of Rostrum");
    const isEarlier = (await store.read((db) => pendingMigrations(db))).length > 0;
    await recordRestoration({ store, randomBytes }, readHighWaterMark(config.dataDir));
    return isEarlier ? OF_EARLIER_VERSION : await keyProblem(store, config);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // What helps a database that is served does not help a backup.
    const [reason = ""] = error.message.replace(copy, "it").split(": restore a backup with ");
    const end = reason.endsWith(".") ? "" : ".";
    throw new AppError("invalid", `${file} cannot be restored: ${reason}${end}`, { cause: error });
  }
}

/** Copies missing pictures of the backup before its database replaces the current one. */
async function restorePictures(file: string, copy: string, config: Config): ReturnType<typeof restoreFiles> {
  await using store = openSqlite(copy);
  return restoreFiles(file, openAssetFiles(config), await store.read(listAssetKeys));
}

/** A key file without a key does not stop a restore: it can be fixed afterwards. */
async function keyProblem(store: Store & Clock, config: Config): Promise<string | null> {
  try {
    return (await trySecretKey(store, config)).problem;
  } catch (error) {
    if (error instanceof AppError && error.code === "misconfigured") return error.message;
    throw error;
  }
}
