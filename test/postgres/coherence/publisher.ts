/** Orders changes from a separate process, one at a time for each article. */
import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Change, ChangeKind, Ledger } from "./ledger.ts";

export type FromPublisher = { type: "ready" } | { type: "made"; eventId: string } | { type: "failed"; message: string };

export interface PublisherOptions {
  ledger: Ledger;
  websites: readonly { id: string }[];
  articlesEach: number;
  /** The process's settings. */
  settings: Record<string, string>;
  cwd: string;
  random: () => number;
}

interface Subject {
  websiteId: string;
  articleId: string;
  versions: number;
  title: string;
  last: ChangeKind | null;
}

/** Concurrent changes of different articles. */
const MAX_AT_ONCE = 5;

export class Publisher implements AsyncDisposable {
  readonly errors: unknown[] = [];
  made = 0;
  readonly #options: PublisherOptions;
  readonly #child: ChildProcess;
  readonly #idle: Subject[];
  readonly #busy = new Map<string, Subject>();
  readonly #ready = Promise.withResolvers<void>();
  #isStopping = false;

  private constructor(options: PublisherOptions) {
    this.#options = options;
    this.#idle = options.websites.flatMap(({ id }) =>
      Array.from({ length: options.articlesEach }, () => ({
        websiteId: id,
        articleId: randomUUID(),
        versions: 0,
        title: "",
        last: null,
      })),
    );
    this.#child = fork(fileURLToPath(import.meta.resolve("./publisher-child.ts")), [], {
      // None of the test runner's.
      execArgv: [],
      env: { PATH: process.env["PATH"] ?? "", ...options.settings },
      cwd: options.cwd,
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    this.#child.on("message", (message: FromPublisher) => this.#hear(message));
    this.#child.on("exit", (code, signal) => {
      if (!this.#isStopping) this.#fail(new Error(`the publisher ended with ${code ?? signal}`));
    });
  }

  static async start(options: PublisherOptions): Promise<Publisher> {
    const publisher = new Publisher(options);
    await publisher.#ready.promise;
    return publisher;
  }

  get articles(): readonly { websiteId: string; articleId: string }[] {
    return [...this.#idle, ...this.#busy.values()].filter(({ versions }) => versions > 0);
  }

  get isIdle(): boolean {
    return this.#busy.size === 0;
  }

  /** Orders a change unless enough are in progress. @returns whether it did. */
  order(): boolean {
    if (this.#busy.size >= MAX_AT_ONCE) return false;
    const { random, ledger } = this.#options;
    const [subject] = this.#idle.splice(Math.floor(random() * this.#idle.length), 1);
    if (subject === undefined) return false;
    const kind = nextKind(subject.last, random());
    if (kind === "create" || kind === "update") subject.title = `Version ${subject.versions + 1}`;
    subject.versions++;
    subject.last = kind;
    const { websiteId, articleId, title } = subject;
    const change: Change = { eventId: randomUUID(), websiteId, articleId, kind, title };
    this.#busy.set(change.eventId, subject);
    ledger.order(change);
    this.#child.send(change);
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true;
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill("SIGKILL");
    await once(this.#child, "exit");
  }

  #hear(message: FromPublisher): void {
    if (message.type === "ready") return this.#ready.resolve();
    if (message.type === "failed") return this.#fail(new Error(message.message));
    const subject = this.#busy.get(message.eventId);
    if (subject === undefined) return;
    this.#busy.delete(message.eventId);
    this.#idle.push(subject);
    this.made++;
  }

  #fail(error: Error): void {
    this.errors.push(error);
    this.#ready.reject(error);
  }
}

/** Selects a change that the article's state allows. `roll`: from 0 to 1. */
function nextKind(last: ChangeKind | null, roll: number): ChangeKind {
  if (last === null) return "create";
  if (last === "unpublish") return "publish";
  if (last === "delete") return "restore";
  return roll < 0.84 ? "update" : roll < 0.92 ? "unpublish" : "delete";
}
