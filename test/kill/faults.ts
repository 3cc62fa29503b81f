/** Faults of the database and the network. Each ends with its repair. */
import { setTimeout as wait } from "node:timers/promises";
import type { PostgresReplica, PostgresServer } from "../helpers/postgres-server.ts";
import type { TcpProxy } from "../helpers/tcp-proxy.ts";

export const FAULTS = [
  /** The server crashes, and is started again. */
  "crash",
  /** Every connection is ended by the server. */
  "terminate",
  /** Every process of the server is suspended. */
  "stall",
  /** The network drops everything, while connections stay open. */
  "freeze",
  /** The same for one node only. */
  "freeze one",
  /** New connections of one node are refused, and those it had are reset. */
  "refuse one",
  /** Every message is delayed. */
  "slow",
  /** The server is lost. Its synchronous standby takes over, and the proxies connect to it from then on. */
  "failover",
] as const;
export type Fault = (typeof FAULTS)[number];

/** The server, and each node's network path to it. */
export interface Site {
  server: PostgresServer;
  /** The server's synchronous replica. */
  standby: PostgresReplica | undefined;
  readonly proxies: TcpProxy[];
  /** What must be disposed of at the end. */
  readonly owned: AsyncDisposableStack;
}

const MS_PER_CHUNK = 20;

/** Sets up what the fault needs. */
export async function prepare(fault: Fault, site: Site): Promise<void> {
  if (fault !== "failover" || site.standby !== undefined) return;
  site.standby = site.owned.use(await site.server.startReplica());
  await site.server.makeSynchronous();
}

/** Causes the fault. Resolves when it is repaired. */
export async function befall(fault: Fault, site: Site, random: () => number): Promise<void> {
  const between = (least: number, most: number) => wait(least + random() * (most - least));
  const { server, proxies } = site;
  const one = proxies[Math.floor(random() * proxies.length)];
  switch (fault) {
    case "crash":
      await server.stop("immediate");
      await between(500, 3_000);
      return server.start();
    case "terminate":
      await server.terminateConnections();
      return;
    case "stall":
      await server.pause();
      await between(500, 4_000);
      return server.resume();
    case "freeze":
      for (const proxy of proxies) proxy.mode = "freeze";
      await between(500, 4_000);
      for (const proxy of proxies) proxy.thaw();
      return;
    case "freeze one":
      if (one !== undefined) one.mode = "freeze";
      await between(500, 6_000);
      one?.thaw();
      return;
    case "refuse one":
      if (one !== undefined) one.mode = "refuse";
      one?.cut();
      await between(500, 6_000);
      one?.thaw();
      return;
    case "slow":
      for (const proxy of proxies) proxy.slow(MS_PER_CHUNK);
      await between(2_000, 4_000);
      for (const proxy of proxies) proxy.slow(0);
      return;
    case "failover": {
      const standby = site.standby;
      if (standby === undefined) throw new Error("there is no standby");
      await server.stop("immediate");
      await between(0, 1_000);
      await standby.promote();
      for (const proxy of proxies) {
        proxy.retarget(standby.port);
        proxy.cut();
      }
      site.server = standby;
      site.standby = undefined;
    }
  }
}
