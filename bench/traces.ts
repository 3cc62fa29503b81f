/** What exporting traces costs reads: a service that does beside one that does not, in the same run. */
import { cpSync } from "node:fs";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Bench } from "./bench.ts";
import { type Case, conditions, contest, outcomeTable, type Pair, pinning, summarise } from "./contest.ts";
import { startLoadGenerator } from "./load-job.ts";
import { CORE } from "./processes.ts";
import { seedArticles } from "./seed.ts";
import { startRostrum } from "./servers.ts";

const PAIRS = 3;
const ROUNDS = 3;
const ARTICLES = 1_000;
const GOAL = 0.99;
const LIST = "/api/public/articles?limit=50";
const TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331";

export const traces: Bench = async ({ place }) => {
  const seeded = await seedArticles(await place("untraced"), ARTICLES);
  const copy = await place("traced");
  cpSync(seeded.place.folder, copy.folder, { recursive: true });
  await using collector = await startCollector();
  const { key, ids } = seeded;
  const details = ids.map((id) => ({ path: `/api/public/articles/${id}` }));
  const withKey = (requests: Case["requests"]) => () =>
    requests().map(({ path, headers }) => ({ path, headers: { "X-API-Key": key, ...headers } }));
  const caseOf = (what: string, requests: Case["requests"]): Case => ({
    what,
    status: 200,
    headers: {},
    requests,
    bareRequests: withKey(requests),
  });
  const tracedAs = (flags: string) =>
    details.map(({ path }) => ({ path, headers: { traceparent: `${TRACEPARENT}-${flags}` } }));
  const cases = [
    caseOf("detail", () => details),
    caseOf("list", () => [{ path: LIST }]),
    caseOf("detail, in a trace that is not recorded", () => tracedAs("00")),
    caseOf("detail, in a trace that its client records", () => tracedAs("01")),
  ];
  const pairs: Pair[] = [];
  for (let pair = 0; pair < PAIRS; pair++) {
    await using owned = new AsyncDisposableStack();
    const core = CORE.server;
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    const rostrum = owned.use(await startRostrum({ ...seeded, place: copy, core, environment }));
    const bare = owned.use(await startRostrum({ ...seeded, core }));
    const load = owned.use(startLoadGenerator({ isPinned: true }));
    pairs.push(await contest(load, { rostrum: [rostrum], bare: [bare] }, key, cases, ROUNDS));
  }
  const outcomes = summarise(
    cases.map(({ what }) => what),
    pairs,
    "the same without traces",
  );
  return {
    figures: outcomes.map(({ what, cpuRatio }) => ({
      what: `${what}, CPU of a read without traces, share of that with them`,
      value: cpuRatio.toFixed(3),
      ...(what.endsWith("is recorded") ? {} : { goal: `≥ ${GOAL}`, met: cpuRatio >= GOAL }),
    })),
    notes: [`${ARTICLES} articles in turn. ${conditions(ROUNDS, PAIRS)} ${pinning()}`, outcomeTable(outcomes)],
  };
};

/** Takes everything. */
async function startCollector(): Promise<AsyncDisposable & { url: string }> {
  const server = createServer((req, res) => req.resume().once("end", () => res.end("{}"))).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
