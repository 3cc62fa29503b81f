interface Limits {
  /** Total weight of what runs at once; something heavier runs alone. */
  capacity: number;
  /** How much of one key runs at once, whatever its weight. */
  perKey?: number;
  /** How much of one key may wait, and how much in all, before `isFull`. */
  maxWaiting?: number;
  maxWaitingInAll?: number;
  /**
   * Whether all that waits of one key starts together while no other key waits. The next group starts when all of it
   * has ended, or when half of it has, if the next is at least half as heavy.
   */
  inGroups?: boolean;
}

interface Waiting {
  weight: number;
  start: () => void;
}

/** Limits how much work runs at once. Within a key work starts in order; keys, such as websites, take turns. */
export class FairQueue {
  readonly #limits: Required<Limits>;
  #weight = 0;
  readonly #running = new Map<string, number>();
  /** The key whose turn is next comes first. */
  readonly #waiting = new Map<string, Waiting[]>();
  #waitingCount = 0;

  constructor(limits: Limits) {
    const unlimited = { perKey: Infinity, maxWaiting: Infinity, maxWaitingInAll: Infinity, inGroups: false };
    this.#limits = { ...unlimited, ...limits };
  }

  get waiting(): number {
    return this.#waitingCount;
  }

  /** Whether too much waits already. `enter` itself never refuses. */
  isFull(key: string): boolean {
    const { maxWaiting, maxWaitingInAll } = this.#limits;
    return (this.#waiting.get(key)?.length ?? 0) >= maxWaiting || this.#waitingCount >= maxWaitingInAll;
  }

  async run<T>(key: string, work: () => Promise<T>, weight = 1): Promise<T> {
    using _turn = await this.enter(key, weight);
    return await work();
  }

  /** Resolves when it is the caller's turn, which lasts until the result is disposed of. */
  async enter(key: string, weight = 1): Promise<Disposable> {
    const { promise, resolve: start } = Promise.withResolvers<void>();
    const own = this.#waiting.get(key);
    if (own === undefined) this.#waiting.set(key, [{ weight, start }]);
    else own.push({ weight, start });
    this.#waitingCount++;
    this.#startWaiting();
    await promise;
    return this.#turn(key, weight);
  }

  /** Does not wait: undefined if there is no room now. */
  tryEnter(key: string, weight = 1): Disposable | undefined {
    if (this.#isAtLimit(key) || !this.#hasRoomFor(weight)) return undefined;
    this.#begin(key, weight);
    return this.#turn(key, weight);
  }

  #turn(key: string, weight: number): Disposable {
    let isOver = false;
    return {
      [Symbol.dispose]: () => {
        if (isOver) return;
        isOver = true;
        const left = (this.#running.get(key) ?? 1) - 1;
        if (left === 0) this.#running.delete(key);
        else this.#running.set(key, left);
        // Weights need not be whole numbers, nor finite.
        this.#weight = this.#running.size === 0 ? 0 : this.#weight - weight;
        this.#startWaiting();
      },
    };
  }

  #startWaiting(): void {
    const { inGroups } = this.#limits;
    if (inGroups && this.#running.size > 0 && !this.#mayFollow()) return;
    const isGroup = inGroups && this.#waiting.size === 1;
    for (const [key, own] of this.#waiting) {
      if (this.#isAtLimit(key)) continue;
      const [first] = own;
      // Lighter work must not overtake it: it might wait forever.
      if (first === undefined || !this.#hasRoomFor(first.weight)) return;
      // The key goes to the end of the queue, which this loop reaches again.
      this.#waiting.delete(key);
      own.shift();
      if (own.length > 0) this.#waiting.set(key, own);
      this.#waitingCount--;
      this.#begin(key, first.weight);
      first.start();
      if (inGroups && !isGroup) return;
    }
  }

  /** Whether the next group may start behind the one that runs. */
  #mayFollow(): boolean {
    const half = this.#limits.capacity / 2;
    const [[key, own] = ["", []], other] = this.#waiting;
    const isSame = other === undefined && this.#running.has(key);
    return isSame && this.#weight <= half && own.reduce((sum, { weight }) => sum + weight, 0) >= half;
  }

  #begin(key: string, weight: number): void {
    this.#running.set(key, (this.#running.get(key) ?? 0) + 1);
    this.#weight += weight;
  }

  #isAtLimit(key: string): boolean {
    return (this.#running.get(key) ?? 0) >= this.#limits.perKey;
  }

  #hasRoomFor(weight: number): boolean {
    return this.#running.size === 0 || this.#weight + weight <= this.#limits.capacity;
  }
}
