/**
 * The one place that decides when a request may be sent: at most some at a time, and none before the service's rate limit
 * allows it again. Without it a build with many pages would run into the limit and spend its time on refusals.
 */
export class Pace {
  readonly #maxConcurrent: number;
  #active = 0;
  #notBefore = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(maxConcurrent: number) {
    this.#maxConcurrent = maxConcurrent;
  }

  /** Waits for its turn, then runs `send`. Rejects with the signal's reason when that aborts. */
  async run<T>(send: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    while (this.#active >= this.#maxConcurrent) await this.#turn(signal);
    this.#active += 1;
    try {
      for (;;) {
        signal?.throwIfAborted();
        const wait = this.#notBefore - performance.now();
        if (wait <= 0) break;
        await sleep(wait, signal);
      }
      return await send();
    } finally {
      this.#active -= 1;
      this.#waiting.shift()?.();
    }
  }

  /** Nothing is sent for that long, by anybody. */
  pause(milliseconds: number): void {
    this.#notBefore = Math.max(this.#notBefore, performance.now() + milliseconds);
  }

  /** Learns from the header `RateLimit`, such as `"key";r=99;t=1`: r requests are left, all of them again after t seconds. */
  learn(header: string | null): void {
    const [, left, seconds] = /;r=(\d+);t=(\d+)/.exec(header ?? "") ?? [];
    // Those that are already under way may use up what is left.
    if (left !== undefined && seconds !== undefined && Number(left) < this.#active) this.pause(Number(seconds) * 1000);
  }

  async #turn(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const go = () => {
        signal?.removeEventListener("abort", abort);
        resolve();
      };
      const abort = () => {
        this.#waiting.splice(this.#waiting.indexOf(go), 1);
        reject(signal?.reason as Error);
      };
      signal?.addEventListener("abort", abort, { once: true });
      this.#waiting.push(go);
    });
  }
}

/** Rejects with the signal's reason when that aborts. */
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
