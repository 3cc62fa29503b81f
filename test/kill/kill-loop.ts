/**
 * Repeatedly kills the process that changes articles and delivers webhooks, on the same data; lets the last one finish its
 * work; and checks the result.
 */
import { setTimeout as wait } from "node:timers/promises";
import { openSqlite } from "../../src/store/engine/sqlite/sqlite.ts";
import { randomNumbers } from "../../bench/statistics.ts";
import { check, takeUps } from "./checker.ts";
import type { Violation } from "./rules.ts";
import { type Facts, isQueueEmpty, readFacts } from "./facts.ts";
import type { Arrival, Journal } from "./journal.ts";
import type { ChildOptions } from "./messages.ts";
import type { Plant } from "./planted-bugs.ts";
import type { Point } from "./kill-points.ts";
import { cutPower } from "./power.ts";
import { Publisher } from "./publisher.ts";
import type { Behaviour } from "./receiver.ts";
import { type Child, type Script, startChild } from "./start-child.ts";
import { ATTEMPTS, makeWorld, type World } from "./world.ts";

export interface LoopOptions {
  seed: number;
  script: Script;
  /** Where each life ends. `random`: at any instant from its start on. */
  kills: readonly (Point | "random")[];
  /** A bug for the dispatcher's process. */
  plant?: Plant;
  /** Whether each kill also takes what was not synced (power.ts). */
  cutsPower?: boolean;
  /** What the receiver does; absent: a random mixture. */
  behave?: (arrival: Arrival) => Behaviour;
  /** Changes that the last process makes; default 10. */
  lastChanges?: number;
  /** Time for the last process to drain the queue, ms; default 30,000. */
  drainsWithinMs?: number;
  /** Milliseconds until an attempt that a kill interrupted is sent again; no limit when left out. */
  takenUpWithinMs?: number;
}

export interface Outcome {
  violations: Violation[];
  journal: Journal;
  facts: Facts;
  /** Errors that the processes reported. */
  errors: string[];
  /** Times from ready until an interrupted attempt was sent again. */
  takeUpsMs: number[];
  /** Bytes that the power cuts took. */
  lostBytes: number;
}

/** Between its start and what it does then, a process is killed at any instant; more often while it works. */
const LIFE_MS = 1_000;
const BEFORE_READY = 0.12;
/**
 * The share of lives in which it is killed only after its first change, which can take longer than `LIFE_MS` on a busy
 * machine.
 */
const AT_WORK = 0.6;
/** A point that is not reached by then never is. */
const STUCK_AFTER_MS = 20_000;
/** A kill point kills at one in this many passes. */
const MAX_PASSES = 6;
/** Less than the deadline: time-outs are covered by the sender's own tests. */
const HANGS_MS = 400;
export const LAST_CHANGES = 10;
const DRAINS_WITHIN_MS = 30_000;
/** Five times what docs/operate.md promises. Only for runs that have their machine to themselves. */
export const TAKEN_UP_WITHIN_MS = 10_000;

export async function runLoop(options: LoopOptions): Promise<Outcome> {
  const random = randomNumbers(options.seed);
  await using world = await makeWorld({ behave: options.behave ?? misbehaving(options.seed) });
  const publisher = new Publisher(world.journal, random);
  const errors: string[] = [];
  let lostBytes = 0;
  const start = (point: Point | null): Life => startLife(world, options, publisher, errors, point, random);
  for (const point of options.kills) {
    await live(start(point === "random" ? null : point), point, world, publisher, random);
    if (options.cutsPower === true) lostBytes += cutPower(world.databasePath);
    world.journal.mark("kill", point);
  }
  const failure = await end(start(null), world, publisher, options);
  if (failure !== null) errors.push(failure);
  const { journal } = world;
  await using store = openSqlite(world.databasePath);
  const facts = await readFacts(store);
  const { takenUpWithinMs = Number.POSITIVE_INFINITY } = options;
  const violations = check(journal, facts, { ...ATTEMPTS, takenUpWithinMs });
  return { violations, journal, facts, errors, lostBytes, takeUpsMs: takeUps(journal).map(({ ms }) => ms) };
}

interface Life {
  child: Child;
  ready: Promise<void>;
}

