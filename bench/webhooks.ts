/** Backlog deliveries, notification latency of publications, and the effect of both on readers and other receivers. */
import type { Bench } from "./bench.ts";
import { type Figure, noteTable, type Section, thousands } from "./report.ts";
import { type BacklogResult, measureBacklog } from "./webhook-backlog.ts";
import { measureIdle } from "./webhook-idle.ts";
import { type Heard, measurePublications } from "./webhook-publications.ts";

const SMALL = 2 * 1024;
const LARGE = 32 * 1024;
/** How long a publication takes to arrive in an idle service, times what it takes to be acknowledged. */
const GOAL_IDLE = { sqlite: 2, postgres: 2.5 } as const;
const GOAL_SHARE = 0.28;
const GOAL_SHARE_LARGE = 0.35;
const GOAL_READS = 2;
const PER_SECOND = 500;
const GOAL_P50_MS = 15;
const GOAL_P99_MS = 100;
const FAIR_PER_SECOND = 100;
const GOAL_FAIR_MS = 250;

export const webhooks: Bench = async ({ place }): Promise<Section> => {
  const small = await measureBacklog(await place("webhooks-2"), { bytes: SMALL, count: 32_000 });
  const large = await measureBacklog(await place("webhooks-32"), { bytes: LARGE, count: 6_400 });
  const one = { websites: 8, answering: 1, hanging: 0, perSecond: PER_SECOND, seconds: 10 };
  const heard = await measurePublications(await place("webhooks-heard"), one);
  const idlePlace = await place("webhooks-idle");
  const idle = await measureIdle(idlePlace);
  const goalIdle = GOAL_IDLE["DATABASE_URL" in idlePlace.environment ? "postgres" : "sqlite"];
  const half = { websites: 10, answering: 5, perSecond: FAIR_PER_SECOND, seconds: 15 };
  const alone = await measurePublications(await place("webhooks-alone"), { ...half, hanging: 0 });
  const beside = await measurePublications(await place("webhooks-beside"), { ...half, hanging: 5 });
  const slowdown = small.reads.busy.p99Ms / small.reads.idle.p99Ms;
  const figures: Figure[] = [
    { what: "deliveries of 2 KiB from a backlog", value: `${thousands(small.rostrum.perSecond)}/s` },
    shareFigure("the same as a share of bare undici", small, GOAL_SHARE),
    { what: "deliveries of 32 KiB from a backlog", value: `${thousands(large.rostrum.perSecond)}/s` },
    shareFigure("the same as a share of bare undici", large, GOAL_SHARE_LARGE),
    {
      what: `p99 of 200 reads/s meanwhile, times that of an idle server`,
      value: `${slowdown.toFixed(1)} (${small.reads.busy.p99Ms.toFixed(1)} ms against ${small.reads.idle.p99Ms.toFixed(1)} ms)`,
      goal: `≤ ${GOAL_READS}`,
      met: slowdown <= GOAL_READS,
    },
    {
      what: "the same while bare undici, a process of its own, sends at its full speed",
      value: `${(small.reads.beside.p99Ms / small.reads.idle.p99Ms).toFixed(1)} (${small.reads.beside.p99Ms.toFixed(1)} ms)`,
    },
    {
      what: "p50 of these reads: idle, beside bare undici, meanwhile",
      value: [small.reads.idle, small.reads.beside, small.reads.busy]
        .map(({ p50Ms }) => `${p50Ms.toFixed(2)} ms`)
        .join(", "),
    },
    idleFigure("p50", idle.p50Ms, idle.doneP50Ms, goalIdle),
    idleFigure("p99", idle.p99Ms, idle.doneP99Ms, goalIdle),
    {
      what: "from publication to arrival, p50",
      value: atRate(heard, heard.p50Ms),
      goal: `≤ ${GOAL_P50_MS} ms at ${PER_SECOND}/s`,
      met: verdict(heard, heard.p50Ms <= GOAL_P50_MS),
    },
    {
      what: "from publication to arrival, p99",
      value: atRate(heard, heard.p99Ms),
      goal: `≤ ${GOAL_P99_MS} ms at ${PER_SECOND}/s`,
      met: verdict(heard, heard.p99Ms <= GOAL_P99_MS),
    },
    {
      what: "the same while half of 100 endpoints hang, p99",
      value: `${atRate(beside, beside.p99Ms)}; without those that hang ${alone.p99Ms.toFixed(1)} ms`,
      goal: `≤ ${GOAL_FAIR_MS} ms at ${FAIR_PER_SECOND}/s`,
      met: verdict(beside, beside.p99Ms <= GOAL_FAIR_MS),
    },
    { what: "resident before the first delivery", value: megabytes(small.beforeMb) },
    {
      what: "resident after 2 KiB, and after 32 KiB",
      value: `${megabytes(small.afterMb)}, ${megabytes(large.afterMb)}`,
    },
    { what: "the most that was ever resident", value: megabytes(Math.max(small.peakMb, large.peakMb)) },
  ];
  return {
    figures,
    notes: [
      "32 endpoints of 8 websites; a backlog becomes visible with one commit. Rates are from the first arrival to the " +
        "last; bare is undici posting the same bodies, unsigned, on 256 connections to the same receiver, in turn with " +
        "Rostrum: medians of the rounds. CPU is that of all threads; PostgreSQL's is that of all its processes. Nothing is pinned: sender, receiver, readers and the " +
        "server's answering thread share two cores, and what readers wait for is a core.",
      noteTable(
        ["", "sender", "deliveries/s", "its CPU µs/delivery", "the database's", "receiver's CPU µs", "share of bare"],
        [...rows("2 KiB", small), ...rows("32 KiB", large)],
      ),
      "Publications are made by a process of its own, each a transaction on the disk, timed from when it was due. " +
        `For ${PER_SECOND}/s each has one receiver; for ${FAIR_PER_SECOND}/s each has five that answer, and five that ` +
        "accept and never answer. A rate that the machine cannot publish is lowered, and the figure is void.",
      "In the idle service publications are made one by one in its own process, as the dashboard makes them, with pauses.",
      noteTable(
        ["", "publications/s", "deliveries", "p50 ms", "p99 ms", "most ms", "acknowledged after, p50 ms", "p99 ms"],
        [
          heardRow("one receiver each", heard),
          heardRow("five receivers each", alone),
          heardRow("the same, beside five that hang", beside),
        ],
      ),
    ],
  };
};

