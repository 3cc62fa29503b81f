/**
 * Bulk actions of the dashboard on everything that matches: each verb on all articles of a website, while others read it. Then one
 * action is killed in the middle and repeated.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { createInterface } from "node:readline";
import { openApp } from "../src/app/app.ts";
import { readConfig } from "../src/process/settings/config.ts";
import type { ArticleView, BulkLine } from "../src/http/admin/contract/articles.ts";
import { createKey } from "../src/operations/people/api-keys.ts";
import { CLI_ORIGIN } from "../src/domain/system/audit.ts";
import type { BulkVerb } from "../src/domain/articles/verbs.ts";
import { record } from "../test/helpers/http.ts";
import { people } from "../test/people/dashboard.ts";
import type { Bench } from "./bench.ts";
import { seedLists } from "./list-seed.ts";
import { type LoadGenerator, type LoadResult, pagesAndArticles, startLoadGenerator } from "./load-job.ts";
import type { Place } from "./place.ts";
import { noteTable, thousands } from "./report.ts";
import { type Server, startRostrum } from "./servers.ts";
import { cpuSeconds, residentMb } from "./usage.ts";

/** `BULK_ARTICLES` and `BULK_VERBS` (in their order) make it shorter: everything takes some twenty minutes. */
const ARTICLES = Number(process.env["BULK_ARTICLES"] ?? 25_000);
const VERBS = process.env["BULK_VERBS"]?.split(",");
const READ_ARTICLES = 1_000;
const READS_PER_SECOND = 500;
const REST_SECONDS = 5;
const MAX_SECONDS = 900;
const SAMPLE_MS = 100;
const GOAL_P99_MS = 20;
const GOAL_MB = 500;
const TAG = "bulk";

interface Step {
  verb: BulkVerb;
  view: ArticleView;
  input?: (owner: string) => Record<string, unknown>;
}

/** Later steps find the articles by this tag. */
const LABEL: Step = { verb: "label", view: "in_review", input: () => ({ add_tags: [TAG] }) };
const APPROVE: Step = { verb: "approve", view: "in_review" };
/** Each step finds the articles where the one before has left them. */
const STEPS: readonly Step[] = [
  { verb: "unapprove", view: "approved" },
  { verb: "assign", view: "in_review", input: (owner) => ({ assignee_id: owner }) },
  APPROVE,
  { verb: "schedule", view: "approved", input: () => ({ publish_at: new Date(Date.now() + 9e9).toISOString() }) },
  { verb: "unschedule", view: "scheduled" },
  { verb: "publish", view: "approved" },
  { verb: "unpublish", view: "published" },
  { verb: "delete", view: "all" },
  { verb: "restore", view: "trash" },
];

interface Measured {
  verb: string;
  articles: number;
  seconds: number;
  cpuSeconds: number;
  reads: LoadResult;
  peakMb: number;
}

export const bulk: Bench = async ({ place: newPlace }) => {
  const place = await newPlace("bulk");
  await using app = await openApp(readConfig({ PORT: "0", ...place.environment }, place.folder));
  const websiteId = await seedLists(app, ARTICLES + READ_ARTICLES, (number) => ({
    status: number < READ_ARTICLES ? "published" : "pending",
    isScheduled: false,
    isInTrash: false,
    hasDraft: false,
  }));
  const newKey = { name: "Bench", scope: "all", expiresAt: null, rateLimit: null } as const;
  const { secret: key } = await createKey(app, websiteId, newKey, CLI_ORIGIN);
  const rows = await app.store.read((db) =>
    db.all("SELECT id FROM articles WHERE website_id = ? AND status = 'published' LIMIT 1000", websiteId),
  );
  const ids = rows.map(({ id }) => id);
  let rostrum = await startRostrum({ place, key, isPinned: false });
  await using load = startLoadGenerator({ isPinned: false });
  try {
    using all = people({ url: `http://127.0.0.1:${rostrum.port}`, app });
    const browser = await all.owner();
    const session = await browser.json("GET", "/session");
    const owner = String(record(session["account"])["id"]);
    const client = { cookie: browser.cookie ?? "", websiteId, owner };
    const readers = { key, ids };
    const read = (seconds: number) =>
      load.run(pagesAndArticles(readers, { port: rostrum.port, seconds, perSecond: READS_PER_SECOND }), 200);
    await read(REST_SECONDS);
    const rest = await read(REST_SECONDS);
    const idleMb = residentMb(rostrum.pid);

    const measured: Measured[] = [];
    const time = async (step: Step) => {
      if (VERBS?.includes(step.verb) === false) return;
      measured.push(await measure({ step, client, rostrum, load, reading: read(MAX_SECONDS) }));
    };
    await time(LABEL);
    const killed = VERBS === undefined ? await killInTheMiddle({ place, key, client, rostrum }) : null;
    if (killed !== null) rostrum = killed.rostrum;
    for (const step of STEPS) await time(step);

    const worst = measured.reduce((one, other) => (one.reads.p99Ms > other.reads.p99Ms ? one : other));
    const peak = Math.max(...measured.map(({ peakMb }) => peakMb));
    const slowest = measured.reduce((one, other) => (one.seconds > other.seconds ? one : other));
    return {
      figures: [
        {
          what: `the slowest verb on ${thousands(ARTICLES)} articles: ${slowest.verb}`,
          value: `${slowest.seconds.toFixed(0)} s (${((slowest.seconds * 1_000) / slowest.articles).toFixed(2)} ms an article)`,
        },
        {
          what: `p99 of reads meanwhile, the worst: ${worst.verb}`,
          value: `${worst.reads.p99Ms.toFixed(1)} ms (${rest.p99Ms.toFixed(1)} ms at rest)`,
          goal: `≤ ${GOAL_P99_MS} ms`,
          met: worst.reads.p99Ms <= GOAL_P99_MS,
        },
        {
          what: "resident memory of the service, the most",
          value: `${peak.toFixed(0)} MB (${idleMb.toFixed(0)} MB before)`,
          goal: `≤ ${GOAL_MB} MB`,
          met: peak <= GOAL_MB,
        },
        ...(killed === null
          ? []
          : [
              {
                what: "killed (SIGKILL) in the middle and repeated: changed before, then; twice or never",
                value: `${thousands(killed.before)}, ${thousands(killed.after)}; ${killed.wrong}`,
                goal: "0",
                met: killed.wrong === 0,
              },
            ]),
      ],
      notes: [
        `A website of ${thousands(ARTICLES)} articles of some 8 kB in review and ${thousands(READ_ARTICLES)} published ones, ` +
          `${READS_PER_SECOND} reads a second of the latter and of the list, timed from when each was due. An owner chooses ` +
          `all that match, and each verb is done with all of them; nothing is pinned to a core, and the load and this process share them.`,
        noteTable(
          ["verb", "seconds", "ms an article", "CPU ms an article", "reads p50 ms", "p99 ms", "slowest ms", "MB"],
          measured.map(({ verb, articles, seconds, cpuSeconds: cpu, reads, peakMb }) => [
            verb,
            seconds.toFixed(1),
            ((seconds * 1_000) / articles).toFixed(2),
            ((cpu * 1_000) / articles).toFixed(2),
            reads.p50Ms.toFixed(2),
            reads.p99Ms.toFixed(2),
            reads.maxMs.toFixed(1),
            peakMb.toFixed(0),
          ]),
        ),
      ],
    };
  } finally {
    await rostrum[Symbol.asyncDispose]();
  }
};

