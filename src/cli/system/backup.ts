import { createReadStream } from "node:fs";
import { realpath, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { openAssetFiles } from "../../app/app.ts";
import { backUpFiles } from "../../asset-files/backup.ts";
import { readConfig } from "../../process/settings/config.ts";
import { AppError } from "../../domain/system/errors.ts";
import { LAST_BACKUP_FILE } from "../../process/disk.ts";
import { type Command, parseOptions, runCommand } from "../command.ts";
import { openSqlite } from "../../store/engine/sqlite/sqlite.ts";
import { appliedMigrations } from "../../store/migrations.ts";
import { listAssetKeys } from "../../store/articles/assets.ts";
import { hasEndpoints } from "../../store/webhooks/endpoints.ts";
import { writePrivateFile } from "../../store/system/files.ts";
import type { Snapshot } from "../../store/store.ts";
import { anySenderSecret } from "../../store/articles/senders/senders.ts";
import { anyTotp } from "../../store/people/second-factors.ts";
import { list, verify } from "./continuous-backup.ts";
import { requireDatabase, requireSqlitePath } from "./databases.ts";
import { replaceFile, standardOutput, writable } from "../files.ts";
import { secretKeyFile } from "./secret-key.ts";

const BY_ITSELF = "back it up with pg_dump or by archiving its log (docs/operate.md).";

const COPIES: Readonly<Record<string, Command>> = { list, verify };

export const backup: Command = {
  summary: "copy all data into a file",
  commands: COPIES,
  runsAlone: true,
  help: `Usage: rostrum backup FILE [--force] [--json]
       rostrum backup list [--from URL] [--json]
       rostrum backup verify [--from URL] [--at TIME] [--json]

Copies the database, as it is at this moment, into FILE, and the pictures of articles into the folder FILE.assets beside it,
while the service runs; - is standard output, which takes the database alone. Pictures that are there already are not copied again. It changes nothing, and copies the data of an
earlier version of Rostrum as well, so that a backup can be taken before an upgrade. The key that decrypts the secrets of
webhooks, senders and authenticators (secret.key in the data folder, or ROSTRUM_SECRET_KEY) is not included: keep a copy of it
elsewhere.

"backup list" and "backup verify" are about the continuous backup that the service makes by itself (ROSTRUM_BACKUP_URL).

  --force  replace FILE if it exists`,
  async run(args, io) {
    const [sub = "", ...rest] = args;
    const command = Object.hasOwn(COPIES, sub) ? COPIES[sub] : undefined;
    if (command !== undefined) return runCommand(`backup ${sub}`, command, rest, io);
    const { values, positionals } = parseOptions(args, { force: { type: "boolean" }, json: { type: "boolean" } }, [
      "The file to write",
    ]);
    const file = positionals[0] ?? "";
    const config = readConfig(io.environment, io.directory);
    const path = requireSqlitePath(config.database, BY_ITSELF);
    requireDatabase(config);
    // The database may be of any released version: nothing migrates it, and the copy keeps its tables.
    await using store = openSqlite(path);
    if ((await store.read(appliedMigrations)).length === 0) {
      throw new AppError(
        "not_found",
        `There is no data of Rostrum in ${path}: check DATABASE_URL and ROSTRUM_DATA_DIR.`,
      );
    }
    const isPrinted = file === "-";
    // SQLite copies into files alone.
    const target = isPrinted ? `${path}.backup-to-print-${process.pid}` : file;
    const folder = await writable(target, () => realpath(dirname(target)));
    if (join(folder, basename(target)) === (await realpath(path))) {
      throw new AppError("conflict", `${file} is the database itself: name another file for the backup.`);
    }
    const { bytes, pictures, missing } = await replaceFile(
      target,
      isPrinted || values.force === true,
      async (draft) => {
        // Every picture in the copy was there before the copy was made, or is there afterwards; files of deleted
        // pictures are kept for a day.
        const before = await store.read(listAssetKeys);
        await store.backupTo(draft);
        const keys = [...new Set([...before, ...(await store.read(listAssetKeys))])];
        const copied =
          isPrinted || keys.length === 0
            ? { files: 0, missing: keys }
            : await backUpFiles(openAssetFiles(config), file, keys);
        return { bytes: (await stat(draft)).size, pictures: copied.files, missing: copied.missing };
      },
    );
    if (isPrinted) {
      try {
        await pipeline(createReadStream(target), standardOutput(io));
      } finally {
        await rm(target, { force: true });
      }
    } else {
      io.out(
        values.json
          ? `${JSON.stringify({ file, bytes, pictures })}\n`
          : `Backed up ${bytes} bytes to ${file}${pictures === 0 ? "" : `, and ${pictures} pictures to ${file}.assets`}.\n`,
      );
    }
    recordBackup(config.dataDir);
    if (isPrinted && missing.length > 0) {
      io.err(`The ${missing.length} pictures are not in the backup: name a file, and they are copied beside it.\n`);
    } else if (missing.length > 0) {
      io.err(`${missing.length} pictures have no file, such as ${missing[0]}: they are not in the backup.\n`);
    }
    const keyFile = secretKeyFile(config);
    if (keyFile !== null && (await store.read(hasSecrets))) {
      io.err(
        `The backup does not contain the key that decrypts the secrets of webhooks, senders and authenticators: keep a copy of ${keyFile}, too.\n`,
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
  return (await hasEndpoints(db)) || (await anyTotp(db)) !== undefined || (await anySenderSecret(db)) !== undefined;
}