function startLife(
  world: World,
  { script, plant, cutsPower }: LoopOptions,
  publisher: Publisher,
  errors: string[],
  point: Point | null,
  random: () => number,
): Life {
  const { journal, websiteId, secrets } = world;
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  const childOptions: ChildOptions = {
    websiteId,
    secrets,
    point: point === "during the POST" ? null : point,
    occurrence: 1 + Math.floor(random() * MAX_PASSES),
    plant: plant ?? null,
    notesSynced: cutsPower === true,
  };
  const child = startChild(script, childOptions, world.settings, (message) => {
    publisher.heard(message);
    if (message.type === "recorded") {
      for (const { deliveryId, number } of message.attempts) journal.recorded(deliveryId, number);
    } else if (message.type === "error" || message.type === "failed") {
      errors.push(message.message);
    } else if (message.type === "ready") {
      journal.ready();
      resolve();
    }
  });
  return { child, ready };
}

/** From its start to its death, and until the receiver has taken in all that it had sent. */
async function live(
  { child, ready }: Life,
  point: Point | "random",
  { receiver, journal }: World,
  publisher: Publisher,
  random: () => number,
): Promise<void> {
  await using _child = child;
  let isStuck = false;
  const timer = setTimeout(() => {
    isStuck = true;
    child.kill();
  }, STUCK_AFTER_MS);
  if (point === "random" && random() < BEFORE_READY) {
    await Promise.race([wait(random() * LIFE_MS), ready]);
    child.kill();
  } else {
    await Promise.race([ready, child.ended]);
    const since = journal.now();
    publisher.publish(() => [child]);
    if (point === "random") {
      const isAtWork = () => journal.changes.some(({ acknowledgedAt }) => (acknowledgedAt ?? 0) > since);
      if (random() < AT_WORK) await comesTrue(STUCK_AFTER_MS, isAtWork);
      await wait(random() * LIFE_MS);
      child.kill();
    } else if (point === "during the POST") {
      let left = Math.floor(random() * MAX_PASSES);
      receiver.onArrival = () => {
        if (left-- === 0) child.kill();
      };
    }
  }
  const { signal, errors } = await child.ended;
  clearTimeout(timer);
  publisher.pause();
  publisher.killed(child);
  receiver.onArrival = () => undefined;
  if (signal !== "SIGKILL" || isStuck) throw new Error(`the process did not come to be killed ${point}: ${errors}`);
  await receiver.quiet();
}

/** The last process makes a few more changes and finishes its work. */
async function end(
  { child, ready }: Life,
  { databasePath }: World,
  publisher: Publisher,
  { lastChanges = LAST_CHANGES, drainsWithinMs = DRAINS_WITHIN_MS }: LoopOptions,
): Promise<string | null> {
  await using _child = child;
  await Promise.race([ready, child.ended]);
  publisher.publish(() => [child], lastChanges);
  await using store = openSqlite(databasePath);
  const isDrained = await comesTrue(drainsWithinMs, async () => publisher.isSettled && (await isQueueEmpty(store)));
  publisher.pause();
  child.send({ type: "stop" });
  const timer = setTimeout(() => child.kill(), STUCK_AFTER_MS);
  const { code, errors } = await child.ended;
  clearTimeout(timer);
  if (code !== 0) return `the last process did not stop cleanly: ${errors}`;
  return isDrained ? null : `the last process was not done within ${drainsWithinMs} ms`;
}

export async function comesTrue(withinMs: number, condition: () => boolean | Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > deadline) return false;
    await wait(20);
  }
  return true;
}

/** A mixture of behaviours that depends on the event and on chance; some events are never delivered. */
export function misbehaving(seed: number): (arrival: Arrival) => Behaviour {
  const random = randomNumbers(seed ^ 0x5bd1e995);
  return ({ eventId }) => {
    if (isDoomed(eventId)) return { status: 500, afterMs: 0 };
    const roll = random();
    if (roll < 0.04) return { status: 503, afterMs: random() * 20 };
    if (roll < 0.07) return { resetAfterMs: 0 };
    if (roll < 0.08) return { resetAfterMs: HANGS_MS };
    if (roll < 0.25) return { status: 200, afterMs: random() * 120 };
    return { status: 204, afterMs: 0 };
  };
}

/** One event in 32, at every endpoint. */
function isDoomed(eventId: string): boolean {
  return Number.parseInt(eventId.slice(0, 2), 16) < 8;
}
