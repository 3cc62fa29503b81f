/** Detail and gzip list, each also as 304, beside a bare server that sends the same bytes in the same run. */
import type { Bench } from "./bench.ts";
import { type LoadGenerator, type LoadJob, startLoadGenerator, TOO_BUSY } from "./load-job.ts";
import { canPin, CORE } from "./processes.ts";
import { type Figure, noteTable, type Section, thousands } from "./report.ts";
import { get, headerOf, recordAnswer, type Reply, type Server, startBare, startRostrum } from "./servers.ts";
import { median } from "./statistics.ts";
import { cpuSeconds } from "./usage.ts";

const ROUNDS = 7;
const ROUND_S = 2;
export const CONNECTIONS = 10;
const GOAL = 0.9;
const LIST = "/api/public/articles?limit=50";

export const reads: Bench = async ({ articles }): Promise<Section> => {
  const seeded = await articles();
  const { key } = seeded;
  await using rostrum = await startRostrum(seeded);
  const detail = `/api/public/articles/${seeded.ids[0]}`;
  const details = await Promise.all(
    seeded.ids.slice(0, 20).map((id) => recordAnswer(rostrum, key, `/api/public/articles/${id}`)),
  );
  const list = await recordAnswer(rostrum, key, LIST);
  const idPrefix = await idPrefixOf(rostrum, key, detail);
  await using bare = await startBare({ key, idPrefix, answers: [...details, list] }, rostrum);
  for (const { path } of [...details, list]) await compare(rostrum, bare, key, path);
  await using load = startLoadGenerator();

  const paths = details.map(({ path, etag }) => ({ path, etag }));
  const cases: Case[] = [
    { what: "detail", status: 200, headers: {}, requests: () => paths.map(({ path }) => ({ path })) },
    {
      what: "detail, 304",
      status: 304,
      headers: {},
      requests: () => paths.map(({ path, etag }) => ({ path, headers: { "If-None-Match": etag } })),
    },
    { what: "gzip list", status: 200, headers: { "Accept-Encoding": "gzip" }, requests: () => [{ path: LIST }] },
    {
      what: "gzip list, 304",
      status: 304,
      headers: { "Accept-Encoding": "gzip", "If-None-Match": list.etag },
      requests: () => [{ path: LIST }],
    },
  ];
  const outcomes = await contest(load, { rostrum, bare }, key, cases, ROUNDS);
  return {
    figures: outcomes.map((outcome) => ratioFigure(outcome, GOAL)),
    notes: [
      `${ROUNDS} interleaved rounds of ${ROUND_S} s with ${CONNECTIONS} connections; medians. ${pinning()}`,
      outcomeTable(outcomes),
    ],
  };
};

export interface Case {
  what: string;
  status: number;
  headers: Record<string, string>;
  /** What to ask in turn; called once for each run of the load. */
  requests: () => LoadJob["requests"];
  /** What the bare server is asked instead, where it has fewer pages. */
  bareRequests?: () => LoadJob["requests"];
  /** A run ends early after so many: then nothing is asked twice. */
  mostRequests?: number;
}

export interface Outcome {
  what: string;
  rostrum: Measured;
  bare: Measured;
  /** Medians of the rounds' own ratios: both halves of a round see the same noise. */
  ratio: number;
  cpuRatio: number;
}

interface Measured {
  perSecond: number;
  cpuMicros: number;
  p99Ms: number;
  bytes: number;
  /** Share of one core that the load generator used. */
  busy: number;
  /** Share of the time that the server ran. Far below 1, other work on the machine held up the server or its load. */
  share: number;
}

