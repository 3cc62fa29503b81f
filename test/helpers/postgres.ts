/**
 * Real PostgreSQL servers on loopback. Each has a folder of its own and is a child of a process of its own making; a
 * guard (`GUARD`) ends it and removes its folder as soon as the process that started it is gone, however it went.
 */
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { randomBytes, randomInt } from "node:crypto";
import { once } from "node:events";
import { closeSync, existsSync, openSync, readdirSync, realpathSync } from "node:fs";
import { appendFile, chown, mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { Client } from "pg";
import { tempFolder } from "./folder.ts";
import { until } from "./until.ts";

export interface PostgresOptions {
  /** Lines of postgresql.conf, by name. */
  settings?: Record<string, string>;
  port?: number;
  /** Data on the disk and waits for it, as in production. Otherwise in memory, where there is room. */
  durable?: boolean;
}

export interface PostgresServer extends AsyncDisposable {
  readonly port: number;
  /** Of the database `postgres`, unless another is named. */
  url(database?: string): string;
  /** A new database, a copy of the template (a name or an address; nobody may be connected to it). @returns its address. */
  createDatabase(template?: string): Promise<string>;
  /** Ends the connections to it, too. */
  dropDatabase(url: string): Promise<void>;
  /** One statement, over a connection of its own. @returns its rows. */
  query(sql: string, database?: string): Promise<Row[]>;
  /** `fast` ends the sessions and writes everything down; `immediate` is a crash. */
  stop(mode: "fast" | "immediate"): Promise<void>;
  /** Again, on the same port and data. Resolves once it answers. @throws Error with the end of the server's log. */
  start(): Promise<void>;
  /** Every process of the server stands still: connections stay open, nothing is answered. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /**
   * Ends the other sessions. `filter` is a condition on pg_stat_activity that takes the place of "every client".
   * @returns how many.
   */
  terminateConnections(filter?: string): Promise<number>;
  /** A standby that streams from this server, as durable as this one. */
  startReplica(): Promise<PostgresReplica>;
  /** Commits wait for a standby from now on. Resolves once one streams. */
  makeSynchronous(): Promise<void>;
}

export interface PostgresReplica extends PostgresServer {
  /** Resolves once it takes writes; it waits for no standby of its own. */
  promote(): Promise<void>;
}

type Row = Record<string, unknown>;

/**
 * The folder of PostgreSQL's programs: ROSTRUM_TEST_POSTGRES_BIN, else Debian's newest, else that of `postgres` on the
 * PATH. @throws Error when the one that was asked for has no server.
 */
export function findPostgres(): string | undefined {
  const chosen = process.env["ROSTRUM_TEST_POSTGRES_BIN"];
  if (chosen) {
    if (!hasServer(chosen)) throw new Error(`ROSTRUM_TEST_POSTGRES_BIN: there is no PostgreSQL server in ${chosen}.`);
    return chosen;
  }
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const path = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "postgres"));
  return [
    ...versions.map((version) => join(debian, version, "bin")),
    // A link's target has the other programs beside it.
    ...path.filter((file) => existsSync(file)).map((file) => join(realpathSync(file), "..")),
  ].find(hasServer);
}

function hasServer(folder: string): boolean {
  return ["postgres", "initdb"].every((name) => existsSync(join(folder, name)));
}

/** @throws Error when there is no PostgreSQL, or with the end of the server's log when it does not start. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const { durable = false } = options;
  const port = options.port ?? (await freePort());
  await using opened = new AsyncDisposableStack();
  const home = opened.use(await openHome(durable));
  await initialise(home);
  await configure(home, {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: "200",
    // The folder may be in memory: what was written ahead must not pile up there.
    ...(durable ? {} : { fsync: "off", full_page_writes: "off", max_wal_size: "192MB" }),
    ...options.settings,
    port: String(port),
  });
  const server = serverOf(home, port);
  await server.start();
  opened.move();
  return server;
}

/** A new database on the server behind the address. @returns its address. */
export async function createDatabase(serverUrl: string, template = "template0"): Promise<string> {
  const name = `t_${randomBytes(8).toString("hex")}`;
  await queryAt(serverUrl, `create database ${name} template ${databaseOf(template)}`);
  return Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
}

/** Ends the connections to it, too. It may be gone already. */
export async function dropDatabase(url: string): Promise<void> {
  const server = Object.assign(new URL(url), { pathname: "/postgres" }).href;
  await queryAt(server, `drop database if exists ${databaseOf(url)} with (force)`);
}

function databaseOf(nameOrUrl: string): string {
  return nameOrUrl.includes("://") ? new URL(nameOrUrl).pathname.slice(1) : nameOrUrl;
}

