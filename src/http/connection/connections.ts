/**
 * Limits the resources that a client can hold. A client that sends requests and reads no responses costs others neither
 * memory nor time:
 *
 * - The responses of a connection are produced one after the other: requests that arrive before their turn (pipelining)
 *   wait. A connection on which more than eight wait is closed, and so is one that pipelines while too many wait on all
 *   connections.
 * - Unsent output has a memory budget. Above it, the connections that have made no progress for longest are closed.
 * - A write that makes no progress for `stallTimeoutMs` closes its connection.
 * - A request that has begun must arrive in time, or is answered with 408. A connection on which none has begun is
 *   closed without a response (RFC 9112, section 9.5). Only time in which this process was able to read counts.
 */
import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { ReceiveDeadline, type ReceiveTimeouts } from "./receive-deadline.ts";

export interface ConnectionLimits extends ReceiveTimeouts {
  stallTimeoutMs: number;
  checkIntervalMs: number;
  /** Requests of one connection that wait for the responses of earlier ones. */
  maxWaiting: number;
  /** Waiting requests of all connections. Each may hold 80 KiB: its headers, and what is read of its body. */
  maxAllWaiting: number;
  maxUnsentBytes: number;
}

const DEFAULT_LIMITS: ConnectionLimits = {
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 30_000,
  // Proxies keep idle connections for a minute; the service must not close them first.
  idleTimeoutMs: 72_000,
  stallTimeoutMs: 15_000,
  checkIntervalMs: 250,
  maxWaiting: 8,
  maxAllWaiting: 1_024,
  maxUnsentBytes: 64 * 1024 * 1024,
};

/** A connection that has made progress within this time is not closed to make room for others. */
const SPARED_MS = 1_000;

/** How long a closing server waits for the first request of a new connection; less if others wait for the next process. */
const FIRST_REQUEST_MS = 1_000;
const HURRIED_FIRST_REQUEST_MS = 500;

/** How often a closing server checks for connections that have become idle. */
const CLOSE_IDLE_INTERVAL_MS = 50;

/** How long a closing server lets responses be sent; a slow client must not keep it from stopping. */
const SEND_WITHIN_MS = 10_000;

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** The counters of the socket's handle; the socket itself does not report progress within a write. */
interface Counters {
  /** Passed to the operating system, or queued for it. */
  bytesWritten: number;
  /** Queued for the operating system. */
  writeQueueSize: number;
}

interface Connection {
  socket: Socket;
  /** `performance.now()` then. */
  openedAt: number;
  /** Requests that wait for the responses of earlier ones. */
  waiting: number;
  deadline: ReceiveDeadline;
  /** Bytes that the operating system had accepted when it last accepted any. */
  sentBytes: number;
  /** How long it has accepted none of the pending bytes. */
  stalledMs: number;
}

export interface ConnectionsOptions {
  limits?: Partial<ConnectionLimits>;
  /** Called for a connection whose request did not arrive in time; answers and closes it. */
  onLate: (socket: Socket) => void;
}

export class Connections implements Disposable {
  readonly #limits: ConnectionLimits;
  readonly #onLate: (socket: Socket) => void;
  readonly #open = new Map<Socket, Connection>();
  #allWaiting = 0;
  #firstRequestMs = FIRST_REQUEST_MS;
  #sparesIdle = false;
  #isClosingIdle = false;
  #checkedAt = performance.now();
  readonly #timer: NodeJS.Timeout;
  /** Undefined unless the server is closing. */
  #closing: { since: number; timer: NodeJS.Timeout } | undefined;

