/** The receiver of all endpoints. It survives every kill, verifies messages by an independent library, and misbehaves on purpose. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import { until } from "../helpers/until.ts";
import type { Arrival, Journal } from "./journal.ts";

/** Its reaction to a request. `reset` breaks the connection; `hang` never answers. */
export type Behaviour =
  | { status: number; afterMs: number }
  | { status: number; after: Promise<void> }
  | { resetAfterMs: number }
  | "hang";

export interface ReceiverOptions {
  journal: Journal;
  behave: (arrival: Arrival) => Behaviour;
  /** Identifies the process that has opened a connection; absent if there is only one. */
  nodeOf?: (socket: Socket) => string | null;
}

/** The receiver and the sender share a clock, so only a busy machine's delay is acceptable. */
const MAX_SKEW_S = 15;

export class Receiver implements AsyncDisposable {
  /** Called for each arrival, before it is answered. */
  onArrival: (arrival: Arrival) => void = () => undefined;
  readonly #options: ReceiverOptions;
  /** Open connections, with the node of each. */
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

  /** URL of the endpoint with this name. */
  url(name: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${name}`;
  }

  expect(name: string, endpoint: { id: string; secret: string }): void {
    this.#endpoints.set(`/${name}`, { id: endpoint.id, webhook: new Webhook(endpoint.secret) });
  }

  /** Resolves when everything that a dead process had sent was read; null stands for the only process. */
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
      // The sender was killed before it had written the whole request, so it does not count.
      return;
    }
    const { journal, behave } = this.#options;
    const arrival = this.#note(request, body);
    response.once("close", () => journal.ended(arrival, "gone"));
    this.onArrival(arrival);
    const behaviour = behave(arrival);
    if (behaviour === "hang") return;
    const answer = (status: number) => {
      // Recorded before the first byte, so that whatever the sender does about the answer comes later.
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
    // A body that is not JSON matches no event, which the checker reports.
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
