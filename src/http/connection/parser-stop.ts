/**
 * Stops node:http between two requests that arrived in one chunk. Otherwise it would parse the whole chunk first: 64 KiB hold
 * 2,000 requests, each several kilobytes of objects, and node:http has no public way to stop it.
 *
 * Internals used: the HTTP parser leaves the chunk after a request for which its callback returns 2 (as for an upgrade), and
 * reports how far it got. A version of Node without them parses on; then only the budgets of connections.ts apply.
 */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

const LEAVE_AFTER_THIS_REQUEST = 2;

interface HttpParser {
  onIncoming: (request: IncomingMessage, keepAlive: boolean) => number;
  /** Parses bytes that did not come from the socket. @returns how many, or an error. */
  execute: (bytes: Buffer) => number | Error;
  /** A copy of the chunk that is being parsed. */
  getCurrentBuffer: () => Buffer;
  _consumed: boolean;
}
type OnExecute = (parsed: number | Error) => void;

interface StopOptions {
  /** Whether to stop after the request that was just parsed. */
  isFull: () => boolean;
  /** Called when bytes are waiting to be parsed. */
  onStop: () => void;
}

export class ParserStop {
  readonly #socket: Socket;
  readonly #parser: HttpParser;
  readonly #onExecute: OnExecute;
  readonly #options: StopOptions;
  #hasStopped = false;
  /** After a stop the parser reports no error before the next request. */
  #isSilent = false;
  /** What arrived in the same chunk after the request at which the parser stopped. */
  #rest: Buffer | undefined;

  /** @returns undefined if this version of Node cannot be stopped. */
  static install(socket: Socket, options: StopOptions): ParserStop | undefined {
    const { parser } = socket as Socket & { parser?: HttpParser & Record<string, unknown> };
    const name = Object.keys(parser ?? {}).find((key) => {
      const value = parser?.[key];
      return typeof value === "function" && value.name === "bound onParserExecute";
    });
    // The parser reports how far it got only for a socket that it reads from directly.
    if (parser?._consumed !== true || name === undefined) return undefined;
    if (![parser.onIncoming, parser.execute, parser.getCurrentBuffer].every((one) => typeof one === "function")) {
      return undefined;
    }
    const onExecute = parser[name] as OnExecute;
    const stop = new ParserStop(socket, parser, onExecute, options);
    parser[name] = (parsed: number | Error) => stop.#executed(parsed);
    return stop;
  }

  private constructor(socket: Socket, parser: HttpParser, onExecute: OnExecute, options: StopOptions) {
    this.#socket = socket;
    this.#parser = parser;
    this.#onExecute = onExecute;
    this.#options = options;
    const { onIncoming } = parser;
    parser.onIncoming = (request, keepAlive) => {
      const result = onIncoming(request, keepAlive);
      this.#isSilent = false;
      // A body must be parsed to its end.
      if (result !== 0 || hasBody(request) || !this.#options.isFull()) return result;
      this.#hasStopped = true;
      this.#isSilent = true;
      return LEAVE_AFTER_THIS_REQUEST;
    };
  }

  /** Memory of the bytes that wait to be parsed. */
  get bytes(): number {
    // The chunk stays in memory until all of it is parsed.
    return this.#rest?.buffer.byteLength ?? 0;
  }

  /** Continues parsing. Must not be called from a callback of the parser. */
  resume(): void {
    const rest = this.#rest;
    if (rest === undefined || this.#isGone()) return;
    this.#rest = undefined;
    const parsed = this.#parser.execute(rest);
    if (typeof parsed !== "number") this.#onExecute(parsed);
    else this.#parsed(rest, parsed);
  }

  discard(): void {
    this.#rest = undefined;
  }

  #executed(parsed: number | Error): void {
    if (typeof parsed === "number" && (this.#hasStopped || this.#isSilent)) {
      this.#parsed(this.#parser.getCurrentBuffer(), parsed);
    }
    if (!this.#isGone()) this.#onExecute(parsed);
  }

  #parsed(piece: Buffer, parsed: number): void {
    const hasStopped = this.#hasStopped;
    this.#hasStopped = false;
    if (parsed >= piece.length || this.#isGone()) return;
    if (hasStopped) {
      this.#rest = piece.subarray(parsed);
      this.#options.onStop();
    } else this.#onExecute(Object.assign(new Error("Parse Error"), { code: "HPE_INVALID_METHOD" }));
  }

  #isGone(): boolean {
    return this.#socket.destroyed || (this.#socket as Socket & { parser?: unknown }).parser !== this.#parser;
  }
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
}
