import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, mkdtempDisposable, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { randomBytes } from "node:crypto";
import { openAssetFiles, openStore } from "../../app/app.ts";
import { copyFiles, restoreFiles } from "../../asset-files/backup.ts";
import { toTime } from "../../backup/copies.ts";
import { explained } from "../../backup/explain.ts";
import { type Config, readConfig } from "../../process/settings/config.ts";
import { lockData } from "../../process/data-lock.ts";
import { readHighWaterMark } from "../../service/high-water-mark.ts";
import { AppError } from "../../domain/system/errors.ts";
import { temporaryPrefix } from "../../domain/system/temporary-names.ts";
import { recordRestoration } from "../../operations/website/post-restore.ts";
import type { AssetFiles } from "../../operations/system/deps.ts";
import { listAssetKeys } from "../../store/articles/assets.ts";
import { openSqlite } from "../../store/engine/sqlite/sqlite.ts";
import { replaceDatabase } from "../../store/engine/sqlite/files.ts";
import { createPrivateFile, makePrivateFolder, realPath } from "../../store/system/files.ts";
import { appliedMigrations, pendingMigrations } from "../../store/migrations.ts";
import type { Clock, Store } from "../../store/store.ts";
import { type Command, type Io, parseOptions, UsageError } from "../command.ts";
import { requireSqlitePath } from "./databases.ts";
import { bringDatabase, type Copies, openCopies, parsePast } from "./copies.ts";
import { readable, writable } from "../files.ts";
import { trySecretKey } from "./secret-key.ts";

export const restore: Command = {
  summary: "restore a backup",
  help: `Usage: rostrum restore FILE [--json]
       rostrum restore [--from URL] [--at TIME] [--json]

Replaces the current data with a backup, and copies the pictures in it that are missing here. The previous data is kept beside
it, under another name. Stop the service first.

Without FILE it restores the continuous backup: what was copied last, or what was there at a time. On PostgreSQL it then copies the
pictures that are missing here, and nothing else; the service may run.

A backup does not contain the key that decrypts the webhooks' signing secrets; this command reports if the key here is a
different one. A backup of an earlier version is restored as it is: the next start of the service migrates it.

  --from  where the copies are, as in ROSTRUM_BACKUP_URL, which is the default
  --at    a time such as 2026-11-29T08:00:00Z or 2026-11-29T09:00:00+01:00; without a zone it is UTC`,
  async run(args, io) {
    const options = { from: { type: "string" }, at: { type: "string" }, json: { type: "boolean" } } as const;
    const { values, positionals } = parseOptions(args, options, [], 1);
    const file = positionals[0];
    if (file !== undefined && (values.from ?? values.at) !== undefined) {
      throw new UsageError("--from and --at are for continuous backups; a backup's file is restored as it is.");
    }
    const config = readConfig(io.environment, io.directory);
    const at = parsePast(values.at);
    const source =
      file === undefined ? continuousBackup(io, openCopies(io, config, values.from), at) : backupFile(file);
    if (file === undefined && config.database.kind === "postgres") {
      if (at !== null)
        throw new UsageError("--at is for SQLite: on PostgreSQL, restore the database by its own tools.");
      await using store = openStore(config.database);
      await using folder = await mkdtempDisposable(join(tmpdir(), temporaryPrefix("restore")));
      const keys = await store.read(listAssetKeys);
      const { files, missing } = await source.restorePictures(keys, openAssetFiles(config), folder.path);
      io.out(values.json ? `${JSON.stringify({ pictures: files })}\n` : `The files of ${files} pictures are here.\n`);
      reportMissing(io, missing, source.name);
      return;
    }
    const { kept, pictures, missing, note, restored } = await replaceData(config, source);
    io.out(
      values.json
        ? `${JSON.stringify({ ...restored.facts, kept, pictures })}\n`
        : `Restored ${restored.name}.${kept === null ? "" : ` The previous data is kept as ${kept}.`}\n`,
    );
    if (note !== null) io.err(`${note}\n`);
    reportMissing(io, missing, source.name);
  },
};

/** Where data is restored from. */
interface Source {
  /** For people. */
  name: string;
  /** Brings the database into a new file in the folder. */
  bringDatabase(folder: string): Promise<Restored>;
  restorePictures(keys: readonly string[], target: AssetFiles, folder: string): ReturnType<typeof copyFiles>;
}

