/**
 * Decides when each request may be sent: limits concurrency, and waits while the service's rate limit is exhausted. Without it, a
 * build with many pages would spend its time on refused requests.
 */
export class Pace {
  readonly #maxConcurrent: number;
  readonly #timeoutMs: number;
  readonly #active = new Set<Turn>();
  #notBefore = 0;
  readonly #waiting: (() => void)[] = [];

  /** @param timeoutMs after which a request counts as ended, answered or not. */
  constructor(maxConcurrent: number, timeoutMs: number) {
    this.#maxConcurrent = maxConcurrent;
    this.#timeoutMs = timeoutMs;
  }

  /** Runs `send` when it is its turn. Rejects with the signal's reason if that aborts. */
  async run<T>(send: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    while (!this.#isFree()) await this.#turn(signal);
    const turn = { endsAt: Infinity };
    this.#active.add(turn);
    try {
      for (;;) {
        signal?.throwIfAborted();
        const wait = this.#notBefore - performance.now();
        turn.endsAt = performance.now() + Math.max(wait, 0) + this.#timeoutMs + CHECK_INTERVAL_MS;
        if (wait <= 0) break;
        await sleep(wait, signal);
      }
      return await send();
    } finally {
      this.#active.delete(turn);
      this.#waiting.shift()?.();
    }
  }

  /** Sends nothing for this long. */
  pause(milliseconds: number): void {
    this.#notBefore = Math.max(this.#notBefore, performance.now() + milliseconds);
  }

  /** Reads the header `RateLimit`: `"key";r=99;t=1` means that 99 requests are left, and all of them again after 1 second. */
  learn(header: string | null): void {
    const [, left, seconds] = /;r=(\d+);t=(\d+)/.exec(header ?? "") ?? [];
    // Requests already under way may use up what is left.
    if (left !== undefined && seconds !== undefined && Number(left) < this.#active.size) {
      this.pause(Number(seconds) * 1000);
    }
  }

  #isFree(): boolean {
    for (const turn of this.#active) if (turn.endsAt < performance.now()) this.#active.delete(turn);
    return this.#active.size < this.#maxConcurrent;
  }

  async #turn(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    let go!: () => void;
    let abort!: () => void;
    const turn = new Promise<void>((resolve, reject) => {
      go = resolve;
      abort = () => reject(signal?.reason as Error);
    });
    this.#waiting.push(go);
    signal?.addEventListener("abort", abort, { once: true });
    // The timer also keeps an edge function running while it waits for other requests.
    const timer = setInterval(() => this.#isFree() && go(), CHECK_INTERVAL_MS);
    try {
      await turn;
    } finally {
      clearInterval(timer);
      signal?.removeEventListener("abort", abort);
      const index = this.#waiting.indexOf(go);
      if (index >= 0) this.#waiting.splice(index, 1);
    }
  }
}

/**
 * A request under way. It also ends after a time, because an edge function that is stopped when its visitor leaves never ends
 * it.
 */
interface Turn {
  /** By `performance.now()`. */
  endsAt: number;
}

const CHECK_INTERVAL_MS = 1000;

/** Rejects with the signal's reason if that aborts. */
export async function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", abort, { once: true });
  });
}
