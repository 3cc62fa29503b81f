/** Queries about the PostgreSQL server and the backends of our connections. */
import type pg from "pg";
import { AppError } from "../../../domain/system/errors.ts";
import { SERVER_TIME, type ServerClock } from "./clock.ts";

const OLDEST_VERSION = 150_000;

/** Identifies a session of a server: the start time tells it from later ones with the same pid. */
const SESSION = "pid || ' ' || CAST(backend_start AS TEXT)";
const OURS = `usename = current_user AND ${SESSION} = ANY (CAST($1 AS TEXT[]))`;

/**
 * Sets the clock. @returns the session's id. @throws AppError `unavailable`: too old, not UTF-8; the standby's error.
 */
export async function check(client: pg.ClientBase, clock: ServerClock): Promise<string> {
  const askedAt = performance.now();
  const { rows } = await client.query<{
    version: number;
    encoding: string;
    is_standby: boolean;
    commits: string;
    server_ms: number;
    session: string;
  }>(
    `SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding,
       pg_is_in_recovery() AS is_standby, current_setting('synchronous_commit') AS commits, ${SERVER_TIME} AS server_ms,
       (SELECT ${SESSION} FROM pg_stat_activity WHERE pid = pg_backend_pid()) AS session`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error("the server says nothing of itself");
  if (row.is_standby) throw Object.assign(new Error("this server is a standby"), { code: "25006" });
  if (row.version < OLDEST_VERSION) {
    throw new AppError("unavailable", "PostgreSQL 15 or later is required; this server is older.");
  }
  if (row.encoding !== "UTF8") {
    throw new AppError(
      "unavailable",
      `The database's encoding is ${row.encoding}, which has no room for every text: create it again with ENCODING 'UTF8' TEMPLATE template0.`,
    );
  }
  clock.measured(row.server_ms, askedAt, performance.now());
  // An acknowledged commit is durable, whatever the server's default is.
  if (row.commits === "off") await client.query("SET synchronous_commit = on");
  return row.session;
}

/** The sessions that are executing a statement and wait neither for us nor for a lock, whose holder may be dead. */
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
