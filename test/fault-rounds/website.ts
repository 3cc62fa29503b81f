/** The requests to the nodes and what comes back: changes, webhooks and reads. */
import { setTimeout as sleep } from "node:timers/promises";
import type { TextReply } from "../helpers/exchange.ts";
import { NodeClient, NotSent } from "./client.ts";
import { type Arrival, type Change, findChange, type Observations, type Read } from "./judge.ts";

const CHANGE_WITHIN_MS = 4_000;
/** A suspended node may answer once it is resumed, and that answer must be right, too. */
const READ_WITHIN_MS = 12_000;
/** Pause between two changes by one node. */
const PAUSE_MS = 150;
const MAX_CHANGES = 12;
/** One in this many articles is published by schedule. */
const SCHEDULED_EVERY = 8;
const SCHEDULED_IN_MS = 3_000;
const API = "/dashboard/api";

interface Article {
  id: string;
  /** The version that the next change must name; null if it must be read first. */
  version: number | null;
  /** How many changes have been requested. */
  count: number;
  isBusy: boolean;
  isPublished: boolean;
  isGone: boolean;
}

export interface Access {
  websiteId: string;
  key: string;
  cookie: string;
}

export class Website implements Disposable {
  readonly changes: Change[] = [];
  readonly arrivals: Arrival[] = [];
  readonly reads: Read[] = [];
  readonly clients: readonly NodeClient[];
  /** Inconclusive answers, counted by status or error. */
  readonly refusals = new Map<string, number>();
  readonly #access: Access;
  readonly #articles: Article[] = [];
  readonly #changesOf = new Map<string, Change[]>();
  readonly #pending = new Set<Promise<void>>();
  readonly #random: () => number;
  #isWriting = false;
  #writers: Promise<void>[] = [];

  constructor(ports: readonly number[], access: Access, random: () => number) {
    this.clients = ports.map((port) => new NodeClient(port));
    this.#access = access;
    this.#random = random;
  }

  start(): void {
    this.#isWriting = true;
    this.#writers = this.clients.map((_, node) => this.#write(node));
  }

