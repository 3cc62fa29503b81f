/**
 * Finds dead connections after one has proved dead, by asking the server over a fresh one: for a live connection it is
 * still executing, for a dead one it waits for its client. A time-out would abort long transactions whenever the
 * database pauses.
 */
import type pg from "pg";
import { setTimeout as sleep } from "node:timers/promises";
import { destroy, endClient, getSocket } from "./closing.ts";
import { endSessions, sessionsAtWork } from "./backends.ts";

/** A transaction that was open when the network broke is probed after receiving nothing for this long. */
const GRACE_MS = 2_000;
/** Time until the next probe: a statement that was still running may yet lose its answer. */
const AGAIN_AFTER_MS = 500;
const ASK_TIMEOUT_MS = 1_000;
const CONNECT_TIMEOUT_MS = 1_500;
/** Time until the next try to end abandoned sessions; the server ends those that are idle in a transaction. */
const END_AGAIN_AFTER_MS = 500;
const MAX_ENDINGS = 20;

export interface ConnectionReaperOptions {
  open: (timeoutMs: number) => Promise<pg.Client>;
  /** The identifier of the connection's session on the server; undefined if it has none of its own. */
  sessionOf: (client: pg.ClientBase) => string | undefined;
  isTaken: (client: pg.ClientBase) => boolean;
}

export class ConnectionReaper implements Disposable {
  readonly #options: ConnectionReaperOptions;
  /** Abandoned sessions, which may still hold locks. */
  #givenUp: string[] = [];
  #isEndingThem = false;
  #isClosed = false;

  constructor(options: ConnectionReaperOptions) {
    this.#options = options;
  }

  /** Destroys the connections that prove to be dead. Resolves when the others have been released. */
  async examine(clients: readonly pg.ClientBase[]): Promise<void> {
    const { isTaken, sessionOf } = this.#options;
    let connectionReaper = clients.map((client) => ({
      client,
      heard: countReceivedBytes(client),
      since: performance.now(),
    }));
    for (let ms = GRACE_MS; ; ms = AGAIN_AFTER_MS) {
      await sleep(ms, undefined, { ref: false });
      const now = performance.now();
      connectionReaper = connectionReaper.filter(({ client }) => isTaken(client));
      for (const one of connectionReaper) {
        const heard = countReceivedBytes(one.client);
        // The bytes may have been sent before the network broke: they restart the grace period, but prove nothing.
        if (heard !== one.heard) Object.assign(one, { heard, since: now });
      }
      if (connectionReaper.length === 0 || this.#isClosed) return;
      const silent = connectionReaper.filter(({ since }) => now - since >= GRACE_MS).map(({ client }) => client);
      const atWork = await this.#atWork(silent.flatMap((client) => sessionOf(client) ?? []));
      const dead = silent.filter((client) => isTaken(client) && !atWork.has(sessionOf(client) ?? ""));
      for (const client of dead) destroy(client);
      this.discard(dead);
      connectionReaper = connectionReaper.filter(({ client }) => !dead.includes(client));
    }
  }

  /** Ends the connections' sessions: a server that has not noticed that the network broke would keep their locks. */
  discard(clients: readonly pg.ClientBase[]): void {
    this.#givenUp.push(...clients.flatMap((client) => this.#options.sessionOf(client) ?? []));
    if (this.#givenUp.length > 0 && !this.#isEndingThem) void this.#endGivenUp();
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
  }

  /** The sessions that are executing a statement; none if the server cannot be reached. */
  async #atWork(sessions: readonly string[]): Promise<ReadonlySet<string>> {
    if (sessions.length === 0) return new Set();
    try {
      return await this.#ask(ASK_TIMEOUT_MS, (client) => sessionsAtWork(client, sessions));
    } catch {
      return new Set();
    }
  }

  async #endGivenUp(): Promise<void> {
    this.#isEndingThem = true;
    for (let tries = 0; tries < MAX_ENDINGS && this.#givenUp.length > 0 && !this.#isClosed; tries++) {
      const sessions = this.#givenUp.slice();
      try {
        await this.#ask(CONNECT_TIMEOUT_MS, (client) => endSessions(client, sessions));
        this.#givenUp.splice(0, sessions.length);
      } catch {
        await sleep(END_AGAIN_AFTER_MS, undefined, { ref: false });
      }
    }
    this.#givenUp = [];
    this.#isEndingThem = false;
  }

  async #ask<T>(timeoutMs: number, work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = await this.#options.open(timeoutMs);
    try {
      return await work(client);
    } finally {
      void endClient(client);
    }
  }
}

function countReceivedBytes(client: pg.ClientBase): number {
  return getSocket(client).bytesRead;
}
