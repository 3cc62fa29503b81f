/**
 * Time from a click in the dashboard's lists to the complete response: right after a change of the website, when no cached list
 * is valid any more, and again with a warm cache.
 */
import assert from "node:assert/strict";
import { openApp } from "../src/app/app.ts";
import { readConfig } from "../src/process/settings/config.ts";
import { openLog } from "../src/process/log.ts";
import { approveArticle, unapproveArticle } from "../src/operations/articles/write/articles.ts";
import { startService } from "../src/service/service.ts";
import { records } from "../test/helpers/http.ts";
import { type Browser, people } from "../test/people/dashboard.ts";
import type { Bench } from "./bench.ts";
import { seedLists, WORDS } from "./list-seed.ts";
import { noteTable, thousands } from "./report.ts";
import { percentile } from "./statistics.ts";

const ARTICLES = 100_000;
const ROUNDS = 20;
const GOAL_MS = 200;
const ACTOR = { id: "bench", mayApprove: true };

/** The requests; `ID` is an article in the middle of the list. */
const CLICKS: Record<string, string> = {
  "the first page": "?view=published",
  "a page in the middle": "?view=published&offset=40000",
  "a hundred lines": "?view=published&limit=100&offset=40000",
  "by title": "?view=published&sort=title",
  "by title, backwards": "?view=published&sort=-title",
  "by last change": "?view=published&sort=-updated_at",
  "by publication, oldest first": "?view=published&sort=published_at",
  "what waits": "?view=pending",
  "what waits, by title": "?view=pending&sort=title",
  approved: "?view=approved",
  scheduled: "?view=scheduled",
  "draft copies": "?view=drafts",
  trash: "?view=trash",
  "a search for a word of each": "?view=published&q=garden",
  "a search for a word of a tenth": `?view=published&q=${WORDS.tenth}`,
  "the same, by title": `?view=published&q=${WORDS.tenth}&sort=title`,
  "a search for two words": `?view=published&q=garden+${WORDS.hundredth}`,
  "a search for what is there once": "?view=published&q=77777",
  "by a tag of each": "?view=published&tag=how-to",
  "by category and word": `?view=published&category=Garden&q=${WORDS.tenth}`,
  counts: "/counts?",
  "counts of a search for a word of each": "/counts?q=garden",
  "counts by category and word": `/counts?category=Garden&q=${WORDS.tenth}`,
  labels: "/labels?",
  "a place in the list": "/place?view=published&id=ID",
  "a place in a search": `/place?view=published&q=garden&id=ID`,
};

export const dashboardLists: Bench = async ({ place: newPlace }) => {
  const { folder, environment } = await newPlace("dashboard-lists");
  await using app = await openApp(readConfig({ PORT: "0", ...environment }, folder));
  const websiteId = await seedLists(app, ARTICLES);
  await using service = await startService(app, openLog("error"));
  using all = people({ url: service.url, app });
  const owner = await all.owner();
  const middle = await idIn(owner, `?view=published&offset=40000&website_id=${websiteId}`);
  const changed = await idIn(owner, `?view=pending&website_id=${websiteId}`);

  const clicks: Click[] = [];
  for (const [name, click] of Object.entries(CLICKS)) {
    const path = `/articles${click}&website_id=${websiteId}`.replace("ID", middle);
    await ask(owner, path);
    const measured: Click = { name, after: [], again: [] };
    for (let round = 0; round < ROUNDS; round++) {
      if (round % 2 === 0) await approveArticle(app, changed, ACTOR);
      else await unapproveArticle(app, changed, ACTOR);
      measured.after.push(await ask(owner, path));
      measured.again.push(await ask(owner, path));
    }
    clicks.push(measured);
  }
  const [slowest] = clicks.toSorted((a, b) => share(b.after, 0.95) - share(a.after, 0.95));
  if (slowest === undefined) throw new Error("nothing was measured");
  const worst = share(slowest.after, 0.95);
  return {
    figures: [
      {
        what: "the slowest click right after a change, p95",
        value: `${inMs(worst)} (${slowest.name})`,
        goal: `≤ ${GOAL_MS} ms`,
        met: worst <= GOAL_MS,
      },
      { what: "all clicks right after a change, p95", value: inMs(share(valuesOf(clicks, "after"), 0.95)) },
      { what: "all clicks again, p95", value: inMs(share(valuesOf(clicks, "again"), 0.95)) },
    ],
    notes: [
      `${thousands(ARTICLES)} articles of 6 to 8 kB, of which 85,000 are published. ${ROUNDS} rounds; one request at a ` +
        `time, by a client in the same process; with sign-in and role checked.`,
      noteTable(["", "after a change, p50", "p95", "again, p50", "p95"], clicks.map(lineOf)),
    ],
  };
};

interface Click {
  name: string;
  /** Milliseconds of each round. */
  after: number[];
  again: number[];
}

async function ask(owner: Browser, path: string): Promise<number> {
  const startedAt = performance.now();
  const reply = await owner.send("GET", path);
  const ms = performance.now() - startedAt;
  assert.equal(reply.status, 200, reply.text);
  return ms;
}

/** The id of the first article of a list. */
async function idIn(owner: Browser, query: string): Promise<string> {
  const { articles } = await owner.json("GET", `/articles${query}&limit=1`);
  return String(records(articles)[0]?.["id"]);
}

function lineOf({ name, after, again }: Click): string[] {
  return [name, inMs(share(after, 0.5)), inMs(share(after, 0.95)), inMs(share(again, 0.5)), inMs(share(again, 0.95))];
}

function valuesOf(clicks: readonly Click[], which: "after" | "again"): number[] {
  return clicks.flatMap((click) => click[which]);
}

function share(values: readonly number[], part: number): number {
  return percentile(
    values.toSorted((a, b) => a - b),
    part,
  );
}

function inMs(value: number): string {
  return `${value.toFixed(1)} ms`;
}