/** Every round asks both servers every case, one after the other; who goes first changes from round to round. */
export async function contest(
  load: LoadGenerator,
  servers: { rostrum: Server; bare: Server },
  key: string,
  cases: readonly Case[],
  rounds: number,
): Promise<Outcome[]> {
  const results = cases.map(() => ({ rostrum: [] as Measured[], bare: [] as Measured[] }));
  for (let round = 0; round < rounds; round++) {
    for (const [index, one] of cases.entries()) {
      const order = round % 2 === 0 ? (["bare", "rostrum"] as const) : (["rostrum", "bare"] as const);
      for (const name of order) {
        const requests = name === "bare" ? (one.bareRequests ?? one.requests) : one.requests;
        results[index]?.[name].push(await measure(load, servers[name], key, { ...one, requests }, round));
      }
    }
  }
  return cases.map(({ what }, index) => {
    const { rostrum = [], bare = [] } = results[index] ?? {};
    const ratios = rostrum.map(({ perSecond }, round) => perSecond / (bare[round]?.perSecond ?? Number.NaN));
    const cpuRatios = rostrum.map(({ cpuMicros }, round) => (bare[round]?.cpuMicros ?? Number.NaN) / cpuMicros);
    return {
      what,
      rostrum: middle(rostrum),
      bare: middle(bare),
      ratio: median(ratios),
      cpuRatio: median(cpuRatios),
    };
  });
}

/** Without a goal the figure is reported only. */
export function ratioFigure({ what, ratio, rostrum, bare }: Outcome, goal: number | null): Figure {
  const busy = Math.max(rostrum.busy, bare.busy);
  const share = Math.min(rostrum.share, bare.share);
  const reason =
    busy >= TOO_BUSY
      ? `none: the load generator was ${percent(busy)} busy`
      : share < LEAST_SHARE
        ? `none: other work held the run up, a server ran ${percent(share)} of the time (it was ${ratio.toFixed(2)})`
        : null;
  return {
    what: `${what}, share of bare node:http`,
    value: reason ?? ratio.toFixed(2),
    ...(goal === null ? {} : { goal: `≥ ${goal}`, met: reason === null ? ratio >= goal : null }),
  };
}

/** A server that runs less than this is not what limits the throughput. */
const LEAST_SHARE = 0.8;

export function outcomeTable(outcomes: readonly Outcome[]): string {
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
    outcomes.flatMap(({ what, rostrum, bare, cpuRatio }) => [
      outcomeRow(what, "Rostrum", rostrum, cpuRatio.toFixed(2)),
      outcomeRow(what, "bare", bare, ""),
    ]),
  );
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

/** The part of the request id that stays the same. */
export async function idPrefixOf(rostrum: Server, key: string, path: string): Promise<string> {
  const reply = await get(rostrum.port, path, { "X-API-Key": key });
  return headerOf(reply, "X-Request-Id").replace(/[^-]*$/, "");
}

/** @throws unless both send the same. */
export async function compare(rostrum: Server, bare: Server, key: string, path: string): Promise<void> {
  for (const headers of [{}, { "Accept-Encoding": "gzip" }]) {
    const [ours, theirs] = await Promise.all(
      [rostrum, bare].map(({ port }) => get(port, path, { "X-API-Key": key, ...headers })),
    );
    if (
      ours === undefined ||
      theirs === undefined ||
      !ours.body.equals(theirs.body) ||
      headerNames(ours) !== headerNames(theirs)
    ) {
      throw new Error(`the servers send different answers for ${path}`);
    }
  }
}

function headerNames({ headers }: Reply): string {
  return headers
    .filter((_, index) => index % 2 === 0)
    .toSorted()
    .join();
}

async function measure(load: LoadGenerator, server: Server, key: string, one: Case, round: number): Promise<Measured> {
  const job = {
    port: server.port,
    connections: CONNECTIONS,
    headers: { "X-API-Key": key, ...one.headers },
    ...(one.mostRequests === undefined ? {} : { mostRequests: one.mostRequests }),
  };
  // Once for the compilers, later only to wake the core.
  await load.run({ ...job, requests: one.requests(), seconds: round === 0 ? 2 : 0.2 }, one.status);
  const requests = one.requests();
  const cpuBefore = cpuSeconds(server.pid);
  const result = await load.run({ ...job, requests, seconds: ROUND_S }, one.status);
  const cpu = cpuSeconds(server.pid) - cpuBefore;
  return {
    perSecond: result.requests / result.seconds,
    cpuMicros: (cpu * 1e6) / result.requests,
    p99Ms: result.p99Ms,
    bytes: result.bytes / result.requests,
    busy: result.busy,
    share: cpu / result.seconds,
  };
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
