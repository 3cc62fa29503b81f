import { existsSync } from "node:fs";
import { realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { readConfig } from "../config.ts";
import { AppError } from "../domain/errors.ts";
import { type Command, parse } from "./command.ts";
import { openSqlite } from "../store/engines/sqlite.ts";
import { hasEndpoints } from "../store/endpoints.ts";
import { migrate } from "../store/migrations.ts";
import { anyTotp } from "../store/second-factors.ts";
import { sqlitePath } from "./databases.ts";
import { writable } from "./files.ts";
import { secretKeyFile } from "./secret-key.ts";

const BY_ITSELF = "back it up with pg_dump or by archiving its log (docs/operate.md).";

export const backup: Command = {
  summary: "copy all data into a file",
  help: `Usage: rostrum backup FILE [--force] [--json]

Copies the database, as it is at this moment, into FILE, while the service goes on. The key that opens the secrets
of webhooks and authenticators (secret.key in the data folder, or ROSTRUM_SECRET_KEY) is not in it: keep a copy of that
elsewhere.

  --force  replace FILE if it exists`,
  async run(args, io) {
    const { values, positionals } = parse(args, { force: { type: "boolean" }, json: { type: "boolean" } }, [
      "The file to write",
    ]);
    const file = positionals[0] ?? "";
    if (existsSync(file) && !values.force) {
      throw new AppError("conflict", `${file} exists: name another file, or replace it with --force.`);
    }
    const config = readConfig(io.environment, io.directory);
    const path = sqlitePath(config.database, BY_ITSELF);
    await using store = openSqlite(path);
    await migrate(store, Date.now());
    const folder = await writable(file, () => realpath(dirname(file)));
    if (join(folder, basename(file)) === (await realpath(path))) {
      throw new AppError("conflict", `${file} is the database itself: name another file for the backup.`);
    }
    // A file under its own name is a whole backup; one that was stopped is not mistaken for it.
    const unfinished = `${file}.unfinished`;
    const bytes = await writable(file, async () => {
      await rm(unfinished, { force: true });
      await store.backupTo(unfinished);
      await rename(unfinished, file);
      return (await stat(file)).size;
    });
    io.out(values.json ? `${JSON.stringify({ file, bytes })}\n` : `Backed up ${bytes} bytes to ${file}.\n`);
    const keyFile = secretKeyFile(config);
    const isNeeded = () => store.read(async (db) => (await hasEndpoints(db)) || (await anyTotp(db)) !== undefined);
    if (keyFile !== null && (await isNeeded())) {
      io.err(
        `The backup does not hold the key that opens the secrets of webhooks and authenticators: keep a copy of ${keyFile}, too.\n`,
      );
    }
    return 0;
  },
};
