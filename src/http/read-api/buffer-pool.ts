/** Large enough for a page of a hundred articles. */
const SCRATCH_BYTES = 128 * 1024;
const MAX_IDLE = 64;

/**
 * Buffers for bodies that are sent once and forgotten. Allocating 35 kB for each page would leave the collector tens
 * of megabytes behind, as it is slow to see memory outside its heap.
 */
export class BufferPool {
  readonly #idle: Buffer[] = [];

  /** @returns a buffer of at least `bytes`. */
  take(bytes: number): Buffer {
    if (bytes > SCRATCH_BYTES) return Buffer.allocUnsafeSlow(bytes);
    return this.#idle.pop() ?? Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  }

  /** Takes back what nobody reads any more: its bytes have gone to the kernel. */
  giveBack(buffer: Buffer): void {
    if (this.#idle.length < MAX_IDLE && buffer.buffer.byteLength === SCRATCH_BYTES) {
      this.#idle.push(Buffer.from(buffer.buffer));
    }
  }
}
