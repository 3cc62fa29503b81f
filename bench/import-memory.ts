/** Imports 100,000 articles with the CLI, and samples the memory of all its processes. */
import { once } from "node:events";
import { join } from "node:path";
import { writeArticles } from "./articles.ts";
import type { Bench } from "./bench.ts";
import { startChild } from "./processes.ts";
import { noteTable, thousands } from "./report.ts";
import { seedArticles } from "./seed.ts";
import { ROSTRUM } from "./servers.ts";
import { familyMb } from "./usage.ts";

const COUNT = 100_000;
/** Articles that exist before the import. */
const BEFORE = 500;
const SAMPLE_INTERVAL_MS = 100;
const PARTS = 5;
const GOAL_MB = 400;

export const importMemory: Bench = async ({ place }) => {
  const seeded = await seedArticles(await place("import-memory"), BEFORE);
  const file = join(seeded.place.folder, "articles.ndjson");
  await writeArticles(file, BEFORE, COUNT);
  const startedAt = performance.now();
  const child = startChild([process.execPath, ROSTRUM, "import", file, "--website", seeded.websiteId, "--json"], {
    directory: seeded.place.folder,
    environment: seeded.place.environment,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const samples: number[] = [];
  const timer = setInterval(() => {
    try {
      samples.push(familyMb(child.pid));
    } catch {
      // The process has just ended.
    }
  }, SAMPLE_INTERVAL_MS);
  const [code] = await once(child.process, "exit");
  clearInterval(timer);
  if (code !== 0) throw new Error(`the import ended with ${code}`);
  const seconds = (performance.now() - startedAt) / 1_000;
  const size = Math.ceil(samples.length / PARTS);
  const peaks = Array.from({ length: PARTS }, (_none, at) => Math.max(...samples.slice(at * size, (at + 1) * size)));
  const peak = Math.max(...samples);
  return {
    figures: [
      {
        what: `memory of all processes of an import of ${thousands(COUNT)} articles, most`,
        value: `${peak.toFixed(0)} MB`,
        goal: `≤ ${GOAL_MB} MB`,
        met: peak <= GOAL_MB,
      },
      { what: "duration", value: `${seconds.toFixed(0)} s (${thousands(COUNT / seconds)}/s)` },
    ],
    notes: [
      `Resident memory of \`rostrum import\` and its children, every ${SAMPLE_INTERVAL_MS} ms; pages that they share count once.`,
      noteTable(
        ["fifth of the time", ...peaks.map((_peak, at) => String(at + 1))],
        [["most MB", ...peaks.map((mb) => mb.toFixed(0))]],
      ),
    ],
  };
};
