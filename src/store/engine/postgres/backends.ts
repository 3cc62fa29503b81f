/** What the server says of itself, and of its ends of our connections. */
import type pg from "pg";
import { AppError } from "../../../domain/system/errors.ts";
import { SERVER_TIME, type ServerClock } from "./clock.ts";

const OLDEST_VERSION = 150_000;

/** Names a session of a server, so that no later one is taken for it. */
const SESSION = "pid || ' ' || CAST(backend_start AS TEXT)";
const OURS = `usename = current_user AND ${SESSION} = ANY (CAST($1 AS TEXT[]))`;

/**
 * A new connection is to a server that we can use. Sets the clock by it.
 *
 * @returns the name of its session.
 * @throws AppError `unavailable` when the server is too old; an error of the server when it is a standby.
 */
export async function check(client: pg.ClientBase, clock: ServerClock): Promise<string> {
  const askedAt = performance.now();
  const { rows } = await client.query<{
    version: number;
    is_standby: boolean;
    commits: string;
    server_ms: number;
    session: string;
  }>(
    `SELECT current_setting('server_version_num')::int AS version, pg_is_in_recovery() AS is_standby,
       current_setting('synchronous_commit') AS commits, ${SERVER_TIME} AS server_ms,
       (SELECT ${SESSION} FROM pg_stat_activity WHERE pid = pg_backend_pid()) AS session`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error("the server says nothing of itself");
  if (row.is_standby) throw Object.assign(new Error("this server is a standby"), { code: "25006" });
  if (row.version < OLDEST_VERSION) {
    throw new AppError("unavailable", "PostgreSQL 15 or a later one is needed; this server is older.");
  }
  clock.measured(row.server_ms, askedAt, performance.now());
  // What was acknowledged is durable, whatever this server takes for usual.
  if (row.commits === "off") await client.query("SET synchronous_commit = on");
  return row.session;
}

/** Those of the sessions in which a statement runs: it waits neither for us, nor for one of the others, which may be dead. */
export async function sessionsAtWork(client: pg.Client, sessions: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ session: string }>(
    `SELECT ${SESSION} AS session FROM pg_stat_activity 
     WHERE state = 'active' AND COALESCE(wait_event_type, '') NOT IN ('Lock', 'Client') AND ${OURS}`,
    [sessions],
  );
  return new Set(rows.map(({ session }) => session));
}

export async function endSessions(client: pg.Client, sessions: readonly string[]): Promise<void> {
  await client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${OURS}`, [sessions]);
}
