/** What migrations need beside transactions: a lock for as long as they run, and statements outside of any transaction. */
import type { Client } from "pg";
import type { MigrationConnection, StepLimits, Writer } from "../../store.ts";
import { endClient } from "./closing.ts";
import type { Connections } from "./connections.ts";
import { explain, isTimedOut } from "./errors.ts";

/** Any number that nobody else takes. */
const LOCK = 5_273_746;
const ANSWER_TIMEOUT_MS = 10_000;
/** The server releases the lock of a machine that is gone after so long. */
const IDLE_TIMEOUT_MS = 60_000;
const PING_INTERVAL_MS = 5_000;
/** The driver takes no `none`; more than a timer can do would be none at all. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

type Write = (work: (db: Writer) => Promise<void>) => Promise<void>;

/**
 * The lock belongs to a transaction that does nothing else: behind PgBouncer no other lock is held by one connection. It has
 * no snapshot while it is idle, so indexes can be built to their end meanwhile.
 */
export class PostgresMigrationConnection implements MigrationConnection {
  readonly #connections: Connections;
  readonly #isPooled: boolean;
  readonly #write: Write;
  #holder: Client | undefined;
  #pings: NodeJS.Timeout | undefined;

  constructor(connections: Connections, isPooled: boolean, write: Write) {
    this.#connections = connections;
    this.#isPooled = isPooled;
    this.#write = write;
  }

  async tryLock(): Promise<boolean> {
    try {
      const client = (this.#holder ??= await this.#connections.open(ANSWER_TIMEOUT_MS));
      await client.query(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${IDLE_TIMEOUT_MS}`);
      const { rows } = await client.query<{ locked: boolean }>(`SELECT pg_try_advisory_xact_lock(${LOCK}) AS locked`);
      if (rows[0]?.locked !== true) {
        await client.query("ROLLBACK");
        return false;
      }
      // A lock that is lost is no danger: each step finds out by itself whether somebody else has done it.
      const ping = () => void client.query("SELECT 1").catch(() => undefined);
      this.#pings = setInterval(ping, PING_INTERVAL_MS);
      return true;
    } catch (error) {
      await this[Symbol.asyncDispose]();
      throw explain(error);
    }
  }

  async writeWithin({ lockMs, statementMs }: StepLimits, work: (db: Writer) => Promise<void>): Promise<boolean> {
    try {
      await this.#write(async (db) => {
        await db.run(`SET LOCAL lock_timeout = ${lockMs}`);
        if (statementMs !== null) await db.run(`SET LOCAL statement_timeout = ${statementMs}`);
        await work(db);
      });
      return true;
    } catch (error) {
      if (isTimedOut(error)) return false;
      throw error;
    }
  }

  async runAlone(sql: string): Promise<void> {
    let client: Client | undefined;
    try {
      client = await this.#connections.open(ANSWER_TIMEOUT_MS);
      // PgBouncer would leave the settings to whoever has the connection next; behind it there are no limits of ours.
      if (!this.#isPooled) await client.query("SET statement_timeout = 0; SET lock_timeout = 0");
      const unlimited = { text: sql, query_timeout: NO_TIMEOUT_MS };
      await client.query(unlimited);
    } catch (error) {
      throw explain(error);
    } finally {
      if (client !== undefined) await endClient(client);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#pings);
    const client = this.#holder;
    this.#holder = undefined;
    if (client !== undefined) await endClient(client);
  }
}
