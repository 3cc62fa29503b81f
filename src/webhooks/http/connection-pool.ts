/**
 * The connections of one endpoint. A `PooledConnection` is one undici `Client`, which is one connection; a `EndpointPool` holds the lines of
 * an endpoint. undici's own `Pool` would do, but it tells neither which request a connection was opened for nor whether
 * a request went out on a used one, and it cannot give up a request that waits for a connection.
 */
import type { Socket } from "node:net";
import { createSecureContext, type SecureContext } from "node:tls";
import { type buildConnector, Client, type Dispatcher } from "undici";
import { ConnectError, type Destination, ConnectionAttempt } from "./connector.ts";

/** Who uses a line: one request at a time. */
export interface PooledRequest extends Dispatcher.DispatchHandler {
  readonly request: Dispatcher.DispatchOptions;
  readonly isDone: boolean;
  /** It has a line now; dispatching follows. */
  onLine(line: PooledConnection): void;
  /** A connection is being opened for it: the line had none, or had lost it before anything was sent. */
  onOpening(opening: ConnectionAttempt): void;
  onResponseError(controller: Dispatcher.DispatchController | null, error: Error): void;
}

export interface EndpointPoolOptions extends Omit<Destination, "secureContext"> {
  /** The TLS context with the public CAs, shared by all pools. */
  publicContext: () => SecureContext;
  /** The URL as it was given. */
  text: string;
  ca: string | null;
  /** Connections that are closing; awaited when the sender is disposed of. */
  closing: Set<Promise<void>>;
  /** The last connection has gone; not called any more once the lane is retired. */
  onEmpty: () => void;
}

export class EndpointPool implements Destination {
  readonly guard: Destination["guard"];
  readonly url: URL;
  readonly text: string;
  readonly ca: string | null;
  readonly path: string;
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
    this.path = url.pathname + url.search;
    this.connectTimeoutMs = connectTimeoutMs;
    this.#publicContext = publicContext;
    this.#closing = closing;
    this.#onEmpty = onEmpty;
  }

  /** A private CA stands in for the public ones: whoever gave it means this CA and no other. */
  secureContext = (): SecureContext =>
    (this.#context ??= this.ca === null ? this.#publicContext() : createSecureContext({ ca: this.ca }));

  /** On the connection that was used last, else on a new one, else as soon as one of the eight is free. */
  run(pooled: PooledRequest): void {
    for (let line = this.#idle.pop(); line !== undefined; line = this.#idle.pop()) {
      // The others close by themselves as soon as undici has noticed.
      if (line.isUsable) return line.run(pooled);
    }
    if (this.#connections.size < MAX_CONNECTIONS) this.runFresh(pooled);
    else this.#waiting.push(pooled);
  }

  /** On a new connection, even if it is the ninth. */
  runFresh(pooled: PooledRequest): void {
    const line = new PooledConnection(this);
    this.#connections.add(line);
    line.run(pooled);
  }

  /** Closes what is idle; what is under way ends, and its connection with it. */
  retire(): void {
    this.#isRetired = true;
    for (const line of this.#idle.splice(0)) line.close();
  }

  /** For lines: `line` has nothing to do any more. */
  onFree(line: PooledConnection): void {
    if (this.#isRetired && this.#waiting.length === 0) return line.close();
    const next = this.#nextWaiting();
    if (next === undefined) this.#idle.push(line);
    else line.run(next);
  }

  /** For lines: `line` is gone, except that its socket may still be closing. */
  onClosed(line: PooledConnection, closed: Promise<void>): void {
    this.#connections.delete(line);
    const index = this.#idle.indexOf(line);
    if (index !== -1) this.#idle.splice(index, 1);
    const settled = closed.finally(() => this.#closing.delete(settled));
    this.#closing.add(settled);
    const next = this.#nextWaiting();
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

/** How long an unused connection stays; a receiver that says less in `Keep-Alive: timeout` is believed. */
const IDLE_MS = 60_000;

/** More is `protocol`. */
export const MAX_HEADER_BYTES = 16 * 1024;

export class PooledConnection {
  readonly pool: EndpointPool;
  readonly #client: Client;
  #socket: Socket | undefined;
  #opening: ConnectionAttempt | undefined;
  #rider: PooledRequest | undefined;
  #isClosed = false;

  constructor(pool: EndpointPool) {
    this.pool = pool;
    this.#client = new Client(pool.url.origin, {
      connect: this.#connect,
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      keepAliveTimeoutThreshold: 1_000,
      // They start anew with every byte; the attempt's own deadline does not.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.#client.on("disconnect", this.#onDisconnect);
  }

  /** Whether the connection is open, as far as this side knows. */
  get isUsable(): boolean {
    return !this.#isClosed && this.#socket?.destroyed === false;
  }

  run(pooled: PooledRequest): void {
    this.#rider = pooled;
    pooled.onLine(this);
    this.#client.dispatch(pooled.request, pooled);
  }

  /** The rider is done with it; kept only when its answer had ended by itself. */
  release(isReusable: boolean): void {
    this.#rider = undefined;
    if (isReusable && this.isUsable) this.pool.onFree(this);
    else this.close();
  }

  /** Destroys the connection, at whatever point it is. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#rider = undefined;
    this.#opening?.giveUp();
    this.pool.onClosed(this, this.#client.destroy());
  }

  #connect = (_options: buildConnector.Options, callback: buildConnector.Callback): void => {
    // A bug on this path must fail one attempt and not the process.
    this.#open(callback).catch((error: Error) => this.#rider?.onResponseError(null, error));
  };

  async #open(callback: buildConnector.Callback): Promise<void> {
    const opening = new ConnectionAttempt(this.pool);
    this.#opening = opening;
    this.#rider?.onOpening(opening);
    let socket: Socket;
    try {
      socket = await opening.open();
      // undici would keep the request and connect again, for ever.
      if (socket.destroyed) throw new ConnectError("reset", "The connection was closed at once.");
    } catch (error) {
      callback(error as Error, null);
      return;
    }
    this.#socket = socket;
    callback(null, socket);
  }

  /** With a rider, undici tells it, or connects again because nothing had been sent. */
  #onDisconnect = (): void => {
    if (this.#rider === undefined) this.close();
  };
}
