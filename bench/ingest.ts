/** Sends 5,000 articles in one request to `/articles/batch`, beside `rostrum import` of as many, each while readers read. */
import { createReadStream } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { once } from "node:events";
import { writeArticles } from "./articles.ts";
import type { Bench } from "./bench.ts";
import { type LoadResult, pagesAndArticles, startLoadGenerator } from "./load-job.ts";
import { runToEnd } from "./processes.ts";
import { noteTable, type Section, thousands } from "./report.ts";
import { seedArticles } from "./seed.ts";
import { ROSTRUM, startRostrum } from "./servers.ts";

const COUNT = 5_000;
/** Articles that exist before, so that there is something to read. */
const BEFORE = 500;
const PER_SECOND = 200;
const QUIET_S = 10;
const MAX_S = 180;
const GOAL_RATIO = 0.8;
const GOAL_P99 = 3;

export const ingest: Bench = async ({ place }): Promise<Section> => {
  const seeded = await seedArticles(await place("ingest"), BEFORE);
  const { folder, environment } = seeded.place;
  const imported = join(folder, "imported.ndjson");
  await writeArticles(imported, BEFORE, COUNT);
  const sent = join(folder, "sent.ndjson");
  await writeArticles(sent, BEFORE + COUNT, COUNT);
  await addIds(sent);
  const website = ["--website", seeded.websiteId, "--json"];
  const cli = (...args: string[]) =>
    runToEnd([process.execPath, ROSTRUM, ...args, ...website], { directory: folder, environment });
  const { output: made } = await cli("token", "create", "--name", "Bench");
  const { token } = JSON.parse(made) as { token: string };
  await using rostrum = await startRostrum({ ...seeded, isPinned: false });
  await using load = startLoadGenerator({ isPinned: false });
  const job = pagesAndArticles(seeded, { port: rostrum.port, seconds: QUIET_S, perSecond: PER_SECOND });
  const quiet = await load.run(job, 200);
  const beside = async <T>(work: () => Promise<T>): Promise<{ result: T; seconds: number; reads: LoadResult }> => {
    const reads = load.run({ ...job, seconds: MAX_S }, 200);
    const startedAt = performance.now();
    const result = await work().finally(() => load.stop());
    const seconds = (performance.now() - startedAt) / 1_000;
    return { result, seconds, reads: await reads };
  };
  // A whole batch first: the dashboard's thread and the content processes start at their first use.
  await send(rostrum.port, token, sent, 1);
  const byCommand = await beside(() => cli("import", imported));
  const byBatch = await beside(() => send(rostrum.port, token, sent, COUNT));
  const { created } = JSON.parse(byCommand.result.output) as { created: number };
  if (created !== COUNT) throw new Error(`${created} of ${COUNT} articles were imported`);
  const ratio = byCommand.seconds / byBatch.seconds;
  const p99 = byBatch.reads.p99Ms / quiet.p99Ms;
  return {
    figures: [
      {
        what: `${thousands(COUNT)} articles in one request`,
        value: `${byBatch.seconds.toFixed(1)} s (${thousands(COUNT / byBatch.seconds)}/s)`,
      },
      {
        what: "its rate, times that of `rostrum import`",
        value: `${ratio.toFixed(2)} (${byCommand.seconds.toFixed(1)} s)`,
        goal: `≥ ${GOAL_RATIO}`,
        met: ratio >= GOAL_RATIO,
      },
      {
        what: `p99 of ${PER_SECOND} reads/s meanwhile, times that before`,
        value: `${p99.toFixed(1)} (${byBatch.reads.p99Ms.toFixed(1)} ms)`,
        goal: `≤ ${GOAL_P99}`,
        met: p99 <= GOAL_P99,
      },
    ],
    notes: [
      "Articles of 6 to 8 kB as NDJSON: new ones by `POST /api/management/articles/batch`, and as many by the command, in the same run.",
      noteTable(
        ["", "reads", "p50 ms", "p99 ms", "most ms"],
        [row("before", quiet), row("during the import", byCommand.reads), row("during the batch", byBatch.reads)],
      ),
    ],
  };
};

/** Gives each line the id that its sender knows it by. */
async function addIds(file: string): Promise<void> {
  const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
  const named = lines.map((line, index) => `${JSON.stringify({ external_id: `bench-${index}`, ...parse(line) })}\n`);
  await writeFile(file, named.join(""));
}

function parse(line: string): object {
  return JSON.parse(line) as object;
}

/** @throws unless all lines but those of `known` articles created one. */
async function send(port: number, token: string, file: string, count: number): Promise<void> {
  const sending = request({
    port,
    path: "/api/management/articles/batch",
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/x-ndjson" },
  });
  const answered = once(sending, "response");
  const lines = count === 1 ? createReadStream(file, { end: 12_000 }) : createReadStream(file);
  await pipeline(lines, sending);
  const [response] = await answered;
  const last = (await text(response)).trimEnd().split("\n").at(-1) ?? "";
  const { created = 0, unchanged = 0 } = JSON.parse(last) as { created?: number; unchanged?: number };
  if (created + unchanged < count) throw new Error(`the batch ended with ${last}`);
}

function row(what: string, { requests, p50Ms, p99Ms, maxMs }: LoadResult): string[] {
  return [what, thousands(requests), ...[p50Ms, p99Ms, maxMs].map((ms) => ms.toFixed(2))];
}
