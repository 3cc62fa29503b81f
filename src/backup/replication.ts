/**
 * Runs Litestream while the service runs: it copies each commit within a second. It is started again when it ends; an outage of the
 * place of the copies is waited out.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, rmSync, statfsSync, statSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { DAY_MS } from "../domain/system/time.ts";
import type { FilePlace } from "../process/settings/file-places.ts";
import { runEvery, type Repeated } from "../process/interval.ts";
import type { Log } from "../process/log.ts";
import { litestreamFolder } from "../store/engine/sqlite/database-file.ts";
import type { Store } from "../store/store.ts";
import { findDatabaseId, insertDatabaseId, readDatabaseId } from "../store/system/database-id.ts";
import { makePrivateFolder, PRIVATE_FILE_MODE, writePrivateFile } from "../store/system/files.ts";
import { backupPlace } from "./backup-url.ts";
import { CopyLag, readLogEnd } from "./copy-lag.ts";
import { findLitestream } from "./litestream.ts";
import { explainFailure, type LitestreamLine, parseLine } from "./litestream-log.ts";
import { openObjects } from "./objects.ts";
import { Ownership, PlaceTaken } from "./ownership.ts";

/**
 * With the time that a copy takes, less than a second in all. A longer one saves little: under load most of Litestream's CPU time goes
 * into the pages that SQLite logs.
 */
const APPEND_INTERVAL = "500ms";
/** At most so often: each time that something was appended. */
const COPY_INTERVAL = "250ms";
/** 16 MB: a page that changes often is written only once. */
const CHECKPOINT_PAGES = 4_000;
const SNAPSHOT_INTERVAL_HOURS = 24;
const POLL_INTERVAL_MS = 1_000;
/** A lag that is not due to the copies being written just now. */
const LATE_MS = 5_000;
/** After a failure Litestream tries again only at the next commit. */
const COMMIT_INTERVAL_MS = 5_000;
const FIRST_RESTART_MS = 1_000;
const MAX_RESTART_MS = 60_000;
/**
 * It has said nothing for so long although there is something to copy, which may take longer by its size: it waits for an answer that
 * will not come or, after a file that could not be written, for itself (0.3.13).
 */
const HANGS_AFTER_MS = { folder: 10_000, bucket: 60_000 };
const MIN_BYTES_PER_MS = { folder: 2_000, bucket: 100 };
const PROBE_BYTES = 65_536;
const PROBE_TIMEOUT_MS = 1_000;
/** What waits to be copied is discarded when it is larger than the database, or than what is left of the disk, and than these. */
const LARGE_LOG_BYTES = 1_000_000_000;
const SMALL_LOG_BYTES = 100_000_000;
/** The next start waits for it. */
const STOP_TIMEOUT_MS = 3_000;
const REPEAT_WARNING_MS = 600_000;
/** A place that says nothing of its owner for so long is left to Litestream, which names what is wrong with it. */
const CLAIM_WAIT_MS = 10_000;
/** How often to check that no other service has the place. */
const CLAIM_INTERVAL_MS = 60_000;
/** What Litestream gets of the environment: none of the service's secrets. */
const PASSED_ON = /^(?:PATH|TMPDIR|TZ|SSL_CERT_(?:FILE|DIR)|(?:https?|no)_proxy)$/i;

export interface ReplicationStatus {
  /** For how long there have been commits that are not copied; 0 if all are. */
  lagSeconds: number;
  /** What keeps them from being copied, in a sentence; null: nothing that is known. */
  problem: string | null;
}

export interface ReplicationOptions {
  place: FilePlace;
  databasePath: string;
  /** How far back the database can be restored. */
  keepMs: number;
  environment: NodeJS.ProcessEnv;
  log: Pick<Log, "info" | "warn" | "error">;
  hangsAfterMs?: number;
  largeLogBytes?: number;
  claimIntervalMs?: number;
}

/** Dispose of it after the database has been closed: then what was committed last is copied as well. */
export class Replication implements AsyncDisposable {
  readonly #options: ReplicationOptions;
  readonly #folder: string;
  readonly #lag = new CopyLag(performance.now());
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #polling: Repeated | undefined;
  #child: ChildProcess | undefined;
  #store: Pick<Store, "read" | "write"> | undefined;
  readonly #ownership: Ownership;
  /** Its id. */
  #database: string | undefined;
  readonly #identified = Promise.withResolvers<void>();
  /** Why another service's place must not be used; null: it is ours, or that is not known yet. */
  #taken: { sentence: string; since: number } | null = null;
  #claiming: Promise<void> | undefined;
  #claimedAt = Number.NEGATIVE_INFINITY;
  #failure: string | null = null;
  #isSnapshotting = false;
  #discardsLog = false;
  /** Since it was started. */
  #hasCopied = false;
  #heardAt = performance.now();
  #committedAt = Number.NEGATIVE_INFINITY;
  #warned: { sentence: string; at: number } | undefined;
  #stopTimeoutMs = STOP_TIMEOUT_MS;

