/** Rostrum and the bare server under the same load, one after the other, and the results. */
import { type LoadGenerator, type LoadJob, TOO_BUSY } from "./load-job.ts";
import { canPin, CORE } from "./processes.ts";
import { type Figure, noteTable, thousands } from "./report.ts";
import type { BareAnswer } from "./bare.ts";
import { recordAnswer, type Server, startBare } from "./servers.ts";
import { median } from "./statistics.ts";
import { childrenOf, cpuSeconds } from "./usage.ts";

const ROUND_S = 2;
const WARM_UP_S = 1.5;
/** Per server. */
const CONNECTIONS = 32;

export interface Case {
  what: string;
  status: number;
  headers: Record<string, string>;
  /** The requests, sent in turn; called once for each run of the load. */
  requests: () => LoadJob["requests"];
  /** The bare server's requests, if it has fewer pages. */
  bareRequests?: () => LoadJob["requests"];
  /** Ends a run early after this many requests, so that no request is repeated. */
  mostRequests?: number;
}

export interface Outcome {
  what: string;
  /** The server that Rostrum is compared with. */
  beside: string;
  rostrum: Measured;
  bare: Measured;
  /** One ratio for each pair of processes. */
  ratios: number[];
  cpuRatio: number;
}

interface Measured {
  perSecond: number;
  cpuMicros: number;
  p99Ms: number;
  bytes: number;
  /** Share of one core used by the load generator. */
  busy: number;
  /** Share of the time for which a server had a core. Far below 1, other work on the machine slowed the server or its load. */
  share: number;
}

/** All measurements of one pair of processes: per case and server, one for each round. */
export type Pair = { rostrum: Measured[]; bare: Measured[] }[];

/** Measures both servers with every case in every round, one after the other; the order alternates between rounds. */
export async function contest(
  load: LoadGenerator,
  sides: { rostrum: readonly Server[]; bare: readonly Server[] },
  key: string,
  cases: readonly Case[],
  rounds: number,
): Promise<Pair> {
  const results: Pair = cases.map(() => ({ rostrum: [], bare: [] }));
  for (let round = 0; round < rounds; round++) {
    for (const [index, one] of cases.entries()) {
      const order = round % 2 === 0 ? (["bare", "rostrum"] as const) : (["rostrum", "bare"] as const);
      for (const name of order) {
        const requests = name === "bare" ? (one.bareRequests ?? one.requests) : one.requests;
        // The bare server knows no keys.
        const headers = name === "bare" ? one.headers : { "X-API-Key": key, ...one.headers };
        results[index]?.[name].push(await measure(load, sides[name], { ...one, headers, requests }, round));
      }
    }
  }
  return results;
}

/**
 * Two processes of one program can differ by 10 %, depending on the compiler and memory layout, so a ratio is the median of
 * pairs.
 */
export function summarise(names: readonly string[], pairs: readonly Pair[], beside = "bare node:http"): Outcome[] {
  return names.map((what, index) => {
    const results = pairs.map((pair) => pair[index] ?? { rostrum: [], bare: [] });
    const compared = results.map(({ rostrum, bare }) => ({ rostrum: middle(rostrum), bare: middle(bare) }));
    return {
      what,
      beside,
      rostrum: middle(compared.map(({ rostrum }) => rostrum)),
      bare: middle(compared.map(({ bare }) => bare)),
      ratios: compared.map(({ rostrum, bare }) => rostrum.perSecond / bare.perSecond),
      cpuRatio: median(compared.map(({ rostrum, bare }) => bare.cpuMicros / rostrum.cpuMicros)),
    };
  });
}

export function conditions(rounds: number, pairs: number): string {
  return (
    `${pairs} pairs of new processes, ${rounds} interleaved rounds of ${ROUND_S} s each, ${CONNECTIONS} connections to ` +
    `each server; medians.`
  );
}

/**
 * Without a goal the figure is only reported. `servers`: number on each side; several servers share the cores with the load.
 */
export function ratioFigure(outcome: Outcome, goal: number | null, servers = 1): Figure {
  const { what, beside, ratios } = outcome;
  const ratio = median(ratios);
  const value = `${ratio.toFixed(2)}${ratios.length > 1 ? ` (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})` : ""}`;
  const reason = voidReason(outcome, value, servers);
  return {
    what: `${what}, share of ${beside}`,
    value: reason ?? value,
    ...(goal === null ? {} : { goal: `≥ ${goal}`, met: reason === null ? ratio >= goal : null }),
  };
}