  constructor({ limits = {}, onLate }: ConnectionsOptions) {
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
    this.#onLate = onLate;
    // By then everything that has arrived is read: timers run first, then the sockets, then this.
    const check = () => setImmediate(() => this.#check(performance.now()));
    this.#timer = setInterval(check, this.#limits.checkIntervalMs).unref();
  }

  /** Takes over node:http's timeouts, and the choice of connections to close with the server. */
  manage(server: Server): void {
    server.headersTimeout = 0;
    server.requestTimeout = 0;
    // A timeout would set and clear a timer for each request; the connection is closed below.
    server.keepAliveTimeout = 0;
    server.on("connection", (socket) => {
      const connection = {
        socket,
        openedAt: performance.now(),
        waiting: 0,
        deadline: new ReceiveDeadline(),
        sentBytes: 0,
        stalledMs: 0,
      };
      this.#open.set(socket, connection);
      socket.once("close", () => {
        this.#open.delete(socket);
        this.#allWaiting -= connection.waiting;
      });
    });
    // Called by node:http when the server closes. The original would cut off clients that have not read all of a
    // response, and wait for connections on which nothing was ever sent.
    server.closeIdleConnections = () => {
      if (!this.#sparesIdle) setImmediate(() => void this.#closeIdle());
    };
    server.once("close", () => clearInterval(this.#closing?.timer));
  }

  /** Calls `handle` when the earlier requests of the connection are answered, which is usually at once. */
  admit(request: IncomingMessage, response: ServerResponse, handle: Handler): void {
    const connection = this.#open.get(request.socket);
    if (connection === undefined) return;
    connection.deadline.begin(request, response);
    // Announces the timeout in the header Keep-Alive.
    (response as ServerResponse & { _keepAliveTimeout: number })._keepAliveTimeout = this.#limits.idleTimeoutMs;
    // A response gets its socket as soon as no other response must be written first.
    if (response.socket !== null) return handle(request, response);
    this.#wait(connection, response, () => handle(request, response));
  }

  #wait(connection: Connection, response: ServerResponse, handle: () => void): void {
    const { socket } = connection;
    // node:http goes on parsing what arrived with the request that closed the connection.
    if (socket.destroyed) return;
    connection.waiting++;
    this.#allWaiting++;
    if (connection.waiting > this.#limits.maxWaiting || this.#allWaiting > this.#limits.maxAllWaiting) {
      socket.destroy();
      return;
    }
    response.once("socket", () => {
      if (socket.destroyed) return;
      connection.waiting--;
      this.#allWaiting--;
      handle();
    });
  }

  /** Makes responses in progress close their connections, if their headers are not sent yet. */
  closeAfterAnswers(): void {
    for (const socket of this.#open.keys()) {
      const { _httpMessage: answer } = socket as Socket & { _httpMessage?: ServerResponse | null };
      if (answer?.headersSent === false) answer.shouldKeepAlive = false;
    }
  }

  /** Resolves when the responses now in progress are sent, except streams, or after `maxMs`. */
  async sent(maxMs: number): Promise<void> {
    const pending = [...this.#open.values()].flatMap(({ deadline: { response } }) =>
      response === undefined || isStream(response) ? [] : [once(response, "close")],
    );
    await Promise.race([Promise.allSettled(pending), sleep(maxMs, undefined, { ref: false })]);
  }

  /** Whether a server that no longer listens keeps idle connections open. */
  spareIdle(spares: boolean): void {
    this.#sparesIdle = spares;
  }

  /** When the server closes, new connections without a request are closed soon. */
  hurry(): void {
    this.#firstRequestMs = HURRIED_FIRST_REQUEST_MS;
  }

  /**
   * Call it when all that has arrived is read. Closes one connection in a turn of the event loop, so that what arrives meanwhile on the
   * others is read first.
   */
  async #closeIdle(): Promise<void> {
    if (this.#isClosingIdle) return;
    this.#isClosingIdle = true;
    this.#closing ??= {
      since: performance.now(),
      timer: setInterval(() => setImmediate(() => void this.#closeIdle()), CLOSE_IDLE_INTERVAL_MS).unref(),
    };
    const isOver = performance.now() - this.#closing.since >= SEND_WITHIN_MS;
    const youngSince = performance.now() - this.#firstRequestMs;
    for (const { socket, deadline, openedAt } of this.#open.values()) {
      if (!deadline.isIdle(socket, openedAt > youngSince) || (!isOver && socket.writableLength > 0)) continue;
      socket.destroy();
      await nextTurn();
    }
    this.#isClosingIdle = false;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    clearInterval(this.#closing?.timer);
  }

  #check(now: number): void {
    // While this process was blocked it read nothing, and no client could make progress.
    const elapsedMs = Math.min(now - this.#checkedAt, 2 * this.#limits.checkIntervalMs);
    this.#checkedAt = now;
    let unsentBytes = 0;
    const stalled: { connection: Connection; unsent: number }[] = [];
    for (const connection of this.#open.values()) {
      const unsent = measure(connection, elapsedMs);
      if (connection.stalledMs >= this.#limits.stallTimeoutMs) {
        connection.socket.destroy();
        continue;
      }
      const expiry = connection.deadline.check(connection.socket, elapsedMs, this.#limits);
      if (expiry === "late") this.#onLate(connection.socket);
      else if (expiry === "unused" && unsent === 0) connection.socket.destroy();
      unsentBytes += unsent;
      if (connection.stalledMs >= SPARED_MS) stalled.push({ connection, unsent });
    }
    stalled.sort((a, b) => b.connection.stalledMs - a.connection.stalledMs);
    for (const { connection, unsent } of stalled) {
      if (unsentBytes <= this.#limits.maxUnsentBytes) return;
      unsentBytes -= unsent;
      connection.socket.destroy();
    }
  }
}

/** Such a response ends with its client, or with the service. */
function isStream(response: ServerResponse): boolean {
  const { _header: head } = response as ServerResponse & { _header?: string | null };
  return head?.includes("text/event-stream") === true;
}

/** @returns the bytes that the operating system has not accepted. */
function measure(connection: Connection, elapsedMs: number): number {
  const { socket } = connection;
  const { _handle: counters } = socket as Socket & { _handle?: Counters | null };
  if (socket.writableLength === 0 || !counters) {
    connection.stalledMs = 0;
    return 0;
  }
  const sentBytes = counters.bytesWritten - counters.writeQueueSize;
  connection.stalledMs = sentBytes === connection.sentBytes ? connection.stalledMs + elapsedMs : 0;
  connection.sentBytes = sentBytes;
  return Math.max(socket.writableLength, counters.writeQueueSize);
}
