/** HTTP/1.1 of our own: a general client costs twice as much per request (docs/decisions/0002-dependencies.md). */
import type { Socket } from "node:net";
import { createSecureContext, type SecureContext } from "node:tls";
import { ConnectError, type Destination, ConnectionAttempt } from "./connector.ts";
import {
  NO_TEXT,
  type ResponseHandler,
  type ParsedHead,
  ResponseParser,
  TOKEN,
  UnreadableResponse,
} from "./response-parser.ts";

/** A request that uses a connection; one at a time. */
export interface PooledRequest {
  /** Request line and headers, with the empty line. */
  readonly head: string;
  /** Bytes, or a text that is sent as UTF-8. */
  readonly body: string | Uint8Array;
  readonly isDone: boolean;
  /** Called when the request has a connection, before it is sent. */
  onConnection(connection: PooledConnection): void;
  onOpening(opening: ConnectionAttempt): void;
  /** Called before anything of the response is read. */
  onFirstByte(): void;
  onInterim(status: number): void;
  onHead(status: number, headers: ParsedHead["headers"]): void;
  /** `bytes` are overwritten afterwards. */
  onBody(bytes: Buffer): void;
  /** Called when all that has come was read, and the response is not complete. */
  onPart(): void;
  /** The response is complete. `isReusable`: nothing else came. */
  onEnd(isReusable: boolean): void;
  onError(error: Error): void;
}

export interface EndpointPoolOptions extends Omit<Destination, "secureContext"> {
  /** The TLS context with the public CAs, shared by all pools. */
  publicContext: () => SecureContext;
  /** The URL as it was given. */
  text: string;
  ca: string | null;
  /** Connections that are closing; awaited when the sender is disposed of. */
  closing: Set<Promise<void>>;
  /** Called when the last connection has closed, unless the pool is retired. */
  onEmpty: () => void;
}

export class EndpointPool implements Destination {
  readonly guard: Destination["guard"];
  readonly url: URL;
  readonly text: string;
  readonly ca: string | null;
  /** The first lines of each request. */
  readonly #start: string;
  /** The last line of each header that was checked: most are the same in all requests of an endpoint. */
  readonly #lines = new Map<string, { value: string; line: string }>();
  readonly connectTimeoutMs: number;
  readonly #publicContext: () => SecureContext;
  readonly #closing: Set<Promise<void>>;
  readonly #onEmpty: () => void;
  readonly #connections = new Set<PooledConnection>();
  readonly #idle: PooledConnection[] = [];
  readonly #waiting: PooledRequest[] = [];
  #context: SecureContext | undefined;
  #isRetired = false;

  constructor({ guard, url, text, ca, connectTimeoutMs, publicContext, closing, onEmpty }: EndpointPoolOptions) {
    this.guard = guard;
    this.url = url;
    this.text = text;
    this.ca = ca;
    this.#start = `POST ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\nconnection: keep-alive\r\n`;
    this.connectTimeoutMs = connectTimeoutMs;
    this.#publicContext = publicContext;
    this.#closing = closing;
    this.#onEmpty = onEmpty;
  }

  /** Request line and headers. @throws UnsendableHeader. */
  buildHead(headers: Readonly<Record<string, string>>, bodyBytes: number): string {
    let head = this.#start;
    for (const name in headers) {
      const value = headers[name] ?? "";
      let known = this.#lines.get(name);
      if (known?.value !== value) {
        if (known === undefined && (!TOKEN.test(name) || FRAMING.test(name))) throw new UnsendableHeader(name);
        if (NO_TEXT.test(value)) throw new UnsendableHeader(name);
        known = { value, line: `${name}: ${value}\r\n` };
        this.#lines.set(name, known);
      }
      head += known.line;
    }
    return `${head}content-length: ${bodyBytes}\r\n\r\n`;
  }

