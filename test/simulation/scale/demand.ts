/** What a load asks of an installation, and the smallest installation that carries it. */
import { ASSUMPTIONS, type Constants, type EngineCosts } from "./constants.ts";

/** A second, over all websites. */
export interface Load {
  websites: number;
  articlesPerWebsite: number;
  publications: number;
  /** Further saves of a text that readers see: drafts and edits. */
  saves: number;
  webhooksPerWebsite: number;
  /** Before a CDN. */
  reads: number;
  cdnHitRatio: number;
}

export interface Demand {
  /** Reads that reach the service, a second. */
  originReads: number;
  deliveries: number;
  /** Cores of the service's threads that answer, write and send. */
  processCores: number;
  contentCores: number;
  databaseCores: number;
  logMbPerSecond: number;
  /** Articles with their first publication. */
  articlesGb: number;
  /** What each day of publications and saves adds: events, revisions, deliveries. */
  growthGbPerDay: number;
}

/** @param processes each answers for its share of the websites, as a balancer that sends each key to one process arranges it. */
export function demand(load: Load, costs: EngineCosts, { readFromMemory }: Constants, processes = 1): Demand {
  const originReads = load.reads * (1 - load.cdnHitRatio);
  const isKnown = shareOfBusiest(load.websites, WEBSITES_IN_MEMORY * processes);
  const unknown = originReads * (1 - isKnown);
  const misses = originReads * isKnown * (1 - ASSUMPTIONS.memoryHitRatio);
  const deliveries = load.publications * load.webhooksPerWebsite;
  const sum = (part: "process" | "content" | "database" | "logKb" | "diskKb") =>
    load.publications * costs.publish[part] +
    load.saves * costs.save[part] +
    misses * costs.read[part] +
    unknown * costs.firstList[part];
  const articles = load.websites * load.articlesPerWebsite;
  return {
    originReads,
    deliveries,
    processCores:
      (sum("process") + (originReads - unknown - misses) * readFromMemory + deliveries * costs.delivery.process) /
      1_000,
    contentCores: sum("content") / 1_000,
    databaseCores: (sum("database") + deliveries * costs.delivery.database) / 1_000,
    logMbPerSecond: sum("logKb") / 1_024,
    articlesGb: (articles * (costs.create.diskKb + costs.publish.diskKb)) / 2 ** 20,
    growthGbPerDay: (sum("diskKb") * 86_400) / 2 ** 20,
  };
}

export interface Installation {
  kind: "one process, SQLite" | "PostgreSQL" | "partitions by website";
  /** Two at least on PostgreSQL, so that one may fail. */
  processes: number;
  /** Database servers; 0 for SQLite. */
  databases: number;
  /** Cores of each database server. */
  coresPerDatabase: number;
  demand: Demand;
}

/** The first of these that stays below the assumed utilisation: one process on SQLite, one PostgreSQL server, several. */
export function install(load: Load, constants: Constants): Installation {
  const { utilisation, databaseCores, logMbPerSecond } = ASSUMPTIONS;
  const embedded = demand(load, constants.sqlite, constants);
  if (embedded.processCores <= utilisation) {
    return { kind: "one process, SQLite", processes: 1, databases: 0, coresPerDatabase: 0, demand: embedded };
  }
  let processes = 2;
  let needed = demand(load, constants.postgres, constants, processes);
  // More processes have more websites in memory, so that fewer are needed: this settles within a few rounds.
  for (let round = 0; round < ROUNDS; round += 1) {
    const claiming = needed.deliveries / constants.claimed;
    processes = Math.max(2, Math.ceil(Math.max(needed.processCores, claiming) / utilisation));
    needed = demand(load, constants.postgres, constants, processes);
  }
  const cores = Math.max(1, Math.ceil(needed.databaseCores / utilisation));
  const databases = Math.max(Math.ceil(cores / databaseCores), Math.ceil(needed.logMbPerSecond / logMbPerSecond));
  return {
    kind: databases === 1 ? "PostgreSQL" : "partitions by website",
    processes,
    databases,
    coresPerDatabase: Math.ceil(cores / databases),
    demand: needed,
  };
}

export interface Limit {
  what: string;
  /** Publications a second at which it is reached. */
  publications: number;
  next: string;
}

/** Where one PostgreSQL server and its processes end, lowest first. `webhooksPerWebsite` and `skew` decide the most. */
export function limits(load: Load, constants: Constants): Limit[] {
  const { databaseCores, utilisation, logMbPerSecond } = ASSUMPTIONS;
  const { publish, delivery } = constants.postgres;
  const perPublication = publish.database + load.webhooksPerWebsite * delivery.database;
  const oneWebsite = 1_000 / constants.publishOfOneWebsite;
  return [
    {
      what: "the busiest website: its publications wait for its row",
      publications: oneWebsite / shareOfBusiest(load.websites),
      next: "collect publications of one website for some milliseconds and commit them together, as an import does",
    },
    {
      what: `processor of a database server of ${databaseCores} cores`,
      publications: (databaseCores * 1_000 * utilisation) / perPublication,
      next: "partitions by website",
    },
    {
      what: "what a process is told of the others: 20,000 changes between two heartbeats",
      publications: MAX_CHANGES_BETWEEN_HEARTBEATS / HEARTBEAT_S,
      next: "partitions by website; a process follows only the partitions that it answers for",
    },
    {
      what: `log of ${logMbPerSecond} MB/s`,
      publications: (logMbPerSecond * 1_024) / publish.logKb,
      next: "partitions by website",
    },
  ].toSorted((one, other) => one.publications - other.publications);
}

/** `operations/articles/read-model/views.ts`. */
const WEBSITES_IN_MEMORY = 1_000;
const ROUNDS = 5;
/** `store/engine/postgres/node-sync.ts` and `store/system/liveness.ts`. */
const MAX_CHANGES_BETWEEN_HEARTBEATS = 20_000;
const HEARTBEAT_S = 0.25;

/** The share of all activity that the busiest websites have, by Zipf's law with the assumed exponent. */
export function shareOfBusiest(websites: number, busiest = 1): number {
  return harmonic(Math.min(websites, busiest)) / harmonic(websites);
}

/** The sum of rank ** -skew, from rank 1; beyond a thousand by the integral, which is exact to five digits. */
function harmonic(ranks: number): number {
  const { skew } = ASSUMPTIONS;
  const added = Math.min(ranks, 1_000);
  let sum = 0;
  for (let rank = 1; rank <= added; rank += 1) sum += rank ** -skew;
  if (ranks === added) return sum;
  const [from, to] = [added + 0.5, ranks + 0.5];
  return sum + (skew === 1 ? Math.log(to / from) : (to ** (1 - skew) - from ** (1 - skew)) / (1 - skew));
}
