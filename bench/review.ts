/**
 * Reviews a queue by keyboard in Chromium, with a slow machine and service. Measures from each key to the paint of the next
 * article.
 */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { openApp } from "../src/app/app.ts";
import { readConfig } from "../src/process/settings/config.ts";
import { CLI_ORIGIN } from "../src/domain/system/audit.ts";
import { parseArticleJson } from "../src/domain/articles/article-json.ts";
import { openLog } from "../src/process/log.ts";
import { createArticle, getArticle } from "../src/operations/articles/write/articles.ts";
import { createWebsite } from "../src/operations/website/websites.ts";
import { startService } from "../src/service/service.ts";
import { launchChromium } from "../test/helpers/chromium.ts";
import { people } from "../test/people/dashboard.ts";
import { buildDashboard } from "../tools/build-dashboard.ts";
import { benchArticle, SITE } from "./articles.ts";
import type { Bench } from "./bench.ts";
import { percentile } from "./statistics.ts";

const ARTICLES = 50;
const ACTOR = { id: "bench", mayApprove: true };
const CPU_SLOWDOWN = 4;
/** Duration of the service's answer to a decision. */
const ANSWER_MS = 1_500;
/** Pause between two keys, in which a person reads at least the title. */
const READ_MS = 600;
const GOAL_MS = 100;

export const review: Bench = async ({ place: newPlace }) => {
  assert.notEqual(await buildDashboard(), "no-tools", "the dashboard's development packages are not installed");
  const { folder, environment } = await newPlace("review");
  await using app = await openApp(readConfig({ PORT: "0", ...environment }, folder));
  const { id: websiteId } = await createWebsite(app, SITE, CLI_ORIGIN);
  const ids: string[] = [];
  for (let no = 0; no < ARTICLES; no++) {
    const { status: _, publishedAt: __, ...input } = parseArticleJson(benchArticle(no));
    const createdAt = Date.UTC(2026, 0, 1) - no * 60_000;
    ids.push((await createArticle(app, websiteId, { ...input, createdAt }, ACTOR)).article.id);
  }
  await using service = await startService(app, openLog("error"));
  using all = people({ url: service.url, app });
  const { cookie = "" } = await all.owner();
  const chromium = await launchChromium();
  try {
    const context = await chromium.newContext({ viewport: { width: 1_366, height: 768 }, locale: "en-GB" });
    const [name = "", value = ""] = cookie.split("=");
    await context.addCookies([{ name, value, url: service.url, httpOnly: true, sameSite: "Lax" }]);
    const page = await context.newPage();
    await slowDown(page);
    await page.goto(`${service.url}/dashboard/articles/${ids[0]}?view=in_review`);
    await page.getByText(`1 of ${ARTICLES}`, { exact: true }).waitFor();
    await page.waitForTimeout(3_000);
    const times: number[] = [];
    // Every fifth key only moves to the next article, and back.
    for (let no = 1; no < ARTICLES; no++) {
      if (no % 5 === 0) times.push(await press(page, "j"), await press(page, "k"));
      times.push(await press(page, "a"));
      const shown = await page.locator("h1").innerText();
      assert.equal(shown, (await getArticle(app, ids[no] ?? "")).article.title, "the next article is shown");
    }
    await page.waitForTimeout(ANSWER_MS * 2);
    for (const id of ids.slice(0, -1)) assert.equal((await getArticle(app, id)).article.status, "approved");
    const sorted = times.toSorted((a, b) => a - b);
    const max = sorted.at(-1) ?? 0;
    return {
      figures: [
        {
          what: "a key until the next article is painted, worst",
          value: `${max.toFixed(0)} ms`,
          goal: `≤ ${GOAL_MS} ms`,
          met: max <= GOAL_MS,
        },
        { what: "the same, p95", value: `${percentile(sorted, 0.95).toFixed(0)} ms` },
        { what: "the same, median", value: `${percentile(sorted, 0.5).toFixed(0)} ms` },
      ],
      notes: [
        `${ARTICLES} articles, ${times.length} keys (A, J, K), ${READ_MS} ms apart; the processor of the page ${CPU_SLOWDOWN} times slower, ` +
          `the answer to each decision held back for ${ANSWER_MS / 1_000} s. Browser and service share this machine.`,
      ],
    };
  } finally {
    await chromium.close();
  }
};

async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN });
  await page.route(/\/articles\/[^/]+\/approve$/, async (route) => {
    await new Promise((resolve) => {
      setTimeout(resolve, ANSWER_MS);
    });
    await route.continue();
  });
  await page.addInitScript(`
    addEventListener("keydown", ({ timeStamp }) => {
      const before = document.querySelector("h1")?.textContent;
      globalThis.paintedMs = undefined;
      const look = () => requestAnimationFrame(() => {
        const title = document.querySelector("h1")?.textContent;
        const text = document.querySelector("iframe[title]")?.contentDocument;
        const isShown = title !== before && text?.readyState === "complete" && text.querySelector("h1")?.textContent === title;
        if (!isShown) return look();
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => { globalThis.paintedMs = performance.now() - timeStamp; };
        port2.postMessage(null);
      });
      look();
    }, true);`);
}

/** @returns milliseconds until another article, its heading and its text, is painted. */
async function press(page: Page, key: string): Promise<number> {
  await page.waitForTimeout(READ_MS);
  await page.keyboard.press(key);
  for (let tries = 0; tries < 200; tries++) {
    const ms = (await page.evaluate("globalThis.paintedMs")) as number | undefined;
    if (ms !== undefined) return ms;
    await page.waitForTimeout(20);
  }
  throw new Error(`no other article was painted after ${key}`);
}
