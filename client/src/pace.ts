/**
 * Decides when each request may be sent: limits concurrency, and waits while the service's rate limit is exhausted. Without it, a
 * build with many pages would spend its time on refused requests.
 */
export class Pace {
  readonly #maxConcurrent: number;
  #active = 0;
  #notBefore = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(maxConcurrent: number) {
    this.#maxConcurrent = maxConcurrent;
  }

  /** Runs `send` when it is its turn. Rejects with the signal's reason if that aborts. */
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

  /** Sends nothing for this long. */
  pause(milliseconds: number): void {
    this.#notBefore = Math.max(this.#notBefore, performance.now() + milliseconds);
  }

  /** Reads the header `RateLimit`: `"key";r=99;t=1` means that 99 requests are left, and all of them again after 1 second. */
  learn(header: string | null): void {
    const [, left, seconds] = /;r=(\d+);t=(\d+)/.exec(header ?? "") ?? [];
    // Requests already under way may use up what is left.
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
