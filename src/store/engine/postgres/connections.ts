/**
 * Connections to whichever of the hosts accepts writes. They are pipelined: `BEGIN` and the first query travel together,
 * and nobody waits for the end of a transaction that only read.
 */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { ServerClock } from "./clock.ts";
import { destroy, endClient } from "./closing.ts";
import { isConnectionLost } from "./errors.ts";
import type { PoolFigures } from "../../store.ts";
import { check } from "./backends.ts";
import { ConnectionReaper } from "./connection-reaper.ts";

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

const CONNECT_TIMEOUT_MS = 1_500;
const IDLE_MS = 60_000;
/** What has not ended by then is left to itself. */
const END_WITHIN_MS = 2_000;
/** A statement that the server ends by itself. */
const STATEMENT_TIMEOUT_MS = 60_000;
/** Our queries are short: their plans are not worth compiling or spreading. */
const PLANNING = { jit: "off", max_parallel_workers_per_gather: "0" } as const;
/** A plan that was made while there was little is kept when there is much: it must not read tables whole then. */
const BY_KEY = { enable_seqscan: "off", enable_hashjoin: "off", enable_mergejoin: "off" } as const;

export class Connections implements AsyncDisposable {
  /** Set by each new connection, and by whoever asks the server for its time. */
  readonly clock = new ServerClock();
  readonly #settings: PostgresSettings;
  readonly #urls: readonly string[];
  /** One of each host; made when it is needed. */
  #pools: (pg.Pool | undefined)[];
  /** Where the last connection was found. */
  #host = 0;
  readonly #taken = new Set<pg.ClientBase>();
  readonly #all = new Set<pg.ClientBase>();
  readonly #ending = new Set<Promise<void>>();
  /** Sessions of the server, by connection. */
  readonly #sessions = new WeakMap<pg.ClientBase, string>();
  readonly #connectionReaper: ConnectionReaper;
  /** What a session would have been told once; a pooled one is told in each transaction. */
  readonly beginning: string;
  readonly #planning: Readonly<Record<string, string>>;

  constructor(settings: PostgresSettings) {
    this.#settings = settings;
    this.#urls = splitHosts(settings.url);
    this.#connectionReaper = new ConnectionReaper({
      open: (timeoutMs) => this.open(timeoutMs),
      sessionOf: (client) => this.#sessions.get(client),
      isTaken: (client) => this.#taken.has(client),
    });
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
    if (isBroken) this.#connectionReaper.giveUp([client]);
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
        await check(client, this.clock);
        this.#host = host;
        return client;
      } catch (error) {
        failure = error;
        void endClient(client);
      }
    }
    throw failure;
  }

  get figures(): PoolFigures {
    const pools = this.#pools.filter((pool) => pool !== undefined);
    return {
      inUse: this.#taken.size,
      idle: pools.reduce((sum, { idleCount }) => sum + idleCount, 0),
      max: this.#settings.connections,
      waiting: pools.reduce((sum, { waitingCount }) => sum + waitingCount, 0),
    };
  }

  /** The network or the server may be gone: what was connected before is not trusted any more. */
  retire(): void {
    const earlier = this.#pools;
    this.#pools = this.#urls.map(() => undefined);
    void this.#connectionReaper.examine([...this.#taken]);
    const idle = [...this.#all].filter((client) => !this.#taken.has(client));
    for (const pool of earlier) if (pool !== undefined) this.#end(pool);
    // They are told to end, and cannot be waited for.
    for (const client of idle) destroy(client);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#connectionReaper[Symbol.dispose]();
    for (const pool of this.#pools) if (pool !== undefined) this.#end(pool);
    this.#pools = this.#urls.map(() => undefined);
    await Promise.all(this.#ending);
  }

  /** Its session is known from now on; a pooled connection has none of its own. */
  async #check(client: pg.ClientBase): Promise<void> {
    const session = await check(client, this.clock);
    if (!this.#settings.isPooled) this.#sessions.set(client, session);
  }

  #end(pool: pg.Pool): void {
    const ended = Promise.race([pool.end().catch(ignore), sleep(END_WITHIN_MS, undefined, { ref: false })]);
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

function ignore(): void {}
