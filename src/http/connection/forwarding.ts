/**
 * Requests that a reading process (readers/) passes on to the main one, over a local socket. A header that only the two know
 * states the client's address. The main process is in charge of time limits, and sees the client's pace: neither side holds
 * more of a body than a stream's buffer.
 */
import { timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type ErrorReply, refusal } from "../errors.ts";
import type { Front } from "./front.ts";

/** `<token> <address of the client>`. */
const PEER_HEADER = "rostrum-peer";
/** RFC 9110, section 7.6.1: they concern one connection. Node writes its own. */
const OF_CONNECTION = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "upgrade",
  PEER_HEADER,
]);
const WITHOUT_BODY = new Set(["GET", "HEAD", "DELETE", "OPTIONS", "TRACE"]);
/** A client may not have them removed. */
const OF_FRAMING = new Set(["content-length", "transfer-encoding", "host"]);

// As in front.ts.
const { request: send } = process.getBuiltinModule("node:http");

/** The main process's side. */
export async function acceptForwarded(front: Front, path: string, token: string): Promise<AsyncDisposable> {
  const server = front.createServer((req, res) => {
    const peer = readPeer(req, token);
    if (peer === undefined) {
      req.socket.destroy();
      return;
    }
    // The connection is used for this request only.
    Object.defineProperty(req.socket, "remoteAddress", { value: peer });
    front.handle(req, res);
  });
  server.on("connection", (socket) => {
    // Closed with unread bytes of a body, it would be reset, and the answer lost. The reading process closes it.
    socket.destroySoon = () => void socket.end();
  });
  server.listen(path);
  await once(server, "listening");
  return {
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function readPeer({ headers }: IncomingMessage, token: string): string | undefined {
  const [given = "", peer] = headers[PEER_HEADER]?.toString().split(" ") ?? [];
  delete headers[PEER_HEADER];
  const [said, expected] = [Buffer.from(given), Buffer.from(token)];
  return said.length === expected.length && timingSafeEqual(said, expected) ? peer : undefined;
}

/** Forwards requests; used by the processes that only read. */
export class Forwarder {
  readonly #path: string;
  readonly #token: string;
  readonly #waiting = new WeakSet<Socket>();

  constructor(path: string, token: string) {
    this.#path = path;
    this.#token = token;
  }

  /** Whether the connection's current request is with the main process. */
  isForwarding(socket: Socket): boolean {
    return this.#waiting.has(socket);
  }

  handle(req: IncomingMessage, res: ServerResponse): void {
    const { socket } = req;
    const upstream = this.#open(req);
    if (upstream === null) return unreadable(res);
    this.#waiting.add(socket);
    let hasAnswer = false;
    res.once("close", () => {
      this.#waiting.delete(socket);
      if (!res.writableFinished) upstream.destroy();
    });
    upstream.on("continue", () => res.writeContinue());
    upstream.on("error", () => {
      // The main process may answer before it has read the whole body.
      if (!hasAnswer) unavailable(res);
    });
    upstream.on("response", (reply) => {
      hasAnswer = true;
      if (reply.headers.connection === "close") res.shouldKeepAlive = false;
      res.sendDate = false;
      res.writeHead(reply.statusCode ?? 502, reply.statusMessage, responseHeaders(reply));
      // An event stream's first event may come much later.
      res.flushHeaders();
      reply.on("error", () => res.destroy());
      reply.pipe(res);
    });
    req.on("error", () => upstream.destroy());
    // Without a body it emits no end.
    if (req.readableEnded) upstream.end();
    else req.pipe(upstream);
    upstream.flushHeaders();
  }

  /** Null: Node does not send such a request. */
  #open(req: IncomingMessage): ClientRequest | null {
    const { method, url: path } = req;
    const headers = this.#requestHeaders(req);
    try {
      return send({ socketPath: this.#path, method, path, agent: false, headers });
    } catch {
      return null;
    }
  }

  #requestHeaders(req: IncomingMessage): string[] {
    const headers = withoutConnection(req.rawHeaders, req.headers.connection);
    const hasLength = req.headers["content-length"] !== undefined || req.headers["transfer-encoding"] !== undefined;
    // Otherwise Node would announce a chunked body with these methods.
    if (!hasLength && !WITHOUT_BODY.has(req.method ?? "")) headers.push("Content-Length", "0");
    // The main process closes it if the client's connection has to be closed, too.
    headers.push("Connection", "keep-alive", PEER_HEADER, `${this.#token} ${req.socket.remoteAddress ?? ""}`);
    return headers;
  }
}

function responseHeaders(answer: IncomingMessage): string[] {
  const headers = withoutConnection(answer.rawHeaders, answer.headers.connection);
  const at = headers.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === "transfer-encoding");
  if (at >= 0) headers.splice(at, 2);
  return headers;
}

function withoutConnection(rawHeaders: readonly string[], connection = ""): string[] {
  const named = new Set(connection.toLowerCase().split(/[\s,]+/));
  const kept: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = rawHeaders.slice(at, at + 2);
    const lower = name.toLowerCase();
    if (OF_FRAMING.has(lower) || (!OF_CONNECTION.has(lower) && !named.has(lower))) kept.push(name, value);
  }
  return kept;
}

function unavailable(res: ServerResponse): void {
  if (res.headersSent || res.destroyed) res.destroy();
  else answer(res, refusal(503, "The service is stopping or starting; try again in a second."), { "Retry-After": "1" });
}

function unreadable(res: ServerResponse): void {
  answer(res, refusal(400, "This is not a valid HTTP request; check its address and headers."));
}

function answer(res: ServerResponse, { status, body }: ErrorReply, headers: Record<string, string> = {}): void {
  res.shouldKeepAlive = false;
  res.writeHead(status, { "Content-Type": "application/json; charset=utf-8", ...headers });
  res.end(JSON.stringify(body));
}
