/**
 * Runs several nodes on one PostgreSQL, kills nodes at random instants or causes faults of the database, lets all nodes finish
 * their work, and checks the result.
 */
import { setTimeout as wait } from "node:timers/promises";
import { randomNumbers } from "../../bench/statistics.ts";
import { openStore } from "../../src/app/app.ts";
import { readConfig } from "../../src/process/settings/config.ts";
import { startPostgres } from "../helpers/postgres.ts";
import { startTcpProxy } from "../helpers/tcp-proxy.ts";
import { check, type TakeUp, takeUps } from "./checker.ts";
import type { Violation } from "./rules.ts";
import { Cluster } from "./cluster.ts";
import { type Facts, isQueueEmpty, readFacts } from "./facts.ts";
import { befall, type Fault, prepare, type Site } from "./faults.ts";
import { type Arrival, cutsBetween, type Journal, lastMarkAt } from "./journal.ts";
import { comesTrue, misbehaving } from "./kill-loop.ts";
import type { Behaviour } from "./receiver.ts";
import { ATTEMPTS, makeWorld } from "./world.ts";

export interface ClusterOptions {
  seed: number;
  nodes: number;
  /** The kills and faults, in order. */
  troubles: readonly (Fault | "kill")[];
  /** `DATABASE_URL` names the server and its standby, and no proxy stands between. One failover is possible. */
  hasManyHosts?: boolean;
  /** Milliseconds until an attempt that a kill interrupted is sent again; no limit when left out. */
  takenUpWithinMs?: number;
}

export interface ClusterOutcome {
  violations: Violation[];
  journal: Journal;
  facts: Facts;
  /** Errors that nodes logged although the database was available, and nodes that did not recover. */
  errors: string[];
  /** How often a node wrongly found the database unavailable: a sign of a machine that is too busy. */
  complaints: number;
  /** The attempts that kills interrupted. */
  takeUps: TakeUp[];
  /** The recovery after each repair. */
  comebacks: Comeback[];
  /** Attempts that were repeated although no node was killed: their node's heartbeat was late. */
  duplicates: number;
}

interface Comeback {
  fault: Fault;
  /** From the repair until a change was acknowledged and a delivery of it arrived, milliseconds. */
  ms: number;
  /** The same for the last node that acknowledged one. */
  slowestMs: number;
}

const ARTICLES = 24;
/** Pause between two kills or faults. */
const PEACE_MS = 3_000;
/** Maximum time a killed node stays away, so that others have to do its work. */
const AWAY_MS = 4_000;
/** For this long after a repair, interrupted attempts may be repeated and nodes may still log errors. */
const ECHO_MS = 5_000;
const BACK_WITHIN_MS = 30_000;
const DRAINS_WITHIN_MS = 60_000;
const STOPS_WITHIN_MS = 20_000;
const LAST_CHANGES_MS = 1_000;

