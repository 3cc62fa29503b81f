/**
 * The dashboard in Chromium: the first visits to the article list and to the editor over a slow network on a slow machine, and
 * typing in a long article.
 */
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { openApp } from "../src/app/app.ts";
import { readConfig } from "../src/process/settings/config.ts";
import { parseArticleJson } from "../src/domain/articles/article-json.ts";
import { openLog } from "../src/process/log.ts";
import { createArticle } from "../src/operations/articles/write/articles.ts";
import { startService } from "../src/service/service.ts";
import { launchChromium } from "../test/helpers/chromium.ts";
import { people } from "../test/people/dashboard.ts";
import { buildDashboard } from "../tools/build-dashboard.ts";
import type { Bench } from "./bench.ts";
import { seedLists } from "./list-seed.ts";
import { noteTable } from "./report.ts";
import { percentile } from "./statistics.ts";

const ARTICLES = 2_000;
const LOADS = 5;
const KEYS = 80;
const WORDS = 5_000;
const ACTOR = { id: "bench", mayApprove: true };

/** "Fast 4G" of Chromium's developer tools. */
const NETWORK = {
  offline: false,
  latency: 165,
  downloadThroughput: 9_000_000 / 8,
  uploadThroughput: 1_500_000 / 8,
};
const CPU_SLOWDOWN = 4;

const GOAL_LCP_MS = 2_500;
const GOAL_SCRIPT_KB = 250;
const GOAL_EDITOR_LCP = 1.5;
const GOAL_EDITOR_SCRIPT_KB = 280;
const GOAL_KEY_MS = 50;

const LIST = { path: "/dashboard/articles?view=published", ready: "tbody tr:nth-child(10)" };
const EDITOR = ".ProseMirror";

export const dashboard: Bench = async ({ place: newPlace }) => {
  assert.notEqual(await buildDashboard(), "no-tools", "the dashboard's development packages are not installed");
  const { folder, environment } = await newPlace("dashboard");
  await using app = await openApp(readConfig({ PORT: "0", ...environment }, folder));
  const websiteId = await seedLists(app, ARTICLES);
  const long = await createArticle(app, websiteId, parseArticleJson(longArticle()), ACTOR);
  await using service = await startService(app, openLog("error"));
  using all = people({ url: service.url, app });
  const { cookie } = await all.owner();
  assert.ok(cookie !== undefined);
  const chromium = await launchChromium();
  try {
    const visitor = { chromium, url: service.url, cookie };
    await load(visitor);
    const loads: Load[] = [];
    for (let round = 0; round < LOADS; round++) loads.push(await load(visitor));
    const edit = `/dashboard/articles/${long.article.id}/edit`;
    const editorLoads: Load[] = [];
    for (let round = 0; round < LOADS; round++) editorLoads.push(await load(visitor, edit, EDITOR));
    const keys = await type(visitor, edit);
    const lcp = median(loads.map((one) => one.lcpMs));
    const editorLcp = median(editorLoads.map((one) => one.lcpMs));
    const editorScripts = Math.max(...editorLoads.map((one) => one.scriptBytes)) / 1_000;
    const scripts = Math.max(...loads.map((one) => one.scriptBytes)) / 1_000;
    const key = percentile(keys, 0.95);
    return {
      figures: [
        {
          what: "article list, largest contentful paint, median",
          value: `${(lcp / 1_000).toFixed(2)} s`,
          goal: `≤ ${GOAL_LCP_MS / 1_000} s`,
          met: lcp <= GOAL_LCP_MS,
        },
        {
          what: "first paint of anything, median",
          value: `${(median(loads.map((one) => one.fcpMs)) / 1_000).toFixed(2)} s`,
        },
        {
          what: "scripts of that visit, as transferred",
          value: `${scripts.toFixed(0)} kB`,
          goal: `≤ ${GOAL_SCRIPT_KB} kB`,
          met: scripts <= GOAL_SCRIPT_KB,
        },
        {
          what: "editor of a long article, largest contentful paint, median, times that of the list",
          value: `${(editorLcp / lcp).toFixed(2)} (${(editorLcp / 1_000).toFixed(2)} s)`,
          goal: `≤ ${GOAL_EDITOR_LCP}`,
          met: editorLcp <= GOAL_EDITOR_LCP * lcp,
        },
        {
          what: "scripts of that visit, as transferred",
          value: `${editorScripts.toFixed(0)} kB`,
          goal: `≤ ${GOAL_EDITOR_SCRIPT_KB} kB`,
          met: editorScripts <= GOAL_EDITOR_SCRIPT_KB,
        },
        {
          what: `a key in the editor, in a text of ${WORDS.toLocaleString("en-US")} words, until it is painted, p95`,
          value: `${key.toFixed(0)} ms`,
          goal: `≤ ${GOAL_KEY_MS} ms`,
          met: key <= GOAL_KEY_MS,
        },
        { what: "the same, median", value: `${percentile(keys, 0.5).toFixed(0)} ms` },
      ],
      notes: [
        `Visits: an empty cache, 9 Mbit/s, 165 ms until an answer begins, the processor ${CPU_SLOWDOWN} times slower, a website ` +
          `of ${ARTICLES.toLocaleString("en-US")} articles; median of ${LOADS} after one that does not count. Keys: ${KEYS} in the ` +
          `middle of the text, 100 ms apart, nothing slowed down. Browser and service share this machine.`,
        noteTable(
          ["request of the last visit", "begins (ms)", "ends (ms)", "kB"],
          (loads.at(-1)?.requests ?? []).map(({ name, fromMs, toMs, bytes }) => [
            name,
            fromMs.toFixed(0),
            toMs.toFixed(0),
            (bytes / 1_000).toFixed(1),
          ]),
        ),
      ],
    };
  } finally {
    await chromium.close();
  }
};

