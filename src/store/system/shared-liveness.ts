/**
 * What the main thread and the dispatcher's thread of a process know of each other, in memory that both share: neither
 * waits for the other. The dispatcher's thread shows that it lives. The main thread, which sends the heartbeats of
 * both, tells it when its row was last renewed, and whether the database has answered steadily. SQLite needs the first
 * only.
 *
 * Times are nanoseconds of the machine's monotonic clock, which is the same in all threads.
 */
import {
  DISPATCHER_FENCED_AFTER_MS,
  MAX_ANSWER_INTERVAL_MS,
  STEADY_AFTER_MS,
  THREAD_SILENT_AFTER_MS,
} from "./liveness.ts";

const THREAD_BEAT_AT = 0;
const RENEWED_AT = 1;
const STEADY_SINCE = 2;
const ANSWERED_AT = 3;
const COUNT = 4;

const NEVER = -(2n ** 62n);
const NS_PER_MS = 1_000_000n;

export class SharedLiveness {
  readonly buffer: SharedArrayBuffer;
  readonly #times: BigInt64Array<SharedArrayBuffer>;
  readonly #now: () => bigint;

  constructor(buffer?: SharedArrayBuffer, now = () => process.hrtime.bigint()) {
    this.buffer = buffer ?? new SharedArrayBuffer(COUNT * BigInt64Array.BYTES_PER_ELEMENT);
    this.#times = new BigInt64Array(this.buffer);
    this.#now = now;
    if (buffer === undefined) this.#times.fill(NEVER);
  }

  /** Called by the dispatcher's thread every `THREAD_BEAT_INTERVAL_MS`. */
  beat(): void {
    Atomics.store(this.#times, THREAD_BEAT_AT, this.#now());
  }

  /** When the dispatcher's thread last showed that it lives; null: not yet. */
  get threadBeatAt(): bigint | null {
    const at = Atomics.load(this.#times, THREAD_BEAT_AT);
    return at === NEVER ? null : at;
  }

  isThreadAlive(): boolean {
    return this.#msSince(THREAD_BEAT_AT) <= THREAD_SILENT_AFTER_MS;
  }

  /** Records that a heartbeat sent at `sentAt` has renewed the dispatcher's row. */
  onRenewed(sentAt: bigint): void {
    Atomics.store(this.#times, RENEWED_AT, sentAt);
  }

  /** Records an answer of the database, and since when answers have come steadily. */
  onAnswer(answeredAt: bigint, steadySince: bigint): void {
    Atomics.store(this.#times, STEADY_SINCE, steadySince);
    Atomics.store(this.#times, ANSWERED_AT, answeredAt);
  }

  /** Whether others may soon count the dispatcher as dead: it must not send. */
  isFenced(): boolean {
    return this.#msSince(RENEWED_AT) > DISPATCHER_FENCED_AFTER_MS;
  }

  isAnswered(): boolean {
    return this.#msSince(ANSWERED_AT) <= MAX_ANSWER_INTERVAL_MS;
  }

  /**
   * Whether a silence read by a query sent at `sentAt` is the dispatcher's, not the database's: after a crash, failover
   * or pause of that all rows are old, although all processes live.
   */
  isSteady(sentAt: bigint): boolean {
    // `STEADY_SINCE` is read last, as it is written first.
    return this.isAnswered() && toMs(sentAt - Atomics.load(this.#times, STEADY_SINCE)) >= STEADY_AFTER_MS;
  }

  /** Time until `isSteady` can be true, if answers keep coming, milliseconds. */
  steadyInMs(): number {
    return this.isAnswered() ? Math.max(0, STEADY_AFTER_MS - this.#msSince(STEADY_SINCE)) : STEADY_AFTER_MS;
  }

  #msSince(cell: number): number {
    return toMs(this.#now() - Atomics.load(this.#times, cell));
  }
}

function toMs(ns: bigint): number {
  return Number(ns) / Number(NS_PER_MS);
}