interface BulkClient {
  cookie: string;
  websiteId: string;
  owner: string;
}

async function measure({
  step,
  client,
  rostrum,
  load,
  reading,
}: {
  step: Step;
  client: BulkClient;
  rostrum: Server;
  load: LoadGenerator;
  reading: Promise<LoadResult>;
}): Promise<Measured> {
  let peakMb = 0;
  const sampling = setInterval(() => {
    peakMb = Math.max(peakMb, residentMb(rostrum.pid));
  }, SAMPLE_MS);
  try {
    const [startedAt, cpuBefore] = [performance.now(), cpuSeconds(rostrum.pid)];
    const { done, refused } = await change(rostrum.port, client, step);
    const seconds = (performance.now() - startedAt) / 1_000;
    const cpu = cpuSeconds(rostrum.pid) - cpuBefore;
    assert.deepEqual([done, refused], [ARTICLES, 0], step.verb);
    load.stop();
    return { verb: step.verb, articles: done, seconds, cpuSeconds: cpu, reads: await reading, peakMb };
  } finally {
    clearInterval(sampling);
  }
}

/** Approves all articles in two runs, of which the first ends with the service. @returns the next service, and what was changed. */
async function killInTheMiddle({
  place,
  key,
  client,
  rostrum,
}: {
  place: Place;
  key: string;
  client: BulkClient;
  rostrum: Server;
}) {
  let before = 0;
  const first = change(rostrum.port, client, APPROVE, (done) => {
    before = done;
    if (done >= ARTICLES / 2) process.kill(rostrum.pid, "SIGKILL");
  });
  await assert.rejects(first);
  await rostrum[Symbol.asyncDispose]();
  const next = await startRostrum({ place, key, isPinned: false });
  const { done: after, refused } = await change(next.port, client, APPROVE);
  await using app = await openApp(readConfig({ PORT: "0", ...place.environment }, place.folder));
  const rows = await app.store.read((db) =>
    db.all("SELECT target_id AS id, COUNT(*) AS n FROM audit_log WHERE action = 'article.approved' GROUP BY target_id"),
  );
  const wrong = refused + Math.abs(ARTICLES - rows.length) + rows.filter(({ n }) => n !== 1).length;
  return { rostrum: next, before, after, wrong };
}

/** Sends one bulk action. @returns the counts of its last line. */
async function change(
  port: number,
  { cookie, websiteId, owner }: BulkClient,
  { verb, view, input }: Step,
  onProgress: (done: number) => void = () => undefined,
): Promise<{ done: number; refused: number }> {
  const tag = verb === LABEL.verb || VERBS !== undefined ? {} : { tag: TAG };
  const body = JSON.stringify({ website_id: websiteId, view, ...tag, ...input?.(owner) });
  const sent = request({
    host: "127.0.0.1",
    port,
    method: "POST",
    path: `/dashboard/api/articles/bulk/${verb}/matching`,
    agent: false,
    headers: { "Content-Type": "application/json", "Sec-Fetch-Site": "same-origin", Cookie: cookie },
  }).end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  for await (const text of createInterface({ input: response })) {
    const line = JSON.parse(text) as BulkLine;
    if (line.kind === "progress") onProgress(line.done);
    if (line.kind === "summary") return line;
    if (line.kind === "error") throw new Error(line.message);
  }
  throw new Error("the bulk action ended without a summary");
}
