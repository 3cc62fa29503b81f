/** Clients of the service, or of a proxy in front of it: reads of the API, and API keys created in the dashboard, at a steady rate whatever the answers. */
import http from "node:http";
import https from "node:https";
import { type TextReply, exchange } from "../helpers/exchange.ts";
import type { Certificate } from "../helpers/certificates.ts";
import { HOST } from "./proxy.ts";

/** More than any client waits. */
const TIMEOUT_MS = 60_000;
const TICK_MS = 20;

interface Server {
  /** On 127.0.0.1. */
  port: number;
  /** Undefined: it has no TLS. */
  certificate?: Certificate;
}

/** A browser and API clients in one, over connections that are kept alive, or over a new one for each request. */
export class Visitor implements Disposable {
  readonly #port: number;
  readonly #agent: http.Agent;
  readonly #request: typeof http.request;
  #cookie: string | undefined;

  constructor({ port, certificate }: Server, { keepAlive = true } = {}) {
    this.#port = port;
    const options = { keepAlive, maxSockets: 64, maxFreeSockets: 8 };
    this.#agent =
      certificate === undefined
        ? new http.Agent(options)
        : new https.Agent({ ...options, ca: certificate.cert, servername: HOST });
    this.#request = certificate === undefined ? http.request : https.request;
  }

  async send(method: string, path: string, options: { key?: string; body?: object } = {}): Promise<TextReply> {
    const headers = {
      Host: HOST,
      "Sec-Fetch-Site": "same-origin",
      ...(options.key === undefined ? {} : { "X-API-Key": options.key }),
      ...(this.#cookie === undefined ? {} : { Cookie: this.#cookie }),
    };
    const to = { port: this.#port, agent: this.#agent, method, path, timeout: TIMEOUT_MS, headers };
    const answer = await exchange(this.#request, to, options.body);
    this.#cookie = answer.cookie ?? this.#cookie;
    return answer;
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

function firstLine(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ").slice(0, 120);
}

type Kind = "reads" | "writes";

export interface LoadOptions {
  websiteId: string;
  key: string;
  readsPerSecond: number;
  writesPerSecond: number;
}

export interface LoadResult {
  /** Milliseconds, sorted. */
  ms: Record<Kind, number[]>;
  /** What each failed request met, with the time since the load began. */
  failures: string[];
  /** Names of the API keys that were acknowledged. */
  written: Set<string>;
}

export class Load {
  readonly #visitor: Visitor;
  readonly #readers: readonly Visitor[];
  readonly #options: LoadOptions;
  readonly #result: LoadResult = {
    ms: { reads: [], writes: [] },
    failures: [],
    written: new Set(),
  };
  readonly #pending = new Set<Promise<void>>();
  readonly #startedAt = performance.now();
  readonly #timer: NodeJS.Timeout;
  readonly #sent: Record<Kind, number> = { reads: 0, writes: 0 };

  /** Reads go through the visitors in turn, writes through the first, who is signed in. */
  constructor(visitor: Visitor, options: LoadOptions, others: readonly Visitor[] = []) {
    this.#visitor = visitor;
    this.#readers = [visitor, ...others];
    this.#options = options;
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  get failures(): number {
    return this.#result.failures.length;
  }

  /** Resolves when every request is answered. */
  async stop(): Promise<LoadResult> {
    clearInterval(this.#timer);
    await Promise.all(this.#pending);
    for (const all of Object.values(this.#result.ms)) all.sort((a, b) => a - b);
    return this.#result;
  }

  #tick(): void {
    const seconds = (performance.now() - this.#startedAt) / 1_000;
    const { readsPerSecond, writesPerSecond } = this.#options;
    for (; this.#sent.reads < seconds * readsPerSecond; this.#sent.reads++) this.#start("reads");
    for (; this.#sent.writes < seconds * writesPerSecond; this.#sent.writes++) this.#start("writes");
  }

  #start(kind: Kind): void {
    const done = this.#measure(kind).finally(() => this.#pending.delete(done));
    this.#pending.add(done);
  }

  async #measure(kind: Kind): Promise<void> {
    const startedAt = performance.now();
    const problem = await (kind === "reads" ? this.#read() : this.#write()).catch((error: unknown) => String(error));
    const now = performance.now();
    this.#result.ms[kind].push(now - startedAt);
    if (problem === undefined) return;
    const seconds = ((startedAt - this.#startedAt) / 1_000).toFixed(2);
    this.#result.failures.push(`${kind} at ${seconds} s, after ${Math.round(now - startedAt)} ms: ${problem}`);
  }

  /** @returns what is wrong. */
  async #read(): Promise<string | undefined> {
    const { key } = this.#options;
    const offset = this.#sent.reads % 10;
    const visitor = this.#readers[this.#sent.reads % this.#readers.length] ?? this.#visitor;
    const { status, text } = await visitor.send("GET", `/api/public/articles?limit=5&offset=${offset}`, { key });
    return status === 200 ? undefined : `${status} ${firstLine(text)}`;
  }

  /** @returns what is wrong. */
  async #write(): Promise<string | undefined> {
    const name = `key ${this.#sent.writes}`;
    const body = { website_id: this.#options.websiteId, name, scope: "all" };
    const { status, text } = await this.#visitor.send("POST", "/dashboard/api/api-keys", { body });
    if (status !== 201) return `${status} ${firstLine(text)}`;
    this.#result.written.add(name);
    return undefined;
  }
}
