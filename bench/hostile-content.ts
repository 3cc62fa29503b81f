/**
 * Texts that are built to be expensive, sent two at a time as previews, saves and imports, while other clients read from the
 * same process and save articles of their own.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { openApp } from "../src/app/app.ts";
import { readConfig } from "../src/process/settings/config.ts";
import { CLI_ORIGIN } from "../src/domain/system/audit.ts";
import { createWebsite } from "../src/operations/website/websites.ts";
import { type HostileText, hostileTexts } from "../test/helpers/hostile-texts.ts";
import { type Browser, people } from "../test/people/dashboard.ts";
import type { Bench } from "./bench.ts";
import { type LoadResult, pagesAndArticles, startLoadGenerator } from "./load-job.ts";
import { noteTable, thousands } from "./report.ts";
import { seedArticles } from "./seed.ts";
import { startRostrum } from "./servers.ts";
import { percentile, randomNumbers } from "./statistics.ts";
import { familyMb, residentMb } from "./usage.ts";

const ARTICLES = 500;
const PER_SECOND = 200;
const QUIET_S = 15;
const AT_ONCE = 2;
const SAVE_EVERY_MS = 500;
const MAX_S = 3_600;
/** Sizes per family. The last ones are sent as files because a preview is limited to 500 kB. */
const SIZES = [10_000, 30_000, 100_000, 200_000, 300_000, 450_000, 1_000_000, 2_000_000, 5_000_000];
const GOAL_RATIO = 3;
const GOAL_MORE_MB = 200;
const PREVIEW_BYTES = 450_000;

export const hostileContent: Bench = async ({ place }) => {
  const seeded = await seedArticles(await place("hostile-content"), ARTICLES);
  await using app = await openApp(readConfig(seeded.place.environment, seeded.place.folder));
  const site = (name: string) => createWebsite(app, { name, url: null, urlPattern: null }, CLI_ORIGIN);
  const hostile = [await site("Hostile one"), await site("Hostile two")];
  await using rostrum = await startRostrum({ ...seeded, isPinned: false });
  const url = `http://127.0.0.1:${rostrum.port}`;
  using all = people({ url, app });
  const owner = await all.owner();
  await using load = startLoadGenerator({ isPinned: false });
  const job = pagesAndArticles(seeded, { port: rostrum.port, seconds: QUIET_S, perSecond: PER_SECOND });
  // Loads all modules and processes one ordinary article first, so that the measured growth is caused by the texts alone.
  await saveHonest(owner, seeded.websiteId);
  await load.run({ ...job, seconds: 5 }, 200);
  const quietSaves = saving(owner, seeded.websiteId);
  const quiet = await load.run(job, 200);
  const quietMs = await quietSaves.stop();
  const memory = watchMemory(rostrum.pid);
  const saves = saving(owner, seeded.websiteId);
  const reading = load.run({ ...job, seconds: MAX_S }, 200);
  const texts = hostileTexts(SIZES, randomNumbers);
  const outcomes = new Map<string, number>();
  const bad: string[] = [];
  let sent = 0;
  const send = async (websiteId: string) => {
    for (const text of texts) {
      const status = await sendOne(owner, websiteId, text, sent++);
      outcomes.set(status, (outcomes.get(status) ?? 0) + 1);
      if (/ (?:5\d\d|no answer)$/.test(status)) bad.push(`${text.name}: ${status}`);
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: AT_ONCE }, (_none, index) => send(hostile[index]?.id ?? "")));
  const seconds = (performance.now() - startedAt) / 1_000;
  load.stop();
  const during = await reading;
  const busyMs = await saves.stop();
  const { service, all: family } = memory.stop();
  const ratio = during.p99Ms / quiet.p99Ms;
  return {
    figures: [
      {
        what: `p99 of ${PER_SECOND} reads/s meanwhile, over p99 before`,
        value: `${ratio.toFixed(2)} (${quiet.p99Ms.toFixed(1)} → ${during.p99Ms.toFixed(1)} ms)`,
        goal: `≤ ${GOAL_RATIO}`,
        met: ratio <= GOAL_RATIO,
      },
      {
        what: "resident memory of the service, more than before, at most",
        value: `${service.toFixed(0)} MB`,
        goal: `≤ ${GOAL_MORE_MB} MB`,
        met: service <= GOAL_MORE_MB,
      },
      { what: "the same with the processes for texts, what they share counted once", value: `${family.toFixed(0)} MB` },
      {
        what: "honest saves of another website that failed",
        value: `${busyMs.failed} of ${busyMs.ms.length + busyMs.failed}`,
        goal: "0",
        met: busyMs.failed === 0,
      },
      { what: "answers 5xx, or none", value: String(bad.length), goal: "0", met: bad.length === 0 },
    ],
    notes: [
      `${sent} texts of ${thousands(SIZES[0] ?? 0)} bytes to 5 MB, ${AT_ONCE} at a time of two websites, in ${seconds.toFixed(0)} s. Reads are ` +
        "timed from when they were due; nothing is pinned.",
      noteTable(["", "reads", "p50 ms", "p99 ms", "most ms"], [row("before", quiet), row("meanwhile", during)]),
      noteTable(
        ["honest saves", "saves", "p50 ms", "p95 ms", "most ms"],
        [saveRow("before", quietMs.ms), saveRow("meanwhile", busyMs.ms)],
      ),
      noteTable(
        ["what became of the texts", "texts"],
        [...outcomes].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([status, count]) => [status, String(count)]),
      ),
      ...(bad.length === 0 ? [] : [`Answered 5xx, or not at all: ${bad.slice(0, 20).join("; ")}.`]),
    ],
  };
};

