/**
 * `npm run bench -- [--postgres] [--print] [name …]`: measures and writes results.md; `--print` only prints the results.
 * `--postgres` stores the data in a dedicated PostgreSQL server, and the sections say so. All load stays on this machine, is
 * bounded in count and time, and leaves no process or file behind.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Bench, BenchContext } from "./bench.ts";
import { postgresPlaces, sqlitePlaces } from "./place.ts";
import { printSection, writeSection } from "./report.ts";

const ARTICLES = 10_000;

const BENCHES: Record<string, () => Promise<Bench>> = {
  reads: async () => (await import("./reads.ts")).reads,
  steady: async () => (await import("./steady.ts")).steady,
  pages: async () => (await import("./pages.ts")).pages,
  "cold-details": async () => (await import("./cold-details.ts")).coldDetails,
  "reads-while-publishing": async () => (await import("./reads-while-publishing.ts")).readsWhilePublishing,
  scale: async () => (await import("./scale.ts")).scale,
  traces: async () => (await import("./traces.ts")).traces,
  start: async () => (await import("./start.ts")).start,
  memory: async () => (await import("./memory.ts")).memory,
  "memory-websites": async () => (await import("./memory-websites.ts")).memoryOfWebsites,
  connections: async () => (await import("./connections.ts")).connections,
  import: async () => (await import("./import.ts")).importing,
  "import-files": async () => (await import("./import-files.ts")).importingFiles,
  ingest: async () => (await import("./ingest.ts")).ingest,
  senders: async () => (await import("./senders.ts")).senders,
  "import-memory": async () => (await import("./import-memory.ts")).importMemory,
  saves: async () => (await import("./saves.ts")).saves,
  "first-save": async () => (await import("./first-save.ts")).firstSave,
  webhooks: async () => (await import("./webhooks.ts")).webhooks,
  costs: async () => (await import("./costs.ts")).costs,
  backup: async () => (await import("./backup.ts")).backup,
  drain: async () => (await import("./drain.ts")).drain,
  "dashboard-lists": async () => (await import("./dashboard-lists.ts")).dashboardLists,
  dashboard: async () => (await import("./dashboard.ts")).dashboard,
  bulk: async () => (await import("./bulk.ts")).bulk,
  review: async () => (await import("./review.ts")).review,
  "hostile-content": async () => (await import("./hostile-content.ts")).hostileContent,
  "log-flood": async () => (await import("./log-flood.ts")).logFlood,
  neighbours: async () => (await import("./neighbours.ts")).neighbours,
  million: async () => (await import("./million.ts")).million,
  "ten-million": async () => (await import("./ten-million.ts")).tenMillion,
};

/** Takes 20 GB of disk and ten minutes, on SQLite only. */
const ONLY_BY_NAME = new Set(["ten-million"]);

process.exitCode = await run(process.argv.slice(2));

async function run(words: readonly string[]): Promise<number> {
  const options = words.filter((word) => word.startsWith("--"));
  const wanted = words.filter((word) => !word.startsWith("--"));
  const names = Object.keys(BENCHES);
  const unknown =
    wanted.find((name) => !names.includes(name)) ?? options.find((one) => one !== "--postgres" && one !== "--print");
  if (unknown !== undefined) {
    process.stderr.write(`There is no measurement "${unknown}"; there are ${names.join(", ")}.\n`);
    return 2;
  }
  const root = mkdtempSync(join(tmpdir(), "rostrum-bench-"));
  const remove = () => rmSync(root, { recursive: true, force: true });
  process.once("exit", remove);
  const newFolder = (name: string) => {
    const path = join(root, name);
    mkdirSync(path);
    return path;
  };
  const isPostgres = options.includes("--postgres");
  await using place = isPostgres ? await postgresPlaces(newFolder) : sqlitePlaces(newFolder);
  const context: BenchContext = {
    place,
    articles: once(async () => {
      const { seedArticles } = await import("./seed.ts");
      return timed(`${ARTICLES} articles`, async () => seedArticles(await place("articles"), ARTICLES));
    }),
  };
  const titleOf = (name: string, onPostgres = isPostgres) => (onPostgres ? `${name} on PostgreSQL` : name);
  const order = names.flatMap((name) => [titleOf(name, false), titleOf(name, true)]);
  for (const name of names) {
    if (wanted.length > 0 ? !wanted.includes(name) : ONLY_BY_NAME.has(name)) continue;
    const bench = await BENCHES[name]?.();
    if (bench === undefined) continue;
    const section = await timed(titleOf(name), () => bench(context));
    if (options.includes("--print")) printSection(titleOf(name), section);
    else writeSection(titleOf(name), order, section);
  }
  return 0;
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work();
  process.stderr.write(`${name}: ${((performance.now() - startedAt) / 1_000).toFixed(1)} s\n`);
  return result;
}
