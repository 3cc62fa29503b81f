/** The receiver of all endpoints. As soon as an event arrives, it reads what the event is about. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { record } from "../../helpers/http.ts";
import type { Event, Ledger } from "./ledger.ts";
import type { Node } from "./nodes.ts";
import type { Observer, Website } from "./observer.ts";

export interface ReceiverOptions {
  ledger: Ledger;
  observer: Observer;
  nodes: readonly Node[];
  websites: readonly Website[];
  random: () => number;
}

/** Below this number of events being checked, the receiver answers at once, so that the next event comes sooner. */
const MAX_IN_BACKGROUND = 40;
/** The share of events that are read from every node. */
const EVERYWHERE = 0.15;
const WITH_FILTER = 0.1;
/** Rare, because it makes the nodes query the database, where they also find what they have missed. */
const WITH_FEED = 0.02;

export class Receiver implements AsyncDisposable {
  /** POSTs received. */
  callbacks = 0;
  readonly errors: unknown[] = [];
  /** Events received, by endpoint. */
  readonly #arrived = new Map<string, Set<string>>();
  readonly #looking = new Set<Promise<void>>();
  readonly #options: ReceiverOptions;
  readonly #server = createServer((request, response) => {
    this.#take(request, response).catch(() => response.destroy());
  });

  private constructor(options: ReceiverOptions) {
    this.#options = options;
  }

  static async start(options: ReceiverOptions): Promise<Receiver> {
    const receiver = new Receiver(options);
    receiver.#server.listen(0, "127.0.0.1");
    await once(receiver.#server, "listening");
    return receiver;
  }

  /** URL of the endpoint with this name. */
  url(name: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${name}`;
  }

  /** The number of different events received, summed over all endpoints. */
  get arrived(): number {
    return [...this.#arrived.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** Resolves when every received event has been checked. */
  async settled(): Promise<void> {
    await Promise.all(this.#looking);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
    await this.settled();
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = record(JSON.parse(await text(request)));
    const data = record(body["data"]);
    const publishedAt = typeof data["published_at"] === "string" ? data["published_at"] : null;
    const event = this.#options.ledger.told(String(request.headers["webhook-id"]).replace(/^msg_/, ""), publishedAt);
    const website = this.#options.websites.find(({ id }) => id === body["website_id"]);
    this.callbacks++;
    if (event === undefined || website === undefined) {
      this.errors.push(new Error(`nobody ordered ${String(request.headers["webhook-id"])}`));
    } else {
      const looking: Promise<void> = this.#look(website, event, Number(request.headers["webhook-sequence"]))
        .catch((error: unknown) => void this.errors.push(error))
        .finally(() => this.#looking.delete(looking));
      this.#looking.add(looking);
      if (this.#looking.size > MAX_IN_BACKGROUND) await looking;
      this.#note(request.url ?? "", event);
    }
    response.writeHead(204).end();
  }

  async #look(website: Website, event: Event, sequence: number): Promise<void> {
    const { observer, nodes, random } = this.#options;
    const everywhere = random() < EVERYWHERE ? nodes.filter(({ isRunning }) => isRunning) : [];
    const chosen = everywhere.length > 0 ? everywhere : [nodes[Math.floor(random() * nodes.length)]];
    const { articleId } = event;
    await Promise.all(
      chosen.flatMap((node) => [
        observer.detail(website, articleId, node),
        random() < WITH_FILTER ? observer.labelled(website, articleId, node) : observer.list(website, undefined, node),
        random() < WITH_FEED ? observer.feed(website, event, sequence, node) : Promise.resolve(),
      ]),
    );
  }

  #note(endpoint: string, { eventId }: Event): void {
    let arrived = this.#arrived.get(endpoint);
    if (arrived === undefined) {
      arrived = new Set();
      this.#arrived.set(endpoint, arrived);
    }
    arrived.add(eventId);
  }
}
