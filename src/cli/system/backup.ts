import { existsSync } from "node:fs";
import { realpath, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { openAssetFiles } from "../../app/app.ts";
import { backUpFiles } from "../../asset-files/backup.ts";
import { readConfig } from "../../process/config.ts";
import { AppError } from "../../domain/system/errors.ts";
import { LAST_BACKUP_FILE } from "../../process/disk.ts";
import { type Command, parseOptions } from "../command.ts";
import { openSqlite } from "../../store/engine/sqlite/sqlite.ts";
import { appliedMigrations } from "../../store/migrations.ts";
import { listAssetKeys } from "../../store/articles/assets.ts";
import { hasEndpoints } from "../../store/webhooks/endpoints.ts";
import { createPrivateFile, renameDurably, writePrivateFile } from "../../store/system/files.ts";
import type { Snapshot } from "../../store/store.ts";
import { anyTotp } from "../../store/people/second-factors.ts";
import { requireSqlitePath } from "./databases.ts";
import { writable } from "../files.ts";
import { secretKeyFile } from "./secret-key.ts";

const BY_ITSELF = "back it up with pg_dump or by archiving its log (docs/operate.md).";

export const backup: Command = {
  summary: "copy all data into a file",
  help: `Usage: rostrum backup FILE [--force] [--json]

Copies the database, as it is at this moment, into FILE, and the pictures of articles into the folder FILE.assets beside it,
while the service runs. Pictures that are there already are not copied again. It changes nothing, and copies the data of an
earlier version of Rostrum as well, so that a backup can be taken before an upgrade. The key that decrypts the secrets of
webhooks and authenticators (secret.key in the data folder, or ROSTRUM_SECRET_KEY) is not included: keep a copy of it
elsewhere.

  --force  replace FILE if it exists`,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, { force: { type: "boolean" }, json: { type: "boolean" } }, [
      "The file to write",
    ]);
    const file = positionals[0] ?? "";
    if (existsSync(file) && !values.force) {
      throw new AppError("conflict", `${file} exists: name another file, or replace it with --force.`);
    }
    const config = readConfig(io.environment, io.directory);
    const path = requireSqlitePath(config.database, BY_ITSELF);
    if (!existsSync(path)) {
      throw new AppError("not_found", `There is no database ${path}: check DATABASE_URL and ROSTRUM_DATA_DIR.`);
    }
    // The database may be of any released version: nothing migrates it, and the copy keeps its tables.
    await using store = openSqlite(path);
    if ((await store.read(appliedMigrations)).length === 0) {
      throw new AppError(
        "not_found",
        `There is no data of Rostrum in ${path}: check DATABASE_URL and ROSTRUM_DATA_DIR.`,
      );
    }
    const folder = await writable(file, () => realpath(dirname(file)));
    if (join(folder, basename(file)) === (await realpath(path))) {
      throw new AppError("conflict", `${file} is the database itself: name another file for the backup.`);
    }
    // Writes to a temporary name first, so that an interrupted backup cannot be mistaken for a complete one.
    const unfinished = `${file}.unfinished`;
    await using cleanUp = new AsyncDisposableStack();
    const { bytes, pictures, missing } = await writable(file, async () => {
      await rm(unfinished, { force: true });
      createPrivateFile(unfinished);
      cleanUp.defer(() => rm(unfinished, { force: true }));
      // Every picture in the copy was there before the copy was made, or is there afterwards; files of deleted pictures are kept
      // for a day.
      const before = await store.read(listAssetKeys);
      await store.backupTo(unfinished);
      const keys = [...new Set([...before, ...(await store.read(listAssetKeys))])];
      const copied =
        keys.length === 0 ? { files: 0, missing: [] } : await backUpFiles(openAssetFiles(config), file, keys);
      renameDurably(unfinished, file);
      return { bytes: (await stat(file)).size, pictures: copied.files, missing: copied.missing };
    });
    recordBackup(config.dataDir);
    io.out(
      values.json
        ? `${JSON.stringify({ file, bytes, pictures })}\n`
        : `Backed up ${bytes} bytes to ${file}${pictures === 0 ? "" : `, and ${pictures} pictures to ${file}.assets`}.\n`,
    );
    if (missing.length > 0) {
      io.err(`${missing.length} pictures have no file, such as ${missing[0]}: they are not in the backup.\n`);
    }
    const keyFile = secretKeyFile(config);
    if (keyFile !== null && (await store.read(hasSecrets))) {
      io.err(
        `The backup does not contain the key that decrypts the secrets of webhooks and authenticators: keep a copy of ${keyFile}, too.\n`,
      );
    }
    return 0;
  },
};

/** Records for `/metrics` when the last backup was completed. */
function recordBackup(dataDir: string): void {
  try {
    writePrivateFile(join(dataDir, LAST_BACKUP_FILE), `${new Date().toISOString()}\n`);
  } catch {
    // The backup is complete all the same: the user who makes it may lack the right to write there.
  }
}

/** Whether the database holds anything that is encrypted with the secret key. */
async function hasSecrets(db: Snapshot): Promise<boolean> {
  return (await hasEndpoints(db)) || (await anyTotp(db)) !== undefined;
}