function shareFigure(what: string, { rostrum, bare }: BacklogResult, goal: number): Figure {
  const share = rostrum.perSecond / bare.perSecond;
  return { what, value: share.toFixed(2), goal: `≥ ${goal}`, met: share >= goal };
}

function idleFigure(what: "p50" | "p99", arrivedMs: number, doneMs: number, goal: number): Figure {
  const ratio = arrivedMs / doneMs;
  return {
    what: `from publication to arrival in an idle service, ${what}, times that until the publication was acknowledged`,
    value: `${ratio.toFixed(1)} (${arrivedMs.toFixed(1)} ms against ${doneMs.toFixed(1)} ms)`,
    goal: `≤ ${goal}`,
    met: ratio <= goal,
  };
}

/** A goal set for one rate is not evaluated at a lower one. */
function verdict({ perSecond, wantedPerSecond }: Heard, isMet: boolean): boolean | null {
  return perSecond < wantedPerSecond ? null : isMet;
}

function atRate({ perSecond, wantedPerSecond }: Heard, ms: number): string {
  const rate = perSecond < wantedPerSecond ? ` at ${thousands(perSecond)}/s, which is what the disk took` : "";
  return `${ms.toFixed(1)} ms${rate}`;
}

function rows(what: string, { rostrum, bare }: BacklogResult): string[][] {
  const row = (name: string, one: typeof bare, share: string) => [
    what,
    name,
    thousands(one.perSecond),
    one.cpuMicros.toFixed(0),
    one.databaseMicros.toFixed(0),
    one.receiverMicros.toFixed(0),
    share,
  ];
  return [row("Rostrum", rostrum, (rostrum.perSecond / bare.perSecond).toFixed(2)), row("bare undici", bare, "")];
}

function heardRow(what: string, heard: Heard): string[] {
  const { perSecond, count, p50Ms, p99Ms, maxMs, doneP50Ms, doneP99Ms } = heard;
  const times = [p50Ms, p99Ms, maxMs, doneP50Ms, doneP99Ms].map((ms) => ms.toFixed(1));
  return [what, thousands(perSecond), thousands(count), ...times];
}

function megabytes(value: number): string {
  return `${value.toFixed(0)} MB`;
}
