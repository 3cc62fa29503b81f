/**
 * `npm run bench -- [name …]`: measures, and writes results.md. All load stays on this machine, is bounded in count and
 * time, and leaves neither a process nor a file behind.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Bench, BenchContext } from "./bench.ts";
import { writeSection } from "./report.ts";

const ARTICLES = 10_000;

const BENCHES: Record<string, () => Promise<Bench>> = {
  reads: async () => (await import("./reads.ts")).reads,
  pages: async () => (await import("./pages.ts")).pages,
  start: async () => (await import("./start.ts")).start,
  memory: async () => (await import("./memory.ts")).memory,
  import: async () => (await import("./import.ts")).importing,
  webhooks: async () => (await import("./webhooks.ts")).webhooks,
  million: async () => (await import("./million.ts")).million,
};

process.exitCode = await run(process.argv.slice(2));

async function run(wanted: string[]): Promise<number> {
  const order = Object.keys(BENCHES);
  const unknown = wanted.find((name) => !order.includes(name));
  if (unknown !== undefined) {
    process.stderr.write(`There is no measurement "${unknown}"; there are ${order.join(", ")}.\n`);
    return 2;
  }
  const root = mkdtempSync(join(tmpdir(), "rostrum-bench-"));
  const remove = () => rmSync(root, { recursive: true, force: true });
  process.once("exit", remove);
  const context: BenchContext = {
    folder: (name) => {
      const path = join(root, name);
      mkdirSync(path);
      return path;
    },
    articles: once(async () => {
      const { seedArticles } = await import("./seed.ts");
      return timed(`${ARTICLES} articles`, () => seedArticles(context.folder("articles"), ARTICLES));
    }),
  };
  for (const name of order) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const bench = await BENCHES[name]?.();
    if (bench !== undefined) writeSection(name, order, await timed(name, () => bench(context)));
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
