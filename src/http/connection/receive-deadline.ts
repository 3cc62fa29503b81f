/**
 * Limits how long a client may take to send a request. node:http's limits count time in which this process did not
 * read, and answer 408 on connections merely opened in advance, as browsers and proxies do.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

export interface ReceiveTimeouts {
  /** For the first byte of a new connection, and from the first byte of a request to the end of its headers. */
  headersTimeoutMs: number;
  /** From the first byte of a request to the end of its body. */
  requestTimeoutMs: number;
  /** Between two requests. */
  idleTimeoutMs: number;
}

/** `unused`: no request has begun, and none is awaited any longer; `late`: a request is incomplete. */
export type Expiry = "unused" | "late" | null;

/** RFC 9112, section 2.2: an empty line before a request is ignored. */
const EMPTY_LINE_BYTES = 2;
export class ReceiveDeadline {
  #request: IncomingMessage | undefined;
  #response: ServerResponse | undefined;
  #isNew = true;
  /** Whether part of a request's headers has been read. */
  #isInHeaders = false;
  /** Bytes read up to the latest request's end, or a few more; the next is then noticed at its second part. */
  #completedBytes = 0;
  /** Whether the bytes were counted since that request. Asking the socket is too slow to do for each request. */
  #isCounted = true;
  /** Time counted since the wait for the current request, or for the next one, began. */
  #waitedMs = 0;

  /** Call it when the headers of a request have been read. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    // The time for its headers counts towards the whole request.
    if (!this.#isInHeaders) this.#waitedMs = 0;
    this.#isNew = false;
    this.#isInHeaders = false;
    this.#request = request;
    this.#response = response;
    this.#isCounted = false;
  }

  /** Call it when all that has arrived is read. @param elapsedMs since the last call, less time that was blocked. */
  check(socket: Socket, elapsedMs: number, timeouts: ReceiveTimeouts): Expiry {
    const request = this.#request;
    const response = this.#response;
    if (request !== undefined && response !== undefined) {
      if (!request.complete) {
        if (isUnread(request, response)) return null;
        this.#waitedMs += elapsedMs;
        return this.#waitedMs >= timeouts.requestTimeoutMs ? "late" : null;
      }
      this.#count(socket);
      if (!response.writableFinished && !response.closed) return null;
      this.#request = undefined;
      this.#response = undefined;
      this.#waitedMs = 0;
      return null;
    }
    if (!this.#isInHeaders && socket.bytesRead - this.#completedBytes > EMPTY_LINE_BYTES) {
      this.#isInHeaders = true;
      this.#waitedMs = 0;
      return null;
    }
    this.#waitedMs += elapsedMs;
    if (this.#isInHeaders) return this.#waitedMs >= timeouts.headersTimeoutMs ? "late" : null;
    return this.#waitedMs >= (this.#isNew ? timeouts.headersTimeoutMs : timeouts.idleTimeoutMs) ? "unused" : null;
  }

  /** The response in progress. */
  get response(): ServerResponse | undefined {
    return this.#response?.writableFinished === false ? this.#response : undefined;
  }

  /**
   * Whether no request is in progress. Right after one it is false once: bytes that came with it may begin another. Of a connection
   * `isYoung` tells whether its first request should still arrive.
   */
  isIdle(socket: Socket, isYoung: boolean): boolean {
    if (this.#request?.complete === false || this.#response?.writableEnded === false) return false;
    if (this.#isNew && isYoung) return false;
    if (this.#count(socket)) return false;
    return socket.bytesRead - this.#completedBytes <= EMPTY_LINE_BYTES;
  }

  /** @returns whether a count was due. */
  #count(socket: Socket): boolean {
    if (this.#isCounted) return false;
    this.#completedBytes = socket.bytesRead;
    this.#isCounted = true;
    return true;
  }
}

/** Whether this process is not reading: the request waits for its turn, or its body for a consumer. */
function isUnread(request: IncomingMessage, response: ServerResponse): boolean {
  const isWaiting = response.socket === null && !response.writableFinished;
  return isWaiting || request.readableLength >= request.readableHighWaterMark;
}
