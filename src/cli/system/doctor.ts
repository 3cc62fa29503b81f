import { existsSync, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { openStore } from "../../app/app.ts";
import { type Config, describeDatabase, readConfig } from "../../process/settings/config.ts";
import { secretFiles } from "../../process/settings/environment.ts";
import { AppError } from "../../domain/system/errors.ts";
import { findOpenFiles } from "../../service/data-folder.ts";
import { DAY_MS, describeSkew, isoTime, MAX_CLOCK_SKEW_MS } from "../../domain/system/time.ts";
import { listDeadLetters } from "../../operations/system/set-aside.ts";
import { findService } from "../../process/data-lock.ts";
import { assertNotEmptied } from "../../service/high-water-mark.ts";
import { countArticles } from "../../store/articles/articles.ts";
import type { DeadLetter } from "../../store/system/dead-letters.ts";
import { openSqlite } from "../../store/engine/sqlite/sqlite.ts";
import { pendingMigrations } from "../../store/migrations.ts";
import { compareSchema, type SchemaDifferences } from "../../store/schema.ts";
import type { Clock, Database, Snapshot, Store } from "../../store/store.ts";
import { listWebsites } from "../../store/system/websites.ts";
import { countNodes } from "../../store/system/heartbeats.ts";
import { type Command, explainFailure, parseOptions } from "../command.ts";
import { trySecretKey } from "./secret-key.ts";

interface Finding {
  check: string;
  ok: boolean;
  detail: string;
}

/** Records the result of the check, or why it failed. @returns whether it passed. */
type Attempt = (check: string, work: () => Promise<string> | string) => Promise<boolean>;

const MIN_FREE_BYTES = 500 * 1024 * 1024;
const MAX_DEAD_LETTERS = 100;
/** Copies are made within a second. */
const MAX_BACKUP_LAG_SECONDS = 10;

export const doctor: Command = {
  summary: "check the installation and report problems",
  help: `Usage: rostrum doctor [--json]

Checks settings, file permissions, disk, database, clock, the secret key, the mail server, the service and its continuous backup, and
reports what is wrong with each and what to do. Changes nothing. The exit code is that of the first problem.`,
  async run(args, io) {
    const { values } = parseOptions(args, { json: { type: "boolean" } });
    const findings: Finding[] = [];
    const code = await examine(io, findings);
    if (values.json) io.out(`${JSON.stringify({ ok: code === 0, findings })}\n`);
    else
      for (const { check, ok, detail } of findings) io.out(`${ok ? "ok  " : "FAIL"}  ${check.padEnd(10)}${detail}\n`);
    return code;
  },
};

async function examine(io: Parameters<Command["run"]>[1], findings: Finding[]): Promise<number> {
  const good = (check: string, detail: string) => findings.push({ check, ok: true, detail });
  let code = 0;
  const attempt: Attempt = async (check, work) => {
    try {
      good(check, await work());
      return true;
    } catch (error) {
      const failure = explainFailure(error);
      if (failure === null) throw error;
      findings.push({ check, ok: false, detail: failure.message });
      code ||= failure.code;
      return false;
    }
  };

  good("node", process.version);
  let read: Config | undefined;
  await attempt("settings", () => {
    const config = (read = readConfig(io.environment, io.directory));
    if (config.ignoredSettings.length > 0) throw new AppError("misconfigured", config.ignoredSettings.join(" "));
    return `listening on ${config.host}:${config.port}, data in ${describeDatabase(config.database)}`;
  });
  if (read === undefined) return code;
  const config = read;
  await attempt("files", () => checkFiles(io, config));
  const { database } = config;
  await using stores = new AsyncDisposableStack();
  let store: Database | undefined;
  // First: without room the database cannot even be opened.
  if (database.kind === "sqlite" && existsSync(database.path)) {
    await attempt("disk", () => checkDisk(dirname(database.path)));
  }
  const isOpen = await attempt("database", async () => {
    if (database.kind === "postgres") {
      const opened = (store = stores.use(openStore(database)));
      // Refuses tables of a newer version, which no other check understands.
      await opened.read((db) => pendingMigrations(db));
      await opened.read((db) => assertNotEmptied(db, config.dataDir));
      return await opened.read(describeServer);
    }
    if (!existsSync(database.path)) {
      await assertNotEmptied(null, config.dataDir);
      return "none yet; the first start makes it";
    }
    const sqlite = (store = stores.use(openSqlite(database.path)));
    const problems = await sqlite.integrityProblems();
    if (problems.length > 0) {
      throw new AppError(
        "unavailable",
        `damaged: ${problems.join("; ")}. Restore a backup with "rostrum restore FILE".`,
      );
    }
    await sqlite.read((db) => pendingMigrations(db));
    await sqlite.read((db) => assertNotEmptied(db, config.dataDir));
    return "sound";
  });
  if (isOpen && store !== undefined) {
    const opened = store;
    if (database.kind === "postgres") await attempt("clock", () => describeClock(opened));
    let isCurrent = false;
    await attempt("tables", async () => {
      const pending = await opened.read((db) => pendingMigrations(db));
      isCurrent = pending.length === 0;
      return isCurrent ? "up to date" : `${pending.length} migrations to apply at the next start`;
    });
    await attempt("schema", async () => describeSchema(await opened.read(compareSchema)));
    if (isCurrent) await examineContent(opened, config, attempt);
  }
  const { mail } = config;
  if (mail !== null) {
    await attempt("mail", async () => {
      const { SmtpSender } = await import("../../email/smtp.ts");
      using sender = new SmtpSender(mail);
      return sender.tryServer();
    });
  }
  if (database.kind === "postgres") return code;
  let backup: BackupState;
  await attempt("service", async () => {
    const serving = findService(database.path);
    if (serving === null) return "not running";
    if (serving.url === null) return `starting (process ${serving.pid})`;
    backup = await assertReady(serving.url, config.metricsPort, `process ${serving.pid}`);
    return `running at ${serving.url} (process ${serving.pid})`;
  });
  if (config.backup.place !== null) await attempt("backup", () => describeBackup(backup));
  return code;
}

/** null: there was no answer. */
function ask(address: URL): Promise<Response | null> {
  return fetch(address, { signal: AbortSignal.timeout(3_000) }).catch(() => null);
}

/**
 * Asks the metrics' port, then the main one, as the service may have other settings. @returns what the service says of its continuous
 * backup. @throws AppError `conflict`.
 */
async function assertReady(url: string, metricsPort: number | null, who: string): Promise<BackupState> {
  const main = new URL("/readyz", url);
  const own = new URL(main);
  own.port = String(metricsPort ?? "");
  const named = metricsPort === null || metricsPort === 0 ? null : await ask(own);
  const isElsewhere = named === null || named.status === 404;
  const answer = isElsewhere ? await ask(main) : named;
  if (answer === null) throw new AppError("conflict", `${who} does not answer at ${main.origin}: look at its log.`);
  if (answer.ok) return ((await answer.json()) as { backup?: BackupState }).backup ?? null;
  // Not found on the main port: the service has a port for its health that these settings do not name.
  if (isElsewhere && answer.status === 404) return undefined;
  const { href } = isElsewhere ? main : own;
  throw new AppError("conflict", `${who} answers ${answer.status} at ${href}: look at its log.`);
}

/** As /readyz has it. Null: the service makes none. Undefined: it is not known. */
type BackupState = { lag_seconds: number; problem: string | null } | null | undefined;

/** @throws AppError `conflict` when the copies are late. */
function describeBackup(state: BackupState): string {
  if (state === undefined) return "made while the service runs";
  if (state === null) {
    throw new AppError("conflict", "the service was started without ROSTRUM_BACKUP_URL: start it again.");
  }
  const { lag_seconds: seconds, problem } = state;
  if (seconds <= MAX_BACKUP_LAG_SECONDS)
    return seconds === 0 ? "everything is copied" : `${seconds.toFixed(1)} s behind`;
  throw new AppError("conflict", `${Math.round(seconds)} s behind: ${problem ?? "look at the log of the service."}`);
}

async function examineContent(store: Store & Clock, config: Config, attempt: Attempt): Promise<void> {
  await attempt("articles", async () =>
    store.read(async (db) => {
      const lines = [];
      for (const website of await listWebsites(db)) {
        const { published, approved, pending } = await countArticles(db, website.id);
        lines.push(`${website.name}: ${published} published, ${approved} approved, ${pending} pending`);
      }
      return lines.join("; ") || "no website yet";
    }),
  );
  await attempt("secrets", async () => {
    const tried = await trySecretKey(store, config);
    if (tried.problem !== null) throw new AppError("misconfigured", tried.problem);
    return tried.opened;
  });
  await attempt("set aside", async () =>
    describeDeadLetters(await listDeadLetters({ store }, MAX_DEAD_LETTERS), store.now()),
  );
}

/** @throws AppError `conflict` when the clocks of this machine and the database differ by too much. */
function describeClock(store: Clock): string {
  const skewMs = store.clockSkewMs() ?? 0;
  if (Math.abs(skewMs) <= MAX_CLOCK_SKEW_MS) return `${(skewMs / 1_000).toFixed(1)} s from the database's`;
  throw new AppError(
    "conflict",
    `this machine's clock is ${describeSkew(skewMs)} the database's, which the service uses: synchronise both by NTP.`,
  );
}

/** @throws AppError `conflict` when the schema differs from that of the migrations. */
function describeSchema({ problems, others }: SchemaDifferences): string {
  if (problems.length > 0) {
    throw new AppError(
      "conflict",
      `${problems.join("; ")}. The tables were changed by hand, or made by a version that was never released: take a backup, then ` +
        "correct what is named, or move the data with export and import.",
    );
  }
  return `as this version makes it${others.length === 0 ? "" : `; beside that: ${others.join(", ")}`}`;
}

/** Skips Windows, where modes mean nothing. A file that a setting names may be readable by its group. */
function checkFiles(io: Parameters<Command["run"]>[1], config: Config): string {
  if (process.platform === "win32") return "not checked on Windows";
  const problems = findOpenFiles(config);
  for (const path of secretFiles(io.environment, io.directory)) {
    if (((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o007) !== 0) {
      problems.push(`${path} contains a secret that every user of this machine can read: run chmod o= ${path}`);
    }
  }
  if (problems.length > 0) throw new AppError("misconfigured", problems.join("; "));
  return "for their owner alone";
}

/** @throws AppError `conflict` when there is a recent dead letter. */
function describeDeadLetters(letters: readonly DeadLetter[], now: number): string {
  const [newest] = letters;
  if (newest === undefined) return "nothing";
  const count = letters.length === MAX_DEAD_LETTERS ? `${MAX_DEAD_LETTERS} or more` : String(letters.length);
  const { kind, subjectId, reason, failedAt } = newest;
  const sentence = `${count}, the last on ${isoTime(failedAt)}: ${kind} ${subjectId} (${reason})`;
  if (now - failedAt > DAY_MS) return sentence;
  throw new AppError(
    "conflict",
    `${sentence}. It failed every time, so everything else continues without it. The log of that time says why.`,
  );
}

async function checkDisk(folder: string): Promise<string> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const size = `${Math.round(free / 1024 / 1024)} MB free`;
  if (free < MIN_FREE_BYTES) throw new AppError("unavailable", `only ${size}: make room on the disk.`);
  return size;
}

/** The version of PostgreSQL, and the number of processes that use it. */
async function describeServer(db: Snapshot): Promise<string> {
  const server = await db.get(
    `SELECT current_setting('server_version') AS version,
       CASE WHEN to_regclass('workers') IS NULL THEN NULL ELSE 0 END AS nodes`,
  );
  const nodes = server?.nodes == null ? null : await countNodes(db);
  return `PostgreSQL ${server?.version ?? ""}${nodes === null ? ", without our tables yet" : `, ${nodes} processes serve it`}`;
}
