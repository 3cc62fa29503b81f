/**
 * What clients may hold of the process. Whoever sends requests and reads no answers costs others neither memory nor time:
 *
 * - The answers of a connection are made one after the other. Requests that arrive before their turn (pipelining) wait, and
 *   while several do, no more are read or parsed. Those of all connections together get a quarter of the time (turns.ts).
 * - What waits on all connections has a budget, and so has what is written and not taken. Beyond it the connections that
 *   hold most, or have taken nothing for longest, are closed.
 * - A write that makes no progress for `stallTimeoutMs` closes its connection.
 * - A request that has begun is to arrive in time, or is answered 408. A connection on which none has begun is closed in silence
 *   (RFC 9112, section 9.5). Only time in which this process could have read counts.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Pipeline, type PipelineOptions } from "./pipeline.ts";
import { ReceiveDeadline, type ReceiveTimeouts } from "./receive-deadline.ts";
import { Turns } from "./turns.ts";

export interface ConnectionLimits extends ReceiveTimeouts {
  stallTimeoutMs: number;
  /** How often all of this is checked. */
  checkIntervalMs: number;
  /** Requests of one connection that are parsed before their turn; the bytes that arrived with them wait unparsed. */
  maxWaiting: number;
  /** Limit for all connections together. */
  maxWaitingBytes: number;
  /** Limit for all connections together. */
  maxUnsentBytes: number;
}

const DEFAULT_LIMITS: ConnectionLimits = {
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 30_000,
  // Proxies keep idle connections for a minute: the service must not be the first to let go.
  idleTimeoutMs: 72_000,
  stallTimeoutMs: 15_000,
  checkIntervalMs: 250,
  maxWaiting: 8,
  maxWaitingBytes: 32 * 1024 * 1024,
  maxUnsentBytes: 64 * 1024 * 1024,
};

/** A connection that has taken something within this time is not closed for the sake of others. */
const SPARED_MS = 1_000;

/** How often a server that closes looks for connections that have become idle. */
const CLOSE_IDLE_INTERVAL_MS = 50;

/** How long a server that closes lets answers be sent; a client that takes them slowly must not keep it from stopping. */
const SEND_WITHIN_MS = 10_000;

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** What the socket's handle counts: the socket itself knows of no progress within a write. */
interface Counters {
  /** Handed to the operating system, or queued for it. */
  bytesWritten: number;
  /** Queued for it. */
  writeQueueSize: number;
}

interface Connection {
  socket: Socket;
  pipeline: Pipeline | undefined;
  deadline: ReceiveDeadline;
  /** Bytes that the operating system had taken when it last took some. */
  sentBytes: number;
  /** How long it has taken nothing of what there is to take. */
  stalledMs: number;
}

export interface ConnectionsOptions {
  limits?: Partial<ConnectionLimits>;
  /** Called for a connection whose request does not arrive in time: answers it and closes it. */
  onLate: (socket: Socket) => void;
}

export class Connections implements Disposable {
  readonly #limits: ConnectionLimits;
  readonly #onLate: (socket: Socket) => void;
  readonly #open = new Map<Socket, Connection>();
  /** Those in which something waits. */
  readonly #pipelines = new Set<Pipeline>();
  #waitingBytes = 0;
  readonly #pipelineOptions: PipelineOptions;
  #checkedAt = performance.now();
  readonly #timer: NodeJS.Timeout;
  /** Undefined: the server does not close. */
  #closing: { since: number; timer: NodeJS.Timeout } | undefined;

  constructor({ limits = {}, onLate }: ConnectionsOptions) {
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
    this.#onLate = onLate;
    this.#pipelineOptions = {
      maxWaiting: this.#limits.maxWaiting,
      turns: new Turns(),
      onWeight: (pipeline, change) => this.#weighed(pipeline, change),
    };
    // What has arrived by then is read before: timers run first, then the sockets, then this.
    const check = () => setImmediate(() => this.#check(performance.now()));
    this.#timer = setInterval(check, this.#limits.checkIntervalMs).unref();
  }

  /** Takes over from node:http how long requests and idle connections of the server may take, and which to close with it. */
  manage(server: Server): void {
    server.headersTimeout = 0;
    server.requestTimeout = 0;
    // Its answers promise this time in a header; the connection is closed below.
    server.keepAliveTimeout = this.#limits.idleTimeoutMs;
    server.on("timeout", () => undefined);
    server.on("connection", (socket) => {
      this.#open.set(socket, {
        socket,
        pipeline: undefined,
        deadline: new ReceiveDeadline(),
        sentBytes: 0,
        stalledMs: 0,
      });
      socket.once("close", () => this.#open.delete(socket));
    });
    // node:http calls it when the server closes. By itself it would cut off whoever has not taken all of an answer, and wait for
    // connections on which nothing was ever sent.
    server.closeIdleConnections = () => void setImmediate(() => this.#closeIdle());
    server.once("close", () => clearInterval(this.#closing?.timer));
  }

  /** Calls `handle` when the earlier requests of the connection are answered: mostly at once. */
  admit(request: IncomingMessage, response: ServerResponse, handle: Handler): void {
    const connection = this.#open.get(request.socket);
    if (connection === undefined) return;
    connection.deadline.begin(request, response);
    // A response has its socket as soon as no other is to be written to it first.
    if (response.socket !== null) return handle(request, response);
    connection.pipeline ??= new Pipeline(request.socket, this.#pipelineOptions);
    connection.pipeline.wait(request, response, () => handle(request, response));
  }

  /** Makes the answers under way close their connections, as far as their headers are not sent yet. */
  closeAfterAnswers(): void {
    for (const socket of this.#open.keys()) {
      const { _httpMessage: answer } = socket as Socket & { _httpMessage?: ServerResponse | null };
      if (answer?.headersSent === false) answer.shouldKeepAlive = false;
    }
  }

  #closeIdle(): void {
    this.#closing ??= {
      since: performance.now(),
      timer: setInterval(() => setImmediate(() => this.#closeIdle()), CLOSE_IDLE_INTERVAL_MS).unref(),
    };
    const isOver = performance.now() - this.#closing.since >= SEND_WITHIN_MS;
    for (const { socket, deadline } of this.#open.values()) {
      if (deadline.isIdle(socket) && (isOver || socket.writableLength === 0)) socket.destroy();
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    clearInterval(this.#closing?.timer);
  }

  #weighed(pipeline: Pipeline, change: number): void {
    this.#waitingBytes += change;
    if (pipeline.weight > 0) this.#pipelines.add(pipeline);
    else this.#pipelines.delete(pipeline);
    if (this.#waitingBytes <= this.#limits.maxWaitingBytes || change < 0) return;
    let heaviest = pipeline;
    for (const one of this.#pipelines) if (one.weight > heaviest.weight) heaviest = one;
    heaviest.abort();
  }

  #check(now: number): void {
    // While the process itself was held up, it read nothing, and nobody could take anything.
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

/** @returns the bytes that the operating system has not taken. */
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
