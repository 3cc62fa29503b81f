/** Large enough for a page of a hundred articles. */
const SCRATCH_BYTES = 128 * 1024;
const MAX_IDLE = 64;

/**
 * Buffers for bodies that are sent once and not cached. Allocating 35 kB for each page would leave tens of megabytes of
 * garbage, since the collector is slow to notice memory outside its heap.
 */
export class BufferPool {
  readonly #idle: Buffer[] = [];

  /** @returns a buffer of at least `bytes`. */
  take(bytes: number): Buffer {
    if (bytes > SCRATCH_BYTES) return Buffer.allocUnsafeSlow(bytes);
    return this.#idle.pop() ?? Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  }

  /** Takes back a buffer that is no longer read: its bytes have been passed to the kernel. */
  giveBack(buffer: Buffer): void {
    if (this.#idle.length < MAX_IDLE && buffer.buffer.byteLength === SCRATCH_BYTES) {
      this.#idle.push(Buffer.from(buffer.buffer));
    }
  }
}
