/** A statement that fails is not retried, and the next one connects anew: nothing broke between two answers. */
import type { Client, QueryConfig } from "pg";
import { endClient } from "./closing.ts";
import type { HostPools } from "./host-pools.ts";
import { query } from "./statements.ts";

export class DedicatedPostgresConnection {
  readonly #pools: HostPools;
  readonly #prepare: (client: Client) => Promise<void>;
  #client: Client | undefined;
  #opening: Promise<Client> | undefined;
  #isBroken = false;
  #isEnded = false;

  /** `prepare` runs on each new connection before its first statement. */
  constructor(pools: HostPools, prepare: (client: Client) => Promise<void> = () => Promise.resolve()) {
    this.#pools = pools;
    this.#prepare = prepare;
  }

  /** `statement` is called once connected; no answer `withinMs`: the connection is dead. @throws its error. */
  async ask<Row>(statement: () => QueryConfig, withinMs: number): Promise<Row[]> {
    let client: Client | undefined;
    try {
      client = this.#client ?? (await this.#connect(withinMs));
      // The driver's own timeout would also fire for an answer that has arrived but is not read yet.
      const unhurried: QueryConfig & { query_timeout: number } = { ...statement(), query_timeout: 2 * withinMs };
      const { rows } = await withTimeout(query(client, unhurried), withinMs);
      // Connections made meanwhile may be affected, too.
      if (this.#isBroken) this.#pools.retire();
      this.#isBroken = false;
      // The rows have the columns that the SQL names; `Row` is the caller's type for them.
      return rows as Row[];
    } catch (error) {
      // A concurrent call may have abandoned this connection already and opened a new one.
      if (client === undefined || client === this.#client) this.discard();
      throw error;
    }
  }

  /** Abandons the connection: the next statement opens a new one. */
  discard(): void {
    // Other connections may be waiting for answers that never come.
    if (!this.#isBroken) this.#pools.retire();
    this.#isBroken = true;
    if (this.#client !== undefined) void endClient(this.#client);
    this.#client = undefined;
  }

  /** Runs `last` if there is a connection, and closes it. */
  async end(last?: QueryConfig): Promise<void> {
    this.#isEnded = true;
    await this.#opening?.catch(() => undefined);
    const client = this.#client;
    this.#client = undefined;
    if (client === undefined) return;
    // If this fails, other processes find out by timeout.
    if (last !== undefined) await client.query(last).catch(() => undefined);
    await endClient(client);
  }

  #connect(withinMs: number): Promise<Client> {
    if (this.#isEnded) throw new Error("this connection to the database has ended");
    this.#opening ??= this.#open(withinMs).finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #open(withinMs: number): Promise<Client> {
    const client = await this.#pools.open(withinMs);
    try {
      await this.#prepare(client);
      this.#client = client;
      return client;
    } catch (error) {
      void endClient(client);
      throw error;
    }
  }
}

/** @throws Error if there is no answer by then. After a delay of its own it first reads what has arrived. */
async function withTimeout<T>(answer: Promise<T>, withinMs: number): Promise<T> {
  const { promise: isLate, reject } = Promise.withResolvers<never>();
  const expire = () => reject(new Error(`timeout: no answer within ${withinMs} ms`));
  // The event loop reads sockets after timers: `expire` runs after both, so that an answer that is there counts.
  const timer = setTimeout(() => setImmediate(() => setImmediate(expire)), withinMs);
  try {
    return await Promise.race([answer, isLate]);
  } finally {
    clearTimeout(timer);
  }
}