  /** Resolves when every request has been answered, or given up. */
  async stop(): Promise<void> {
    this.#isWriting = false;
    await Promise.all(this.#writers);
    await Promise.all(this.#pending);
  }

  async settleReads(): Promise<void> {
    await Promise.all(this.#pending);
  }

  /** Reads the webhook's article from every node. */
  heard(arrival: Arrival, isReader: boolean): void {
    this.arrivals.push(arrival);
    if (!isReader) return;
    const change = findChange(arrival, this.#changesOf.get(arrival.articleId) ?? []);
    if (change === undefined) return;
    for (const node of this.clients.keys()) {
      const done = this.#readBecauseOf(change, node).finally(() => this.#pending.delete(done));
      this.#pending.add(done);
    }
  }

  /** When the event first arrived at the endpoint. */
  arrivalOf(change: Change, endpoint: string): number | undefined {
    return this.arrivals.find(
      (one) =>
        one.endpoint === endpoint && one.articleId === change.articleId && findChange(one, [change]) !== undefined,
    )?.at;
  }

  /** Reads every article that was ever published from every node. */
  async observations(endpoints: readonly string[]): Promise<Observations> {
    const lastReads: Read[] = [];
    for (const changes of this.#changesOf.values()) {
      const last = changes.findLast(({ outcome }) => outcome === "acknowledged");
      if (last === undefined) continue;
      lastReads.push(...(await Promise.all(this.clients.keys().map((node) => this.#read(node, last)))));
    }
    return { changes: this.changes, arrivals: this.arrivals, reads: this.reads, endpoints, lastReads };
  }

  [Symbol.dispose](): void {
    for (const client of this.clients) client[Symbol.dispose]();
  }

  async #write(node: number): Promise<void> {
    while (this.#isWriting) {
      const article = this.#choose();
      if (article === undefined) await this.#create(node);
      else {
        article.isBusy = true;
        await this.#change(node, article);
        article.isBusy = false;
      }
      await sleep(PAUSE_MS);
    }
  }

  /** @returns an article to change; undefined to create one. */
  #choose(): Article | undefined {
    const free = this.#articles.filter(({ isBusy, isGone }) => !isBusy && !isGone);
    if (free.length < 6 || this.#random() < 0.1) return undefined;
    return free[Math.floor(this.#random() * free.length)];
  }

  async #create(node: number): Promise<void> {
    const body = { website_id: this.#access.websiteId, title: "Water for tea", markdown: "Soft water." };
    const { json } = await this.#ask(node, "POST", "/articles", body);
    const line = json?.line;
    if (line === undefined) return;
    this.#articles.push({
      id: line.id,
      version: line.version,
      count: 0,
      isBusy: false,
      isPublished: false,
      isGone: false,
    });
    this.#changesOf.set(line.id, []);
  }

  async #change(node: number, article: Article): Promise<void> {
    if (article.version === null && !(await this.#refresh(node, article))) return;
    if (!article.isPublished) return this.#publish(node, article);
    if (article.count < MAX_CHANGES) {
      const token = `change ${article.count}`;
      return this.#order(node, article, { kind: "article.updated", token, notBefore: null }, "PATCH", "", {
        as_draft: false,
        changes: { meta_description: token },
      });
    }
    await this.#order(
      node,
      article,
      { kind: "article.deleted", token: null, notBefore: null },
      "POST",
      "/unpublish",
      {},
    );
  }

  async #publish(node: number, article: Article): Promise<void> {
    const token = `change ${article.count}`;
    const described = await this.#ask(node, "PATCH", `/articles/${article.id}`, {
      version: article.version,
      changes: { meta_description: token },
    });
    article.version = described.json?.line.version ?? null;
    if (article.version === null) return;
    const publication = { kind: "article.published", token, notBefore: null } as const;
    if (this.#articles.indexOf(article) % SCHEDULED_EVERY !== 0) {
      return this.#order(node, article, publication, "POST", "/approve-and-publish", {});
    }
    const approved = await this.#ask(node, "POST", `/articles/${article.id}/approve`, { version: article.version });
    article.version = approved.json?.line.version ?? null;
    if (article.version === null) return;
    const publishAt = Date.now() + SCHEDULED_IN_MS;
    await this.#order(
      node,
      article,
      { ...publication, notBefore: performance.now() + SCHEDULED_IN_MS },
      "POST",
      "/schedule",
      { publish_at: new Date(publishAt).toISOString() },
    );
    // Its version grows when it is published.
    article.version = null;
  }

  async #order(
    node: number,
    article: Article,
    what: Pick<Change, "kind" | "token" | "notBefore">,
    method: string,
    path: string,
    body: object,
  ): Promise<void> {
    const change: Change = {
      ...what,
      articleId: article.id,
      index: article.count++,
      node,
      orderedAt: performance.now(),
      outcome: "unknown",
      endedAt: null,
    };
    this.changes.push(change);
    this.#changesOf.get(article.id)?.push(change);
    const { json, outcome } = await this.#ask(node, method, `/articles/${article.id}${path}`, {
      version: article.version,
      ...body,
    });
    change.endedAt = performance.now();
    change.outcome = outcome;
    article.version = json?.line.version ?? null;
    if (outcome !== "acknowledged") return;
    if (what.kind === "article.deleted") article.isGone = true;
    else if (what.notBefore === null) article.isPublished = true;
  }

  /** Reads the article's version after a change with an unknown outcome, or a scheduled one. */
  async #refresh(node: number, article: Article): Promise<boolean> {
    const { json } = await this.#ask(node, "GET", `/articles/${article.id}`);
    if (json === undefined) return false;
    const { version, status, publish_at: publishAt } = json.line;
    // It will be published at its time.
    if (publishAt !== null) return false;
    article.version = version;
    article.isPublished = status === "published";
    article.isGone = !article.isPublished && (this.#changesOf.get(article.id) ?? []).some(isDeletion);
    return !article.isGone;
  }

  async #ask(
    node: number,
    method: string,
    path: string,
    body?: object,
  ): Promise<{ outcome: Change["outcome"]; json?: { line: ArticleListItem } }> {
    const headers = { "Sec-Fetch-Site": "same-origin", Cookie: this.#access.cookie };
    let answer: TextReply;
    try {
      const sent = { method, headers, withinMs: CHANGE_WITHIN_MS, ...(body === undefined ? {} : { body }) };
      answer = await this.#client(node).send(API + path, sent);
    } catch (error) {
      this.#count(error instanceof NotSent ? "refused" : "no answer");
      return { outcome: error instanceof NotSent ? "refused" : "unknown" };
    }
    const { status, text } = answer;
    if (status < 300) return { outcome: "acknowledged", json: JSON.parse(text) as { line: ArticleListItem } };
    this.#count(`${status}`);
    return { outcome: status < 500 ? "refused" : "unknown" };
  }

  async #readBecauseOf(change: Change, node: number): Promise<void> {
    this.reads.push(await this.#read(node, change));
  }

  async #read(node: number, { articleId, index }: Change): Promise<Read> {
    const startedAt = performance.now();
    const read = { articleId, index, node, startedAt, status: null, token: null };
    try {
      const { status, text } = await this.#client(node).send(`/api/public/articles/${articleId}`, {
        headers: { "X-API-Key": this.#access.key },
        withinMs: READ_WITHIN_MS,
      });
      const token = status === 200 ? descriptionIn(text) : null;
      return { ...read, status, token, endedAt: performance.now() };
    } catch {
      return { ...read, endedAt: performance.now() };
    }
  }

  #client(node: number): NodeClient {
    const client = this.clients[node];
    if (client === undefined) throw new Error(`there is no node ${node}`);
    return client;
  }

  #count(refusal: string): void {
    this.refusals.set(refusal, (this.refusals.get(refusal) ?? 0) + 1);
  }
}

interface ArticleListItem {
  id: string;
  version: number;
  status: string;
  publish_at: string | null;
}

function isDeletion({ kind, outcome }: Change): boolean {
  return kind === "article.deleted" && outcome !== "refused";
}

function descriptionIn(text: string): string | null {
  const { data } = JSON.parse(text) as { data: { article: { meta_description: string | null } } };
  return data.article.meta_description;
}
