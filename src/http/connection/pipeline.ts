/** The requests of one connection that arrived before the earlier ones were answered. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { hasBody, ParserStop } from "./parser-stop.ts";
import type { Turns } from "./turns.ts";

/** Memory of a request and its response in node:http, without the headers. */
const REQUEST_BYTES = 4_096;
/** How much of a body is read before its request's turn. */
const BODY_BYTES = 65_536;

export interface PipelineOptions {
  /** Requests that are parsed before their turn. */
  maxWaiting: number;
  /** Shared by all connections: a client that sends many requests at once must not delay the others. */
  turns: Turns;
  /** Called whenever `weight` has changed, with the difference. */
  onWeight: (pipeline: Pipeline, change: number) => void;
}

export class Pipeline {
  readonly socket: Socket;
  readonly #options: PipelineOptions;
  readonly #stop: ParserStop | undefined;
  #waiting = 0;
  #requestBytes = 0;
  #isResuming = false;
  /** Memory of the waiting requests and of the bytes that arrived with them. */
  weight = 0;

  constructor(socket: Socket, options: PipelineOptions) {
    this.socket = socket;
    this.#options = options;
    this.#stop = ParserStop.install(socket, {
      isFull: () => this.#isFull(),
      onStop: () => this.#weigh(),
    });
    // node:http resumes the socket after each request.
    socket.on("resume", () => {
      if (this.#isHeld()) socket.pause();
    });
    socket.once("close", () => this.#discard());
  }

  /** Calls `handle` when the earlier requests are answered; never if the connection closes before that. */
  wait(request: IncomingMessage, response: ServerResponse, handle: () => void): void {
    const bytes = weigh(request);
    this.#waiting++;
    this.#requestBytes += bytes;
    response.once("socket", () => {
      this.#options.turns.add(() => {
        if (this.socket.destroyed) return;
        this.#waiting--;
        this.#requestBytes -= bytes;
        this.#resume();
        this.#weigh();
        handle();
      });
    });
    if (this.#isHeld()) this.socket.pause();
    this.#weigh();
  }

  /** Closes the connection because too much is waiting. */
  abort(): void {
    this.socket.destroy();
    this.#discard();
  }

  #isFull(): boolean {
    return this.#waiting >= this.#options.maxWaiting;
  }

  #isHeld(): boolean {
    return this.#isFull() || (this.#stop?.bytes ?? 0) > 0;
  }

  #resume(): void {
    if (this.#isResuming || this.#waiting > 0) return;
    this.#isResuming = true;
    this.#options.turns.add(() => {
      this.#isResuming = false;
      if (this.socket.destroyed || this.#isFull()) return;
      if (this.socket.writableNeedDrain) {
        this.socket.once("drain", () => this.#resume());
        return;
      }
      this.#stop?.resume();
      this.#weigh();
      if (!this.#isHeld()) this.socket.resume();
    });
  }

  #weigh(): void {
    const before = this.weight;
    this.weight = this.socket.destroyed ? 0 : this.#requestBytes + (this.#stop?.bytes ?? 0);
    if (this.weight !== before) this.#options.onWeight(this, this.weight - before);
  }

  #discard(): void {
    this.#stop?.discard();
    this.#weigh();
  }
}

function weigh(request: IncomingMessage): number {
  let bytes = REQUEST_BYTES + (hasBody(request) ? BODY_BYTES : 0) + (request.url?.length ?? 0);
  for (const part of request.rawHeaders) bytes += part.length;
  return bytes;
}
