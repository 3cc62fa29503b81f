/** Dispatchers that share a PostgreSQL: each says again and again that it lives. On SQLite the machine knows. */
import { ALIVE, DEAD_AFTER_MS } from "./engines/postgres-workers.ts";
import type { Reader, Store } from "./store.ts";

export { DEAD_AFTER_MS };

/** That often; late enough for a process to be taken for dead within 1.5 s. */
export const BEAT_EVERY_MS = 250;

/** Who has not been heard of for so long sends nothing any more: others may take what it holds for theirs soon. */
const FENCED_AFTER_MS = 1_000;
/**
 * For somebody who has not beaten long enough to know that the database was there all the while. By then whoever is not
 * heard of has stopped sending, even if a crash lost the last 600 ms of beats, for which no commit waits.
 */
const DEAD_FOR_NEWCOMER_MS = 2_000;
/** A longer pause than that between two beats says that the database was away, for others perhaps, too. */
const MOST_BETWEEN_MS = 600;

/**
 * What a dispatcher's own beats tell it. A worker whose row is old is dead only for somebody whose own beats came all the
 * while: after a crash or a failover all rows are old, and all of them live. Times are `performance.now()`.
 */
export class Pulse {
  /** The beginning of the last beat that came back; and of the first from which on all of them did. */
  #lastAt = Number.NEGATIVE_INFINITY;
  #since = Number.NEGATIVE_INFINITY;
  /** All beats came back so far. */
  #isNew = true;

  /** A beat that began at `startedAt` came back. */
  felt(startedAt: number): void {
    if (startedAt - this.#lastAt > MOST_BETWEEN_MS && this.#lastAt > Number.NEGATIVE_INFINITY) this.#isNew = false;
    if (startedAt - this.#lastAt > MOST_BETWEEN_MS || this.#since > startedAt) this.#since = startedAt;
    this.#lastAt = startedAt;
  }

  /** A beat did not come back. */
  missed(): void {
    this.#isNew = false;
    this.#since = Number.POSITIVE_INFINITY;
  }

  /** Whether others may take it for dead soon. */
  isWeak(now: number): boolean {
    return now - this.#lastAt > FENCED_AFTER_MS;
  }

  /** How old the row of a dead worker is at least, milliseconds; null: it cannot be told now. */
  deadAfterMs(now: number): number | null {
    if (now - this.#lastAt > MOST_BETWEEN_MS) return null;
    if (this.#lastAt - this.#since >= DEAD_AFTER_MS) return DEAD_AFTER_MS;
    return this.#isNew ? DEAD_FOR_NEWCOMER_MS : null;
  }
}

/** Says that the dispatcher lives. */
export async function beat(store: Pick<Store, "engine" | "write">, id: string): Promise<void> {
  if (store.engine === "sqlite") return;
  await store.write(
    // Should the server lose it, the next one comes soon: no commit has to wait for the disk.
    (db) =>
      db.all(
        `INSERT INTO workers (id, kind, seen_at) VALUES (?, 'dispatcher', clock_timestamp())
         ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at
         RETURNING set_config('synchronous_commit', 'off', true)`,
        id,
      ),
    { isQuiet: true },
  );
}

/** Says that it is gone. */
export async function endBeats(store: Pick<Store, "engine" | "write">, id: string): Promise<void> {
  if (store.engine === "sqlite") return;
  await store.write((db) => db.run("DELETE FROM workers WHERE id = ?", id), { isQuiet: true });
}

/** Whether duties that one dispatcher does for all are this one's. */
export async function isFirst(store: Pick<Store, "read">, id: string): Promise<boolean> {
  const living = await store.read(listLiving);
  return living === null || [...living].every((other) => other >= id);
}

/** The dispatchers that live: they were heard of within `deadAfterMs`. Null where the machine knows better. */
export async function listLiving(db: Reader, deadAfterMs = DEAD_AFTER_MS): Promise<ReadonlySet<string> | null> {
  if (db.engine === "sqlite") return null;
  const living = await db.all<{ id: string }>(
    `SELECT id FROM workers WHERE kind = 'dispatcher' AND seen_at > clock_timestamp() - CAST(? AS BIGINT) * interval '1 millisecond'`,
    deadAfterMs,
  );
  return new Set(living.map(({ id }) => id));
}

/** Of PostgreSQL: how many processes answer readers. */
export async function countNodes(db: Reader): Promise<number> {
  const row = await db.get<{ n: number }>(`SELECT COUNT(*) AS n FROM workers WHERE kind = 'node' AND ${ALIVE}`);
  return row?.n ?? 0;
}
