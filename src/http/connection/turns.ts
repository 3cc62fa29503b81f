/**
 * Runs work with a lower priority than everything else: in order of arrival, one piece per turn of the event loop. Together
 * the pieces get a quarter of the time, which leaves some for other requests, and for other processes on a machine with few
 * cores.
 */
const BURST_MS = 0.5;
/** The pause after a burst, as a multiple of the burst's duration. */
const REST_PER_BURST = 3;
/** Caps the pause, so that this work also progresses under full load. */
const MAX_REST_MS = 20;

export class Turns {
  readonly #work: (() => void)[] = [];
  #isPlanned = false;
  /** Time that the pieces have taken since the last pause. */
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
    // By then everything that the piece has triggered is done as well.
    setImmediate(() => this.#onDone(startedAt));
    work();
  }

  #onDone(startedAt: number): void {
    this.#endedAt = performance.now();
    this.#burstMs += this.#endedAt - startedAt;
    if (this.#burstMs < BURST_MS) this.#turn();
    else setTimeout(() => this.#turn(), Math.min(MAX_REST_MS, this.#burstMs * REST_PER_BURST));
  }
}
