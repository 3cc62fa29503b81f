/** Heartbeats of dispatchers on PostgreSQL, sent while one holds leases. SQLite has none: liveness is checked locally. */
import {
  ALIVE,
  CALM_AFTER_MS,
  DISPATCHER_CERTAIN_AFTER_MS,
  DISPATCHER_DEAD_AFTER_MS,
  DISPATCHER_DEAD_FOR_NEWCOMER_MS,
  DISPATCHER_FENCED_AFTER_MS,
  MAX_ANSWER_AFTER_PAUSE_MS,
  MAX_ANSWER_AGE_MS,
  MAX_ANSWER_MS,
  MAX_PAUSE_MS,
} from "./liveness.ts";
import type { DedicatedConnection, Reader } from "../store.ts";

/**
 * Decides by a dispatcher's own connection to the database which workers are dead. A worker with an old row counts as dead
 * only if that connection has lasted all the while and was answered in time: after a crash, a failover or a pause of the
 * database all rows are old, although all workers live. Times are `performance.now()`.
 */
export class FailureDetector {
  readonly #isDirect: boolean;
  /** The start of the last answered heartbeat. */
  #beatAt = Number.NEGATIVE_INFINITY;
  /** When the last answer came. */
  #answeredAt = Number.NEGATIVE_INFINITY;
  /** Since when the connection has lasted, and since when it has been answered in time. */
  #lastsSince = Number.POSITIVE_INFINITY;
  #calmSince = Number.NEGATIVE_INFINITY;
  /** Whether the first connection has lasted so far. */
  #isNew = true;

  /** `isDirect`: of the dedicated connection (store.ts). */
  constructor({ isDirect }: Pick<DedicatedConnection, "isDirect">) {
    this.#isDirect = isDirect;
  }

  /** Records an answer, at `now`, to a query that was sent at `startedAt`. `isBeat`: the query was a heartbeat. */
  onReply(startedAt: number, now: number, isBeat: boolean): void {
    if (isBeat) this.#beatAt = startedAt;
    const isFirst = this.#answeredAt === Number.NEGATIVE_INFINITY;
    const isAfterPause = !isFirst && startedAt - this.#answeredAt > MAX_PAUSE_MS;
    if (isAfterPause && !this.#isDirect) this.onTimeout();
    if (this.#lastsSince === Number.POSITIVE_INFINITY) {
      // The connection was opened during this query.
      this.#lastsSince = now;
      if (!this.#isNew) this.#calmSince = now;
    }
    const maxMs = isAfterPause ? MAX_ANSWER_AFTER_PAUSE_MS : MAX_ANSWER_MS;
    if (now - startedAt > maxMs) this.#calmSince = now;
    this.#answeredAt = now;
  }

  /** Records that no answer came. */
  onTimeout(): void {
    this.#isNew = false;
    this.#lastsSince = Number.POSITIVE_INFINITY;
  }

  /** How long ago the last answered heartbeat was sent, milliseconds. */
  beatAge(now: number): number {
    return now - this.#beatAt;
  }

  /** Whether others may soon count this dispatcher as dead. */
  isStale(now: number): boolean {
    return this.beatAge(now) > DISPATCHER_FENCED_AFTER_MS;
  }

  /** Age from which a row read by a query sent at `startedAt` means that its worker is dead, milliseconds; null: unknown. */
  deadAfterMs(startedAt: number, now: number): number | null {
    if (now - this.#answeredAt > MAX_ANSWER_AGE_MS) return null;
    if (startedAt - this.#calmSince < CALM_AFTER_MS) return null;
    if (startedAt - this.#lastsSince >= DISPATCHER_CERTAIN_AFTER_MS) return DISPATCHER_DEAD_AFTER_MS;
    return this.#isNew ? DISPATCHER_DEAD_FOR_NEWCOMER_MS : null;
  }

  /**
   * Time until a worker that has been silent for `silentMs` (null: always) is known to be dead, if it stays silent and
   * answers keep coming, milliseconds.
   */
  knownInMs(silentMs: number | null, now: number): number {
    const calmInMs = this.#calmSince + CALM_AFTER_MS - now;
    const lastsSince = Math.min(this.#lastsSince, now);
    const certainInMs = Math.max(0, calmInMs, lastsSince + DISPATCHER_CERTAIN_AFTER_MS - now);
    if (silentMs === null) return certainInMs;
    const inMs = Math.max(DISPATCHER_DEAD_AFTER_MS - silentMs, certainInMs);
    return this.#isNew ? Math.min(inMs, Math.max(0, calmInMs, DISPATCHER_DEAD_FOR_NEWCOMER_MS - silentMs)) : inMs;
  }
}

/** Sends a heartbeat of the dispatcher. */
export async function beat(line: Pick<DedicatedConnection, "ask">, withinMs: number, id: string): Promise<void> {
  await line.ask(
    withinMs,
    // If the server loses it, the next one comes soon: the commit need not wait for the disk.
    `INSERT INTO workers (id, kind, seen_at) VALUES (?, 'dispatcher', clock_timestamp())
     ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at
     RETURNING set_config('synchronous_commit', 'off', true)`,
    id,
  );
}

/** Removes the dispatcher's heartbeat when it stops. */
export async function deregister(line: Pick<DedicatedConnection, "ask">, withinMs: number, id: string): Promise<void> {
  await line.ask(withinMs, "DELETE FROM workers WHERE id = ?", id);
}

/** The number of live nodes, which answer readers. PostgreSQL only. */
export function countNodes(db: Reader): Promise<number> {
  return countAlive(db, "node");
}

/** The number of processes that hold leases, or did a moment ago. PostgreSQL only. */
export function countDispatchers(db: Reader): Promise<number> {
  return countAlive(db, "dispatcher");
}

async function countAlive(db: Reader, kind: "node" | "dispatcher"): Promise<number> {
  const row = await db.get(`SELECT COUNT(*) AS n FROM workers WHERE kind = ? AND ${ALIVE}`, kind);
  return row?.n ?? 0;
}