/** How much longer Rostrum's slowest hundredth takes. */
export function p99Figure(outcome: Outcome, goal: number): Figure {
  const { what, beside, rostrum, bare } = outcome;
  const ratio = rostrum.p99Ms / bare.p99Ms;
  const reason = voidReason(outcome, ratio.toFixed(2), 1);
  return {
    what: `${what}, p99 times that of ${beside}`,
    value: reason ?? ratio.toFixed(2),
    goal: `≤ ${goal}`,
    met: reason === null ? ratio <= goal : null,
  };
}

/** Why what was measured says nothing about the servers; null if it does. */
function voidReason({ rostrum, bare }: Outcome, value: string, servers: number): string | null {
  const busy = Math.max(rostrum.busy, bare.busy);
  if (busy >= TOO_BUSY) return `none: the load generator was ${percent(busy)} busy`;
  const share = Math.min(...[rostrum, bare].map((one) => (servers === 1 ? one.share : one.share + one.busy / servers)));
  if (share >= MIN_SHARE) return null;
  return `none: other work held the run up, a core was used ${percent(share)} of the time (it was ${value})`;
}

/**
 * If the servers and the processes beside them use less than this share of the cores, the cores do not limit the throughput.
 */
const MIN_SHARE = 0.8;

/** `servers`: number on each side. */
export function outcomeTable(outcomes: readonly Outcome[], servers = 1): string {
  return noteTable(
    [
      "",
      "server",
      "requests/s",
      "its CPU µs/request",
      "p99 ms",
      "bytes/answer",
      "it ran",
      "load generator busy",
      "CPU ratio",
    ],
    outcomes.flatMap(({ what, beside, rostrum, bare, cpuRatio }) => [
      outcomeRow(what, `${times(servers)}Rostrum`, rostrum, cpuRatio.toFixed(2)),
      outcomeRow(what, times(servers) + beside, bare, ""),
    ]),
  );
}

function times(servers: number): string {
  return servers === 1 ? "" : `${servers} × `;
}

function outcomeRow(
  what: string,
  who: string,
  { perSecond, cpuMicros, p99Ms, bytes, share, busy }: Measured,
  ratio: string,
): string[] {
  return [
    what,
    who,
    thousands(perSecond),
    cpuMicros.toFixed(1),
    p99Ms.toFixed(2),
    thousands(bytes),
    percent(share),
    percent(busy),
    ratio,
  ];
}

export function pinning(): string {
  return canPin
    ? `Servers on core ${CORE.server}, load on core ${CORE.load}.`
    : "Nothing is pinned: this machine has no taskset, or one core.";
}

/** Starts a bare server that has Rostrum's answers to these paths in memory. */
export async function startBareCopy(
  rostrum: Server,
  key: string,
  paths: readonly string[],
  core: number | null = CORE.server,
): Promise<Server> {
  const answers: BareAnswer[] = [];
  for (const path of paths) answers.push(await recordAnswer(rostrum, key, path));
  return startBare(answers, core);
}

async function measure(load: LoadGenerator, servers: readonly Server[], one: Case, round: number): Promise<Measured> {
  const job = {
    ports: servers.map(({ port }) => port),
    connections: CONNECTIONS * servers.length,
    headers: one.headers,
    ...(one.mostRequests === undefined ? {} : { mostRequests: one.mostRequests }),
  };
  // The first run warms up the compilers, later ones only the core.
  await load.run({ ...job, requests: one.requests(), seconds: round === 0 ? WARM_UP_S : 0.2 }, one.status);
  const requests = one.requests();
  const cpuBefore = cpuOf(servers);
  const result = await load.run({ ...job, requests, seconds: ROUND_S }, one.status);
  const cpu = cpuOf(servers) - cpuBefore;
  return {
    perSecond: result.requests / result.seconds,
    cpuMicros: (cpu * 1e6) / result.requests,
    p99Ms: result.p99Ms,
    bytes: result.bytes / result.requests,
    busy: result.busy,
    share: cpu / result.seconds / servers.length,
  };
}

function cpuOf(servers: readonly Server[]): number {
  return servers.flatMap(({ pid }) => [pid, ...childrenOf(pid)]).reduce((sum, pid) => sum + cpuSeconds(pid), 0);
}

function middle(rounds: readonly Measured[]): Measured {
  const of = (name: keyof Measured) => median(rounds.map((round) => round[name]));
  return {
    perSecond: of("perSecond"),
    cpuMicros: of("cpuMicros"),
    p99Ms: of("p99Ms"),
    bytes: of("bytes"),
    busy: of("busy"),
    share: of("share"),
  };
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
