/** Clients that send a thousand requests at once and read no answer: what they cost the process, and other readers. */
import type { Bench } from "./bench.ts";
import { idPrefixOf } from "./contest.ts";
import { startLoadGenerator } from "./load-job.ts";
import { startUnreading } from "./unreading.ts";
import { noteTable, type Section, thousands } from "./report.ts";
import { get, recordAnswer, type Server, startBare, startRostrum } from "./servers.ts";
import { median } from "./statistics.ts";
import { peakMb, residentMb } from "./usage.ts";

const CONNECTIONS = 2_000;
const PER_SECOND = 200;
const REQUESTS = 1_000;
const READS_PER_SECOND = 200;
const READ_S = 20;
const ROUNDS = 3;
const GOAL_MB = 150;
const GOAL_P99 = 3;
/** Without a limit the bare server would take all memory of the machine. */
const BARE_HEAP_MB = 1_024;
const LIST = "/api/public/articles?limit=100";

export const connections: Bench = async ({ articles }): Promise<Section> => {
  const seeded = await articles();
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await measure(seeded));
  const grown = rounds.map(({ grownMb }) => grownMb);
  const ratios = rounds.map(({ idleP99Ms, besideP99Ms }) => besideP99Ms / idleP99Ms);
  return {
    figures: [
      {
        what: `most memory that ${thousands(CONNECTIONS)} connections took which sent ${thousands(REQUESTS)} requests each and read nothing`,
        value: `+${Math.max(...grown).toFixed(0)} MB`,
        goal: `≤ +${GOAL_MB} MB`,
        met: Math.max(...grown) <= GOAL_MB,
      },
      {
        what: `p99 of ${READS_PER_SECOND} reads/s beside them, times that of an idle server`,
        value: `${median(ratios).toFixed(1)} (${Math.min(...ratios).toFixed(1)}–${Math.max(...ratios).toFixed(1)})`,
        goal: `≤ ${GOAL_P99}`,
        met: median(ratios) <= GOAL_P99,
      },
      {
        what: "the same of a bare node:http server",
        value: rounds
          .map(({ bare }) => (bare === null ? "ended" : (bare.besideP99Ms / bare.idleP99Ms).toFixed(1)))
          .join(", "),
      },
    ],
    notes: [
      `${ROUNDS} new processes. Half of the connections have an API key and ask for lists, half ask for the page of the ` +
        `documentation; ${PER_SECOND} come in a second. Reads go on while they come and while they stay; nothing is pinned. ` +
        `The bare server has ${BARE_HEAP_MB} MB of heap; half of its requests are refused, for want of a key.`,
      noteTable(
        ["round", "resident before MB", "most MB", "p50 idle ms", "p50 beside ms", "p99 idle ms", "p99 beside ms"],
        rounds.map((one, index) => [
          String(index + 1),
          one.beforeMb.toFixed(0),
          one.peakMb.toFixed(0),
          one.idleP50Ms.toFixed(2),
          one.besideP50Ms.toFixed(2),
          one.idleP99Ms.toFixed(2),
          one.besideP99Ms.toFixed(2),
        ]),
      ),
    ],
  };
};

type Seeded = Awaited<ReturnType<Parameters<Bench>[0]["articles"]>>;

async function measure({ key, ids, place }: Seeded) {
  await using owned = new AsyncDisposableStack();
  const rostrum = owned.use(await startRostrum({ place, key, isPinned: false }));
  // What is loaded at first use is loaded.
  await get(rostrum.port, "/docs/viewer.js", {});
  await get(rostrum.port, LIST, { "X-API-Key": key });
  const details = ids.slice(0, 20).map((id) => `/api/public/articles/${id}`);
  const answers = [];
  for (const path of [LIST, ...details]) answers.push(await recordAnswer(rostrum, key, path));
  const attacked = await attack(rostrum, key, details, [LIST, "/docs"]);
  const settings = { key, idPrefix: await idPrefixOf(rostrum, key, LIST), answers };
  const bare = owned.use(await startBare(settings, rostrum, null, [`--max-old-space-size=${BARE_HEAP_MB}`]));
  // It may end, for want of memory.
  return { ...attacked, bare: await attack(bare, key, details, [LIST, LIST]).catch(() => null) };
}

/** @throws when a read is not answered 200. */
async function attack(
  { port, pid }: Pick<Server, "port" | "pid">,
  key: string,
  details: readonly string[],
  paths: readonly [keyed: string, open: string],
) {
  await using owned = new AsyncDisposableStack();
  const load = owned.use(startLoadGenerator({ isPinned: false }));
  const job = {
    ports: [port],
    connections: 8,
    headers: { "X-API-Key": key },
    perSecond: READS_PER_SECOND,
    requests: details.map((path) => ({ path })),
  };
  await load.run({ ...job, seconds: 2 }, 200);
  const idle = await load.run({ ...job, seconds: READ_S }, 200);
  const beforeMb = residentMb(pid);
  const beside = load.run({ ...job, seconds: READ_S }, 200);
  // Awaited below; until then nobody would hear of its failure.
  beside.catch(() => undefined);
  owned.use(startUnreading({ port, connections: CONNECTIONS, perSecond: PER_SECOND, requests: REQUESTS, key, paths }));
  const result = await beside;
  const most = peakMb(pid);
  return {
    beforeMb,
    peakMb: most,
    grownMb: most - beforeMb,
    idleP50Ms: idle.p50Ms,
    besideP50Ms: result.p50Ms,
    idleP99Ms: idle.p99Ms,
    besideP99Ms: result.p99Ms,
  };
}
