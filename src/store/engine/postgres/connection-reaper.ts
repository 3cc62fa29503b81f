/**
 * Connections that may be dead, because another one was. Whether they are is told by the server, over a fresh connection:
 * it is still at work for those that live, and for the others it waits, as they wait for it.
 */
import type pg from "pg";
import { setTimeout as sleep } from "node:timers/promises";
import { destroy, endClient, socketOf } from "./closing.ts";
import { endSessions, sessionsAtWork } from "./backends.ts";

/** A transaction that was under way when the network broke and hears nothing for so long must prove that it lives. */
const GRACE_MS = 2_000;
/** One that the server was at work for may have its answer lost yet. */
const AGAIN_AFTER_MS = 500;
const ASK_TIMEOUT_MS = 1_000;
const CONNECT_TIMEOUT_MS = 1_500;
/** Until sessions that were given up are ended, it is tried so often; the server ends those that stand in a transaction by itself. */
const END_AGAIN_AFTER_MS = 500;
const MAX_ENDINGS = 20;

export interface ConnectionReaperOptions {
  /** A fresh connection. */
  open: (timeoutMs: number) => Promise<pg.Client>;
  /** The server's name for its end of the connection; undefined: it has none of its own. */
  sessionOf: (client: pg.ClientBase) => string | undefined;
  /** Whether somebody waits for it. */
  isTaken: (client: pg.ClientBase) => boolean;
}

export class ConnectionReaper implements Disposable {
  readonly #options: ConnectionReaperOptions;
  /** Sessions that were given up, and perhaps hold locks. */
  #givenUp: string[] = [];
  #isEndingThem = false;
  #isClosed = false;

  constructor(options: ConnectionReaperOptions) {
    this.#options = options;
  }

  /** Closes those that prove to be dead, until the others have been given back. */
  async examine(clients: readonly pg.ClientBase[]): Promise<void> {
    const { isTaken, sessionOf } = this.#options;
    let connectionReaper = clients.map((client) => ({ client, heard: bytesHeard(client), since: performance.now() }));
    for (let ms = GRACE_MS; ; ms = AGAIN_AFTER_MS) {
      await sleep(ms, undefined, { ref: false });
      const now = performance.now();
      connectionReaper = connectionReaper.filter(({ client }) => isTaken(client));
      for (const one of connectionReaper) {
        const heard = bytesHeard(one.client);
        // What has come may have been on its way before the network broke: that does not set it free.
        if (heard !== one.heard) Object.assign(one, { heard, since: now });
      }
      if (connectionReaper.length === 0 || this.#isClosed) return;
      const silent = connectionReaper.filter(({ since }) => now - since >= GRACE_MS).map(({ client }) => client);
      const atWork = await this.#atWork(silent.flatMap((client) => sessionOf(client) ?? []));
      const dead = silent.filter((client) => isTaken(client) && !atWork.has(sessionOf(client) ?? ""));
      for (const client of dead) destroy(client);
      this.giveUp(dead);
      connectionReaper = connectionReaper.filter(({ client }) => !dead.includes(client));
    }
  }

  /** Where the network broke, the server may not have heard of it: it would keep their locks. */
  giveUp(clients: readonly pg.ClientBase[]): void {
    this.#givenUp.push(...clients.flatMap((client) => this.#options.sessionOf(client) ?? []));
    if (this.#givenUp.length > 0 && !this.#isEndingThem) void this.#endGivenUp();
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
  }

  /** None when the server cannot be reached. */
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

function bytesHeard(client: pg.ClientBase): number {
  return socketOf(client).bytesRead;
}
