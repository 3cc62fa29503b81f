/**
 * Work that lets everything else go first: in the order in which it came, one piece in each turn of the event loop. What a
 * piece sets off runs in the same turn, so several at once could take long.
 */
export class Turns {
  readonly #work: (() => void)[] = [];
  #isPlanned = false;

  add(work: () => void): void {
    this.#work.push(work);
    this.#plan();
  }

  #plan(): void {
    if (this.#isPlanned || this.#work.length === 0) return;
    this.#isPlanned = true;
    setImmediate(() => {
      this.#isPlanned = false;
      const work = this.#work.shift();
      this.#plan();
      work?.();
    });
  }
}