  /** A private CA replaces the public ones: the endpoint trusts this CA and no other. */
  secureContext = (): SecureContext =>
    (this.#context ??= this.ca === null ? this.#publicContext() : createSecureContext({ ca: this.ca }));

  /** Uses the most recently used idle connection, else a new one, else waits for one of the eight. */
  run(pooled: PooledRequest): void {
    const connection = this.#idle.pop();
    if (connection?.isUsable === true) return connection.run(pooled);
    if (connection === undefined && this.#connections.size < MAX_CONNECTIONS) return this.runFresh(pooled);
    this.#waiting.push(pooled);
    // A new one takes its place.
    connection?.close();
  }

  /** Uses a new connection; it may be the ninth until the one that it replaces is closed. */
  runFresh(pooled: PooledRequest): void {
    const connection = new PooledConnection(this);
    this.#connections.add(connection);
    connection.run(pooled);
  }

  /** Closes idle connections; the others close when their request ends. */
  retire(): void {
    this.#isRetired = true;
    for (const connection of this.#idle.splice(0)) connection.close();
  }

  /** Called by `connection` when it becomes idle. */
  onFree(connection: PooledConnection): void {
    const next = this.#nextWaiting();
    if (next !== undefined) connection.run(next);
    else if (this.#isRetired) connection.close();
    else this.#idle.push(connection);
  }

  /** Called by `connection` when it is closed; its socket may still be closing. */
  onClosed(connection: PooledConnection, closed: Promise<void>): void {
    this.#connections.delete(connection);
    const index = this.#idle.indexOf(connection);
    if (index !== -1) this.#idle.splice(index, 1);
    const settled = closed.finally(() => this.#closing.delete(settled));
    this.#closing.add(settled);
    // If a request that is sent again took the place, the next one waits on.
    const next = this.#connections.size < MAX_CONNECTIONS ? this.#nextWaiting() : undefined;
    if (next !== undefined) this.runFresh(next);
    else if (this.#connections.size === 0 && !this.#isRetired) this.#onEmpty();
  }

  #nextWaiting(): PooledRequest | undefined {
    let next = this.#waiting.shift();
    while (next?.isDone === true) next = this.#waiting.shift();
    return next;
  }
}

const MAX_CONNECTIONS = 8;

/** Headers that are written here alone. */
const FRAMING = /^(?:host|connection|content-length|transfer-encoding)$/i;

/** The header is shown to the customer. */
class UnsendableHeader extends Error {
  constructor(name: string) {
    super(`The header ${JSON.stringify(name)} cannot be sent.`);
    this.name = "UnsendableHeader";
  }
}

/** How long an idle connection is kept; a shorter `Keep-Alive: timeout` of the receiver takes precedence. */
const IDLE_MS = 60_000;
/** A connection is not used in the last moment before the receiver closes it. */
const KEEP_ALIVE_MARGIN_MS = 1_000;

export class PooledConnection implements ResponseHandler {
  readonly pool: EndpointPool;
  readonly #parser = new ResponseParser(this);
  #attempt: ConnectionAttempt | undefined;
  #socket: Socket | undefined;
  #request: PooledRequest | undefined;
  #isClosed = false;
  /** `performance.now()`. */
  #idleUntil = Number.POSITIVE_INFINITY;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(pool: EndpointPool) {
    this.pool = pool;
  }

  /** Whether the connection is open, as far as this side knows. */
  get isUsable(): boolean {
    return !this.#isClosed && this.#socket?.writable === true && performance.now() < this.#idleUntil;
  }

  run(pooled: PooledRequest): void {
    this.#request = pooled;
    pooled.onConnection(this);
    if (this.#socket === undefined) void this.#open(pooled);
    else this.#send(this.#socket, pooled);
  }

  /** Called when the request is finished. `isReusable`: the response ended normally, so the connection may be kept. */
  release(isReusable: boolean): void {
    const head = this.#parser.head;
    this.#request = undefined;
    if (!isReusable || head?.isKeptAlive !== true || !this.#keepIdle(head.keepAliveMs)) return this.close();
    this.#parser.reset();
    this.pool.onFree(this);
  }

  /** Destroys the connection in any state. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#request = undefined;
    clearTimeout(this.#idleTimer);
    this.pool.onClosed(this, this.#attempt?.abort() ?? Promise.resolve());
  }

  onInterim(status: number): boolean {
    this.#request?.onInterim(status);
    return !this.#isClosed;
  }

  onHead(status: number, headers: ParsedHead["headers"]): void {
    this.#request?.onHead(status, headers);
  }

  onBody(bytes: Buffer): boolean {
    this.#request?.onBody(bytes);
    return !this.#isClosed;
  }

  async #open(pooled: PooledRequest): Promise<void> {
    const attempt = new ConnectionAttempt(this.pool, this.#onRead);
    this.#attempt = attempt;
    pooled.onOpening(attempt);
    try {
      const socket = await attempt.open();
      this.#socket = socket;
      socket.on("error", this.#onError);
      socket.once("end", this.#onEnd);
      socket.once("close", this.#onEnd);
      if (this.#isClosed) socket.destroy();
      else if (socket.destroyed) this.#onError(new ConnectError("reset", "The connection was closed at once."));
      else this.#send(socket, pooled);
    } catch (error) {
      // An error here must fail one attempt, not the process.
      this.#onError(error as Error);
    }
  }

  #send(socket: Socket, { head, body }: PooledRequest): void {
    if (typeof body === "string" || head.length + body.length > scratch.length) {
      socket.cork();
      socket.write(head, "latin1");
      socket.write(body);
      socket.uncork();
      return;
    }
    const bytes = scratch.subarray(0, head.length + body.length);
    bytes.write(head, "latin1");
    bytes.set(body, head.length);
    socket.write(bytes);
    // Not all of it was taken at once: the socket still needs these bytes.
    if (socket.writableLength > 0) scratch = Buffer.allocUnsafeSlow(scratch.length);
  }

  #onRead = (length: number, bytes: Uint8Array): boolean => {
    this.#onBytes(bytes as Buffer, length);
    return true;
  };

  #onBytes(bytes: Buffer, length: number): void {
    const request = this.#request;
    // Nothing was asked.
    if (request === undefined || this.#socket === undefined) return this.#onError(new UnreadableResponse(UNASKED));
    request.onFirstByte();
    let read: number | null;
    try {
      read = this.#parser.read(bytes, length);
    } catch (error) {
      return this.#onError(error as Error);
    }
    if (this.#request !== request) return;
    if (read === null) return request.onPart();
    // More than the answer, or an answer to half a request: the next answer would not be one to the next request.
    request.onEnd(read === length && this.#socket.writableLength === 0);
  }

  #onError = (error: Error): void => {
    this.#request?.onError(error);
    this.close();
  };

  #onEnd = (): void => {
    if (this.#isClosed) return;
    if (this.#parser.end()) this.#request?.onEnd(false);
    this.#onError(new ConnectError("reset", "The receiver closed the connection before it answered."));
  };

  /** @returns whether the receiver keeps the connection long enough. */
  #keepIdle(keepAliveMs: number | null): boolean {
    const idleMs = keepAliveMs === null ? IDLE_MS : Math.min(IDLE_MS, keepAliveMs - KEEP_ALIVE_MARGIN_MS);
    this.#idleUntil = performance.now() + idleMs;
    this.#idleTimer ??= setTimeout(this.#onIdle, IDLE_MS).unref();
    return idleMs > 0;
  }

  /** The timer is not set anew for each request, so it may come early. */
  #onIdle = (): void => {
    const leftMs = this.#idleUntil - performance.now();
    if (this.#request === undefined && leftMs <= 0) this.close();
    else this.#idleTimer = setTimeout(this.#onIdle, Math.max(leftMs, KEEP_ALIVE_MARGIN_MS)).unref();
  };
}

const UNASKED = "The receiver answered before it was asked.";

/** Reused for requests up to its size, so that they leave no garbage. */
let scratch = Buffer.allocUnsafeSlow(16_384);
