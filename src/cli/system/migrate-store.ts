import { randomBytes } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { openStore, SECRET_KEY_FILE } from "../../app/app.ts";
import { type Config, type DatabaseConfig, describeDatabase, readConfig } from "../../process/settings/config.ts";
import { AppError } from "../../domain/system/errors.ts";
import { checkStores, type CopyProgress, copyStore, type StoreCopy } from "../../operations/system/store-copy.ts";
import { explain } from "../../store/engine/postgres/errors.ts";
import { assertCurrentSchema } from "../../store/migrations.ts";
import { type Command, type Io, parseOptions, UsageError } from "../command.ts";
import { readTextFile, warnOfVisibleSecret } from "../files.ts";
import { progressBar } from "../output.ts";
import { assertNotServed, lockSqlite } from "./databases.ts";

/** Tables with secrets that are encrypted with the secret key. */
const SEALED = ["endpoint_secrets", "totp"] as const;

export const migrateStore: Command = {
  summary: "move all data between SQLite and PostgreSQL",
  help: `Usage: rostrum migrate-store [--from URL] --to URL [--json]

Copies all data of one database into another, empty one, and compares both by checksums: articles, keys, webhooks and
waiting deliveries, all with the same ids. An interrupted copy resumes when you run the command again. Stop the service
first. The source is not changed. The key that decrypts the signing secrets of webhooks is not copied: it must be the same
for the new database.

  --from URL        sqlite:<path> or postgres://user:password@host:5432/database (default: the one in the settings)
  --to URL          the same, of an empty database or a new file
  --from-file FILE, --to-file FILE
                    a file with the URL, or - for standard input: an argument, and a password in it, can be seen in the
                    list of processes
  --json            print {from, to, resumed, tables: {name: {rows, sha256}}}`,
  async run(args, io) {
    const { values } = parseOptions(args, {
      from: { type: "string" },
      "from-file": { type: "string" },
      to: { type: "string" },
      "to-file": { type: "string" },
      json: { type: "boolean" },
    });
    if (values["from-file"] === "-" && values["to-file"] === "-") {
      throw new UsageError("Only one of --from-file and --to-file can be standard input.");
    }
    const config = readConfig(io.environment, io.directory);
    const from = (await readDatabaseUrl("from", values.from, values["from-file"], io)) ?? config.database;
    const to = await readDatabaseUrl("to", values.to, values["to-file"], io);
    if (to === undefined) throw new UsageError("--to or --to-file is missing.");
    assertFiles(from, to);
    const names = { from: describeDatabase(from), to: describeDatabase(to) };
    const copy = await move(from, to, io);
    io.out(values.json ? `${JSON.stringify({ ...names, ...copy })}\n` : `${describeCopy(copy, names)}\n`);
    if (SEALED.some((table) => copy.tables[table]?.rows !== 0)) io.err(`${aboutKey(config, to)}\n`);
  },
};

/** The database given by an option or by its file. */
async function readDatabaseUrl(
  option: string,
  url: string | undefined,
  file: string | undefined,
  io: Pick<Io, "environment" | "directory" | "stdin" | "err">,
): Promise<DatabaseConfig | undefined> {
  if (url !== undefined && file !== undefined) throw new UsageError(`Give --${option} or --${option}-file, not both.`);
  const given = file === undefined ? url : (await readTextFile(file, io)).trim();
  if (given === undefined) return undefined;
  if (file === undefined && holdsPassword(given)) warnOfVisibleSecret(io, option, `${option}-file`);
  const wrong = () =>
    // The value may contain a password, so it is not repeated.
    new UsageError(`--${option} must be sqlite:<path> or postgres://user:password@host:5432/database.`);
  if (given === "") throw wrong();
  try {
    return readConfig({ ...io.environment, DATABASE_URL: given }, io.directory).database;
  } catch (error) {
    if (error instanceof AppError && error.code === "misconfigured") throw wrong();
    throw error;
  }
}

/** Handles PostgreSQL URLs with several hosts, and with the password among the parameters. */
function holdsPassword(url: string): boolean {
  const [beforeHost, ...rest] = url.split("@");
  const hasUserInfo = rest.length > 0 && (beforeHost ?? "").replace(/^\w+:\/\//, "").includes(":");
  return hasUserInfo || url.includes("password=");
}

/** Checks what is known before either database is opened: opening creates a missing file. */
function assertFiles(from: DatabaseConfig, to: DatabaseConfig): void {
  if (from.kind !== "sqlite") return;
  if (!existsSync(from.path)) {
    throw new AppError("not_found", `There is no database ${from.path}: check --from.`);
  }
  if (to.kind === "sqlite" && existsSync(to.path) && realpathSync(from.path) === realpathSync(to.path)) {
    throw new AppError("conflict", "--from and --to are the same database: name another target.");
  }
}

async function move(
  from: DatabaseConfig,
  to: DatabaseConfig,
  io: Pick<Io, "redraw" | "isTerminal">,
): Promise<StoreCopy> {
  using bar = progressBar(io, "migrate-store");
  const show = ({ doing, table, done, total }: CopyProgress) =>
    bar.show(total === 0 ? null : done / total, `${doing} ${table}`);
  try {
    using _lockOfSource = lockSqlite(from, "migrate-store");
    await using source = openStore(from);
    await assertNotServed(source, from);
    using _lockOfTarget = lockSqlite(to, "migrate-store");
    await using target = openStore(to);
    await assertNotServed(target, to);
    await checkStores({ randomBytes }, source, target);
    await assertCurrentSchema(source, Date.now(), describeDatabase(from));
    await assertCurrentSchema(target, Date.now(), describeDatabase(to));
    return await copyStore(source, target, describeDatabase(from), show);
  } catch (error) {
    // The copy's long-lived connection throws the driver's raw errors.
    throw explain(error);
  }
}

function describeCopy({ tables, resumed }: StoreCopy, { from, to }: { from: string; to: string }): string {
  const lines = Object.entries(tables).map(
    ([name, { rows, sha256 }]) => `  ${name.padEnd(18)}${String(rows).padStart(10)}  ${sha256.slice(0, 16)}`,
  );
  return [
    `Copied ${from} to ${to}${resumed ? ", resuming an interrupted copy" : ""}. Both hold the same:`,
    ...lines,
    `Nothing changed in ${from}. Point DATABASE_URL at the new database, and start the service.`,
  ].join("\n");
}

function aboutKey({ secretKey, dataDir }: Config, to: DatabaseConfig): string {
  const key =
    secretKey === null ? `the content of ${join(dataDir, SECRET_KEY_FILE)}` : "the current ROSTRUM_SECRET_KEY";
  const place =
    to.kind === "postgres"
      ? `set ROSTRUM_SECRET_KEY to ${key} for every process`
      : `set ROSTRUM_SECRET_KEY to ${key}, or put the file ${SECRET_KEY_FILE} into the data folder`;
  return `The key that decrypts the webhooks' signing secrets and other sealed texts is not in the database: ${place}.`;
}
