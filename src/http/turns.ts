/**
 * Work that lets everything else go first: in the order in which it came, one piece in each turn of the event loop. Together
 * the pieces get a quarter of the time, so that there is always some for other requests, and for the other processes of a
 * machine with few cores.
 */
const BURST_MS = 0.5;
/** How long others have after a burst, as a multiple of its time. */
const REST_PER_BURST = 3;
/** Where others use all the time there is, some is left for this. */
const MAX_REST_MS = 20;

export class Turns {
  readonly #work: (() => void)[] = [];
  #isPlanned = false;
  /** Time that the pieces have taken since the last rest. */
  #burstMs = 0;
  #endedAt = 0;

  add(work: () => void): void {
    this.#work.push(work);
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    const work = this.#work.shift();
    if (work === undefined) {
      this.#isPlanned = false;
      return;
    }
    const startedAt = performance.now();
    if (startedAt - this.#endedAt >= this.#burstMs * REST_PER_BURST) this.#burstMs = 0;
    // By then what the piece has set off is done as well.
    setImmediate(() => this.#ended(startedAt));
    work();
  }

  #ended(startedAt: number): void {
    this.#endedAt = performance.now();
    this.#burstMs += this.#endedAt - startedAt;
    if (this.#burstMs < BURST_MS) this.#turn();
    else setTimeout(() => this.#turn(), Math.min(MAX_REST_MS, this.#burstMs * REST_PER_BURST));
  }
}
