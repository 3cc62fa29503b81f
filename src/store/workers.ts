/** Dispatchers that share a PostgreSQL: while one holds leases it says again and again that it lives. On SQLite the machine knows. */
import { ALIVE } from "./engines/postgres-workers.ts";
import type { Line, Reader } from "./store.ts";

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
/** An answer that is older says nothing of now. */
const MOST_SINCE_ANSWER_MS = 600;
/** Where the line does not tell that the server broke: after a longer pause between two questions it may have. */
const MOST_UNASKED_MS = 600;

/**
 * What a dispatcher's own line to the database tells it. A worker whose row is old is dead only for somebody whose line has
 * lasted all the while: after a crash or a failover all rows are old, and all workers live. Times are `performance.now()`.
 */
export class Pulse {
  readonly #mostUnaskedMs: number;
  /** The beginning of the last beat that came back. */
  #beatAt = Number.NEGATIVE_INFINITY;
  /** When the last answer came, and from when on all of them came in time. */
  #answeredAt = Number.NEGATIVE_INFINITY;
  #since = Number.POSITIVE_INFINITY;
  /** All answers came in time so far. */
  #isNew = true;

  /** `isDirect`: of the line (store.ts). */
  constructor({ isDirect }: Pick<Line, "isDirect">) {
    this.#mostUnaskedMs = isDirect ? Number.POSITIVE_INFINITY : MOST_UNASKED_MS;
  }

  /** An answer came, `now`, to what was asked at `startedAt`; `isBeat`: that it lives is written down. */
  felt(startedAt: number, now: number, isBeat: boolean): void {
    if (isBeat) this.#beatAt = startedAt;
    const isFirst = this.#answeredAt === Number.NEGATIVE_INFINITY;
    if (now - startedAt > MOST_ASKING_MS) {
      this.#isNew = false;
      this.#since = now;
    } else if (!isFirst && startedAt - this.#answeredAt > this.#mostUnaskedMs) {
      this.#isNew = false;
      this.#since = startedAt;
    } else {
      this.#since = Math.min(this.#since, startedAt);
    }
    this.#answeredAt = now;
  }

  /** No answer came. */
  missed(): void {
    this.#isNew = false;
    this.#since = Number.POSITIVE_INFINITY;
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
    if (startedAt - this.#since >= CERTAIN_AFTER_MS) return DEAD_AFTER_MS;
    return this.#isNew ? DEAD_FOR_NEWCOMER_MS : null;
  }

  /** When one that has been silent for so long is known to be dead, if it stays silent and answers go on to come, milliseconds. */
  knownInMs(silentMs: number, now: number): number {
    const certainInMs =
      this.#since === Number.POSITIVE_INFINITY ? CERTAIN_AFTER_MS : this.#since + CERTAIN_AFTER_MS - now;
    const inMs = Math.max(DEAD_AFTER_MS - silentMs, certainInMs);
    return Math.max(0, this.#isNew ? Math.min(inMs, DEAD_FOR_NEWCOMER_MS - silentMs) : inMs);
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

/** Of PostgreSQL: how many processes answer readers. */
export function countNodes(db: Reader): Promise<number> {
  return countAlive(db, "node");
}

/** Of PostgreSQL: how many hold leases, or did a moment ago. */
export function countDispatchers(db: Reader): Promise<number> {
  return countAlive(db, "dispatcher");
}

async function countAlive(db: Reader, kind: "node" | "dispatcher"): Promise<number> {
  const row = await db.get<{ n: number }>(`SELECT COUNT(*) AS n FROM workers WHERE kind = ? AND ${ALIVE}`, kind);
  return row?.n ?? 0;
}
