/** Webhook receivers on loopback that work on raw bytes, and so can misbehave in any way. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import { Worker } from "node:worker_threads";
import type { Certificate } from "./certificates.ts";

export interface ReceivedRequest {
  /** Request line and headers, as received. */
  head: string;
  body: string;
}

export interface ReceiverOptions {
  /** Called for each complete request. @param index 0 is the receiver's first request. */
  onRequest?: (socket: Socket, request: ReceivedRequest, index: number) => void;
  /** Replaces the reading of requests. */
  onConnection?: (socket: Socket) => void;
  /** With a certificate the receiver uses TLS. */
  certificate?: Certificate;
}

/** Listens on 127.0.0.1 until it is disposed of. */
export class Receiver implements AsyncDisposable {
  readonly requests: ReceivedRequest[] = [];
  connections = 0;
  /** SNI of each TLS connection; `false`: the client named no server. */
  readonly servernames: (string | false)[] = [];
  readonly sockets = new Set<Socket>();
  readonly #server: Server;
  readonly #options: ReceiverOptions;

  private constructor(options: ReceiverOptions) {
    this.#options = options;
    this.#server =
      options.certificate === undefined
        ? createServer({ noDelay: true }, this.#onConnection)
        : createTlsServer(options.certificate, this.#onConnection).on("tlsClientError", ignore);
    // With TLS this includes connections that never finish their handshake.
    this.#server.on("connection", (socket: Socket) => this.#keep(socket));
  }

  static async start(options: ReceiverOptions): Promise<Receiver> {
    const receiver = new Receiver(options);
    receiver.#server.listen(0, "127.0.0.1");
    await once(receiver.#server, "listening");
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** @param host a name that resolves to 127.0.0.1. */
  url(host = "127.0.0.1", scheme = this.#options.certificate === undefined ? "http" : "https"): string {
    return `${scheme}://${host}:${this.port}/hook`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  #keep(socket: Socket): void {
    this.sockets.add(socket);
    socket.on("error", ignore).once("close", () => this.sockets.delete(socket));
  }

  #onConnection = (socket: Socket | TLSSocket): void => {
    this.connections += 1;
    if ("servername" in socket) this.servernames.push(socket.servername ?? false);
    this.#keep(socket);
    if (this.#options.onConnection !== undefined) return this.#options.onConnection(socket);
    let text = "";
    socket.on("data", (bytes: Buffer) => {
      text += bytes.toString("latin1");
      for (let request = takeRequest(text); request !== undefined; request = takeRequest(text)) {
        text = text.slice(request.head.length + 4 + request.body.length);
        this.requests.push(request);
        this.#options.onRequest?.(socket, request, this.requests.length - 1);
      }
    });
  };
}

function takeRequest(text: string): ReceivedRequest | undefined {
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const head = text.slice(0, end);
  const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
  const body = text.slice(end + 4, end + 4 + length);
  return body.length < length ? undefined : { head, body };
}

/** A complete HTTP response. */
export function answer(status = 200, body = "ok", headers = ""): string {
  return `HTTP/1.1 ${status} X\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** Writes `part` repeatedly, `everyMs` apart, until the other side closes; 0: as fast as the socket accepts it. */
export function repeat(socket: Socket, part: string | Buffer, everyMs: number): void {
  if (everyMs > 0) {
    const timer = setInterval(() => socket.write(part), everyMs);
    socket.once("close", () => clearInterval(timer));
    return;
  }
  const pour = () => {
    while (!socket.destroyed && socket.write(part));
  };
  socket.on("drain", pour);
  pour();
}

/** Sends the bytes, waits until they have arrived, then resets the connection (RST). */
export function sayAndReset(socket: Socket, bytes: string): void {
  socket.write(bytes);
  setTimeout(() => socket.resetAndDestroy(), 50);
}

/** A URL on which nothing listens. */
export async function closedPort(): Promise<string> {
  const receiver = await Receiver.start({});
  const url = receiver.url();
  await receiver[Symbol.asyncDispose]();
  return url;
}

/** A port with a full accept queue that is never accepted from: packets to it are dropped (Linux). */
export async function startBlackHole(at = { host: "127.0.0.1", port: 0 }): Promise<AsyncDisposable & { url: string }> {
  const { host } = at;
  const worker = new Worker(BLACK_HOLE, { eval: true, workerData: { ...at, backlog: 1 } });
  const [port] = (await once(worker, "message")) as [number];
  const fillers = Array.from({ length: 4 }, () => connect({ host, port }).on("error", ignore));
  await Promise.all(fillers.slice(0, 2).map((socket) => once(socket, "connect")));
  return {
    url: `http://${host}:${port}/`,
    [Symbol.asyncDispose]: async () => {
      for (const socket of fillers) socket.destroy();
      await worker.terminate();
    },
  };
}

const BLACK_HOLE = `
  const { parentPort, workerData } = require("node:worker_threads");
  const server = require("node:net").createServer();
  server.listen(workerData, () => {
    parentPort.postMessage(server.address().port);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
`;

/** Connection errors are expected. */
function ignore(): void {}
