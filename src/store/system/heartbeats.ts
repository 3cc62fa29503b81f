/** Dispatchers that share a PostgreSQL: while one holds leases it says again and again that it lives. On SQLite the machine knows. */
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
 * What a dispatcher's own line to the database tells it. A worker whose row is old is dead only for somebody whose line has
 * lasted all the while, and was answered in time: after a crash, a failover or a pause of the database all rows are old, and
 * all workers live. Times are `performance.now()`.
 */
export class FailureDetector {
  readonly #isDirect: boolean;
  /** The beginning of the last beat that came back. */
  #beatAt = Number.NEGATIVE_INFINITY;
  /** When the last answer came. */
  #answeredAt = Number.NEGATIVE_INFINITY;
  /** From when on the line has lasted, and from when on it was answered in time. */
  #lastsSince = Number.POSITIVE_INFINITY;
  #calmSince = Number.NEGATIVE_INFINITY;
  /** Its line has lasted so far, from when it began. */
  #isNew = true;

  /** `isDirect`: of the line (store.ts). */
  constructor({ isDirect }: Pick<DedicatedConnection, "isDirect">) {
    this.#isDirect = isDirect;
  }

  /** An answer came, `now`, to what was asked at `startedAt`; `isBeat`: that it lives is written down. */
  felt(startedAt: number, now: number, isBeat: boolean): void {
    if (isBeat) this.#beatAt = startedAt;
    const isFirst = this.#answeredAt === Number.NEGATIVE_INFINITY;
    const isAfterPause = !isFirst && startedAt - this.#answeredAt > MAX_PAUSE_MS;
    if (isAfterPause && !this.#isDirect) this.missed();
    if (this.#lastsSince === Number.POSITIVE_INFINITY) {
      // The connection was made meanwhile.
      this.#lastsSince = now;
      if (!this.#isNew) this.#calmSince = now;
    }
    const maxMs = isAfterPause ? MAX_ANSWER_AFTER_PAUSE_MS : MAX_ANSWER_MS;
    if (now - startedAt > maxMs) this.#calmSince = now;
    this.#answeredAt = now;
  }

  /** No answer came. */
  missed(): void {
    this.#isNew = false;
    this.#lastsSince = Number.POSITIVE_INFINITY;
  }

  /** How long ago it said that it lives, milliseconds. */
  beatAge(now: number): number {
    return now - this.#beatAt;
  }

  /** Whether others may take it for dead soon. */
  isStale(now: number): boolean {
    return this.beatAge(now) > DISPATCHER_FENCED_AFTER_MS;
  }

  /** By what was asked at `startedAt`: how old the row of a dead worker is at least, milliseconds; null: it cannot be told. */
  deadAfterMs(startedAt: number, now: number): number | null {
    if (now - this.#answeredAt > MAX_ANSWER_AGE_MS) return null;
    if (startedAt - this.#calmSince < CALM_AFTER_MS) return null;
    if (startedAt - this.#lastsSince >= DISPATCHER_CERTAIN_AFTER_MS) return DISPATCHER_DEAD_AFTER_MS;
    return this.#isNew ? DISPATCHER_DEAD_FOR_NEWCOMER_MS : null;
  }

  /**
   * When one that has been silent for so long (null: always) is known to be dead, if it stays silent and answers go on to
   * come, milliseconds.
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

/** Says that the dispatcher lives. */
export async function beat(line: Pick<DedicatedConnection, "ask">, withinMs: number, id: string): Promise<void> {
  await line.ask(
    withinMs,
    // Should the server lose it, the next one comes soon: no commit has to wait for the disk.
    `INSERT INTO workers (id, kind, seen_at) VALUES (?, 'dispatcher', clock_timestamp())
     ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at
     RETURNING set_config('synchronous_commit', 'off', true)`,
    id,
  );
}

/** Says that it is gone. */
export async function deregister(line: Pick<DedicatedConnection, "ask">, withinMs: number, id: string): Promise<void> {
  await line.ask(withinMs, "DELETE FROM workers WHERE id = ?", id);
}

/** How many processes answer readers. PostgreSQL only. */
export function countNodes(db: Reader): Promise<number> {
  return countAlive(db, "node");
}

/** How many processes hold leases, or did a moment ago. PostgreSQL only. */
export function countDispatchers(db: Reader): Promise<number> {
  return countAlive(db, "dispatcher");
}

async function countAlive(db: Reader, kind: "node" | "dispatcher"): Promise<number> {
  const row = await db.get<{ n: number }>(`SELECT COUNT(*) AS n FROM workers WHERE kind = ? AND ${ALIVE}`, kind);
  return row?.n ?? 0;
}
