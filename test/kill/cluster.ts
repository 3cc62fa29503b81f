/** The nodes of a kill loop, and the requests to them. */
import type { Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { ClusterNode } from "./cluster-node.ts";
import type { Fault } from "./faults.ts";
import { wrongClock } from "../helpers/wrong-clock.ts";
import { comesTrue } from "./kill-loop.ts";
import type { Mark } from "./journal.ts";
import type { FromChild } from "./messages.ts";
import { Publisher } from "./publisher.ts";
import { ownerOf } from "./socket-owner.ts";
import type { World } from "./world.ts";

/** The share of kills that wait a moment for a POST to interrupt. */
const IN_A_POST = 0.8;
const SENDS_WITHIN_MS = 10_000;
/** By then the receiver has read everything that a dead process had sent. */
const SETTLES_WITHIN_MS = 250;
/** How far the nodes' clocks are wrong. The receiver, which checks the time in signatures, has the database's clock. */
const CLOCK_OFFSETS_MS = [300_000, -300_000] as const;
/** How late a busy machine may log an error. */
const COMPLAINS_MS = 10_000;

export class Cluster implements AsyncDisposable {
  /** Errors that nodes logged although the database was available. */
  readonly errors: string[] = [];
  /** How often a node wrongly found it unavailable. */
  complaints = 0;
  readonly #world: World;
  readonly #publisher: Publisher;
  readonly #nodes: readonly ClusterNode[];
  readonly #random: () => number;
  /** By event: the node that acknowledged its change. */
  readonly #acknowledgedBy = new Map<string, string>();
  readonly #restarts = new Set<Promise<void>>();

  constructor(world: World, databaseUrls: readonly string[], random: () => number, articles: number) {
    this.#world = world;
    this.#random = random;
    this.#publisher = new Publisher(world.journal, random, articles);
    this.#nodes = databaseUrls.map((url, index) => {
      const name = String(index);
      return new ClusterNode({
        name,
        child: { websiteId: world.websiteId, secrets: world.secrets },
        settings: { ...world.settings, DATABASE_URL: url, ...wrongClock(CLOCK_OFFSETS_MS[index] ?? 0) },
        onMessage: (message) => this.#hear(name, message),
        onLost: (errors) => this.errors.push(`node ${name} ended by itself: ${errors}`),
      });
    });
  }

  get size(): number {
    return this.#nodes.length;
  }

  get isSettled(): boolean {
    return this.#publisher.isSettled;
  }

  async start(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.start()));
  }

  /** Lets the running nodes make changes from now on. */
  publish(): void {
    this.#publisher.publish(() => this.#nodes.flatMap(({ ready }) => ready ?? []));
  }

  pause(): void {
    this.#publisher.pause();
  }

  ordererOf(eventId: string): string | undefined {
    return this.#acknowledgedBy.get(eventId);
  }

  nodeOf(socket: Socket): string | null {
    const { remotePort, localPort } = socket;
    if (remotePort === undefined || localPort === undefined) return null;
    const pids = this.#nodes.flatMap(({ pid }) => pid ?? []);
    const owner = ownerOf({ theirs: remotePort, ours: localPort }, pids);
    return this.#nodes.find(({ pid }) => pid !== undefined && pid === owner)?.life ?? null;
  }

  /** Kills one of at least two running nodes, or the only one, and starts it again after `awayMs`. Resolves when it is dead. */
  async killOne(awayMs: number): Promise<void> {
    while (this.#nodes.filter(({ ready }) => ready !== undefined).length < Math.min(2, this.#nodes.length)) {
      await Promise.race([wait(20), ...this.#restarts]);
    }
    const living = this.#nodes.filter(({ isAlive }) => isAlive);
    const node = living[Math.floor(this.#random() * living.length)];
    if (node === undefined) throw new Error("no node lives");
    const { journal, receiver } = this.#world;
    const { life } = node;
    if (this.#random() < IN_A_POST) {
      const isSending = () => journal.arrivals.some((one) => one.node === life && one.answer === null);
      await comesTrue(SENDS_WITHIN_MS, isSending);
    }
    const mark = journal.during({
      kind: "kill",
      point: "random",
      node: life,
      from: journal.now(),
      at: Number.POSITIVE_INFINITY,
    });
    const child = await node.kill();
    if (child !== undefined) this.#publisher.killed(child);
    await receiver.quiet(life);
    mark.at = journal.now() + SETTLES_WITHIN_MS;
    const restart = wait(awayMs).then(() => node.start());
    this.#restarts.add(restart);
    void restart.then(() => this.#restarts.delete(restart));
  }

  /** The caller records when it ends. */
  beginFault(fault: Fault): Mark {
    const { journal } = this.#world;
    return journal.during({
      kind: "fault",
      point: fault,
      node: null,
      from: journal.now(),
      at: Number.POSITIVE_INFINITY,
    });
  }

  async allAlive(): Promise<void> {
    await Promise.all(this.#restarts);
  }

  async stop(withinMs: number): Promise<void> {
    const failures = await Promise.all(this.#nodes.map((node) => node.stop(withinMs)));
    this.errors.push(...failures.filter((failure) => failure !== null));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#publisher.pause();
    await Promise.all(this.#restarts);
    await Promise.all(this.#nodes.map((node) => node[Symbol.asyncDispose]()));
  }

  #hear(node: string, message: FromChild): void {
    const { journal } = this.#world;
    this.#publisher.heard(message);
    if (message.type === "acknowledged") this.#acknowledgedBy.set(message.eventId, node);
    else if (message.type === "recorded") {
      for (const { deliveryId, number } of message.attempts) journal.recorded(deliveryId, number);
    } else if (message.type === "error" || message.type === "failed") {
      // While the database is unavailable, this is the only error that is allowed.
      // A node with too little processor time may also find the database unavailable.
      const isAway = message.type === "failed" ? message.isAway : /cannot be reached|timeout/i.test(message.message);
      const isExpected = isAway || (this.#isFaulty() && message.type === "error");
      if (isAway && !this.#isFaulty()) this.complaints++;
      if (!isExpected) this.errors.push(`node ${node} at ${Math.round(journal.now())} ms: ${message.message}`);
    }
  }

  #isFaulty(): boolean {
    const { journal } = this.#world;
    return journal.marks.some(
      ({ kind, from, at }) => kind === "fault" && from <= journal.now() && journal.now() <= at + COMPLAINS_MS,
    );
  }
}
