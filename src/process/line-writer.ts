import { write, writeSync } from "node:fs";

/** Several processes and threads may write to one pipe; up to this size, a write is atomic (PIPE_BUF). */
const MAX_WRITE_BYTES = 4_096;
/** How long to wait for the reader of a full pipe; at the end of the process, at most so often. */
const RETRY_AFTER_MS = 50;
const MAX_RETRIES = 40;

/** Writes lines to a file descriptor in their order, without blocking. Lines that cannot be written are lost. */
export class LineWriter {
  readonly #fd: number;
  #lines: string[] = [];
  /** What was taken from the lines and could not be written. */
  #rest: Buffer = Buffer.alloc(0);
  /** Whether a write is planned, or has not returned. */
  #isBusy = false;

  constructor(fd: number) {
    this.#fd = fd;
  }

  write(line: string): void {
    this.#lines.push(line);
    if (this.#isBusy) return;
    this.#isBusy = true;
    // Together with the lines that follow at once.
    queueMicrotask(() => this.#writeNext());
  }

  /** Writes all that waits before it returns, except what a write in progress has taken. */
  flush(): void {
    let retries = 0;
    for (let next = this.#takeNext(); next.length > 0; next = this.#takeNext()) {
      this.#rest = next;
      try {
        this.#rest = next.subarray(writeSync(this.#fd, next));
        retries = 0;
      } catch (error) {
        if (!isFull(error) || retries++ >= MAX_RETRIES) return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_AFTER_MS);
      }
    }
  }

  #writeNext(): void {
    const next = this.#takeNext();
    if (next.length === 0) {
      this.#isBusy = false;
      return;
    }
    write(this.#fd, next, (error, written) => {
      // After another failure, such as a full disk or a closed pipe, what comes later is tried anew.
      if (isFull(error)) this.#rest = Buffer.concat([next, this.#rest]);
      else if (error === null) this.#rest = Buffer.concat([next.subarray(written), this.#rest]);
      if (isFull(error)) setTimeout(() => this.#writeNext(), RETRY_AFTER_MS);
      else this.#writeNext();
    });
  }

  /** What one write takes next; empty if there is nothing. */
  #takeNext(): Buffer {
    const rest = this.#rest;
    this.#rest = Buffer.alloc(0);
    if (rest.length > 0) return rest;
    let text = "";
    let count = 0;
    for (const line of this.#lines) {
      if (count > 0 && Buffer.byteLength(text) + Buffer.byteLength(line) > MAX_WRITE_BYTES) break;
      text += line;
      count++;
    }
    this.#lines.splice(0, count);
    return Buffer.from(text);
  }
}

/** Whether the reader of a pipe has not kept up. */
function isFull(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EAGAIN";
}
