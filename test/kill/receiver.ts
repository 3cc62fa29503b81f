/** The receiver of all endpoints: it outlives every kill, verifies what comes by a library of others, and misbehaves. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import { until } from "../helpers/until.ts";
import type { Arrival, Journal } from "./journal.ts";

/** What it does with a request. `hang`: never answers. */
export type Behaviour =
  | { status: number; afterMs: number }
  | { status: number; after: Promise<void> }
  | "reset"
  | "hang";

export interface ReceiverOptions {
  journal: Journal;
  behave: (arrival: Arrival) => Behaviour;
}

/** The receiver's clock and the sender's are one: more than a busy machine's delay is wrong. */
const MOST_SKEW_S = 15;

export class Receiver implements AsyncDisposable {
  /** Called for each arrival, before it is answered. */
  onArrival: (arrival: Arrival) => void = () => undefined;
  readonly #options: ReceiverOptions;
  readonly #sockets = new Set<Socket>();
  readonly #endpoints = new Map<string, { id: string; webhook: Webhook }>();
  readonly #server = createServer((request, response) => void this.#take(request, response));

  private constructor(options: ReceiverOptions) {
    this.#options = options;
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
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

  /** Resolves when all that a dead process had sent has been taken in. */
  async quiet(): Promise<void> {
    await until("the connections of the killed process are gone", () => this.#sockets.size === 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body: string;
    try {
      body = (await buffer(request)).toString();
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
    if (behaviour === "reset") {
      journal.ended(arrival, "reset");
      request.socket.resetAndDestroy();
      return;
    }
    const answer = () => {
      // Before the first byte: what the sender does about the answer comes after.
      journal.ended(arrival, behaviour.status);
      if (!response.destroyed) response.writeHead(behaviour.status).end();
    };
    if ("after" in behaviour) return void behaviour.after.then(answer);
    if (behaviour.afterMs === 0) return answer();
    const timer = setTimeout(answer, behaviour.afterMs);
    response.once("close", () => clearTimeout(timer));
  }

  #note(request: IncomingMessage, body: string): Arrival {
    const header = (name: string) => String(request.headers[name] ?? "");
    const endpoint = this.#endpoints.get(request.url ?? "");
    // What is not JSON fails the check below, as what was signed is.
    const message = JSON.parse(body) as { data: { article_id: string } };
    return this.#options.journal.arrived({
      endpointId: endpoint?.id ?? `unknown ${request.url}`,
      articleId: message.data.article_id,
      eventId: header("webhook-id").replace(/^msg_/, ""),
      attempt: Number(header("webhook-attempt")),
      sequence: Number(header("webhook-sequence")),
      body,
      problem: endpoint === undefined ? "nobody expects it" : problemOf(endpoint.webhook, request, body),
    });
  }
}

function problemOf(webhook: Webhook, request: IncomingMessage, body: string): string | null {
  const skew = Math.abs(Date.now() / 1_000 - Number(request.headers["webhook-timestamp"]));
  try {
    webhook.verify(body, request.headers as Record<string, string>);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return skew > MOST_SKEW_S ? `webhook-timestamp is ${Math.round(skew)} s off` : null;
}
