/**
 * Real PostgreSQL servers on loopback. Each has a folder of its own and is a child of a process of its own making; a
 * guard (postgres-home.ts) ends it and removes its folder as soon as the process that started it is gone, however it went.
 */
import type { Row } from "./postgres-databases.ts";
import { configure, initialise, openHome } from "./postgres-home.ts";
import { freePort, serverOf } from "./postgres-server.ts";

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
