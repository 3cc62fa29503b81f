/** A PostgreSQL server as a child process, which can be started, stopped, paused and replicated. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { answers, createDatabase, dropDatabase, queryAt, type QueriedRow } from "./postgres-databases.ts";
import { configure, endOfLog, type Home, openHome } from "./postgres-home.ts";
import { ended, signalChildren } from "./processes.ts";
import { until } from "./until.ts";

const START_WITHIN_MS = 60_000;

export interface PostgresServer extends AsyncDisposable {
  readonly port: number;
  /** URL of the database, by default `postgres`. */
  url(database?: string): string;
  /** Creates a database as a copy of the template (a name or a URL; it must have no connections). @returns its URL. */
  createDatabase(template?: string): Promise<string>;
  /** Drops the database and ends its connections. */
  dropDatabase(url: string): Promise<void>;
  /** Runs one statement over a separate connection. @returns its rows. */
  query(sql: string, database?: string): Promise<QueriedRow[]>;
  /** `fast` ends the sessions and writes all data; `immediate` simulates a crash. */
  stop(mode: "fast" | "immediate"): Promise<void>;
  /**
   * Starts the server again on the same port and data. Resolves once it responds.
   *
   * @throws Error with the end of the server's log.
   */
  start(): Promise<void>;
  /** Stops every process of the server: connections stay open, nothing responds. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Ends the other sessions. `filter` is a condition on pg_stat_activity that replaces "every client". @returns how many. */
  terminateConnections(filter?: string): Promise<number>;
  /** Starts a standby that streams from this server, as durable as this one. */
  startReplica(): Promise<PostgresReplica>;
  /** Makes commits wait for a standby. Resolves once one streams. */
  makeSynchronous(): Promise<void>;
}

export interface PostgresReplica extends PostgresServer {
  /** Promotes the standby. Resolves once it accepts writes; it waits for no standby of its own. */
  promote(): Promise<void>;
}

/** The server is not started yet. Disposing it disposes the home too. */
export function serverOf(home: Home, port: number): PostgresServer {
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
          throw new Error(`PostgreSQL did not start:\n${await endOfLog(home)}`);
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
      // The postmaster first, because it forks the others.
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
  // A promoted standby has no standby of its own, so it must not wait for one.
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

/** Below the ephemeral port range, so that no outgoing connection takes the port while the server is down. */
export async function freePort(): Promise<number> {
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
