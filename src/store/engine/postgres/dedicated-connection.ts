/**
 * One connection that is kept for statements which follow each other, each a transaction of its own. A statement that fails
 * is not tried again, and the next one is told on a new connection: whoever asks knows that between two answers nothing
 * broke.
 */
import type { Client, QueryConfig } from "pg";
import { endClient } from "./closing.ts";
import type { Connections } from "./connections.ts";

export class DedicatedConnection {
  readonly #connections: Connections;
  readonly #prepare: (client: Client) => Promise<void>;
  #client: Client | undefined;
  #opening: Promise<Client> | undefined;
  #isBroken = false;
  #isEnded = false;

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
    let client: Client | undefined;
    try {
      client = this.#client ?? (await this.#connect(withinMs));
      // The driver's own limit takes an answer for missing that is there and not yet read.
      const unhurried: QueryConfig & { query_timeout: number } = { ...query(), query_timeout: 2 * withinMs };
      const { rows } = await answerOf(client.query(unhurried), withinMs);
      // What was connected meanwhile may have met the same.
      if (this.#isBroken) this.#connections.retire();
      this.#isBroken = false;
      // They have the columns that the SQL names; `Row` is the caller's word for them.
      return rows as Row[];
    } catch (error) {
      // Somebody else who asked over it may have given it up already, and there may be a new one.
      if (client === undefined || client === this.#client) this.giveUp();
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
    this.#isEnded = true;
    await this.#opening?.catch(() => undefined);
    const client = this.#client;
    this.#client = undefined;
    if (client === undefined) return;
    // Should it be lost, whoever waits for it finds out by the clock.
    if (last !== undefined) await client.query(last).catch(() => undefined);
    await endClient(client);
  }

  /** One, whoever asks meanwhile. */
  #connect(withinMs: number): Promise<Client> {
    if (this.#isEnded) throw new Error("this line to the database has ended");
    this.#opening ??= this.#open(withinMs).finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #open(withinMs: number): Promise<Client> {
    const client = await this.#connections.open(withinMs);
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
