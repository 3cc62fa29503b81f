/**
 * Article detail, list and gzip list, compared with bare servers in the same run: one that sends the same bytes and headers,
 * and a minimal one that sends the same bytes with nothing but their type and length; and with nginx, if it is installed. On
 * PostgreSQL also with two nodes against two bare servers.
 */
import type { BareAnswer } from "./bare.ts";
import type { Bench } from "./bench.ts";
import {
  type Case,
  compare,
  conditions,
  contest,
  findIdPrefix,
  type Outcome,
  outcomeTable,
  p99Figure,
  type Pair,
  pinning,
  ratioFigure,
  summarise,
} from "./contest.ts";
import { hasNginx, startNginx } from "./nginx.ts";
import { type LoadGenerator, startLoadGenerator } from "./load-job.ts";
import { CORE } from "./processes.ts";
import { type Section, thousands } from "./report.ts";
import type { Seeded } from "./seed.ts";
import { get, headerOf, recordAnswer, type Server, startBare, startRostrum, withoutHeaders } from "./servers.ts";

const PAIRS = 3;
const ROUNDS = 2;
const DETAILS = 1_000;
const GOAL = 0.9;
const P99_GOAL = 1.2;
const NGINX_GOAL = 0.8;
const LIST = "/api/public/articles?limit=50";

/** One core per node. */
const CORES = [CORE.server, CORE.load] as const;

export const reads: Bench = async ({ articles }): Promise<Section> => {
  const seeded = await articles();
  const { beside: one, besideMinimal, besideNginx } = await measureNodes(seeded, 1);
  const section: Section = {
    figures: [
      ...one.map((outcome) => ratioFigure(outcome, GOAL)),
      ...besideMinimal.flatMap((outcome) => [ratioFigure(outcome, GOAL), p99Figure(outcome, P99_GOAL)]),
      ...besideNginx.map((outcome) => ratioFigure(outcome, NGINX_GOAL)),
    ],
    notes: [
      `${DETAILS} articles in turn. ${conditions(ROUNDS, PAIRS)} ${pinning()}`,
      hasNginx
        ? "nginx is one process that checks the key and sends the same bodies as files, with sendfile and its cache of open files."
        : "nginx is not installed on this machine, so nothing was measured beside it.",
      outcomeTable([...one, ...besideMinimal, ...besideNginx]),
    ],
  };
  if (seeded.place.environment["DATABASE_URL"] === undefined) return section;
  const { beside: two } = await measureNodes(seeded, 2);
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
      `Two nodes on two cores, beside two bare servers on the same; ${conditions(ROUNDS, PAIRS)} The load generator, which is ` +
        "not pinned, takes its share of the same cores, and so it is they that limit both: with a core for each and the " +
        `load elsewhere two nodes would answer as many as their CPU allows, ${ceilings(two)}.`,
      outcomeTable(two, 2),
    ],
  };
};

function ceilings(outcomes: readonly Outcome[]): string {
  return outcomes.map(({ what, rostrum }) => `${what} ${thousands(2e6 / rostrum.cpuMicros)}/s`).join("; ");
}

async function measureNodes(
  seeded: Seeded,
  nodes: 1 | 2,
): Promise<{ beside: Outcome[]; besideMinimal: Outcome[]; besideNginx: Outcome[] }> {
  const pairs: Pair[] = [];
  const minimalPairs: Pair[] = [];
  const nginxPairs: Pair[] = [];
  let names: string[] = [];
  for (let pair = 0; pair < PAIRS; pair++) {
    const { cases, results, minimalResults, nginxResults } = await measurePair(seeded, nodes);
    names = cases.map(({ what }) => what);
    pairs.push(results);
    minimalPairs.push(minimalResults);
    if (nginxResults !== null) nginxPairs.push(nginxResults);
  }
  return {
    beside: summarise(names, pairs),
    besideMinimal: summarise(
      names.map((what) => `${what}, beside a minimal server`),
      minimalPairs,
    ),
    besideNginx: nginxPairs.length === 0 ? [] : summarise(names, nginxPairs, "nginx"),
  };
}

