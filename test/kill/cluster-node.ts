/** One of several nodes: a sequence of processes with a network path of its own to the database. */
import type { FromChild, ChildOptions } from "./messages.ts";
import { type Child, startChild } from "./start-child.ts";

export interface ClusterNodeOptions {
  name: string;
  child: Pick<ChildOptions, "websiteId" | "secrets">;
  settings: Record<string, string>;
  onMessage: (message: FromChild) => void;
  /** Its process ended without having been killed or stopped. */
  onLost: (errors: string) => void;
}

export class ClusterNode implements AsyncDisposable {
  readonly name: string;
  readonly #options: ClusterNodeOptions;
  #lives = 0;
  #child: Child | undefined;
  #isReady = false;
  #isEnding = false;

  constructor(options: ClusterNodeOptions) {
    this.name = options.name;
    this.#options = options;
  }

  /** Names the node and its current process. */
  get life(): string {
    return `${this.name}/${this.#lives}`;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get isAlive(): boolean {
    return this.#child !== undefined;
  }

  /** The process that takes orders; undefined while it is dead or starting. */
  get ready(): Child | undefined {
    return this.#isReady ? this.#child : undefined;
  }

  /** Resolves when it is ready, or dead again. */
  async start(): Promise<void> {
    const { child: options, settings, onMessage } = this.#options;
    this.#lives++;
    this.#isReady = false;
    this.#isEnding = false;
    const { promise: ready, resolve } = Promise.withResolvers<void>();
    const childOptions = { ...options, point: null, occurrence: 1, plant: null, notesSynced: false };
    const child = startChild("service", childOptions, settings, (message) => {
      if (message.type === "ready") {
        this.#isReady = true;
        resolve();
      }
      onMessage(message);
    });
    this.#child = child;
    void this.#watch(child);
    await Promise.race([ready, child.ended]);
  }

  async #watch(child: Child): Promise<void> {
    const { errors } = await child.ended;
    if (this.#isEnding || this.#child !== child) return;
    this.#child = undefined;
    this.#isReady = false;
    this.#options.onLost(errors);
  }

  /** Kills the process; resolves with it once it has ended. */
  async kill(): Promise<Child | undefined> {
    const child = this.#child;
    this.#isEnding = true;
    this.#isReady = false;
    child?.kill();
    await child?.ended;
    this.#child = undefined;
    return child;
  }

  /** Stops it as an operator does. @returns what went wrong, or null. */
  async stop(withinMs: number): Promise<string | null> {
    const child = this.#child;
    if (child === undefined) return null;
    this.#isEnding = true;
    child.send({ type: "stop" });
    const timer = setTimeout(() => child.kill(), withinMs);
    const { code, signal, errors } = await child.ended;
    clearTimeout(timer);
    this.#child = undefined;
    this.#isReady = false;
    return code === 0 ? null : `node ${this.name} did not stop cleanly (${code ?? signal}): ${errors}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}
