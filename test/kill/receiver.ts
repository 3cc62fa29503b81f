/** The receiver of all endpoints: it outlives every kill, verifies what comes by a library of others, and misbehaves. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import { until } from "../helpers/until.ts";
import type { Arrival, Journal } from "./journal.ts";

/** What it does with a request. A reset breaks the connection; `hang`: never answers. */
export type Behaviour =
  | { status: number; afterMs: number }
  | { status: number; after: Promise<void> }
  | { resetAfterMs: number }
  | "hang";

export interface ReceiverOptions {
  journal: Journal;
  behave: (arrival: Arrival) => Behaviour;
  /** Which life of which node a connection comes from, asked when it comes; absent: there is only one. */
  nodeOf?: (socket: Socket) => string | null;
}

/** The receiver's clock and the sender's are one: more than a busy machine's delay is wrong. */
const MAX_SKEW_S = 15;

export class Receiver implements AsyncDisposable {
  /** Called for each arrival, before it is answered. */
  onArrival: (arrival: Arrival) => void = () => undefined;
  readonly #options: ReceiverOptions;
  /** With the node that each comes from. */
  readonly #sockets = new Map<Socket, string | null>();
  readonly #endpoints = new Map<string, { id: string; webhook: Webhook }>();
  readonly #server = createServer((request, response) => void this.#take(request, response));

  private constructor(options: ReceiverOptions) {
    this.#options = options;
    this.#server.on("connection", (socket) => {
      this.#sockets.set(socket, options.nodeOf?.(socket) ?? null);
      socket.on("error", () => undefined).once("close", () => this.#sockets.delete(socket));
    });
  }

  static async start(options: ReceiverOptions): Promise<Receiver> {
    const receiver = new Receiver(options);
    receiver.#server.keepAliveTimeout = 60_000;
    receiver.#server.listen(0, "127.0.0.1");
    await once(receiver.#server, "listening");
    return receiver;
  }

  /** Where the endpoint of that name receives. */
  url(name: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${name}`;
  }

  expect(name: string, endpoint: { id: string; secret: string }): void {
    this.#endpoints.set(`/${name}`, { id: endpoint.id, webhook: new Webhook(endpoint.secret) });
  }

  /** Resolves when all that a dead process had sent has been taken in; null: the only one. */
  async quiet(node: string | null = null): Promise<void> {
    await until("the connections of the killed process are gone", () => ![...this.#sockets.values()].includes(node));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets.keys()) socket.destroy();
    await closed;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body: Buffer;
    try {
      body = await buffer(request);
    } catch {
      // Killed before the whole request was written: nothing has arrived.
      return;
    }
    const { journal, behave } = this.#options;
    const arrival = this.#note(request, body);
    response.once("close", () => journal.ended(arrival, "gone"));
    this.onArrival(arrival);
    const behaviour = behave(arrival);
    if (behaviour === "hang") return;
    const answer = (status: number) => {
      // Before the first byte: what the sender does about the answer comes after.
      journal.ended(arrival, status);
      if (!response.destroyed) response.writeHead(status).end();
    };
    const reset = () => {
      journal.ended(arrival, "reset");
      request.socket.resetAndDestroy();
    };
    if ("after" in behaviour) return void behaviour.after.then(() => answer(behaviour.status));
    const [act, afterMs] =
      "status" in behaviour ? [() => answer(behaviour.status), behaviour.afterMs] : [reset, behaviour.resetAfterMs];
    if (afterMs === 0) return act();
    const timer = setTimeout(act, afterMs);
    response.once("close", () => clearTimeout(timer));
  }

  #note(request: IncomingMessage, bytes: Buffer): Arrival {
    const header = (name: string) => String(request.headers[name] ?? "");
    const endpoint = this.#endpoints.get(request.url ?? "");
    const body = bytes.toString("latin1");
    // Of what is no JSON the bytes are not those of any event, and that is what will be said of it.
    const articleId = /"article_id":"([^"]*)"/.exec(body)?.[1] ?? "";
    return this.#options.journal.arrived({
      endpointId: endpoint?.id ?? `unknown ${request.url}`,
      articleId,
      eventId: header("webhook-id").replace(/^msg_/, ""),
      attempt: Number(header("webhook-attempt")),
      sequence: Number(header("webhook-sequence")),
      body,
      node: this.#sockets.get(request.socket) ?? null,
      problem: endpoint === undefined ? "nobody expects it" : problemOf(endpoint.webhook, request, bytes),
    });
  }
}

function problemOf(webhook: Webhook, request: IncomingMessage, body: Buffer): string | null {
  const skew = Math.abs(Date.now() / 1_000 - Number(request.headers["webhook-timestamp"]));
  try {
    webhook.verify(body, request.headers as Record<string, string>);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return skew > MAX_SKEW_S ? `webhook-timestamp is ${Math.round(skew)} s off` : null;
}