async function measurePair(
  seeded: Seeded,
  nodes: 1 | 2,
): Promise<{ cases: Case[]; results: Pair; minimalResults: Pair; nginxResults: Pair | null }> {
  const { key, ids } = seeded;
  await using owned = new AsyncDisposableStack();
  const rostrum: Server[] = [];
  for (const core of CORES.slice(0, nodes)) rostrum.push(owned.use(await startRostrum({ ...seeded, core })));
  const paths = [...ids.slice(0, DETAILS).map((id) => `/api/public/articles/${id}`), LIST];
  const bare: Server[] = [];
  const minimal: Server[] = [];
  let [etags, listTag]: [string[], string] = [[], ""];
  let nginx: Server | null = null;
  for (const [index, node] of rostrum.entries()) {
    const answers: BareAnswer[] = [];
    for (const path of paths) answers.push(await recordAnswer(node, key, path));
    etags = answers.slice(0, DETAILS).map(({ etag }) => etag);
    listTag = answers.at(-1)?.etag ?? "";
    const idPrefix = await findIdPrefix(node, key, LIST);
    if (hasNginx && nodes === 1) nginx = owned.use(await startNginx(key, answers));
    const beside = owned.use(await startBare({ key, idPrefix, answers }, node, CORES[index]));
    bare.push(beside);
    const settings = { key, idPrefix: null, answers: answers.map(withoutHeaders) };
    const besideMinimal = owned.use(await startBare(settings, node, CORES[index]));
    minimal.push(besideMinimal);
    for (const path of paths) {
      await compare(node, beside, key, path);
      await compare(node, besideMinimal, key, path, false);
    }
  }
  const load = owned.use(startLoadGenerator({ isPinned: nodes === 1 }));
  const details = paths.slice(0, DETAILS).map((path, index) => ({ path, etag: etags[index] ?? "" }));
  const cases: Case[] = [
    { what: "detail", status: 200, headers: {}, requests: () => details.map(({ path }) => ({ path })) },
    {
      what: "detail, 304",
      status: 304,
      headers: {},
      requests: () => details.map(({ path, etag }) => ({ path, headers: { "If-None-Match": etag } })),
    },
    { what: "list", status: 200, headers: {}, requests: () => [{ path: LIST }] },
    { what: "gzip list", status: 200, headers: { "Accept-Encoding": "gzip" }, requests: () => [{ path: LIST }] },
    {
      what: "gzip list, 304",
      status: 304,
      headers: { "Accept-Encoding": "gzip" },
      requests: () => [{ path: LIST, headers: { "If-None-Match": listTag } }],
    },
  ];
  const results = await contest(load, { rostrum, bare }, key, cases, ROUNDS);
  const minimalResults = await contest(load, { rostrum, bare: minimal }, key, cases, ROUNDS);
  const nginxResults = nginx === null ? null : await measureNginx(load, rostrum, nginx, key, cases);
  return { cases, results, minimalResults, nginxResults };
}

/** The same requests; a 304 needs the ETag that nginx makes of a file's time and size. */
async function measureNginx(
  load: LoadGenerator,
  rostrum: readonly Server[],
  nginx: Server,
  key: string,
  cases: readonly Case[],
): Promise<Pair> {
  const besideNginx: Case[] = [];
  for (const one of cases) {
    const requests = one.requests();
    for (const each of one.status === 304 ? requests : []) {
      const reply = await get(nginx.port, each.path, { "X-API-Key": key, ...one.headers });
      each.headers = { "If-None-Match": headerOf(reply, "ETag") };
    }
    besideNginx.push({ ...one, bareRequests: () => requests });
  }
  return contest(load, { rostrum, bare: [nginx] }, key, besideNginx, ROUNDS);
}