  constructor(options: ReplicationOptions) {
    this.#options = options;
    const { place, databasePath } = options;
    this.#folder = litestreamFolder(databasePath);
    this.#ownership = new Ownership(openObjects(place), backupPlace(place).url, databasePath);
    this.#know(readDatabaseId(databasePath));
    // From now on checkpoints are left to Litestream.
    makePrivateFolder(this.#folder);
  }

  /** No other process may copy the database then. */
  start(): void {
    this.#running = this.#run();
    this.#polling = runEvery(POLL_INTERVAL_MS, () => this.#poll(), this.#options.log);
  }

  /** Whether what is copied there is this service's. */
  isOwner(): boolean {
    return this.#ownership.isOwner();
  }

  status(): ReplicationStatus {
    const now = performance.now();
    const lagMs = this.#measureLag(now);
    if (this.#taken !== null) {
      const { since, sentence } = this.#taken;
      return { lagSeconds: Math.max(lagMs, now - since) / 1_000, problem: sentence };
    }
    const isLate = lagMs > LATE_MS && !this.#isSnapshotting;
    return { lagSeconds: lagMs / 1_000, problem: isLate ? this.#problem() : null };
  }

  /** Where it can commit something. Until then, and without, it copies only what others commit. */
  follow(store: Pick<Store, "read" | "write">): Disposable {
    this.#store = store;
    void this.#identify(store);
    return {
      [Symbol.dispose]: () => {
        this.#store = undefined;
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** Litestream may copy the last changes until then. */
  async stop(timeoutMs = STOP_TIMEOUT_MS): Promise<void> {
    this.#stopTimeoutMs = timeoutMs;
    await this.#polling?.[Symbol.asyncDispose]();
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const stopped = once(signal, "abort");
    // Only a new database has none, until the store is open.
    await Promise.race([this.#identified.promise, stopped]);
    for (let waitMs = FIRST_RESTART_MS; !signal.aborted; waitMs = Math.min(2 * waitMs, MAX_RESTART_MS)) {
      const startedAt = performance.now();
      try {
        await Promise.race([
          this.#claim(),
          sleep(CLAIM_WAIT_MS, undefined, { signal, ref: false }).catch(() => undefined),
        ]);
        if (signal.aborted) return;
        if (this.#taken !== null) throw new Error(this.#taken.sentence);
        if (this.#discardsLog) this.#discardLog();
        const reason = await this.#runOnce(await this.#find());
        if (signal.aborted) return;
        this.#failure = `Litestream ended (${reason}).`;
      } catch (error) {
        this.#failure = error instanceof Error ? error.message : String(error);
      }
      if (performance.now() - startedAt > MAX_RESTART_MS) waitMs = FIRST_RESTART_MS;
      await sleep(waitMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  #claim(): Promise<void> {
    this.#claiming ??= this.#tryClaim().finally(() => {
      this.#claiming = undefined;
    });
    return this.#claiming;
  }

  async #tryClaim(): Promise<void> {
    if (this.#database === undefined) return;
    const { log } = this.#options;
    try {
      await this.#ownership.claim(this.#database);
      if (this.#taken !== null) log.info({}, "continuous backup: the place of the copies is this service's now");
      this.#taken = null;
    } catch (error) {
      // A place that cannot be reached is named by Litestream, and may be this service's.
      if (!(error instanceof PlaceTaken)) return;
      if (this.#taken === null) log.error({}, `continuous backup has stopped: ${error.message}`);
      this.#taken ??= { sentence: error.message, since: performance.now() };
      this.#child?.kill("SIGKILL");
    } finally {
      this.#claimedAt = performance.now();
    }
  }

  async #identify(store: Pick<Store, "read" | "write">): Promise<void> {
    if (this.#database !== undefined) return;
    try {
      await store.write((db) => insertDatabaseId(db, randomUUID()));
      this.#know(await store.read(findDatabaseId));
    } catch {
      // Others report a full disk.
    }
  }

  #know(database: string | undefined): void {
    this.#database = database;
    if (database !== undefined) this.#identified.resolve();
  }

  #find(): Promise<string> {
    const { environment, log } = this.#options;
    return findLitestream(environment["PATH"], (what, npm) => {
      log.info({}, `installing ${what}`);
      this.#stopping.signal.addEventListener("abort", () => npm.kill());
    });
  }

  /** @returns why it ended. */
  async #runOnce(program: string): Promise<string> {
    const { environment, place, log } = this.#options;
    const { url, replica } = backupPlace(place);
    const config = join(this.#folder, "config.json");
    writePrivateFile(config, JSON.stringify(this.#config()));
    const args = ["replicate", "-no-expand-env", "-config", config];
    const parent = findSetpriv(environment["PATH"]);
    const toParent = ["--pdeathsig", "KILL", "--", program];
    const passedOn = Object.entries(environment).filter(([name]) => PASSED_ON.test(name));
    const child = spawn(parent ?? program, parent === null ? args : [...toParent, ...args], {
      // On one thread it takes a fifth less CPU time and a quarter less memory.
      env: { ...Object.fromEntries(passedOn), GOMAXPROCS: "1", ...replica.environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    this.#lag.onCopied(undefined);
    this.#hasCopied = false;
    this.#isSnapshotting = false;
    this.#heardAt = performance.now();
    const ended = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
    const stop = () => void this.#stop(child);
    this.#stopping.signal.addEventListener("abort", stop);
    log.info({ url, program }, "continuous backup begins");
    const texts: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      createInterface(stream).on("line", (line) => {
        const said = parseLine(line);
        if (said.kind === "text") texts.push(said.text);
        else this.#onLine(said);
      });
    }
    try {
      const [code, killedBy] = await ended;
      return [killedBy ?? `exit code ${code}`, ...texts.slice(0, 3)].join(": ");
    } finally {
      this.#stopping.signal.removeEventListener("abort", stop);
      this.#child = undefined;
    }
  }

  #config() {
    const { databasePath, keepMs, place } = this.#options;
    // The earliest moment needs the snapshot before it.
    const keepHours = Math.ceil(keepMs / DAY_MS) * 24 + SNAPSHOT_INTERVAL_HOURS + 1;
    return {
      logging: { type: "json", stderr: true },
      dbs: [
        {
          path: databasePath,
          "monitor-interval": APPEND_INTERVAL,
          "min-checkpoint-page-count": CHECKPOINT_PAGES,
          replicas: [
            {
              ...backupPlace(place).replica.config,
              "sync-interval": COPY_INTERVAL,
              "snapshot-interval": `${SNAPSHOT_INTERVAL_HOURS}h`,
              // It lists all copies for it.
              "retention-check-interval": "6h",
              retention: `${keepHours}h`,
            },
          ],
        },
      ],
    };
  }

  async #stop(child: ChildProcess): Promise<void> {
    const ended = once(child, "close").then(() => true);
    child.kill("SIGTERM");
    if (await Promise.race([ended, sleep(this.#stopTimeoutMs, false, { ref: false })])) return;
    this.#options.log.warn({}, "the last changes were not copied before this process ended; the next one copies them");
    child.kill("SIGKILL");
  }

  #onLine(line: LitestreamLine): void {
    const { log, place } = this.#options;
    this.#heardAt = performance.now();
    if (line.kind === "snapshot-begins") this.#isSnapshotting = true;
    else if (line.kind === "snapshot") {
      this.#isSnapshotting = false;
      log.info({ bytes: line.bytes, elapsed: line.elapsed }, "continuous backup: the whole database was copied");
    } else if (line.kind === "generation") {
      log.info({ reason: line.reason }, "continuous backup: begins with a copy of the whole database");
    } else if (line.kind === "failure") {
      this.#isSnapshotting = false;
      this.#failure = explainFailure(line.text, place);
    } else if (line.kind === "copied") {
      this.#lag.onCopied(line.position);
      this.#hasCopied = true;
      this.#failure = null;
      if (this.#warned !== undefined) log.info({}, "continuous backup: copies are written again");
      this.#warned = undefined;
    }
  }

  async #poll(): Promise<void> {
    const now = performance.now();
    if (this.#store !== undefined) await this.#identify(this.#store);
    const { claimIntervalMs = CLAIM_INTERVAL_MS } = this.#options;
    const isClaimDue = now - this.#claimedAt > (this.isOwner() ? claimIntervalMs : COMMIT_INTERVAL_MS);
    if (this.#child !== undefined && isClaimDue) void this.#claim();
    if (this.#taken !== null) return;
    const lagMs = this.#measureLag(now);
    if (lagMs === 0) return;
    if (lagMs > LATE_MS) {
      const bytes = this.#logBytes();
      this.#killIfHanging(now, bytes);
      this.#boundLog(bytes);
      await this.#probe();
      this.#warn(now, lagMs);
    }
    // Also after each start, as Litestream says only what it copies.
    const isWaiting = this.#child !== undefined && (lagMs > LATE_MS || !this.#hasCopied);
    if (isWaiting && this.#store !== undefined && now - this.#committedAt > COMMIT_INTERVAL_MS) {
      this.#committedAt = now;
      // Others report a full disk.
      await this.#store.write((db) => db.run("PRAGMA user_version = 0")).catch(() => undefined);
    }
  }

  #measureLag(now: number): number {
    const end = readLogEnd(this.#folder, this.#options.databasePath);
    if (end !== null) this.#lag.observe(end, now);
    return this.#lag.get(now);
  }

  /** The size of the log that waits to be copied; it is slightly overstated. */
  #logBytes(): number {
    try {
      const files = readdirSync(this.#folder, { recursive: true, encoding: "utf8" });
      const sizes = files.map((name) => statSync(join(this.#folder, name), { throwIfNoEntry: false })?.size ?? 0);
      return sizes.reduce((sum, size) => sum + size, 0);
    } catch {
      // Litestream removes what it has copied.
      return 0;
    }
  }

  /** Litestream does not say why it cannot write a file. */
  async #probe(): Promise<void> {
    const { place } = this.#options;
    if (place.kind === "bucket" || this.#failure !== null || this.#isSnapshotting) return;
    const file = join(place.path, ".probe");
    const write = async (): Promise<string | null> => {
      try {
        await writeFile(file, Buffer.alloc(PROBE_BYTES), { mode: PRIVATE_FILE_MODE });
        return null;
      } catch (error) {
        return explainFailure(String(error), place);
      } finally {
        await rm(file, { force: true }).catch(() => undefined);
      }
    };
    this.#failure = await Promise.race([write(), sleep(PROBE_TIMEOUT_MS, null, { ref: false })]);
  }

  #killIfHanging(now: number, logBytes: number): void {
    const { place, databasePath, hangsAfterMs = HANGS_AFTER_MS[place.kind] } = this.#options;
    const bytes = this.#isSnapshotting ? statSync(databasePath).size : logBytes;
    if (now - this.#heardAt < hangsAfterMs + bytes / MIN_BYTES_PER_MS[place.kind]) return;
    this.#heardAt = now;
    this.#child?.kill("SIGKILL");
  }

  #boundLog(bytes: number): void {
    const { largeLogBytes = LARGE_LOG_BYTES, databasePath, log } = this.#options;
    if (this.#discardsLog || this.#isSnapshotting) return;
    const { bavail, bsize } = statfsSync(this.#folder);
    const isLarge = bytes > Math.max(largeLogBytes, statSync(databasePath).size);
    if (!isLarge && (bytes < SMALL_LOG_BYTES || bytes < bavail * bsize)) return;
    log.warn(
      { bytes },
      "continuous backup: too much waits to be copied, and is discarded: the next copy is one of the whole database",
    );
    this.#discardsLog = true;
    this.#child?.kill("SIGKILL");
  }

  /** Litestream begins a new generation then. */
  #discardLog(): void {
    for (const name of ["generation", "generations"])
      rmSync(join(this.#folder, name), { recursive: true, force: true });
    this.#discardsLog = false;
  }

  #problem(): string {
    if (this.#isSnapshotting) return "The whole database is being copied.";
    return this.#failure ?? `${backupPlace(this.#options.place).url} is slow, or does not answer.`;
  }

  #warn(now: number, lagMs: number): void {
    const sentence = this.#problem();
    if (this.#warned?.sentence === sentence && now - this.#warned.at < REPEAT_WARNING_MS) return;
    this.#warned = { sentence, at: now };
    this.#options.log.warn({ lagSeconds: Math.round(lagMs / 1_000) }, `continuous backup is behind: ${sentence}`);
  }
}

/** By it the kernel of Linux ends Litestream with this process, however that ends. Elsewhere Litestream ends at its next line. */
function findSetpriv(path: string | undefined): string | null {
  if (process.platform !== "linux") return null;
  const programs = (path ?? "").split(delimiter).map((folder) => join(folder, "setpriv"));
  return programs.find((program) => existsSync(program)) ?? null;
}
