/**
 * Real PostgreSQL servers on loopback. Each has its own folder and is a child of the test process; a guard (postgres-home.ts)
 * ends it and removes its folder when the process that started it exits for any reason.
 */
import { configure, initialise, openHome } from "./postgres-home.ts";
import { freePort, type PostgresServer, serverOf } from "./postgres-server.ts";

export interface PostgresOptions {
  /** Settings in postgresql.conf. */
  settings?: Record<string, string>;
  port?: number;
  /** Stores the data on disk and waits for it, as in production. Otherwise in memory, if there is room. */
  durable?: boolean;
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
    // Tests read whole statements in `pg_stat_activity`; the default cuts them after 1,024 bytes.
    track_activity_query_size: "8192",
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
