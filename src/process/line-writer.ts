/**
 * Writes lines to standard output without waiting for its reader. What cannot be written, as on a full disk or after the
 * reader has ended, waits for the next line; beyond a limit lines are dropped and counted.
 */
import { constants, fstatSync, openSync, write, writeSync } from "node:fs";
import { getErrorCode } from "../domain/system/errors.ts";

/** Lines that wait for a slow reader; further ones would fill the memory. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** How long the end of the process waits for the reader. */
const FLUSH_TIMEOUT_MS = 2_000;
/** Several processes and threads may write to one pipe; up to this size, a write is atomic (PIPE_BUF). */
const MAX_WRITE_BYTES = 4_096;
const RETRY_MS = 10;

export class LineWriter {
  readonly #fd = openOutput();
  readonly #onDropped: (lines: number) => void;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #dropped = 0;
  #writing = false;
  #flushesAtExit = false;
  /** After a flush that timed out, nothing waits for the reader any more. */
  #giveUpAt = Number.POSITIVE_INFINITY;

  /** `onDropped`: called with their number when the reader has caught up. */
  constructor(onDropped: (lines: number) => void) {
    this.#onDropped = onDropped;
  }

  write(text: string): void {
    const line = Buffer.from(text);
    if (this.#waitingBytes + line.length > MAX_WAITING_BYTES) {
      this.#dropped++;
      return;
    }
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    if (!this.#flushesAtExit) process.on("exit", () => this.flushSync());
    this.#flushesAtExit = true;
    if (!this.#writing) this.#writeNext();
  }

  /** Writes what waits, except for a write under way. */
  flushSync(): void {
    const isWriting = this.#writing;
    this.#writing = true;
    this.#flush();
    this.#writing = isWriting;
  }

  #flush(): void {
    this.#giveUpAt = Math.min(this.#giveUpAt, performance.now() + FLUSH_TIMEOUT_MS);
    for (let batch = this.#takeBatch(); batch !== null; batch = this.#takeBatch()) {
      try {
        this.#putBack(batch.subarray(writeSync(this.#fd, batch)));
      } catch (error) {
        this.#putBack(batch);
        // Without a reader, or without room, waiting would keep the process from ending.
        if (!isBusy(error) || performance.now() >= this.#giveUpAt) return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
      }
    }
  }

  #writeNext(): void {
    const batch = this.#takeBatch();
    this.#writing = batch !== null;
    if (batch === null) return;
    write(this.#fd, batch, (error, bytes) => {
      this.#putBack(error === null ? batch.subarray(bytes) : batch);
      if (error === null) return this.#writeNext();
      this.#writing = false;
      if (isBusy(error) && performance.now() < this.#giveUpAt) {
        this.#writing = true;
        setTimeout(() => this.#writeNext(), RETRY_MS);
      }
    });
  }

  /** @returns null if nothing waits. */
  #takeBatch(): Buffer | null {
    if (this.#waiting.length === 0) {
      this.#giveUpAt = Number.POSITIVE_INFINITY;
      const lines = this.#dropped;
      this.#dropped = 0;
      if (lines > 0) this.#onDropped(lines);
    }
    let count = 0;
    let bytes = 0;
    for (const line of this.#waiting) {
      if (count > 0 && bytes + line.length > MAX_WRITE_BYTES) break;
      bytes += line.length;
      count++;
    }
    if (count === 0) return null;
    this.#waitingBytes -= bytes;
    return Buffer.concat(this.#waiting.splice(0, count));
  }

  #putBack(rest: Buffer): void {
    if (rest.length === 0) return;
    this.#waiting.unshift(rest);
    this.#waitingBytes += rest.length;
  }
}

function isBusy(error: unknown): boolean {
  return ["EAGAIN", "EBUSY"].includes(getErrorCode(error) ?? "");
}

/** Standard output, opened anew: a pipe that nobody reads would block this process, at its end for ever. */
function openOutput(): number {
  try {
    if (fstatSync(1).isFIFO()) return openSync("/proc/self/fd/1", constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    // Not on Linux, or the pipe belongs to another user.
  }
  return 1;
}
