/**
 * Real PostgreSQL servers on loopback. Each has its own folder and is a child of the test process; a guard (postgres-home.ts)
 * ends it and removes its folder when the process that started it exits for any reason.
 */
import type { Row } from "./postgres-databases.ts";
import { configure, initialise, openHome } from "./postgres-home.ts";
import { freePort, serverOf } from "./postgres-server.ts";

export interface PostgresOptions {
  /** Settings in postgresql.conf. */
  settings?: Record<string, string>;
  port?: number;
  /** Stores the data on disk and waits for it, as in production. Otherwise in memory, if there is room. */
  durable?: boolean;
}

export interface PostgresServer extends AsyncDisposable {
  readonly port: number;
  /** URL of the database, by default `postgres`. */
  url(database?: string): string;
  /** Creates a database as a copy of the template (a name or a URL; it must have no connections). @returns its URL. */
  createDatabase(template?: string): Promise<string>;
  /** Drops the database and ends its connections. */
  dropDatabase(url: string): Promise<void>;
  /** Runs one statement over a separate connection. @returns its rows. */
  query(sql: string, database?: string): Promise<Row[]>;
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

/** @throws Error when PostgreSQL is not installed, or with the end of the server's log when it does not start. */
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
    // The folder may be in memory, so the write-ahead log must not grow there.
    ...(durable ? {} : { fsync: "off", full_page_writes: "off", max_wal_size: "192MB" }),
    ...options.settings,
    port: String(port),
  });
  const server = serverOf(home, port);
  await server.start();
  opened.move();
  return server;
}
