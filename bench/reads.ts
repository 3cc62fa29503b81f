/**
 * Article detail, list and gzip list, compared with plain servers that send the same bytes in the same run. On PostgreSQL also
 * with two nodes against two plain servers.
 */
import type { Bench } from "./bench.ts";
import {
  type Case,
  conditions,
  contest,
  type Outcome,
  outcomeTable,
  p99Figure,
  type Pair,
  pinning,
  ratioFigure,
  startBareCopy,
  summarise,
} from "./contest.ts";
import { startLoadGenerator } from "./load-job.ts";
import { CORE } from "./processes.ts";
import { type Section, thousands } from "./report.ts";
import type { Seeded } from "./seed.ts";
import { get, headerOf, type Server, startRostrum } from "./servers.ts";

const PAIRS = 3;
const ROUNDS = 2;
const DETAILS = 1_000;
const GOAL = 0.85;
const LIST_GOAL = 0.95;
const P99_GOAL = 1.3;
const LIST = "/api/public/articles?limit=50";

/** One core per node. */
const CORES = [CORE.server, CORE.load] as const;

export const reads: Bench = async ({ articles }): Promise<Section> => {
  const seeded = await articles();
  const one = await measureNodes(seeded, 1);
  const section: Section = {
    figures: one.flatMap((outcome) => [ratioFigure(outcome, goalFor(outcome.what)), p99Figure(outcome, P99_GOAL)]),
    notes: [`${DETAILS} articles in turn. ${conditions(ROUNDS, PAIRS)} ${pinning()}`, outcomeTable(one)],
  };
  if (seeded.place.environment["DATABASE_URL"] === undefined) return section;
  const two = await measureNodes(seeded, 2);
  return {
    figures: [
      ...section.figures,
      ...two.map((outcome) => ratioFigure({ ...outcome, what: `${outcome.what}, two nodes` }, null, 2)),
      ...two.map((outcome, index) => ({
        what: `${outcome.what}, CPU of a request with two nodes, times that with one`,
        value: (outcome.rostrum.cpuMicros / (one[index]?.rostrum.cpuMicros ?? Number.NaN)).toFixed(2),
      })),
    ],
    notes: [
      ...section.notes,
      `Two nodes on two cores, beside two plain servers on the same; ${conditions(ROUNDS, PAIRS)} The load generator, which is ` +
        "not pinned, takes its share of the same cores, and so it is they that limit both: with a core for each and the " +
        `load elsewhere two nodes would answer as many as their CPU allows, ${ceilings(two)}.`,
      outcomeTable(two, 2),
    ],
  };
};

/** Null: a 304 is only reported, as our head is longer. */
function goalFor(what: string): number | null {
  if (what.endsWith("304")) return null;
  return what === "detail" ? GOAL : LIST_GOAL;
}

function ceilings(outcomes: readonly Outcome[]): string {
  return outcomes.map(({ what, rostrum }) => `${what} ${thousands(2e6 / rostrum.cpuMicros)}/s`).join("; ");
}

async function measureNodes(seeded: Seeded, nodes: 1 | 2): Promise<Outcome[]> {
  const pairs: Pair[] = [];
  let names: string[] = [];
  for (let pair = 0; pair < PAIRS; pair++) {
    const { cases, results } = await measurePair(seeded, nodes);
    names = cases.map(({ what }) => what);
    pairs.push(results);
  }
  return summarise(names, pairs);
}

async function measurePair(seeded: Seeded, nodes: 1 | 2): Promise<{ cases: Case[]; results: Pair }> {
  const { key, ids } = seeded;
  await using owned = new AsyncDisposableStack();
  const paths = [...ids.slice(0, DETAILS).map((id) => `/api/public/articles/${id}`), LIST];
  const rostrum: Server[] = [];
  const bare: Server[] = [];
  for (const core of CORES.slice(0, nodes)) {
    const node = owned.use(await startRostrum({ ...seeded, core }));
    rostrum.push(node);
    bare.push(owned.use(await startBareCopy(node, key, paths, core)));
  }
  const load = owned.use(startLoadGenerator({ isPinned: nodes === 1 }));
  const etags = new Map<string, string>();
  for (const path of paths) {
    const reply = await get(rostrum[0]?.port ?? 0, path, { "X-API-Key": key });
    etags.set(path, headerOf(reply, "ETag"));
  }
  const withEtag = (path: string) => ({ path, headers: { "If-None-Match": etags.get(path) ?? "" } });
  const details = paths.slice(0, DETAILS);
  const gzip = { "Accept-Encoding": "gzip" };
  const cases: Case[] = [
    { what: "detail", status: 200, headers: {}, requests: () => details.map((path) => ({ path })) },
    { what: "detail, 304", status: 304, headers: {}, requests: () => details.map(withEtag) },
    { what: "list", status: 200, headers: {}, requests: () => [{ path: LIST }] },
    { what: "gzip list", status: 200, headers: gzip, requests: () => [{ path: LIST }] },
    { what: "gzip list, 304", status: 304, headers: gzip, requests: () => [withEtag(LIST)] },
  ];
  return { cases, results: await contest(load, { rostrum, bare }, key, cases, ROUNDS) };
}
