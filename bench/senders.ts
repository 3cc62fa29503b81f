/** Sends articles as senders do, one in a request, beside `rostrum import` of as many; and then what is hostile, while readers read. */
import { readFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { once } from "node:events";
import { openApp } from "../src/app/app.ts";
import { CLI_ORIGIN } from "../src/domain/system/audit.ts";
import { createSender } from "../src/operations/articles/senders/senders.ts";
import { readConfig } from "../src/process/settings/config.ts";
import { writeArticles } from "./articles.ts";
import type { Bench } from "./bench.ts";
import { type LoadResult, pagesAndArticles, startLoadGenerator } from "./load-job.ts";
import type { Place } from "./place.ts";
import { runToEnd } from "./processes.ts";
import { noteTable, type Section, thousands } from "./report.ts";
import { seedArticles } from "./seed.ts";
import { ROSTRUM, startRostrum } from "./servers.ts";
import { percentile } from "./statistics.ts";

/** As many as a website may have; each may send fifty at once. */
const SENDERS = 50;
const COUNT = 2_000;
const BEFORE = 500;
/** Senders that wait for an answer at a time. */
const AT_ONCE = 16;
const PER_SECOND = 200;
const QUIET_S = 10;
const MAX_S = 180;
const HOSTILE_BYTES = 9_900_000;
const HOSTILE_S = 15;
const GOAL_RATIO = 0.5;
const GOAL_P99 = 3;

export const senders: Bench = async ({ place }): Promise<Section> => {
  const seeded = await seedArticles(await place("senders"), BEFORE);
  const { folder, environment } = seeded.place;
  const imported = join(folder, "imported.ndjson");
  await writeArticles(imported, BEFORE, COUNT);
  const sent = join(folder, "sent.ndjson");
  await writeArticles(sent, BEFORE + COUNT, COUNT);
  const bodies = (await readFile(sent, "utf8")).trimEnd().split("\n").map(toBody);
  const made = await connectSenders(seeded.place, seeded.websiteId);
  await using rostrum = await startRostrum({ ...seeded, isPinned: false });
  await using load = startLoadGenerator({ isPinned: false });
  const job = pagesAndArticles(seeded, { port: rostrum.port, seconds: QUIET_S, perSecond: PER_SECOND });
  const beside = async <T>(work: () => Promise<T>): Promise<{ result: T; seconds: number; reads: LoadResult }> => {
    const reads = load.run({ ...job, seconds: MAX_S }, 200);
    const startedAt = performance.now();
    const result = await work().finally(() => load.stop());
    const seconds = (performance.now() - startedAt) / 1_000;
    return { result, seconds, reads: await reads };
  };
  using client = new Client(rostrum.port);
  // The dashboard's thread and the content processes start at their first use.
  await client.deliver(made[0], '{"id":"first","title":"First","content":"<p>Text.</p>"}', 200);
  const quiet = await load.run(job, 200);
  const byCommand = await beside(() =>
    runToEnd([process.execPath, ROSTRUM, "import", imported, "--website", seeded.websiteId, "--json"], {
      directory: folder,
      environment,
    }),
  );
  const byRequest = await beside(() => sendAll(client, made, bodies));
  const { created } = JSON.parse(byCommand.result.output) as { created: number };
  if (created !== COUNT) throw new Error(`${created} of ${COUNT} articles were imported`);
  const hostile = await beside(() => sendHostile(client, made));
  const ratio = byCommand.seconds / byRequest.seconds;
  const p99 = hostile.reads.p99Ms / quiet.p99Ms;
  return {
    figures: [
      {
        what: `${thousands(COUNT)} articles, one in a request`,
        value: `${byRequest.seconds.toFixed(1)} s (${thousands(COUNT / byRequest.seconds)}/s)`,
      },
      {
        what: "their rate, times that of `rostrum import`",
        value: `${ratio.toFixed(2)} (${byCommand.seconds.toFixed(1)} s)`,
        goal: `≥ ${GOAL_RATIO}`,
        met: ratio >= GOAL_RATIO,
      },
      {
        what: "until a sender is answered, p50 and p99",
        value: [0.5, 0.99].map((part) => `${percentile(byRequest.result, part).toFixed(0)} ms`).join(", "),
      },
      {
        what: `p99 of ${PER_SECOND} reads/s beside ${thousands(hostile.result)} requests of 10 MB of nested JSON, times that before`,
        value: `${p99.toFixed(1)} (${hostile.reads.p99Ms.toFixed(1)} ms)`,
        goal: `≤ ${GOAL_P99}`,
        met: p99 <= GOAL_P99,
      },
    ],
    notes: [
      `Articles of 6 to 8 kB from ${SENDERS} senders, of which ${AT_ONCE} wait for an answer at a time, and as many by the command, ` +
        "in the same run. The nested JSON comes without a pause over two connections.",
      noteTable(
        ["", "reads", "p50 ms", "p99 ms", "most ms"],
        [
          row("before", quiet),
          row("during the import", byCommand.reads),
          row("during the requests", byRequest.reads),
          row("during the nested JSON", hostile.reads),
        ],
      ),
    ],
  };
};

interface Connected {
  path: string;
  secret: string;
}

async function connectSenders({ folder, environment }: Place, websiteId: string): Promise<Connected[]> {
  await using app = await openApp(readConfig(environment, folder));
  const made: Connected[] = [];
  for (let count = 0; count < SENDERS; count++) {
    const input = { kind: "generic", name: `Sender ${count}`, secret: null };
    const { sender, secret } = await createSender(app, websiteId, input, CLI_ORIGIN);
    made.push({ path: `/senders/${sender.id}`, secret: secret ?? "" });
  }
  return made;
}

/** The article as a sender names it; without pictures, since there is nothing at their addresses. */
function toBody(line: string, index: number): string {
  const { content, featured_image_url: _picture, ...article } = JSON.parse(line) as Record<string, unknown>;
  return JSON.stringify({ id: `bench-${index}`, ...article, content: String(content).replaceAll(/<img\b[^>]*>/g, "") });
}

class Client implements Disposable {
  readonly #port: number;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(port: number) {
    this.#port = port;
  }

  /** @throws unless it is answered with this status. */
  async deliver(to: Connected | undefined, body: string | Buffer, status: number): Promise<void> {
    if (to === undefined) throw new Error("there is no sender");
    const sending = request({
      port: this.#port,
      path: to.path,
      method: "POST",
      agent: this.#agent,
      headers: { Authorization: `Bearer ${to.secret}`, "Content-Type": "application/json" },
    });
    sending.end(body);
    const [response] = await once(sending, "response");
    const answer = await text(response);
    if (response.statusCode !== status) throw new Error(`a sender was answered ${response.statusCode}: ${answer}`);
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

/** @returns how long each waited for its answer, ms, ascending. */
async function sendAll(client: Client, made: readonly Connected[], bodies: readonly string[]): Promise<Float64Array> {
  const waits = new Float64Array(bodies.length);
  const entries = bodies.entries();
  const work = async () => {
    for (const [index, body] of entries) {
      const startedAt = performance.now();
      await client.deliver(made[index % made.length], body, 200);
      waits[index] = performance.now() - startedAt;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return waits.toSorted();
}

/** @returns how many were answered. */
async function sendHostile(client: Client, made: readonly Connected[]): Promise<number> {
  const nested = `${"[".repeat(60)}1${"]".repeat(60)}`;
  const list = Array.from({ length: Math.floor(HOSTILE_BYTES / (nested.length + 1)) }, () => nested);
  const body = Buffer.from(`{"id":"nested","title":"Nested","data":[${list.join()}]}`);
  const until = performance.now() + HOSTILE_S * 1_000;
  let count = 0;
  const work = async () => {
    while (performance.now() < until) await client.deliver(made[++count % made.length], body, 422);
  };
  await Promise.all([work(), work()]);
  return count;
}

function row(what: string, { requests, p50Ms, p99Ms, maxMs }: LoadResult): string[] {
  return [what, thousands(requests), ...[p50Ms, p99Ms, maxMs].map((ms) => ms.toFixed(2))];
}