interface Restored {
  database: string;
  /** For people. */
  name: string;
  facts: object;
  integrity: "quick" | "full";
}

function backupFile(file: string): Source {
  return {
    name: `${file}.assets`,
    async bringDatabase(folder) {
      const database = join(folder, "database");
      createPrivateFile(database);
      await readable(file, () => pipeline(createReadStream(file), createWriteStream(database, { flags: "r+" })));
      // SQLite accepts an empty file as an empty database; a backup that ran out of disk space leaves such a file.
      if ((await stat(database)).size === 0) {
        throw new AppError("invalid", `${file} cannot be restored: it is empty.`);
      }
      return { database, name: file, facts: { restored: file }, integrity: "quick" };
    },
    restorePictures: (keys, target) => restoreFiles(file, target, keys),
  };
}

function continuousBackup(io: Io, copies: Copies, at: number | null): Source {
  const { url, place, pictures } = copies;
  return {
    name: url,
    async bringDatabase(folder) {
      const { database, plan } = await bringDatabase(io, copies, at, folder);
      const state = toTime(plan.reaches);
      return { database, name: `${url} as of ${state}`, facts: { restored: url, at: state }, integrity: "full" };
    },
    restorePictures: (keys, target, folder) =>
      explained(place, () => copyFiles(openAssetFiles({ assets: pictures, dataDir: folder }), target, keys)),
  };
}

/** Stopped at any moment, it leaves all of the old data or all of the new. */
async function replaceData(config: Config, source: Source) {
  const databasePath = realPath(
    requireSqlitePath(
      config.database,
      'restore it with pg_restore or from its log, then run "rostrum restored" (docs/operate.md).',
    ),
  );
  using _lock = lockData(databasePath, "restore");
  const parent = dirname(databasePath);
  const prefix = `${basename(databasePath)}.restoring-`;
  return writable(databasePath, async () => {
    makePrivateFolder(parent);
    // Of a restore that was interrupted.
    for (const name of await readdir(parent)) {
      if (name.startsWith(prefix)) await rm(join(parent, name), { recursive: true });
    }
    const folder = await mkdtemp(join(parent, prefix));
    try {
      const restored = await source.bringDatabase(folder);
      const note = await prepareCopy(restored, config);
      const keys = await listKeys(restored.database);
      const { files: pictures, missing } = await source.restorePictures(keys, openAssetFiles(config), folder);
      const kept = replaceDatabase(restored.database, databasePath, new Date());
      return { restored, note, pictures, missing, kept };
    } finally {
      await rm(folder, { recursive: true });
    }
  });
}

async function listKeys(database: string): Promise<string[]> {
  await using store = openSqlite(database);
  return store.read(listAssetKeys);
}

function reportMissing(io: Pick<Io, "err">, missing: readonly string[], where: string): void {
  if (missing.length === 0) return;
  io.err(`${missing.length} pictures have no file here nor in ${where}, such as ${missing[0]}.\n`);
}

const OF_EARLIER_VERSION =
  'The backup is of an earlier version of Rostrum. That version can serve it as it is; this one migrates it with "rostrum migrate" ' +
  'or at the start of the service. "rostrum doctor" says afterwards whether the secret key opens its secrets.';

/** Checks the copy, invalidates earlier ETags. @returns a notice of its version, or of unopened secrets; null: none. */
async function prepareCopy({ database, name, integrity }: Restored, config: Config): Promise<string | null> {
  try {
    await using store = openSqlite(database);
    const problems = await store.integrityProblems(integrity);
    if (problems.length > 0) throw new AppError("invalid", `it is damaged (${problems[0]})`);
    if ((await store.read(appliedMigrations)).length === 0) throw new AppError("invalid", "it has no data of Rostrum");
    const isEarlier = (await store.read((db) => pendingMigrations(db))).length > 0;
    await recordRestoration({ store, randomBytes }, readHighWaterMark(config.dataDir));
    return isEarlier ? OF_EARLIER_VERSION : await keyProblem(store, config);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // What helps a database that is served does not help a backup.
    const [reason = ""] = error.message.replace(database, "it").split(": restore a backup with ");
    const end = reason.endsWith(".") ? "" : ".";
    throw new AppError("invalid", `${name} cannot be restored: ${reason}${end}`, { cause: error });
  }
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
