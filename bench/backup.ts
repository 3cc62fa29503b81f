/**
 * What continuous backup costs: a service that has it, beside one that does not, while articles are saved and while nothing happens. The
 * articles are in review: of a published one, a save would only write a draft copy.
 */
import { cpSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { benchArticle } from "./articles.ts";
import type { Bench } from "./bench.ts";
import { runToEnd } from "./processes.ts";
import { seedArticles, type Seeded } from "./seed.ts";
import { ROSTRUM, type Server, startRostrum } from "./servers.ts";
import { childrenOf, cpuSeconds, familyCpuSeconds, residentMb } from "./usage.ts";

const ARTICLES = 1_000;
const SAVES_PER_SECOND = 20;
const WARM_UP_S = 10;
const SAVING_S = 60;
const IDLE_S = 20;
const MAX_AT_ONCE = 4;
const GOAL = 0.03;

export const backup: Bench = async ({ place }) => {
  const without = await seedArticles(await place("without-backup"), ARTICLES, { status: "pending" });
  const { folder, environment } = await place("with-backup");
  cpSync(without.place.folder, folder, { recursive: true });
  const copies = (await place("copies")).folder;
  const withCopies: Seeded = { ...without, place: { ...without.place, folder, environment } };
  const backedUp = { ROSTRUM_BACKUP_URL: `file:${copies}`, PATH: process.env["PATH"] ?? "" };
  const bareToken = await createToken(without);
  const token = await createToken(withCopies);
  await using bare = await startRostrum({ ...without, isPinned: false });
  await using rostrum = await startRostrum({ ...withCopies, isPinned: false, environment: backedUp });
  const both = (seconds: number) =>
    Promise.all([save(bare.port, bareToken, without, seconds), save(rostrum.port, token, withCopies, seconds)]);
  await both(WARM_UP_S);
  const before = { bare: usage(bare), rostrum: usage(rostrum) };
  const [bareSaves, saves] = await both(SAVING_S);
  const after = { bare: usage(bare), rostrum: usage(rostrum) };
  const alone = (after.bare.service - before.bare.service) / bareSaves;
  const service = (after.rostrum.service - before.rostrum.service) / saves;
  const copying = (after.rostrum.litestream - before.rostrum.litestream) / saves;
  await sleep(2_000);
  const idleBefore = usage(rostrum);
  await sleep(IDLE_S * 1_000);
  const idle = usage(rostrum).litestream - idleBefore.litestream;
  return {
    figures: [
      {
        what: `CPU time of Litestream at ${SAVES_PER_SECOND} saves a second, share of the service's`,
        value: percent(copying / service),
        goal: `≤ ${percent(GOAL)}`,
        met: copying / service <= GOAL,
      },
      { what: "the same, share of a core", value: percent(copying * SAVES_PER_SECOND) },
      { what: "the same, for a save", value: `${(copying * 1_000).toFixed(2)} ms` },
      { what: "CPU time of the service itself, more than without a backup", value: percent(service / alone - 1) },
      {
        what: "CPU time of both, more than that of a service without a backup",
        value: percent((service + copying) / alone - 1),
      },
      { what: "CPU time of Litestream while nothing happens, share of a core", value: percent(idle / IDLE_S) },
      { what: "memory of Litestream", value: `${residentMb(litestreamOf(rostrum)).toFixed(0)} MB` },
    ],
    notes: [
      `${ARTICLES} articles in review, of 6 to 8 kB, of which one after the other gets another text by the management API, for ${SAVING_S} s after ` +
        `${WARM_UP_S} s, in both services at the same time; the copies go to a folder. The machine managed ${(saves / SAVING_S).toFixed(1)} saves a second. A save takes ${(service * 1_000).toFixed(1)} ms of the service's CPU time.`,
    ],
  };
};

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

async function createToken({ place, websiteId }: Seeded): Promise<string> {
  const command = [process.execPath, ROSTRUM, "token", "create", "--website", websiteId, "--name", "Bench", "--json"];
  const options = { directory: place.folder, environment: place.environment };
  const { output } = await runToEnd([...command, "--scope", "publish"], options);
  return (JSON.parse(output) as { token: string }).token;
}

/** @returns how many. */
async function save(port: number, token: string, { ids }: Pick<Seeded, "ids">, seconds: number): Promise<number> {
  const saving = new Set<Promise<void>>();
  const startedAt = performance.now();
  const endAt = startedAt + seconds * 1_000;
  let number = 0;
  for (let at = startedAt; at < endAt; at = startedAt + (++number * 1_000) / SAVES_PER_SECOND) {
    await sleep(Math.max(0, at - performance.now()));
    const one = saveOne(port, token, ids[number % ids.length] ?? "").finally(() => saving.delete(one));
    saving.add(one);
    // On a busy machine there are fewer.
    if (saving.size >= MAX_AT_ONCE) await Promise.race(saving);
    if (performance.now() > endAt) break;
  }
  await Promise.all(saving);
  return number;
}

let texts = 0;

async function saveOne(port: number, token: string, id: string): Promise<void> {
  const { content } = benchArticle(ARTICLES + texts++);
  const response = await fetch(`http://127.0.0.1:${port}/api/management/articles/${id}`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "if-match": "*" },
    body: JSON.stringify({ content }),
  });
  if (response.status === 429) {
    // A machine that was busy makes up for it with more in a second than a token may.
    await sleep(1_000);
    return saveOne(port, token, id);
  }
  if (!response.ok) throw new Error(`a save is answered with ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
}

/** CPU seconds so far. */
function usage({ pid }: Server): { service: number; litestream: number } {
  const [copier] = litestreams(pid);
  const litestream = copier === undefined ? 0 : cpuSeconds(copier);
  return { service: familyCpuSeconds(pid) - litestream, litestream };
}

function litestreamOf({ pid }: Server): number {
  const [found] = litestreams(pid);
  if (found === undefined) throw new Error("Litestream does not run");
  return found;
}

function litestreams(pid: number): number[] {
  return childrenOf(pid).filter((one) => readFileSync(`/proc/${one}/cmdline`, "utf8").includes("litestream"));
}
