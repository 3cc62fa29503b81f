/**
 * What users have: services that took an import while others read, each beside a plain server with the same bytes. Processes of
 * one code must not differ.
 */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { writeArticles } from "./articles.ts";
import type { Bench } from "./bench.ts";
import { pagesAndArticles, startLoadGenerator } from "./load-job.ts";
import type { Place } from "./place.ts";
import { pinning, startBareCopy } from "./contest.ts";
import { runToEnd } from "./processes.ts";
import { type Figure, noteTable, type Section, thousands } from "./report.ts";
import { type Seeded, seedArticles } from "./seed.ts";
import { ROSTRUM, type Server, startRostrum } from "./servers.ts";
import { median } from "./statistics.ts";
import { cpuSeconds, residentMb } from "./usage.ts";
import { assertWrk, runWrk, type WrkResult } from "./wrk.ts";

const PROCESSES = Number(process.env["STEADY_PROCESSES"] ?? 10);
const ARTICLES = 1_000;
const IMPORTED = 3_000;
const READS_PER_SECOND = 200;
/** In which the service returns the memory that it does not need any more. */
const QUIET_MS = 3_000;
const WARM_UP_S = 2;
const ROUND_S = 1;
const ROUNDS = 5;
const MIN_READS = 200_000;
const GOAL_WORST = 0.75;
const GOAL_P99 = 1.3;
const GOAL_MB = 200;
const LIST = "/api/public/articles?limit=50";

interface Case {
  what: string;
  goal: number;
  headers: Record<string, string>;
  paths: readonly string[];
}

interface Measured {
  cpuMicros: number;
  p99Ms: number;
}

/** One process, for each case. */
interface Outcome {
  cases: { rostrum: Measured; plain: Measured; ratio: number; p99Ratio: number }[];
  afterReadsMb: number;
}

export const steady: Bench = async ({ place }): Promise<Section> => {
  assertWrk();
  const seeded = await seedArticles(await place("steady"), ARTICLES);
  const file = join(seeded.place.folder, "..", "steady.ndjson");
  await writeArticles(file, ARTICLES, IMPORTED);
  const details = seeded.ids.map((id) => `/api/public/articles/${id}`);
  const cases: Case[] = [
    { what: "detail", goal: 0.85, headers: {}, paths: details },
    { what: "list", goal: 0.95, headers: {}, paths: [LIST] },
    { what: "gzip list", goal: 0.95, headers: { "Accept-Encoding": "gzip" }, paths: [LIST] },
  ];
  const outcomes: Outcome[] = [];
  for (let number = 0; number < PROCESSES; number++) {
    const copy = await place(`steady-${number}`);
    cpSync(seeded.place.folder, copy.folder, { recursive: true });
    outcomes.push(await measureProcess({ ...seeded, place: copy }, file, cases));
  }
  const memory = outcomes.map(({ afterReadsMb }) => afterReadsMb);
  return {
    figures: [
      ...cases.flatMap((one, index) => caseFigures(one, outcomes, index)),
      {
        what: `resident after the import and at least ${thousands(MIN_READS)} reads, median and most`,
        value: `${median(memory).toFixed(0)} and ${Math.max(...memory).toFixed(0)} MB`,
        goal: `≤ ${GOAL_MB} MB`,
        met: Math.max(...memory) <= GOAL_MB,
      },
    ],
    notes: [
      `${PROCESSES} services, each after \`rostrum import\` of ${thousands(IMPORTED)} articles beside ${READS_PER_SECOND} reads/s and ` +
        `${QUIET_MS / 1_000} quiet seconds, each with a new plain server on the same core. wrk, 32 connections, ` +
        `${thousands(ARTICLES)} details in turn; shares are of CPU time for each request, medians of ${ROUNDS} interleaved rounds of ${ROUND_S} s. ${pinning()}`,
      noteTable(
        ["process", ...cases.flatMap(({ what }) => [`${what}, CPU µs`, "plain", "share", "p99 times plain"]), "MB"],
        outcomes.map(row),
      ),
    ],
  };
};

function row({ cases, afterReadsMb }: Outcome, number: number): string[] {
  const cells = cases.flatMap(({ rostrum, plain, ratio, p99Ratio }) => [
    rostrum.cpuMicros.toFixed(1),
    plain.cpuMicros.toFixed(1),
    ratio.toFixed(2),
    p99Ratio.toFixed(2),
  ]);
  return [String(number + 1), ...cells, afterReadsMb.toFixed(0)];
}

