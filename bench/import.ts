/** Imports 10,000 articles with the CLI while the server handles a steady light load, beside a plain program that imports them. */
import { join } from "node:path";
import { writeArticles } from "./articles.ts";
import type { Bench } from "./bench.ts";
import { type LoadResult, pagesAndArticles, startLoadGenerator } from "./load-job.ts";
import { runToEnd } from "./processes.ts";
import { noteTable, type Section, thousands } from "./report.ts";
import { seedArticles } from "./seed.ts";
import { ROSTRUM, startRostrum } from "./servers.ts";

const COUNT = 10_000;
/** Articles that exist before the import, so that there is something to read. */
const BEFORE = 500;
const PER_SECOND = 200;
const QUIET_S = 10;
const GOAL_RATIO = 0.7;
const PLAIN = join(import.meta.dirname, "plain-import.ts");
const GOAL_P99_MS = 25;

export const importing: Bench = async ({ place }): Promise<Section> => {
  const seeded = await seedArticles(await place("import"), BEFORE);
  const file = join(seeded.place.folder, "articles.ndjson");
  const bytes = await writeArticles(file, BEFORE, COUNT);
  await using rostrum = await startRostrum({ ...seeded, isPinned: false });
  await using load = startLoadGenerator({ isPinned: false });
  const job = pagesAndArticles(seeded, { port: rostrum.port, seconds: QUIET_S, perSecond: PER_SECOND });
  const quiet = await load.run(job, 200);
  // The service has the same readers meanwhile.
  const besidePlain = load.run({ ...job, seconds: 180 }, 200);
  const [plain] = await Promise.all([
    runToEnd([process.execPath, PLAIN, file, join(seeded.place.folder, "plain.db")], {}).finally(() => load.stop()),
    besidePlain,
  ]);
  if (Number(plain.output) !== COUNT) throw new Error(`the plain program imported ${plain.output}`);
  const busy = load.run({ ...job, seconds: 180 }, 200);
  // The load ends with the import, also when that fails.
  const [{ output, seconds }, during] = await Promise.all([
    runToEnd([process.execPath, ROSTRUM, "import", file, "--website", seeded.websiteId, "--json"], {
      directory: seeded.place.folder,
      environment: seeded.place.environment,
    }).finally(() => load.stop()),
    busy,
  ]);
  const { created } = JSON.parse(output) as { created: number };
  if (created !== COUNT) throw new Error(`${created} of ${COUNT} articles were created`);
  return {
    figures: [
      {
        what: `import of ${thousands(COUNT)} articles`,
        value: `${seconds.toFixed(1)} s (${thousands(COUNT / seconds)}/s)`,
      },
      {
        what: "its rate, times that of a plain program",
        value: `${(plain.seconds / seconds).toFixed(2)} (${plain.seconds.toFixed(1)} s)`,
        goal: `≥ ${GOAL_RATIO}`,
        met: plain.seconds / seconds >= GOAL_RATIO,
      },
      {
        what: `p99 of ${PER_SECOND} reads/s meanwhile`,
        value: `${during.p99Ms.toFixed(1)} ms`,
        goal: `≤ ${GOAL_P99_MS} ms`,
        met: during.p99Ms <= GOAL_P99_MS,
      },
    ],
    notes: [
      `${(bytes / 1e6).toFixed(0)} MB of NDJSON by \`rostrum import\`. Reads are lists of 20 and details in ` +
        `turn, timed from when they were due. Three processes share the cores: nothing is pinned. The plain program ` +
        "(`bench/plain-import.ts`) parses with parse5, serialises, and inserts articles and words, beside the same reads.",
      noteTable(["", "reads", "p50 ms", "p99 ms", "most ms"], [row("before", quiet), row("during the import", during)]),
    ],
  };
};

function row(what: string, { requests, p50Ms, p99Ms, maxMs }: LoadResult): string[] {
  return [what, thousands(requests), ...[p50Ms, p99Ms, maxMs].map((ms) => ms.toFixed(2))];
}
