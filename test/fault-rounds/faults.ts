/** Faults of nodes, network, database and clocks. Each ends with its repair. */
import { rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { PostgresReplica, PostgresServer } from "../helpers/postgres-server.ts";
import type { TcpProxy } from "../helpers/tcp-proxy.ts";
import { until } from "../helpers/until.ts";
import type { ServiceNode } from "./nodes.ts";

export const FAULTS = {
  "node killed": "kill -9 of a node, which is started again within two seconds and is repaired when it is ready",
  "node frozen": "SIGSTOP of a node for two to eight seconds, then SIGCONT",
  "dispatcher hung": "the thread of a node that delivers webhooks blocks for good",
  "node cut off": "nothing passes between a node and the database for two to eight seconds; connections stay open",
  "node refused": "a node's connections to the database are reset, and new ones refused, for two to eight seconds",
  "clock ahead": "the clock of a node leaps 300 s ahead, and back after six seconds",
  "clock behind": "the clock of a node leaps 300 s back, and ahead after six seconds",
  "database killed": "the server is stopped at once, and started again",
  "database frozen": "every process of the server stands still for one to four seconds",
  "all cut off": "nothing passes between any node and the database for one to four seconds; connections stay open",
  failover: "the server is lost, and its synchronous standby promoted",
  "disk full": "no room is left where the database lies, for three seconds",
} as const;
export type Fault = keyof typeof FAULTS;

export function isFault(name: string): name is Fault {
  return Object.hasOwn(FAULTS, name);
}

/** The faults that leave the other nodes working. */
const OF_ONE_NODE = new Set<Fault>([
  "node killed",
  "node frozen",
  "dispatcher hung",
  "node cut off",
  "node refused",
  "clock ahead",
  "clock behind",
]);

export function isOfOneNode(fault: Fault): boolean {
  return OF_ONE_NODE.has(fault);
}

export interface Site {
  nodes: readonly ServiceNode[];
  /** The node whose clock can be set. */
  clockNode: number;
  /** undefined on SQLite. */
  database:
    | {
        server: PostgresServer;
        standby: PostgresReplica | undefined;
        /** Each node's network path to the server. */
        proxies: readonly TcpProxy[];
        owned: AsyncDisposableStack;
      }
    | undefined;
  /** The small file system that fills up. */
  disk: string;
  random: () => number;
}

const CLOCK_OFFSET_SECONDS = 300;
const CLOCK_WRONG_MS = 6_000;
const DISK_FULL_MS = 3_000;
const NOTICED_WITHIN_MS = 25_000;

/** Causes the fault. Resolves with the time of its repair, when a killed node is ready again; without a repair, with the time of the fault. */
export async function befall(fault: Fault, site: Site): Promise<number> {
  const { nodes, random } = site;
  const between = (least: number, most: number) => sleep(least + random() * (most - least));
  const index = fault.startsWith("clock") ? site.clockNode : Math.floor(random() * nodes.length);
  const node = nodes[index];
  if (node === undefined) throw new Error("there is no such node");
  let repairedAt: number | undefined;
  switch (fault) {
    case "node killed":
      await node.kill();
      await between(0, 2_000);
      await node.start();
      break;
    case "node frozen":
      node.freeze();
      await between(2_000, 8_000);
      node.thaw();
      break;
    case "dispatcher hung": {
      const before = (await node.dispatcherRestarts()) ?? 0;
      repairedAt = performance.now();
      node.hangDispatcher();
      await until(
        "the thread is started again",
        async () => ((await node.dispatcherRestarts()) ?? 0) > before,
        NOTICED_WITHIN_MS,
      );
      break;
    }
    case "node cut off":
      setMode(site, index, "freeze");
      await between(2_000, 8_000);
      setMode(site, index, "pass");
      break;
    case "node refused":
      setMode(site, index, "refuse");
      await between(2_000, 8_000);
      setMode(site, index, "pass");
      break;
    case "clock ahead":
    case "clock behind":
      node.setClock(fault === "clock ahead" ? CLOCK_OFFSET_SECONDS : -CLOCK_OFFSET_SECONDS);
      await sleep(CLOCK_WRONG_MS);
      node.setClock(0);
      break;
    case "database killed": {
      const { server } = databaseOf(site);
      await server.stop("immediate");
      await between(0, 3_000);
      await server.start();
      break;
    }
    case "database frozen": {
      const { server } = databaseOf(site);
      await server.pause();
      await between(1_000, 4_000);
      await server.resume();
      break;
    }
    case "all cut off":
      for (const each of nodes.keys()) setMode(site, each, "freeze");
      await between(1_000, 4_000);
      for (const each of nodes.keys()) setMode(site, each, "pass");
      break;
    case "failover":
      await failOver(site);
      break;
    case "disk full":
      await fillDisk(site);
      break;
  }
  return repairedAt ?? performance.now();
}

function setMode(site: Site, node: number, mode: TcpProxy["mode"]): void {
  const proxy = databaseOf(site).proxies[node];
  if (proxy === undefined) throw new Error("there is no such way");
  proxy.mode = mode;
  if (mode === "refuse") proxy.cut();
}

async function failOver(site: Site): Promise<void> {
  const database = databaseOf(site);
  const { server, standby, proxies } = database;
  if (standby === undefined) throw new Error("there is no standby");
  await server.stop("immediate");
  await standby.promote();
  for (const proxy of proxies) {
    proxy.retarget(standby.port);
    proxy.cut();
  }
  database.server = standby;
  database.standby = undefined;
}

/** Starts the server again, if PostgreSQL has stopped itself, once the disk has room. */
async function fillDisk({ disk, database }: Site): Promise<void> {
  const filler = join(disk, "filler");
  const { bavail, bsize } = statfsSync(disk);
  try {
    writeFileSync(filler, Buffer.alloc(bavail * bsize));
  } catch {
    // Other processes have filled the disk meanwhile.
  }
  await sleep(DISK_FULL_MS);
  rmSync(filler);
  if (database === undefined) return;
  try {
    await database.server.start();
  } catch (error) {
    if (!String(error).includes("runs already")) throw error;
  }
}

function databaseOf({ database }: Site) {
  if (database === undefined) throw new Error("there is no server");
  return database;
}