async function queryAt(url: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  // A connection may be lost after its query has failed: that is no further news.
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** A server's folder, the user its programs run as, and its guard. */
interface Home extends AsyncDisposable {
  bin: string;
  durable: boolean;
  path: string;
  data: string;
  log: string;
  user: { uid?: number; gid?: number };
  /** Runs one of PostgreSQL's programs to its end. @throws Error with what it said. */
  run(program: string, args: string[]): Promise<void>;
  /** Tells the guard which process to end; none: there is nothing to end. */
  guard(pid?: number): void;
}

/**
 * Reads process ids, one a line; the last one counts. At the end of its input, that is on disposal or when the process
 * that writes them is gone, even by SIGKILL: ends the server ($pid) and removes its folder ($1). SIGQUIT lets the
 * server clean up its shared memory, and whoever is paused gets to see it. The server's own file tells when it is done:
 * where nobody reaps orphans, the process would seem to stay.
 */
const GUARD = `
while read -r line; do pid=$line; done
if [ -n "$pid" ]; then
  kill -QUIT "$pid"
  ps -A -o pid=,ppid= | while read -r child parent; do [ "$parent" != "$pid" ] || kill -CONT "$child"; done
  kill -CONT "$pid"
  tries=0
  while kill -0 "$pid" && [ -e "$1/data/postmaster.pid" ] && [ $tries -lt 1000 ]; do
    sleep 0.01
    tries=$((tries + 1))
  done
  [ $tries -lt 1000 ] || kill -KILL "$pid"
fi
rm -rf "$1"
`;

async function openHome(durable: boolean): Promise<Home> {
  const bin = findPostgres();
  if (bin === undefined) throw new Error("There is no PostgreSQL here (Debian: apt-get install postgresql).");
  const path = durable ? await mkdtemp(join(tmpdir(), "rostrum-test-")) : (await tempFolder()).path;
  const user = unprivileged();
  if (user.uid !== undefined && user.gid !== undefined) await chown(path, user.uid, user.gid);
  // In a session of its own: Ctrl-C ends the tests, and the guard then ends the server.
  const guard = spawn("/bin/sh", ["-c", GUARD, "guard", path], {
    ...user,
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  guard.stdin.on("error", () => undefined);
  const guardEnded = ended(guard);
  return {
    bin,
    durable,
    path,
    data: join(path, "data"),
    log: join(path, "log"),
    user,
    run: async (program, args) => {
      await promisify(execFile)(join(bin, program), args, { cwd: path, ...user });
    },
    guard: (pid) => void guard.stdin.write(`${pid ?? ""}\n`),
    [Symbol.asyncDispose]: async () => {
      guard.stdin.end();
      await guardEnded;
      await rm(path, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root. */
function unprivileged(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  for (const name of ["postgres", "nobody"]) {
    try {
      return { uid: id("-u", name), gid: id("-g", name) };
    } catch {
      // There is no such user.
    }
  }
  throw new Error("PostgreSQL does not run as root, and there is neither a user postgres nor a user nobody.");
}

function id(flag: "-u" | "-g", user: string): number {
  return Number(execFileSync("id", [flag, user], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
}

/** The first that this PostgreSQL and this machine know. An order unlike that of bytes, so that a test notices who relies on it. */
const LOCALES = [
  ["--locale-provider=icu", "--icu-locale=en-US", "--locale=C.UTF-8"],
  ["--locale=en_US.UTF-8"],
  ["--locale=C.UTF-8"],
  ["--locale=C"],
];

async function initialise(home: Home): Promise<void> {
  const refusals: unknown[] = [];
  for (const locale of LOCALES) {
    const args = ["-D", home.data, "-U", "rostrum", "--auth=trust", "--encoding=UTF8", "--no-sync", ...locale];
    try {
      await home.run("initdb", args);
      return;
    } catch (error) {
      refusals.push(error);
    }
  }
  throw new AggregateError(refusals, `initdb failed: ${String(refusals[0])}`);
}

/** The last value of a name counts. */
async function configure(home: Home, settings: Record<string, string>): Promise<void> {
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`);
  await appendFile(join(home.data, "postgresql.conf"), lines.join(""));
}

/** Below the range that outgoing connections get theirs from: nothing takes it while the server is down. */
async function freePort(): Promise<number> {
  const port = randomInt(15_000, 30_000);
  const probe = createServer().listen(port, "127.0.0.1");
  try {
    await once(probe, "listening");
  } catch {
    return freePort();
  }
  probe.close();
  await once(probe, "close");
  return port;
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => child.once("exit", () => resolve()).once("error", () => resolve()));
}

const START_WITHIN_MS = 60_000;

/** Not started yet. Its disposal is the home's, too. */
function serverOf(home: Home, port: number): PostgresServer {
  let running: { child: ChildProcess; ended: Promise<void> } | undefined;
  const url = (database = "postgres") => `postgres://rostrum@127.0.0.1:${port}/${database}`;
  const query = (sql: string, database?: string) => queryAt(url(database), sql);

  const launch = () => {
    const log = openSync(home.log, "a");
    const child = spawn(join(home.bin, "postgres"), ["-D", home.data], {
      ...home.user,
      cwd: home.path,
      detached: true,
      stdio: ["ignore", log, log],
    });
    closeSync(log);
    home.guard(child.pid);
    const forget = async () => {
      await ended(child);
      running = undefined;
      home.guard();
    };
    const launched = { child, ended: forget() };
    running = launched;
    return launched;
  };
  const signal = (name: NodeJS.Signals) => {
    if (running === undefined) throw new Error("The server does not run.");
    running.child.kill(name);
    return running.child.pid;
  };
  let isPaused = false;
  const resume = async () => {
    if (!isPaused) return;
    isPaused = false;
    await signalChildren(signal("SIGCONT"), "SIGCONT");
  };

  return {
    port,
    url,
    query,
    createDatabase: (template) => createDatabase(url(), template),
    dropDatabase,
    start: async () => {
      if (running !== undefined) throw new Error("The server runs already.");
      const launched = launch();
      const deadline = performance.now() + START_WITHIN_MS;
      while (!(await answers(url()))) {
        if (running === undefined || performance.now() > deadline) {
          launched.child.kill("SIGQUIT");
          await launched.ended;
          throw new Error(`PostgreSQL did not start:\n${await tail(home.log)}`);
        }
        await wait(5);
      }
    },
    stop: async (mode) => {
      const stopping = running?.ended;
      await resume();
      signal(mode === "fast" ? "SIGINT" : "SIGQUIT");
      await stopping;
    },
    pause: async () => {
      isPaused = true;
      // First the one that makes others.
      await signalChildren(signal("SIGSTOP"), "SIGSTOP");
    },
    resume,
    terminateConnections: async (filter = "backend_type = 'client backend'") => {
      const others = `from pg_stat_activity where pid <> pg_backend_pid() and (${filter})`;
      return (await query(`select pg_terminate_backend(pid) ${others}`)).length;
    },
    startReplica: () => startReplica(home, { port, query }),
    makeSynchronous: async () => {
      await configure(home, { synchronous_standby_names: "*", synchronous_commit: "on" });
      signal("SIGHUP");
      const standbys = "select 1 from pg_stat_replication where sync_state = 'sync' and state = 'streaming'";
      await until("a standby streams", async () => (await query(standbys)).length > 0);
    },
    [Symbol.asyncDispose]: async () => {
      const stopping = running?.ended;
      await home[Symbol.asyncDispose]();
      await stopping;
    },
  };
}

async function startReplica(
  { durable }: Home,
  primary: Pick<PostgresServer, "port" | "query">,
): Promise<PostgresReplica> {
  const port = await freePort();
  const name = `replica_${port}`;
  await using opened = new AsyncDisposableStack();
  const home = opened.use(await openHome(durable));
  const from = `host=127.0.0.1 port=${primary.port} user=rostrum application_name=${name}`;
  await home.run("pg_basebackup", [
    "-D",
    home.data,
    "-d",
    from,
    "-R",
    "-X",
    "stream",
    "--checkpoint=fast",
    "--no-sync",
  ]);
  // Once promoted it has no standby, whatever its primary waits for.
  await configure(home, { port: String(port), synchronous_standby_names: "" });
  const server = serverOf(home, port);
  await server.start();
  await until(`${name} streams`, async () => {
    const found = await primary.query(
      `select 1 from pg_stat_replication where application_name = '${name}' and state = 'streaming'`,
    );
    return found.length > 0;
  });
  opened.move();
  return {
    ...server,
    promote: async () => {
      await server.query("select pg_promote()");
      await until(
        `${name} takes writes`,
        async () => (await server.query("select pg_is_in_recovery() as is_standby"))[0]?.["is_standby"] === false,
      );
    },
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    await queryAt(url, "select 1");
    return true;
  } catch {
    return false;
  }
}

async function signalChildren(parent: number | undefined, name: NodeJS.Signals): Promise<void> {
  for (const pid of await childrenOf(parent)) {
    try {
      process.kill(pid, name);
    } catch {
      // It has ended since.
    }
  }
}

async function childrenOf(parent: number | undefined): Promise<number[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid="]);
  const pairs = stdout.split("\n").map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.flatMap(([pid, ppid]) => (pid && ppid === parent ? [pid] : []));
}

async function tail(path: string): Promise<string> {
  return (await readFile(path, "utf8").catch(() => "(no log)")).trimEnd().split("\n").slice(-20).join("\n");
}
