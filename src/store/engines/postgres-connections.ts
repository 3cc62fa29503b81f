/**
 * Connections to whichever of the hosts accepts writes. They are pipelined: `BEGIN` and the first query travel together,
 * and nobody waits for the end of a transaction that only read.
 */
import { setTimeout as sleep } from "node:timers/promises";
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
  /** A transaction waits for another's row locks for so long, milliseconds. */
  lockTimeoutMs: number;
  /** The server ends a transaction in which nothing happens for so long, and with it the locks of a process that is gone, milliseconds. */
  idleTimeoutMs: number;
  /** Whether all that is asked for is looked up by keys. */
  looksUp?: boolean;
}

const OLDEST_VERSION = 150_000;
const CONNECT_TIMEOUT_MS = 1_500;
const IDLE_MS = 60_000;
/** A transaction that was under way when the network broke is given so long to prove that it lives. */
const GRACE_MS = 2_000;
/** Until sessions that were given up are ended, it is tried so often; the server ends those that stand in a transaction by itself. */
const END_AGAIN_AFTER_MS = 500;
const MOST_ENDINGS = 20;
/** A statement that the server ends by itself. */
const STATEMENT_TIMEOUT_MS = 60_000;
/** Our queries are short: their plans are not worth compiling or spreading. */
const PLANNING = { jit: "off", max_parallel_workers_per_gather: "0" } as const;
/** A plan that was made while there was little is kept when there is much: it must not read tables whole then. */
const BY_KEY = { enable_seqscan: "off", enable_hashjoin: "off", enable_mergejoin: "off" } as const;

export class Connections implements AsyncDisposable {
  readonly #settings: PostgresSettings;
  readonly #urls: readonly string[];
  /** One of each host; made when it is needed. */
  #pools: (pg.Pool | undefined)[];
  /** Where the last connection was found. */
  #host = 0;
  readonly #taken = new Set<pg.ClientBase>();
  readonly #all = new Set<pg.ClientBase>();
  readonly #ending = new Set<Promise<void>>();
  /** Sessions of the server, by connection; those that were given up, and perhaps hold locks. */
  readonly #sessions = new WeakMap<pg.ClientBase, string>();
  #givenUp: string[] = [];
  #isEndingThem = false;
  #isClosed = false;
  /** What a session would have been told once; a pooled one is told in each transaction. */
  readonly beginning: string;
  readonly #planning: Readonly<Record<string, string>>;

  constructor(settings: PostgresSettings) {
    this.#settings = settings;
    this.#urls = splitHosts(settings.url);
    this.#pools = this.#urls.map(() => undefined);
    this.#planning = { ...PLANNING, ...(settings.looksUp === true ? BY_KEY : {}) };
    const all = Object.entries({ ...this.#limits(), ...this.#planning, synchronous_commit: "on" });
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
        // The pool listens only while it is idle. Broken between two queries it says so here, and in the next one.
        client.on("error", ignore);
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
    client.off("error", ignore);
    client.release(isBroken);
    if (isBroken) this.#giveUp([client]);
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
        endClient(client);
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
      const dead = suspects.filter((client) => this.#taken.has(client));
      for (const client of dead) destroy(client);
      this.#giveUp(dead);
    }, GRACE_MS).unref();
    const idle = [...this.#all].filter((client) => !this.#taken.has(client));
    for (const pool of earlier) if (pool !== undefined) this.#end(pool);
    // They are told to end, and cannot be waited for.
    for (const client of idle) destroy(client);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    for (const pool of this.#pools) if (pool !== undefined) this.#end(pool);
    this.#pools = this.#urls.map(() => undefined);
    await Promise.all(this.#ending);
  }

  /** Where the network broke, the server may not have heard of it: it would keep their locks. */
  #giveUp(clients: readonly pg.ClientBase[]): void {
    this.#givenUp.push(...clients.flatMap((client) => this.#sessions.get(client) ?? []));
    if (this.#givenUp.length > 0 && !this.#isEndingThem) void this.#endGivenUp();
  }

  async #endGivenUp(): Promise<void> {
    this.#isEndingThem = true;
    for (let tries = 0; tries < MOST_ENDINGS && this.#givenUp.length > 0 && !this.#isClosed; tries++) {
      const sessions = this.#givenUp.slice();
      try {
        const client = await this.open(CONNECT_TIMEOUT_MS);
        try {
          await client.query(END_SESSIONS, [sessions]);
        } finally {
          endClient(client);
        }
        this.#givenUp.splice(0, sessions.length);
      } catch {
        await sleep(END_AGAIN_AFTER_MS, undefined, { ref: false });
      }
    }
    this.#givenUp = [];
    this.#isEndingThem = false;
  }

  /** Its session is known from now on; a pooled connection has none of its own. */
  async #check(client: pg.ClientBase): Promise<void> {
    const session = await check(client);
    if (!this.#settings.isPooled) this.#sessions.set(client, session);
  }

  #end(pool: pg.Pool): void {
    const ended = Promise.race([pool.end().catch(ignore), sleep(GRACE_MS, undefined, { ref: false })]);
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
        onConnect: (client) => this.#check(client),
      });
      // An idle connection that breaks is replaced when the next one is taken.
      pool.on("error", ignore);
      pool.on("connect", (client) => this.#all.add(client));
      pool.on("remove", (client) => this.#all.delete(client));
      this.#pools[host] = pool;
    }
    return pool;
  }

  #limits() {
    const { lockTimeoutMs, idleTimeoutMs } = this.#settings;
    return {
      statement_timeout: STATEMENT_TIMEOUT_MS,
      lock_timeout: lockTimeoutMs,
      idle_in_transaction_session_timeout: idleTimeoutMs,
    };
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
            ...this.#limits(),
            options: Object.entries(this.#planning)
              .map(([name, value]) => `-c ${name}=${value}`)
              .join(" "),
          }),
    };
  }
}

/** Names a session of a server, so that no later one is taken for it. */
const SESSION = "pid || ' ' || CAST(backend_start AS TEXT)";
const END_SESSIONS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE usename = current_user AND ${SESSION} = ANY (CAST($1 AS TEXT[]))`;

/**
 * @returns the name of its session.
 * @throws AppError `unavailable` when the server is too old; an error of the server when it is a standby.
 */
async function check(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ version: number; is_standby: boolean; commits: string; session: string }>(
    `SELECT current_setting('server_version_num')::int AS version, pg_is_in_recovery() AS is_standby,
       current_setting('synchronous_commit') AS commits,
       (SELECT ${SESSION} FROM pg_stat_activity WHERE pid = pg_backend_pid()) AS session`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error("the server says nothing of itself");
  if (row.is_standby) throw Object.assign(new Error("this server is a standby"), { code: "25006" });
  if (row.version < OLDEST_VERSION) {
    throw new AppError("unavailable", "PostgreSQL 15 or a later one is needed; this server is older.");
  }
  // What was acknowledged is durable, whatever this server takes for usual.
  if (row.commits === "off") await client.query("SET synchronous_commit = on");
  return row.session;
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

/** Politely; where nobody answers any more, all the same soon. */
export function endClient(client: pg.Client): void {
  const timer = setTimeout(() => destroy(client), GRACE_MS);
  void client
    .end()
    .catch(ignore)
    .then(() => clearTimeout(timer));
}

function destroy(client: pg.ClientBase): void {
  // Typed by nobody: ending it politely would wait for an answer that does not come.
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}

function ignore(): void {}
