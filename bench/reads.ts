/** Detail and gzip list, each also as 304, beside a bare server that sends the same bytes in the same run. */
import type { Bench } from "./bench.ts";
import {
  type Case,
  compare,
  conditions,
  contest,
  idPrefixOf,
  outcomeTable,
  type Pair,
  ratioFigure,
  summarise,
} from "./contest.ts";
import { startLoadGenerator } from "./load-job.ts";
import type { Section } from "./report.ts";
import type { Seeded } from "./seed.ts";
import { recordAnswer, startBare, startRostrum } from "./servers.ts";

const PAIRS = 5;
const ROUNDS = 2;
const DETAILS = 20;
const GOAL = 0.9;
const LIST = "/api/public/articles?limit=50";

export const reads: Bench = async ({ articles }): Promise<Section> => {
  const seeded = await articles();
  const pairs: Pair[] = [];
  let names: string[] = [];
  for (let pair = 0; pair < PAIRS; pair++) {
    const { cases, results } = await measurePair(seeded);
    names = cases.map(({ what }) => what);
    pairs.push(results);
  }
  const outcomes = summarise(names, pairs);
  return {
    figures: outcomes.map((outcome) => ratioFigure(outcome, GOAL)),
    notes: [conditions(ROUNDS, PAIRS), outcomeTable(outcomes)],
  };
};

async function measurePair(seeded: Seeded): Promise<{ cases: Case[]; results: Pair }> {
  const { key, ids } = seeded;
  await using rostrum = await startRostrum(seeded);
  const details = await Promise.all(
    ids.slice(0, DETAILS).map((id) => recordAnswer(rostrum, key, `/api/public/articles/${id}`)),
  );
  const list = await recordAnswer(rostrum, key, LIST);
  const idPrefix = await idPrefixOf(rostrum, key, LIST);
  await using bare = await startBare({ key, idPrefix, answers: [...details, list] }, rostrum);
  for (const { path } of [...details, list]) await compare(rostrum, bare, key, path);
  await using load = startLoadGenerator();
  const cases: Case[] = [
    { what: "detail", status: 200, headers: {}, requests: () => details.map(({ path }) => ({ path })) },
    {
      what: "detail, 304",
      status: 304,
      headers: {},
      requests: () => details.map(({ path, etag }) => ({ path, headers: { "If-None-Match": etag } })),
    },
    { what: "gzip list", status: 200, headers: { "Accept-Encoding": "gzip" }, requests: () => [{ path: LIST }] },
    {
      what: "gzip list, 304",
      status: 304,
      headers: { "Accept-Encoding": "gzip", "If-None-Match": list.etag },
      requests: () => [{ path: LIST }],
    },
  ];
  return { cases, results: await contest(load, { rostrum, bare }, key, cases, ROUNDS) };
}