function caseFigures({ what, goal }: Case, outcomes: readonly Outcome[], index: number): Figure[] {
  const all = outcomes.flatMap(({ cases }) => cases[index] ?? []);
  const ratios = all.map(({ ratio }) => ratio);
  const p99 = median(all.map(({ p99Ratio }) => p99Ratio));
  const worst = Math.min(...ratios);
  return [
    {
      what: `${what}, share of a plain server, median`,
      value: median(ratios).toFixed(2),
      goal: `≥ ${goal}`,
      met: median(ratios) >= goal,
    },
    { what: `${what}, the worst process`, value: worst.toFixed(2), goal: `≥ ${GOAL_WORST}`, met: worst >= GOAL_WORST },
    { what: `${what}, p99 times plain, median`, value: p99.toFixed(2), goal: `≤ ${GOAL_P99}`, met: p99 <= GOAL_P99 },
  ];
}

async function measureProcess(seeded: Seeded, file: string, cases: readonly Case[]): Promise<Outcome> {
  await using rostrum = await startRostrum(seeded);
  await importBesideReads(rostrum, seeded, file);
  await sleep(QUIET_MS);
  await using plain = await startBareCopy(rostrum, seeded.key, [...new Set(cases.flatMap(({ paths }) => paths))]);
  const { folder } = seeded.place;
  let reads = 0;
  const read = async (server: Server, { headers, paths }: Case, seconds: number): Promise<WrkResult> => {
    const own = server === rostrum ? { "X-API-Key": seeded.key } : {};
    const result = await runWrk({ port: server.port, seconds, headers: { ...own, ...headers }, paths }, folder);
    if (server === rostrum) reads += result.requests;
    return result;
  };
  const measure = async (server: Server, one: Case): Promise<Measured> => {
    const before = cpuSeconds(server.pid);
    const { requests, p99Ms } = await read(server, one, ROUND_S);
    return { cpuMicros: ((cpuSeconds(server.pid) - before) * 1e6) / requests, p99Ms };
  };
  const measured: Outcome["cases"] = [];
  for (const one of cases) {
    for (const server of [rostrum, plain]) await read(server, one, WARM_UP_S);
    const rounds: { rostrum: Measured; plain: Measured }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const first = round % 2 === 0 ? await measure(plain, one) : null;
      const ours = await measure(rostrum, one);
      rounds.push({ rostrum: ours, plain: first ?? (await measure(plain, one)) });
    }
    measured.push(summarise(rounds));
  }
  for (const [index, one] of cases.entries()) {
    // On a busy machine.
    for (let left = index === 0 ? MIN_READS - reads : 0; left > 0;) left -= (await read(rostrum, one, 1)).requests;
  }
  return { cases: measured, afterReadsMb: residentMb(rostrum.pid) };
}

function summarise(rounds: readonly { rostrum: Measured; plain: Measured }[]): Outcome["cases"][number] {
  const middle = (all: readonly Measured[]): Measured => ({
    cpuMicros: median(all.map(({ cpuMicros }) => cpuMicros)),
    p99Ms: median(all.map(({ p99Ms }) => p99Ms)),
  });
  return {
    rostrum: middle(rounds.map(({ rostrum }) => rostrum)),
    plain: middle(rounds.map(({ plain }) => plain)),
    ratio: median(rounds.map(({ rostrum, plain }) => plain.cpuMicros / rostrum.cpuMicros)),
    p99Ratio: median(rounds.map(({ rostrum, plain }) => rostrum.p99Ms / plain.p99Ms)),
  };
}

async function importBesideReads(rostrum: Server, seeded: Seeded, file: string): Promise<void> {
  await using load = startLoadGenerator({ isPinned: false });
  const job = pagesAndArticles(seeded, { port: rostrum.port, seconds: 300, perSecond: READS_PER_SECOND });
  await Promise.all([load.run(job, 200), runImport(seeded.place, seeded.websiteId, file).finally(() => load.stop())]);
}

async function runImport(
  { folder, environment }: Pick<Place, "folder" | "environment">,
  websiteId: string,
  file: string,
) {
  const command = [process.execPath, ROSTRUM, "import", file, "--website", websiteId, "--json"];
  const { output } = await runToEnd(command, { directory: folder, environment });
  const { created } = JSON.parse(output) as { created: number };
  if (created !== IMPORTED) throw new Error(`${created} of ${IMPORTED} articles were created`);
}
