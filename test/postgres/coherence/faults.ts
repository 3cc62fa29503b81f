/** Faults of nodes and of their connections to the database, one after the other, while other nodes continue. */
import { setTimeout as wait } from "node:timers/promises";
import { Client } from "pg";
import type { Node } from "./nodes.ts";

const TROUBLES = ["kill", "stop", "deafen", "deafen all", "cut", "freeze", "refuse"] as const;
type Trouble = (typeof TROUBLES)[number];

export interface TroubleOptions {
  nodes: readonly Node[];
  /** URL of PostgreSQL itself, past the proxies. */
  databaseUrl: string;
  random: () => number;
  /** The longest time between the starts of two faults; the shortest is half of it. */
  everyMs: number;
  /** A fault with a duration lasts between 0.3 s and this. */
  longestMs: number;
}

/** Causes faults until it is disposed of; then all nodes run again, and all connections work. */
export class Troubles implements AsyncDisposable {
  readonly counts = Object.fromEntries(TROUBLES.map((name) => [name, 0])) as Record<Trouble, number>;
  readonly errors: unknown[] = [];
  readonly #options: TroubleOptions;
  readonly #troubled = new Set<Node>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #loop: Promise<void>;

  constructor(options: TroubleOptions) {
    this.#options = options;
    this.#loop = this.#run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
    await Promise.all(this.#underWay);
  }

  async #run(): Promise<void> {
    const { nodes, random, everyMs } = this.#options;
    for (let turn = Math.floor(random() * TROUBLES.length); ;) {
      await this.#pause(everyMs * (0.5 + random() / 2));
      if (this.#stopping.signal.aborted) return;
      // At least one node stays healthy.
      const whole = nodes.filter((node) => !this.#troubled.has(node));
      const node = whole[Math.floor(random() * whole.length)];
      if (node === undefined || whole.length === 1) continue;
      const trouble = TROUBLES[turn++ % TROUBLES.length] ?? "kill";
      this.counts[trouble]++;
      this.#troubled.add(node);
      const underWay: Promise<void> = this.#befall(node, trouble)
        .catch((error: unknown) => void this.errors.push(error))
        .finally(() => {
          this.#troubled.delete(node);
          this.#underWay.delete(underWay);
        });
      this.#underWay.add(underWay);
    }
  }

  async #befall(node: Node, trouble: Trouble): Promise<void> {
    const { random, longestMs, databaseUrl } = this.#options;
    const lastingMs = 300 + random() * (longestMs - 300);
    switch (trouble) {
      case "kill":
        await node.kill();
        await this.#pause(random() * 500);
        return node.start();
      case "stop":
        node.stop();
        await this.#pause(lastingMs);
        return node.resume();
      case "deafen":
        await deafen(databaseUrl, 1);
        return;
      case "deafen all":
        await deafen(databaseUrl);
        return;
      case "cut":
        return node.proxy.cut();
      case "freeze":
        node.proxy.mode = "freeze";
        await this.#pause(lastingMs);
        return node.proxy.thaw();
      case "refuse":
        node.proxy.mode = "refuse";
        node.proxy.cut();
        await this.#pause(lastingMs);
        return node.proxy.thaw();
    }
  }

  /** Waits; returns early when the faults are being stopped. */
  async #pause(ms: number): Promise<void> {
    await wait(ms, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
  }
}

/** Ends the connections on which nodes notify each other, up to a number. @returns how many. */
export async function deafen(databaseUrl: string, most = 1_000): Promise<number> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rowCount } = await client.query(
      `SELECT pg_terminate_backend(pid) FROM (
         SELECT pid FROM pg_stat_activity
         WHERE datname = current_database() AND query LIKE 'WITH changes%UPDATE workers%' ORDER BY random() LIMIT $1
       ) AS listeners`,
      [most],
    );
    return rowCount ?? 0;
  } finally {
    await client.end();
  }
}
