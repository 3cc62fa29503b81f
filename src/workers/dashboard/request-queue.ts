import { AppError } from "../../domain/system/errors.ts";

/** Maximum total length of concurrent requests: each uses a multiple of its length in memory. A longer one runs alone. */
const MAX_BYTES_AT_ONCE = 8_000_000;
const MAX_WAITING = 64;
const MAX_WAITING_PER_ACCOUNT = 16;

interface Waiting {
  bytes: number;
  begin: () => void;
}

/** Makes long requests wait for memory. Accounts take turns, so that one with many requests does not delay the others. */
export class RequestQueue {
  #bytesAtOnce = 0;
  /** By account; the account whose turn is next comes first. */
  readonly #waiting = new Map<string, Waiting[]>();
  #waitingCount = 0;

  get waiting(): number {
    return this.#waitingCount;
  }

  /** Resolves when a request of this length may run. The caller disposes of the result afterwards. @throws AppError `busy`. */
  async begin(accountId: string, bytes: number): Promise<Disposable> {
    if (this.#waitingCount === 0 && this.#hasRoomFor(bytes)) this.#bytesAtOnce += bytes;
    else await this.#wait(accountId, bytes);
    return {
      [Symbol.dispose]: () => {
        this.#bytesAtOnce -= bytes;
        this.#next();
      },
    };
  }

  #wait(accountId: string, bytes: number): Promise<void> {
    const own = this.#waiting.get(accountId) ?? [];
    if (own.length >= MAX_WAITING_PER_ACCOUNT || this.#waitingCount >= MAX_WAITING) {
      throw new AppError("busy", "Too many long texts are being processed. Try again in a few seconds.");
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    own.push({ bytes, begin: resolve });
    this.#waiting.set(accountId, own);
    this.#waitingCount++;
    return promise;
  }

  #hasRoomFor(bytes: number): boolean {
    return this.#bytesAtOnce === 0 || this.#bytesAtOnce + bytes <= MAX_BYTES_AT_ONCE;
  }

  #next(): void {
    for (const [accountId, own] of this.#waiting) {
      const [first, ...others] = own;
      if (first === undefined || !this.#hasRoomFor(first.bytes)) return;
      // Moves the account to the end of the queue.
      this.#waiting.delete(accountId);
      if (others.length > 0) this.#waiting.set(accountId, others);
      this.#waitingCount--;
      this.#bytesAtOnce += first.bytes;
      first.begin();
    }
  }
}
