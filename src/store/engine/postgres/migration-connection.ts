/** What migrations need besides transactions: a lock held while they run, and statements outside any transaction. */
import type { Client } from "pg";
import type { MigrationConnection, StepLimits, Writer } from "../../store.ts";
import { endClient } from "./closing.ts";
import type { HostPools } from "./host-pools.ts";
import { explain, isTimedOut } from "./errors.ts";

/** An arbitrary number that no other advisory lock has. */
const LOCK = 5_273_746;
const ANSWER_TIMEOUT_MS = 10_000;
/** After this time the server releases the lock of a machine that is gone. */
const IDLE_TIMEOUT_MS = 60_000;
const PING_INTERVAL_MS = 5_000;
/** The longest possible timer: the driver has no value for "none", and a longer timer would fire at once. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

type Write = (work: (db: Writer) => Promise<void>) => Promise<void>;

/**
 * The lock belongs to a transaction that does nothing else: behind PgBouncer no other lock stays with one connection.
 * Idle, it has no snapshot, so that concurrent index builds can finish.
 */
export class PostgresMigrationConnection implements MigrationConnection {
  readonly #pools: HostPools;
  readonly #isPooled: boolean;
  readonly #write: Write;
  #lockConnection: Client | undefined;
  #pings: NodeJS.Timeout | undefined;

  constructor(pools: HostPools, isPooled: boolean, write: Write) {
    this.#pools = pools;
    this.#isPooled = isPooled;
    this.#write = write;
  }

  async tryLock(): Promise<boolean> {
    try {
      const client = (this.#lockConnection ??= await this.#pools.open(ANSWER_TIMEOUT_MS));
      await client.query(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${IDLE_TIMEOUT_MS}`);
      const { rows } = await client.query<{ locked: boolean }>(`SELECT pg_try_advisory_xact_lock(${LOCK}) AS locked`);
      if (rows[0]?.locked !== true) {
        await client.query("ROLLBACK");
        return false;
      }
      // Losing the lock is harmless: each step checks whether another process has already done it.
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
      client = await this.#pools.open(ANSWER_TIMEOUT_MS);
      // PgBouncer would pass the settings on to the connection's next user; sessions behind it have no limits of ours.
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
    const client = this.#lockConnection;
    this.#lockConnection = undefined;
    if (client !== undefined) await endClient(client);
  }
}
