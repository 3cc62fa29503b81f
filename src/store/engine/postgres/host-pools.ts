/** Uses the host that accepts writes. `BEGIN` and the first query are pipelined, the end of a read is not awaited. */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { ServerClock } from "./clock.ts";
import { destroy, endClient } from "./closing.ts";
import { isConnectionLost } from "./errors.ts";
import type { PoolStats } from "../../store.ts";
import { check } from "./backends.ts";
import { ConnectionReaper } from "./connection-reaper.ts";

export interface PostgresSettings {
  /** `postgres://user:password@host:port[,host:port …]/database?…` */
  url: string;
  connections: number;
  /** Whether PgBouncer in transaction mode is in between: a connection is ours for one transaction only. */
  isPooled: boolean;
  /** Time without an answer after which a connection counts as dead, milliseconds. */
  queryTimeoutMs: number;
  /** How long a transaction waits for another's row locks, milliseconds. */
  lockTimeoutMs: number;
  /** Milliseconds after which the server ends an idle transaction, and releases locks of a process that is gone. */
  idleTimeoutMs: number;
  /** Whether all queries look up rows by keys: sequential scans, hash joins and merge joins are then disabled. */
  looksUp?: boolean;
  /** Minimum time between two notifications of other processes, milliseconds; each covers all earlier commits. */
  notifyIntervalMs?: number;
}

const CONNECT_TIMEOUT_MS = 1_500;
const IDLE_MS = 60_000;
const END_WITHIN_MS = 2_000;
/** The server cancels a statement that runs longer. */
const STATEMENT_TIMEOUT_MS = 60_000;
/** Our queries are short: JIT compilation and parallel workers do not pay off. */
const PLANNING = { jit: "off", max_parallel_workers_per_gather: "0" } as const;
/** A plan that was made for small tables is still used when they are large: it must not read whole tables. */
const BY_KEY = { enable_seqscan: "off", enable_hashjoin: "off", enable_mergejoin: "off" } as const;

export class HostPools implements AsyncDisposable {
  /** Set by each new connection, and by transactions and heartbeats that measure the server's time. */
  readonly clock = new ServerClock();
  readonly #settings: PostgresSettings;
  readonly #urls: readonly string[];
  #pools: (pg.Pool | undefined)[];
  /** Index of the host that gave the last connection. */
  #host = 0;
  readonly #taken = new Set<pg.ClientBase>();
  readonly #all = new Set<pg.ClientBase>();
  readonly #ending = new Set<Promise<void>>();
  /** Sessions of the server, by connection. */
  readonly #sessions = new WeakMap<pg.ClientBase, string>();
  readonly #connectionReaper: ConnectionReaper;
  /** Added to `BEGIN`: settings that are made once per session otherwise, and behind a pooler in each transaction. */
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

  /** A connection for one transaction; give it back with `release`. @throws the error of the last host. */
  async take(): Promise<pg.PoolClient> {
    let failure: unknown;
    for (let tried = 0; tried < this.#urls.length; tried++) {
      const host = (this.#host + tried) % this.#urls.length;
      try {
        const client = await this.#getPool(host).connect();
        this.#host = host;
        // The pool handles errors of idle connections. If this one breaks between two queries, the next one fails.
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

  /** `isBroken`: the connection is closed instead of reused. */
  release(client: pg.PoolClient, isBroken: boolean): void {
    this.#taken.delete(client);
    client.off("error", ignore);
    client.release(isBroken);
    if (isBroken) this.#connectionReaper.discard([client]);
  }

  /** Opens a connection of the caller's own, to the host in use or the next one that answers. */
  async open(timeoutMs: number): Promise<pg.Client> {
    let failure: unknown;
    for (let tried = 0; tried < this.#urls.length; tried++) {
      const host = (this.#host + tried) % this.#urls.length;
      const client = new pg.Client({
        ...this.#buildConfig(host),
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

  get stats(): PoolStats {
    const pools = this.#pools.filter((pool) => pool !== undefined);
    return {
      inUse: this.#taken.size,
      idle: pools.reduce((sum, { idleCount }) => sum + idleCount, 0),
      max: this.#settings.connections,
      waiting: pools.reduce((sum, { waitingCount }) => sum + waitingCount, 0),
    };
  }

  /** Discards all idle connections and probes those in use, as the network or the server may be gone. */
  retire(): void {
    const earlier = this.#pools;
    this.#pools = this.#urls.map(() => undefined);
    void this.#connectionReaper.examine([...this.#taken]);
    const idle = [...this.#all].filter((client) => !this.#taken.has(client));
    for (const pool of earlier) if (pool !== undefined) this.#end(pool);
    // The pool closes connections gracefully, which a dead server would never answer.
    for (const client of idle) destroy(client);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#connectionReaper[Symbol.dispose]();
    for (const pool of this.#pools) if (pool !== undefined) this.#end(pool);
    this.#pools = this.#urls.map(() => undefined);
    await Promise.all(this.#ending);
  }

  /** Checks the connection and records its session; a pooled connection has none of its own. */
  async #check(client: pg.ClientBase): Promise<void> {
    const session = await check(client, this.clock);
    if (!this.#settings.isPooled) this.#sessions.set(client, session);
  }

  #end(pool: pg.Pool): void {
    const ended = Promise.race([pool.end().catch(ignore), sleep(END_WITHIN_MS, undefined, { ref: false })]);
    this.#ending.add(ended);
    void ended.then(() => this.#ending.delete(ended));
  }

  #getPool(host: number): pg.Pool {
    let pool = this.#pools[host];
    if (pool === undefined) {
      pool = new pg.Pool({
        ...this.#buildConfig(host),
        max: this.#settings.connections,
        connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
        query_timeout: this.#settings.queryTimeoutMs,
        idleTimeoutMillis: IDLE_MS,
        pipeline: true,
        // oxlint-disable-next-line typescript/no-misused-promises -- the pool awaits its promise, which the types do not show
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

  #buildConfig(host: number): pg.ClientConfig {
    return {
      connectionString: this.#urls[host] ?? "",
      application_name: "rostrum",
      keepAlive: true,
      types: { getTypeParser: getParser },
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

/** Parses wide integers as numbers: ours are below 2^53. */
function getParser(oid: number, format?: string) {
  if (oid === INT8 || oid === NUMERIC) return Number;
  return format === "binary" ? pg.types.getTypeParser(oid, "binary") : pg.types.getTypeParser(oid, "text");
}

const INT8 = 20;
const NUMERIC = 1_700;

function ignore(): void {}
