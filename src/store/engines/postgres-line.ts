/**
 * One connection that is kept for statements which follow each other, each a transaction of its own. A statement that fails
 * is not tried again, and the next one is told on a new connection: whoever asks knows that between two answers nothing
 * broke.
 */
import type { Client, QueryConfig } from "pg";
import { endClient } from "./postgres-closing.ts";
import type { Connections } from "./postgres-connections.ts";

export class Line {
  readonly #connections: Connections;
  readonly #prepare: (client: Client) => Promise<void>;
  #client: Client | undefined;
  #isBroken = false;

  /** `prepare`: done with each new connection before anything is asked over it. */
  constructor(connections: Connections, prepare: (client: Client) => Promise<void> = () => Promise.resolve()) {
    this.#connections = connections;
    this.#prepare = prepare;
  }

  /**
   * `query` is called when there is a connection. `withinMs`: after so long without an answer that counts as dead.
   *
   * @throws whatever went wrong.
   */
  async ask<Row>(query: () => QueryConfig, withinMs: number): Promise<Row[]> {
    try {
      this.#client ??= await this.#open(withinMs);
      // The driver's own limit takes an answer for missing that is there and not yet read.
      const unhurried: QueryConfig & { query_timeout: number } = { ...query(), query_timeout: 2 * withinMs };
      const { rows } = await answerOf(this.#client.query(unhurried), withinMs);
      // What was connected meanwhile may have met the same.
      if (this.#isBroken) this.#connections.retire();
      this.#isBroken = false;
      // They have the columns that the SQL names; `Row` is the caller's word for them.
      return rows as Row[];
    } catch (error) {
      this.giveUp();
      throw error;
    }
  }

  /** The next statement goes over a new connection. */
  giveUp(): void {
    // What else is connected may wait for an answer that never comes, and whoever asked with it.
    if (!this.#isBroken) this.#connections.retire();
    this.#isBroken = true;
    if (this.#client !== undefined) void endClient(this.#client);
    this.#client = undefined;
  }

  /** `last` is said on the way out, where there is a connection. */
  async end(last?: QueryConfig): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    if (client === undefined) return;
    // Should it be lost, whoever waits for it finds out by the clock.
    if (last !== undefined) await client.query(last).catch(() => undefined);
    await endClient(client);
  }

  async #open(withinMs: number): Promise<Client> {
    const client = await this.#connections.open(withinMs);
    try {
      await this.#prepare(client);
      return client;
    } catch (error) {
      void endClient(client);
      throw error;
    }
  }
}

/** @throws Error when there is none by then. A process that was held up itself reads first what has come meanwhile. */
async function answerOf<T>(answer: Promise<T>, withinMs: number): Promise<T> {
  const { promise: isLate, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(new Error(`timeout: no answer within ${withinMs} ms`));
  // After the timers of a turn of the event loop its sockets are read, and then this is done.
  const timer = setTimeout(() => setImmediate(() => setImmediate(giveUp)), withinMs);
  try {
    return await Promise.race([answer, isLate]);
  } finally {
    clearTimeout(timer);
  }
}