/** @returns how the text was sent, and the result. */
async function sendOne(owner: Browser, websiteId: string, text: HostileText, number: number): Promise<string> {
  const way = text.field === null ? "import" : (["preview", "save", "import"][number % 3] ?? "");
  try {
    if (way === "import" || (way === "preview" && text.text.length > PREVIEW_BYTES) || text.field === null) {
      const reply = await owner.sendFile(`/imports?website_id=${websiteId}&name=${text.file}`, Buffer.from(text.text));
      const outcome =
        /"outcome":"(\w+)"/.exec(reply.text)?.[1] ?? (reply.text.includes('"kind":"error"') ? "error" : "empty");
      return `import ${outcome} ${reply.status}`;
    }
    const changes = { title: "T", [text.field]: text.text.toWellFormed() };
    const reply =
      way === "preview"
        ? await owner.send("POST", "/articles/preview", { website_id: websiteId, changes })
        : await owner.send("POST", "/articles", { website_id: websiteId, ...changes });
    return `${way} ${reply.status}`;
  } catch {
    return `${way} no answer`;
  }
}

async function saveHonest(owner: Browser, websiteId: string): Promise<boolean> {
  const body = { website_id: websiteId, title: "Honest", markdown: "An *honest* text.\n\n".repeat(200) };
  return (await owner.send("POST", "/articles", body)).status === 201;
}

/** Saves an ordinary article again and again, with a pause in between. */
function saving(owner: Browser, websiteId: string) {
  const stopping = new AbortController();
  const ms: number[] = [];
  let failed = 0;
  const done = (async () => {
    while (!stopping.signal.aborted) {
      const startedAt = performance.now();
      if (await saveHonest(owner, websiteId)) ms.push(performance.now() - startedAt);
      else failed++;
      await sleep(SAVE_EVERY_MS);
    }
  })();
  return {
    stop: async () => {
      stopping.abort();
      await done;
      return { ms: ms.toSorted((a, b) => a - b), failed };
    },
  };
}

/** Maximum growth of memory, MB. */
function watchMemory(pid: number) {
  const before = { service: residentMb(pid), all: familyMb(pid) };
  const most = { ...before };
  const timer = setInterval(() => {
    most.service = Math.max(most.service, residentMb(pid));
    most.all = Math.max(most.all, familyMb(pid));
  }, 100);
  return {
    stop: () => {
      clearInterval(timer);
      return { service: most.service - before.service, all: most.all - before.all };
    },
  };
}

function row(what: string, { requests, p50Ms, p99Ms, maxMs }: LoadResult): string[] {
  return [what, thousands(requests), ...[p50Ms, p99Ms, maxMs].map((ms) => ms.toFixed(2))];
}

function saveRow(what: string, ms: readonly number[]): string[] {
  return [what, String(ms.length), ...[0.5, 0.95, 1].map((share) => percentile(ms, share).toFixed(0))];
}
