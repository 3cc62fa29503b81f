/** Dispatchers that share a PostgreSQL: while one holds leases it says again and again that it lives. On SQLite the machine knows. */
import { ALIVE } from "../engine/postgres/liveness.ts";
import type { Line, Reader } from "../store.ts";

export const BEAT_EVERY_MS = 200;

/** Whoever holds leases and has not been heard of for so long sends nothing any more: others may take them soon. */
const FENCED_AFTER_MS = 1_150;
/** Others take them then: soon enough for them to be sent within 2 s, late enough for a machine that is busy for a second. */
export const DEAD_AFTER_MS = 1_400;
/** Whose line has lasted for so long knows that no crash has lost a beat of anybody who still sends. */
const CERTAIN_AFTER_MS = FENCED_AFTER_MS + 50;
/** For somebody whose line has not: a crash loses the last 600 ms of beats at most, for which no commit waits. */
const DEAD_FOR_NEWCOMER_MS = FENCED_AFTER_MS + 600 + 50;
/** An answer that took longer says that the database stood still, for others perhaps, too. */
const MOST_ASKING_MS = 600;
/** The same of a question after a pause: it may have been asked when the database had stood still for long already. */
const MOST_ASKING_AFTER_PAUSE_MS = 150;
/** So soon after that, all that live have said so again. */
const CALM_AFTER_MS = 500;
/** An answer that is older says nothing of now. */
const MOST_SINCE_ANSWER_MS = 600;
/** A longer pause between two questions hides what the database did, and where the line is not direct, that it broke. */
const MOST_UNASKED_MS = 600;

/**
 * What a dispatcher's own line to the database tells it. A worker whose row is old is dead only for somebody whose line has
 * lasted all the while, and was answered in time: after a crash, a failover or a pause of the database all rows are old, and
 * all workers live. Times are `performance.now()`.
 */
export class Pulse {
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
  constructor({ isDirect }: Pick<Line, "isDirect">) {
    this.#isDirect = isDirect;
  }

  /** An answer came, `now`, to what was asked at `startedAt`; `isBeat`: that it lives is written down. */
  felt(startedAt: number, now: number, isBeat: boolean): void {
    if (isBeat) this.#beatAt = startedAt;
    const isFirst = this.#answeredAt === Number.NEGATIVE_INFINITY;
    const isAfterPause = !isFirst && startedAt - this.#answeredAt > MOST_UNASKED_MS;
    if (isAfterPause && !this.#isDirect) this.missed();
    if (this.#lastsSince === Number.POSITIVE_INFINITY) {
      // The connection was made meanwhile.
      this.#lastsSince = now;
      if (!this.#isNew) this.#calmSince = now;
    }
    const mostMs = isAfterPause ? MOST_ASKING_AFTER_PAUSE_MS : MOST_ASKING_MS;
    if (now - startedAt > mostMs) this.#calmSince = now;
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
  isWeak(now: number): boolean {
    return this.beatAge(now) > FENCED_AFTER_MS;
  }

  /** By what was asked at `startedAt`: how old the row of a dead worker is at least, milliseconds; null: it cannot be told. */
  deadAfterMs(startedAt: number, now: number): number | null {
    if (now - this.#answeredAt > MOST_SINCE_ANSWER_MS) return null;
    if (startedAt - this.#calmSince < CALM_AFTER_MS) return null;
    if (startedAt - this.#lastsSince >= CERTAIN_AFTER_MS) return DEAD_AFTER_MS;
    return this.#isNew ? DEAD_FOR_NEWCOMER_MS : null;
  }

  /**
   * When one that has been silent for so long (null: always) is known to be dead, if it stays silent and answers go on to
   * come, milliseconds.
   */
  knownInMs(silentMs: number | null, now: number): number {
    const calmInMs = this.#calmSince + CALM_AFTER_MS - now;
    const lastsSince = Math.min(this.#lastsSince, now);
    const certainInMs = Math.max(0, calmInMs, lastsSince + CERTAIN_AFTER_MS - now);
    if (silentMs === null) return certainInMs;
    const inMs = Math.max(DEAD_AFTER_MS - silentMs, certainInMs);
    return this.#isNew ? Math.min(inMs, Math.max(0, calmInMs, DEAD_FOR_NEWCOMER_MS - silentMs)) : inMs;
  }
}

/** Says that the dispatcher lives. */
export async function beat(line: Pick<Line, "ask">, withinMs: number, id: string): Promise<void> {
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
export async function endBeats(line: Pick<Line, "ask">, withinMs: number, id: string): Promise<void> {
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
