/**
 * Clients that send a thousand requests at once and never read the responses: their cost to the process and to other readers.
 */
import type { Bench } from "./bench.ts";
import { startLoadGenerator } from "./load-job.ts";
import { startUnreading } from "./unreading.ts";
import { noteTable, type Section, thousands } from "./report.ts";
import { get, type Server, startRostrum } from "./servers.ts";
import { median } from "./statistics.ts";
import { seedArticles } from "./seed.ts";
import { cpuSeconds, peakMb, residentMb, waitedSeconds } from "./usage.ts";

const CONNECTIONS = 2_000;
const PER_SECOND = 200;
const REQUESTS = 1_000;
const READS_PER_SECOND = 200;
const READ_S = 20;
const ROUNDS = 3;
const GOAL_MB = 150;
/** Articles of the second service, which is attacked for comparison. */
const OTHER_ARTICLES = 200;
const LIST = "/api/public/articles?limit=100";

export const connections: Bench = async ({ articles, place }): Promise<Section> => {
  const seeded = await articles();
  const other = await seedArticles(await place("connections"), OTHER_ARTICLES);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await measure(seeded, other));
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
      },
      {
        what: "the same while another process of the service is attacked",
        value: rounds.map(({ beside }) => (beside.besideP99Ms / beside.idleP99Ms).toFixed(1)).join(", "),
      },
    ],
    notes: [
      `${ROUNDS} pairs of new processes, of which the second is attacked for comparison: it shares nothing but the machine. Half of the connections have an API key and ask for lists, half ask for the page of the ` +
        `documentation; ${PER_SECOND} come in a second. Reads go on while they come and while they stay; nothing is pinned. ` +
        "CPU is that of all threads, of one core; the wait for a core is that of the thread that answers, which other processes cause.",
      noteTable(
        [
          "round",
          "attacked",
          "resident before MB",
          "most MB",
          "p50 idle ms",
          "p50 beside ms",
          "p99 idle ms",
          "p99 beside ms",
          "CPU idle",
          "CPU beside",
          "waits for a core, idle",
          "beside",
        ],
        rounds.flatMap((one, index) => [row(index, "this process", one), row(index, "another one", one.beside)]),
      ),
    ],
  };
};

type Seeded = Awaited<ReturnType<Parameters<Bench>[0]["articles"]>>;

function row(index: number, attacked: string, one: Awaited<ReturnType<typeof attack>>): string[] {
  return [
    String(index + 1),
    attacked,
    one.beforeMb.toFixed(0),
    one.peakMb.toFixed(0),
    one.idleP50Ms.toFixed(2),
    one.besideP50Ms.toFixed(2),
    one.idleP99Ms.toFixed(2),
    one.besideP99Ms.toFixed(2),
    ...[one.idleCpu, one.besideCpu, one.idleWaited, one.besideWaited].map((share) => `${(100 * share).toFixed(0)} %`),
  ];
}

async function measure({ key, ids, place }: Seeded, other: Seeded) {
  await using owned = new AsyncDisposableStack();
  const rostrum = owned.use(await startRostrum({ place, key, isPinned: false }));
  const second = owned.use(await startRostrum({ ...other, isPinned: false }));
  // Loads the lazily loaded modules first.
  await get(rostrum.port, "/docs/viewer.js", {});
  await get(rostrum.port, LIST, { "X-API-Key": key });
  const details = ids.slice(0, 20).map((id) => `/api/public/articles/${id}`);
  const paths = [LIST, "/docs"] as const;
  const beside = await attack(rostrum, key, details, paths, { port: second.port, key: other.key });
  await second[Symbol.asyncDispose]();
  const attacked = await attack(rostrum, key, details, paths);
  return { ...attacked, beside };
}

/**
 * `target`: the server under attack, if it differs from the one that is read.
 *
 * @throws when a read gets a status other than 200.
 */
async function attack(
  { port, pid }: Pick<Server, "port" | "pid">,
  key: string,
  details: readonly string[],
  paths: readonly [keyed: string, open: string],
  target: { port: number; key: string } = { port, key },
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
  const used = () => ({ cpu: cpuSeconds(pid), waited: waitedSeconds(pid) });
  const atFirst = used();
  const idle = await load.run({ ...job, seconds: READ_S }, 200);
  const before = used();
  const beforeMb = residentMb(pid);
  const beside = load.run({ ...job, seconds: READ_S }, 200);
  // Awaited below; this avoids an unhandled rejection until then.
  beside.catch(() => undefined);
  owned.use(startUnreading({ ...target, connections: CONNECTIONS, perSecond: PER_SECOND, requests: REQUESTS, paths }));
  const result = await beside;
  const after = used();
  const most = peakMb(pid);
  return {
    beforeMb,
    peakMb: most,
    grownMb: most - beforeMb,
    idleP50Ms: idle.p50Ms,
    besideP50Ms: result.p50Ms,
    idleP99Ms: idle.p99Ms,
    besideP99Ms: result.p99Ms,
    idleCpu: (before.cpu - atFirst.cpu) / idle.seconds,
    besideCpu: (after.cpu - before.cpu) / result.seconds,
    idleWaited: (before.waited - atFirst.waited) / idle.seconds,
    besideWaited: (after.waited - before.waited) / result.seconds,
  };
}
