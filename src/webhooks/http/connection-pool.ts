/**
 * The connections of one endpoint. A `PooledConnection` wraps one undici `Client`, which is one connection; an `EndpointPool`
 * holds those of an endpoint. undici's own `Pool` reports neither which request a connection was opened for nor whether a
 * request used an existing connection, and it cannot cancel a request that waits for a connection.
 */
import type { Socket } from "node:net";
import { createSecureContext, type SecureContext } from "node:tls";
import { type buildConnector, Client, type Dispatcher } from "undici";
import { ConnectError, type Destination, ConnectionAttempt } from "./connector.ts";

/** A request that uses a connection; one at a time. */
export interface PooledRequest extends Dispatcher.DispatchHandler {
  readonly request: Dispatcher.DispatchOptions;
  readonly isDone: boolean;
  /** Called when the request has a connection, before it is dispatched. */
  onConnection(connection: PooledConnection): void;
  /** Called when a connection is opened for the request: there was none, or it was lost before anything was sent. */
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
  /** Called when the last connection has closed, unless the pool is retired. */
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

  /** A private CA replaces the public ones: the endpoint trusts this CA and no other. */
  secureContext = (): SecureContext =>
    (this.#context ??= this.ca === null ? this.#publicContext() : createSecureContext({ ca: this.ca }));

  /** Uses the most recently used idle connection, else a new one, else waits for one of the eight. */
  run(pooled: PooledRequest): void {
    for (let connection = this.#idle.pop(); connection !== undefined; connection = this.#idle.pop()) {
      // Unusable connections close by themselves once undici notices.
      if (connection.isUsable) return connection.run(pooled);
    }
    if (this.#connections.size < MAX_CONNECTIONS) this.runFresh(pooled);
    else this.#waiting.push(pooled);
  }

  /** Uses a new connection, even if it is the ninth. */
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
    if (this.#isRetired && this.#waiting.length === 0) return connection.close();
    const next = this.#nextWaiting();
    if (next === undefined) this.#idle.push(connection);
    else connection.run(next);
  }

  /** Called by `connection` when it is closed; its socket may still be closing. */
  onClosed(connection: PooledConnection, closed: Promise<void>): void {
    this.#connections.delete(connection);
    const index = this.#idle.indexOf(connection);
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

/** How long an idle connection is kept; a shorter `Keep-Alive: timeout` of the receiver takes precedence. */
const IDLE_MS = 60_000;

/** Larger headers have the outcome `protocol`. */
export const MAX_HEADER_BYTES = 16 * 1024;

export class PooledConnection {
  readonly pool: EndpointPool;
  readonly #client: Client;
  #socket: Socket | undefined;
  #attempt: ConnectionAttempt | undefined;
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
      // undici's timeouts restart with every byte; the attempt's own deadline does not.
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
    pooled.onConnection(this);
    this.#client.dispatch(pooled.request, pooled);
  }

  /** Called when the request is finished. `isReusable`: the response ended normally, so the connection is kept. */
  release(isReusable: boolean): void {
    this.#rider = undefined;
    if (isReusable && this.isUsable) this.pool.onFree(this);
    else this.close();
  }

  /** Destroys the connection in any state. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#rider = undefined;
    this.#attempt?.abort();
    this.pool.onClosed(this, this.#client.destroy());
  }

  #connect = (_options: buildConnector.Options, callback: buildConnector.Callback): void => {
    // An error here must fail one attempt, not the process.
    this.#open(callback).catch((error: Error) => this.#rider?.onResponseError(null, error));
  };

  async #open(callback: buildConnector.Callback): Promise<void> {
    const opening = new ConnectionAttempt(this.pool);
    this.#attempt = opening;
    this.#rider?.onOpening(opening);
    let socket: Socket;
    try {
      socket = await opening.open();
      // undici would keep the request and reconnect forever.
      if (socket.destroyed) throw new ConnectError("reset", "The connection was closed at once.");
    } catch (error) {
      callback(error as Error, null);
      return;
    }
    this.#socket = socket;
    callback(null, socket);
  }

  /** While a request is assigned, undici reports the error to it, or reconnects because nothing was sent. */
  #onDisconnect = (): void => {
    if (this.#rider === undefined) this.close();
  };
}