interface Visitor {
  chromium: Browser;
  url: string;
  cookie: string;
}

interface Load {
  lcpMs: number;
  fcpMs: number;
  scriptBytes: number;
  requests: { name: string; fromMs: number; toMs: number; bytes: number }[];
}

async function load(visitor: Visitor, path = LIST.path, ready = LIST.ready): Promise<Load> {
  return withPage(visitor, async (page) => {
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    await session.send("Network.emulateNetworkConditions", NETWORK);
    await session.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN });
    await page.addInitScript(`
      new PerformanceObserver((list) => { globalThis.lcpMs = list.getEntries().at(-1).startTime; })
        .observe({ type: "largest-contentful-paint", buffered: true });`);
    await page.goto(visitor.url + path);
    await page.locator(ready).waitFor();
    await page.waitForTimeout(1_500);
    return page.evaluate(`(() => {
      const entries = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
      const requests = entries.map((one) => ({
        name: new URL(one.name).pathname.replace(/^.dashboard/, ""), fromMs: one.startTime, toMs: one.responseEnd, bytes: one.transferSize,
      }));
      return {
        lcpMs,
        fcpMs: performance.getEntriesByName("first-contentful-paint")[0].startTime,
        scriptBytes: requests.filter((one) => one.name.endsWith(".js")).reduce((sum, one) => sum + one.bytes, 0),
        requests,
      };
    })()`);
  });
}

/** @returns the milliseconds from each key to the paint that shows it, sorted. */
async function type(visitor: Visitor, path: string): Promise<number[]> {
  return withPage(visitor, async (page) => {
    await page.addInitScript(`
      globalThis.keyMs = [];
      addEventListener("keydown", ({ timeStamp }) =>
        requestAnimationFrame(() => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => keyMs.push(performance.now() - timeStamp);
          port2.postMessage(null);
        }), true);`);
    await page.goto(visitor.url + path);
    const content = page.getByRole("textbox", { name: "Content" });
    await content.waitFor();
    await page.waitForTimeout(2_000);
    await content.focus();
    await page.evaluate(`(() => {
      const field = document.activeElement;
      const paragraphs = field.querySelectorAll(":scope > p");
      getSelection().collapse(paragraphs[Math.floor(paragraphs.length / 2)].firstChild, 3);
    })()`);
    await page.evaluate("keyMs.length = 0");
    for (let key = 0; key < KEYS; key++) {
      await page.keyboard.press("abcdefgh "[key % 9] ?? "a");
      await page.waitForTimeout(100);
    }
    const times = (await page.evaluate("keyMs")) as number[];
    assert.equal(times.length, KEYS);
    return times.toSorted((a, b) => a - b);
  });
}

async function withPage<T>({ chromium, url, cookie }: Visitor, work: (page: Page) => Promise<T>): Promise<T> {
  const context = await chromium.newContext({ viewport: { width: 1_366, height: 768 }, locale: "en-GB" });
  try {
    const [name = "", value = ""] = cookie.split("=");
    await context.addCookies([{ name, value, url, httpOnly: true, sameSite: "Lax" }]);
    return await work(await context.newPage());
  } finally {
    await context.close();
  }
}

/** Headings, paragraphs, lists and links. */
function longArticle(): Record<string, unknown> {
  const sentence =
    "The **kettle** sings before the [first cup](https://www.example.com/blog/first-cup) is poured at dawn. ";
  const parts: string[] = [];
  for (let part = 0; part < WORDS / 100; part++) {
    parts.push(
      `## Part ${part}\n\n${sentence.repeat(7)}\n\n- one thing\n- another thing\n- the last thing of this part`,
    );
  }
  return { title: "A long article", markdown: parts.join("\n\n") };
}

function median(values: readonly number[]): number {
  return percentile(
    values.toSorted((a, b) => a - b),
    0.5,
  );
}
