/** Slots for work on behalf of websites. Each website has at most `perKey` of them, and websites that wait take turns. */
export class FairSlots {
  readonly #slots: number;
  readonly #perKey: number;
  readonly #maxWaiting: number;
  readonly #running = new Map<string, number>();
  /** The website whose turn is next comes first. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /** `maxWaiting`: of one website. */
  constructor({ slots, perKey, maxWaiting }: { slots: number; perKey: number; maxWaiting: number }) {
    this.#slots = slots;
    this.#perKey = perKey;
    this.#maxWaiting = maxWaiting;
  }

  /** Whether `run` would have to refuse. */
  isFull(key: string): boolean {
    return (this.#waiting.get(key)?.length ?? 0) >= this.#maxWaiting;
  }

  /** Runs the work once it is its turn. Check `isFull` first. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (this.#isFree(key)) this.#running.set(key, (this.#running.get(key) ?? 0) + 1);
    else {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.set(key, [...(this.#waiting.get(key) ?? []), resolve]);
      await promise;
    }
    try {
      return await work();
    } finally {
      const left = (this.#running.get(key) ?? 1) - 1;
      if (left === 0) this.#running.delete(key);
      else this.#running.set(key, left);
      this.#startNext();
    }
  }

  #isFree(key: string): boolean {
    const all = [...this.#running.values()].reduce((sum, count) => sum + count, 0);
    return all < this.#slots && (this.#running.get(key) ?? 0) < this.#perKey;
  }

  #startNext(): void {
    for (const [key, [first, ...others]] of this.#waiting) {
      if (first === undefined || !this.#isFree(key)) continue;
      // The website goes to the end of the queue.
      this.#waiting.delete(key);
      if (others.length > 0) this.#waiting.set(key, others);
      this.#running.set(key, (this.#running.get(key) ?? 0) + 1);
      first();
      return;
    }
  }
}
