/**
 * Connections to whichever of the hosts accepts writes. They are pipelined: `BEGIN` and the first query travel together,
 * and nobody waits for the end of a transaction that only read.
 */
import pg from "pg";
import { AppError } from "../../domain/errors.ts";
import { isConnectionLost } from "./postgres-errors.ts";

export interface PostgresSettings {
  /** `postgres://user:password@host:port[,host:port …]/database?…` */
  url: string;
  /** Most connections at once. */
  connections: number;
  /** Whether PgBouncer in transaction mode stands between: a connection is ours for one transaction only. */
  isPooled: boolean;
  /** After so long without an answer a connection counts as dead, milliseconds. */
  queryTimeoutMs: number;
}

const OLDEST_VERSION = 150_000;
const CONNECT_TIMEOUT_MS = 3_000;
const IDLE_MS = 60_000;
/** A transaction that was under way when the network broke is given so long to prove that it lives. */
const GRACE_MS = 2_000;
/** What the server puts an end to by itself, should we be gone. */
const SERVER_LIMITS = {
  statement_timeout: 60_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 15_000,
} as const;
/** Our queries are short: their plans are not worth compiling or spreading. */
const PLANNING = { jit: "off", max_parallel_workers_per_gather: "0" } as const;

export class Connections implements AsyncDisposable {
  readonly #settings: PostgresSettings;
  readonly #urls: readonly string[];
  /** One of each host; made when it is needed. */
  #pools: (pg.Pool | undefined)[];
  /** Where the last connection was found. */
  #host = 0;
  readonly #taken = new Set<pg.PoolClient>();
  readonly #ending = new Set<Promise<void>>();
  /** What a session would have been told once; a pooled one is told in each transaction. */
  readonly beginning: string;

  constructor(settings: PostgresSettings) {
    this.#settings = settings;
    this.#urls = splitHosts(settings.url);
    this.#pools = this.#urls.map(() => undefined);
    const all = Object.entries({ ...SERVER_LIMITS, ...PLANNING, synchronous_commit: "on" });
    this.beginning = settings.isPooled ? all.map(([name, value]) => `; SET LOCAL ${name} = ${value}`).join("") : "";
  }

  /** A connection for one transaction; give it back with `release`. @throws whatever the last host said. */
  async take(): Promise<pg.PoolClient> {
    let failure: unknown;
    for (let tried = 0; tried < this.#urls.length; tried++) {
      const host = (this.#host + tried) % this.#urls.length;
      try {
        const client = await this.#poolOf(host).connect();
        this.#host = host;
        this.#taken.add(client);
        return client;
      } catch (error) {
        failure = error;
        if (!isConnectionLost(error)) throw error;
      }
    }
    throw failure;
  }

  /** `isBroken`: it is closed, not used again. */
  release(client: pg.PoolClient, isBroken: boolean): void {
    this.#taken.delete(client);
    client.release(isBroken);
  }

  /** A connection that is nobody's but the caller's, to the host in use or the first that answers. */
  async open(timeoutMs: number): Promise<pg.Client> {
    let failure: unknown;
    for (let tried = 0; tried < this.#urls.length; tried++) {
      const host = (this.#host + tried) % this.#urls.length;
      const client = new pg.Client({
        ...this.#configOf(host),
        connectionTimeoutMillis: timeoutMs,
        query_timeout: timeoutMs,
      });
      client.on("error", ignore);
      try {
        await client.connect();
        await check(client);
        this.#host = host;
        return client;
      } catch (error) {
        failure = error;
        client.end().catch(ignore);
      }
    }
    throw failure;
  }

  /** The network or the server was gone: what was connected before is not trusted any more. */
  retire(): void {
    const earlier = this.#pools;
    this.#pools = this.#urls.map(() => undefined);
    const suspects = [...this.#taken];
    setTimeout(() => {
      for (const client of suspects) if (this.#taken.has(client)) destroy(client);
    }, GRACE_MS).unref();
    for (const pool of earlier) if (pool !== undefined) this.#end(pool);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pool of this.#pools) if (pool !== undefined) this.#end(pool);
    this.#pools = this.#urls.map(() => undefined);
    await Promise.all(this.#ending);
  }

  #end(pool: pg.Pool): void {
    const ended = pool.end().catch(ignore);
    this.#ending.add(ended);
    void ended.then(() => this.#ending.delete(ended));
  }

  #poolOf(host: number): pg.Pool {
    let pool = this.#pools[host];
    if (pool === undefined) {
      pool = new pg.Pool({
        ...this.#configOf(host),
        max: this.#settings.connections,
        connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
        query_timeout: this.#settings.queryTimeoutMs,
        idleTimeoutMillis: IDLE_MS,
        pipeline: true,
        // oxlint-disable-next-line typescript/no-misused-promises -- its promise is waited for; the types do not tell
        onConnect: check,
      });
      // An idle connection that breaks is replaced when the next one is taken.
      pool.on("error", ignore);
      this.#pools[host] = pool;
    }
    return pool;
  }

  #configOf(host: number): pg.ClientConfig {
    return {
      connectionString: this.#urls[host] ?? "",
      application_name: "rostrum",
      keepAlive: true,
      types: { getTypeParser: parserOf },
      ...(this.#settings.isPooled
        ? {}
        : {
            ...SERVER_LIMITS,
            options: Object.entries(PLANNING)
              .map(([name, value]) => `-c ${name}=${value}`)
              .join(" "),
          }),
    };
  }
}

/** @throws AppError `unavailable` when the server is too old; an error of the server when it is a standby. */
async function check(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ version: number; is_standby: boolean; commits: string }>(
    `SELECT current_setting('server_version_num')::int AS version, pg_is_in_recovery() AS is_standby,
       current_setting('synchronous_commit') AS commits`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error("the server says nothing of itself");
  if (row.is_standby) throw Object.assign(new Error("this server is a standby"), { code: "25006" });
  if (row.version < OLDEST_VERSION) {
    throw new AppError("unavailable", "PostgreSQL 15 or a later one is needed; this server is older.");
  }
  // What was acknowledged is durable, whatever this server takes for usual.
  if (row.commits === "off") await client.query("SET synchronous_commit = on");
}

function splitHosts(url: string): string[] {
  const [, start = "", hosts = "", rest = ""] = /^(\w+:\/\/(?:[^@/?]*@)?)([^/?]*)(.*)$/s.exec(url) ?? [];
  return hosts === "" ? [url] : hosts.split(",").map((host) => `${start}${host}${rest}`);
}

/** Wide integers as numbers: ours are below 2^53. */
function parserOf(oid: number, format?: string) {
  if (oid === INT8 || oid === NUMERIC) return Number;
  return format === "binary" ? pg.types.getTypeParser(oid, "binary") : pg.types.getTypeParser(oid, "text");
}

const INT8 = 20;
const NUMERIC = 1_700;

function destroy(client: pg.ClientBase): void {
  // Typed by nobody: ending it politely would wait for an answer that does not come.
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}

function ignore(): void {}
