/** Reads from the nodes, and compares their answers with the ledger and with each other. */
import { hash } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { type Json, record, records, type Reply } from "../../helpers/http.ts";
import type { Ledger, Event } from "./ledger.ts";
import type { Node } from "./nodes.ts";

const LIST = "/api/public/articles";
const EVENTS = "/api/public/events";
/** Generous, because the machine may be busy. */
const NO_NODE_FOR_MS = 60_000;
const TRY_ANOTHER_AFTER_MS = 5;

export interface Website {
  id: string;
  key: string;
}

export interface ObserverOptions {
  nodes: readonly Node[];
  ledger: Ledger;
  random: () => number;
}

/** The body that a node sent, which a later "not modified" stands for. */
interface Kept {
  etag: string;
  status: number;
  body: Json;
}

export class Observer {
  readonly violations: string[] = [];
  reads = 0;
  notModified = 0;
  /** Requests that were repeated on another node because a node was unavailable. */
  failed = 0;
  readonly #options: ObserverOptions;
  readonly #kept = new Map<string, Kept>();
  /** Hash of the body by address and ETag, over all nodes. */
  readonly #bodies = new Map<string, string>();

  constructor(options: ObserverOptions) {
    this.#options = options;
  }

  async detail(website: Website, articleId: string, first?: Node): Promise<void> {
    const floor = this.#options.ledger.floor(articleId);
    const { node, status, body } = await this.#read(website, `${LIST}/${articleId}`, first);
    if (status === 403 || status === 404) return this.#check(node, "detail", articleId, floor, null);
    const article = record(record(body["data"])["article"]);
    const seen = seenOf(article);
    this.#check(node, "detail", articleId, floor, seen);
    if (article["content"] !== contentOf(seen.title)) {
      this.violations.push(`${node.name}: "${seen.title}" comes with the content ${String(article["content"])}`);
    }
  }

  /** `query` must not exclude any article. */
  async list(website: Website, query = "?limit=100", first?: Node): Promise<void> {
    const floors = this.#options.ledger.floors(website.id);
    const { node, body } = await this.#read(website, `${LIST}${query}`, first);
    const seen = listedIn(body);
    for (const [id, floor] of floors) this.#check(node, `list${query}`, id, floor, seen.get(id) ?? null);
  }

  /** Checks the list of the only article with the label. */
  async labelled(website: Website, articleId: string, first?: Node): Promise<void> {
    const query = `?tag=${labelOf(articleId)}`;
    const floor = this.#options.ledger.floor(articleId);
    const { node, body } = await this.#read(website, `${LIST}${query}`, first);
    this.#check(node, `list${query}`, articleId, floor, listedIn(body).get(articleId) ?? null);
  }

  /** Checks that the event feed has the event. */
  async feed(website: Website, event: Event, sequence: number, first?: Node): Promise<void> {
    const { node, body } = await this.#read(website, `${EVENTS}?after=${sequence - 1}&limit=1`, first);
    const [found] = records(record(body["data"])["events"]);
    if (found?.["id"] !== `msg_${event.eventId}`) {
      this.violations.push(`${node.name}: the feed does not have event ${sequence}, which was delivered`);
    }
  }

  #check(node: Node, what: string, articleId: string, floor: number, seen: ReturnType<typeof seenOf> | null): void {
    const problem = this.#options.ledger.problem(articleId, floor, seen);
    if (problem !== null) this.violations.push(`${node.name}, ${what}: ${problem}`);
  }

  /** Sends the request to `first`, or any node, and then to the others until one answers. */
  async #read(website: Website, path: string, first?: Node): Promise<{ node: Node; status: number; body: Json }> {
    const { nodes, random } = this.#options;
    const deadline = performance.now() + NO_NODE_FOR_MS;
    let node = first ?? nodes[Math.floor(random() * nodes.length)];
    while (node !== undefined && performance.now() < deadline) {
      const answer = await this.#ask(node, website, path);
      if (answer !== undefined) return { node, ...answer };
      this.failed++;
      await wait(TRY_ANOTHER_AFTER_MS);
      node = nodes[(nodes.indexOf(node) + 1) % nodes.length];
    }
    throw new Error(`no node answered ${path} for ${NO_NODE_FOR_MS} ms`);
  }

  /** @returns undefined when the node could not answer. */
  async #ask(node: Node, website: Website, path: string): Promise<{ status: number; body: Json } | undefined> {
    const place = `${node.name} ${website.id} ${path}`;
    const kept = this.#options.random() < 0.7 ? this.#kept.get(place) : undefined;
    const reply = await this.#send(node, website, path, kept?.etag);
    if (reply === undefined || reply.status >= 500) return undefined;
    this.reads++;
    if (reply.status === 304 && kept !== undefined) {
      this.notModified++;
      return kept;
    }
    const isRefused = (reply.status === 403 || reply.status === 404) && path.startsWith(`${LIST}/`);
    if (reply.status !== 200 && !isRefused) {
      this.violations.push(`${node.name}: ${path} was answered ${reply.status}: ${reply.text}`);
      return undefined;
    }
    const answer = { status: reply.status, body: record(reply.json()) };
    const etag = reply.headers.etag ?? "";
    if (reply.status === 200) {
      this.#kept.set(place, { etag, ...answer });
      this.#compare(node, `${website.id} ${path} ${etag}`, reply.text);
    }
    return answer;
  }

  async #send(node: Node, website: Website, path: string, etag: string | undefined): Promise<Reply | undefined> {
    try {
      return await node.send(path, { headers: { "X-API-Key": website.key, "If-None-Match": etag } });
    } catch {
      // The node was killed meanwhile, or is not running.
      return undefined;
    }
  }

  /** Checks that all nodes send the same body with an ETag. */
  #compare(node: Node, name: string, text: string): void {
    const found = hash("sha1", text, "base64");
    const known = this.#bodies.get(name);
    if (known === undefined) this.#bodies.set(name, found);
    else if (known !== found) this.violations.push(`${node.name}: two bodies under one ETag, ${name}`);
  }
}

export function contentOf(title: string): string {
  return `<p>${title}, in full.</p>`;
}

export function labelOf(articleId: string): string {
  return `only-${articleId}`;
}

function listedIn(body: Json): Map<string, ReturnType<typeof seenOf>> {
  return new Map(records(record(body["data"])["articles"]).map((one) => [String(one["id"]), seenOf(one)]));
}

function seenOf(article: Json): { title: string; publishedAt: string } {
  return { title: String(article["title"]), publishedAt: String(article["published_at"]) };
}