export async function runCluster(options: ClusterOptions): Promise<ClusterOutcome> {
  const { seed, nodes, troubles } = options;
  const random = randomNumbers(seed);
  await using owned = new AsyncDisposableStack();
  const server = owned.use(await startPostgres({ durable: true }));
  const site: Site = { server, standby: undefined, proxies: [], owned };
  const direct = new URL(await server.createDatabase());
  const urls: string[] = [];
  if (options.hasManyHosts === true) {
    await prepare("failover", site);
    const hosts = [site.server, site.standby].map((one) => `127.0.0.1:${one?.port}`).join(",");
    for (let n = 0; n < nodes; n++) urls.push(`postgres://${direct.username}@${hosts}${direct.pathname}`);
  } else {
    for (let n = 0; n < nodes; n++) {
      const proxy = owned.use(await startTcpProxy({ port: server.port }));
      site.proxies.push(proxy);
      urls.push(Object.assign(new URL(direct), { port: String(proxy.port) }).href);
    }
  }
  let cluster: Cluster | undefined;
  const world = owned.use(
    await makeWorld({ behave: slowNowAndThen(seed), nodeOf: (socket) => cluster?.nodeOf(socket) ?? null }, direct.href),
  );
  cluster = owned.use(new Cluster(world, urls, random, ARTICLES));
  await cluster.start();
  const { journal } = world;
  const comebacks: Comeback[] = [];
  cluster.publish();
  for (const trouble of troubles) {
    if (trouble !== "kill") {
      // A node that finds no database when it starts ends.
      await cluster.allAlive();
      await prepare(trouble, site);
    }
    await wait(random() * PEACE_MS);
    if (trouble === "kill") {
      await cluster.killOne(random() * AWAY_MS);
      continue;
    }
    const mark = cluster.beginFault(trouble);
    await befall(trouble, site, random);
    const repairedAt = journal.now();
    mark.at = repairedAt + ECHO_MS;
    const isBack = await comesTrue(BACK_WITHIN_MS, () => comebackOf(trouble, journal, cluster, repairedAt) !== null);
    const comeback = comebackOf(trouble, journal, cluster, repairedAt);
    if (isBack && comeback !== null) comebacks.push(comeback);
    else cluster.errors.push(`not every node was back ${BACK_WITHIN_MS} ms after ${trouble}`);
  }
  await cluster.allAlive();
  // The last changes are made after everything has recovered.
  await comesTrue(BACK_WITHIN_MS, () => lastMarkAt(journal.marks) < journal.now());
  await wait(LAST_CHANGES_MS);
  cluster.pause();
  const config = readConfig(
    { ...world.settings, DATABASE_URL: Object.assign(direct, { port: String(site.server.port) }).href },
    ".",
  );
  await using store = openStore(config.database);
  const isDrained = await comesTrue(DRAINS_WITHIN_MS, async () => cluster.isSettled && (await isQueueEmpty(store)));
  if (!isDrained) cluster.errors.push(`the nodes were not done within ${DRAINS_WITHIN_MS} ms`);
  await cluster.stop(STOPS_WITHIN_MS);
  const facts = await readFacts(store);
  const { takenUpWithinMs = Number.POSITIVE_INFINITY } = options;
  const limits = { ...ATTEMPTS, takenUpWithinMs, mayGiveUp: true };
  return {
    violations: check(journal, facts, limits),
    journal,
    facts,
    errors: cluster.errors,
    complaints: cluster.complaints,
    takeUps: takeUps(journal),
    comebacks,
    duplicates: countDuplicates(journal),
  };
}

/** @returns null until each running node has acknowledged a change that it was told to make after the repair. */
function comebackOf(fault: Fault, journal: Journal, cluster: Cluster, repairedAt: number): Comeback | null {
  const since = journal.changes.filter(
    ({ acknowledgedAt, orderedAt }) => acknowledgedAt !== null && orderedAt >= repairedAt,
  );
  let ms = Number.POSITIVE_INFINITY;
  const firstOf = new Map<string, number>();
  for (const { eventId, acknowledgedAt } of since) {
    const node = cluster.ordererOf(eventId);
    if (acknowledgedAt === null || node === undefined) continue;
    firstOf.set(node, Math.min(firstOf.get(node) ?? Number.POSITIVE_INFINITY, acknowledgedAt));
    const arrival = journal.arrivals.find((one) => one.eventId === eventId);
    if (arrival !== undefined) ms = Math.min(ms, Math.max(acknowledgedAt, arrival.at));
  }
  if (ms === Number.POSITIVE_INFINITY || firstOf.size < cluster.size) return null;
  return { fault, ms: ms - repairedAt, slowestMs: Math.max(ms, ...firstOf.values()) - repairedAt };
}

/** As for one process, with a few answers so late that a node wrongly considered dead still waits for them. */
function slowNowAndThen(seed: number): (arrival: Arrival) => Behaviour {
  const random = randomNumbers(seed ^ 0x2545f491);
  const behave = misbehaving(seed);
  return (arrival) => {
    const behaviour = behave(arrival);
    return random() < 0.02 ? { status: 200, afterMs: 1_000 + random() * 3_000 } : behaviour;
  };
}

/** The violations that no kill explains. */
function countDuplicates({ arrivals, marks }: Journal): number {
  const last = new Map<string, Arrival>();
  let count = 0;
  for (const arrival of arrivals) {
    const key = `${arrival.endpointId} ${arrival.eventId} ${arrival.attempt}`;
    const earlier = last.get(key);
    last.set(key, arrival);
    if (earlier === undefined || earlier.answer === "reset") continue;
    if (cutsBetween(marks, earlier, arrival).every(({ kind }) => kind === "fault")) count++;
  }
  return count;
}
