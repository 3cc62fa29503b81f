/** Imports 10,000 and 100,000 short articles with the CLI beside a service, and samples the memory of both with all their processes. */
import { once } from "node:events";
import { join } from "node:path";
import { writeArticles } from "./articles.ts";
import type { Bench, BenchContext } from "./bench.ts";
import { startChild } from "./processes.ts";
import { noteTable, thousands } from "./report.ts";
import { seedArticles } from "./seed.ts";
import { ROSTRUM, startRostrum } from "./servers.ts";
import { familyMb } from "./usage.ts";

const COUNTS = [10_000, 100_000];
/** Articles that exist before the import. */
const BEFORE = 500;
/** Of a content; some 1.5 kB. */
const LINES = 5;
const SAMPLE_INTERVAL_MS = 100;
const PARTS = 5;
const GOAL_MB = 400;
const GOAL_RATIO = 1.25;

interface Measured {
  count: number;
  seconds: number;
  /** The most of each fifth of the time, MB. */
  importer: number[];
  service: number[];
}

export const importMemory: Bench = async (context) => {
  const measured: Measured[] = [];
  for (const count of COUNTS) measured.push(await measure(context, count));
  const [few = 0, many = 0] = measured.map(({ importer }) => Math.max(...importer));
  return {
    figures: [
      {
        what: `memory of all processes of an import of ${thousands(COUNTS[1] ?? 0)} articles, most`,
        value: `${many.toFixed(0)} MB`,
        goal: `≤ ${GOAL_MB} MB`,
        met: many <= GOAL_MB,
      },
      {
        what: `times that of ${thousands(COUNTS[0] ?? 0)}`,
        value: (many / few).toFixed(2),
        goal: `≤ ${GOAL_RATIO}`,
        met: many / few <= GOAL_RATIO,
      },
      ...measured.map(({ count, seconds }) => ({
        what: `duration of ${thousands(count)}`,
        value: `${seconds.toFixed(0)} s (${thousands(count / seconds)}/s)`,
      })),
    ],
    notes: [
      `Resident memory of \`rostrum import\`, and of a service on the same data, each with its children, every ` +
        `${SAMPLE_INTERVAL_MS} ms; pages that they share count once. The articles have 1.5 kB of HTML.`,
      noteTable(
        ["most MB, by fifths of the time", ...Array.from({ length: PARTS }, (_none, at) => String(at + 1))],
        measured.flatMap(({ count, importer, service }) => [
          [`import of ${thousands(count)}`, ...importer.map((mb) => mb.toFixed(0))],
          ["the service meanwhile", ...service.map((mb) => mb.toFixed(0))],
        ]),
      ),
    ],
  };
};

async function measure({ place }: BenchContext, count: number): Promise<Measured> {
  const seeded = await seedArticles(await place(`import-memory-${count}`), BEFORE);
  const file = join(seeded.place.folder, "articles.ndjson");
  await writeArticles(file, BEFORE, count, LINES);
  await using rostrum = await startRostrum({ ...seeded, isPinned: false });
  const startedAt = performance.now();
  const child = startChild([process.execPath, ROSTRUM, "import", file, "--website", seeded.websiteId, "--json"], {
    directory: seeded.place.folder,
    environment: seeded.place.environment,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const importer: number[] = [];
  const service: number[] = [];
  const timer = setInterval(() => {
    try {
      importer.push(familyMb(child.pid));
      service.push(familyMb(rostrum.pid));
    } catch {
      // The import has just ended.
    }
  }, SAMPLE_INTERVAL_MS);
  const [code] = await once(child.process, "exit");
  clearInterval(timer);
  if (code !== 0) throw new Error(`the import ended with ${code}`);
  const seconds = (performance.now() - startedAt) / 1_000;
  return { count, seconds, importer: peaks(importer), service: peaks(service) };
}

function peaks(samples: readonly number[]): number[] {
  const size = Math.ceil(samples.length / PARTS);
  return Array.from({ length: PARTS }, (_none, at) => Math.max(...samples.slice(at * size, (at + 1) * size)));
}
