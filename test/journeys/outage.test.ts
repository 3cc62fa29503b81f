/** The service fails, recovers, or returns with a newer build: what is on the screen stays there. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { until } from "../helpers/until.ts";
import { startTcpProxy, type TcpProxy } from "../helpers/tcp-proxy.ts";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";

const journey = shared(() => startJourney());

const AUDIT_FILE = /\/assets\/audit-page-[^/]*\.js$/;
/** Chromium's messages about failed requests, and React's about a page that could not be rendered. */
const FAILED =
  /Failed to load resource|dynamically imported module|The above error occurred|A part of this page could not be loaded|load preload assets/;
const BANNER = "The service cannot be reached.";

test("in an outage the dashboard stays usable, says so, and recovers afterwards", async () => {
  const { people, open, service } = journey();
  await using proxy = await startTcpProxy({ port: Number(new URL(service.url).port) });
  const by = `http://127.0.0.1:${proxy.port}`;
  await using visit = await open("/dashboard/articles", { as: await people.owner(), by, expected: FAILED });
  const { page } = visit;
  await visit.settled();
  await stays(page);
  const first = page.locator("tr[data-article]").first();
  await first.waitFor();

  goAway(proxy);
  await page.getByRole("alert").getByText(BANNER).waitFor();
  await first.waitFor();
  await visit.axe();
  // A page whose file is not loaded yet: the frame and the way back stay.
  await page.getByRole("link", { name: "Audit log" }).click();
  await page.getByRole("heading", { level: 1, name: "This page could not be loaded" }).waitFor();
  await page.getByText("The service cannot be reached. Try again once it answers.").waitFor();
  await visit.axe();
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("The service cannot be reached. Try again once it answers.").waitFor();
  assert.equal(await page.evaluate("globalThis.stays"), true, "it was not loaded anew");
  await page.getByRole("link", { name: "Articles" }).click();
  await first.waitFor();
  await page.getByRole("link", { name: "Audit log" }).click();
  await page.getByRole("heading", { level: 1, name: "This page could not be loaded" }).waitFor();

  proxy.mode = "pass";
  await page.getByRole("alert").getByText(BANNER).waitFor({ state: "detached" });
  assert.equal(await page.evaluate("globalThis.stays"), true, "it was not loaded anew");
  await page.getByRole("link", { name: "Articles" }).click();
  await first.waitFor();
  await page.getByRole("link", { name: "Audit log" }).click();
  // Chromium may cache that the file failed to load; then "Try again" reloads the page.
  const shown = page.getByRole("heading", { level: 1, name: "Audit log" });
  const again = page.getByRole("button", { name: "Try again" });
  await until("the page is loaded", async () => {
    await shown.or(again).first().waitFor();
    if (await shown.isVisible()) return true;
    // The button disappears if the page loads meanwhile.
    await again.click({ timeout: 1_000 }).catch(() => undefined);
    return false;
  });
});

test("a proxy that says its service is away is believed, and a click tries at once", async () => {
  const { people, open } = journey();
  await using visit = await open("/dashboard/", { as: await people.owner(), expected: FAILED });
  const { page } = visit;
  await visit.settled();
  const isTried = "globalThis.isTried === true";
  await page.evaluate(
    `addEventListener("click", ({ target }) => (globalThis.isTried ||= target.innerText === "Try now"), true)`,
  );
  // The service stays away until somebody clicks, so the page's own retries cannot come first.
  await page.route(/\/dashboard\/api\//, async (route) => {
    if ((await page.evaluate(isTried)) === true) return route.continue();
    return route.fulfill({ status: 502, contentType: "text/html", body: "Bad gateway" });
  });
  await page.getByRole("link", { name: "Articles" }).click();
  await page.getByRole("alert").getByText(BANNER).waitFor();
  await page.getByRole("button", { name: "Try now" }).click();
  await page.getByText(BANNER).waitFor({ state: "detached" });
  await page.locator("tr[data-article]").first().waitFor();
  await page.unrouteAll({ behavior: "wait" });
});

test("a tab that is older than the service reloads on navigation, and not while the user writes", async () => {
  const { people, open } = journey();
  await using visit = await open("/dashboard/articles/new", { as: await people.owner(), expected: FAILED });
  const { page } = visit;
  await page.getByLabel("Title", { exact: true }).fill("Not saved yet");
  await stays(page);
  await upgrade(page);
  const asked = page.waitForResponse(AUDIT_FILE);
  const link = page.getByRole("link", { name: "Audit log" });
  await link.hover();
  await asked;
  assert.equal(await page.getByLabel("Title", { exact: true }).inputValue(), "Not saved yet");
  assert.equal(await page.evaluate("globalThis.stays"), true);
  await page.getByLabel("Title", { exact: true }).fill("");

  // The new build has it.
  page.on("request", (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) void page.unrouteAll();
  });
  await link.click();
  await page.getByRole("heading", { level: 1, name: "Audit log" }).waitFor();
  await until("it was loaded anew", async () => (await page.evaluate("globalThis.stays")) === undefined);
  assert.ok(page.url().includes("/settings/audit"));
});

test("a file that cannot be loaded is reported, and the page reloads only on request", async () => {
  const { people, open } = journey();
  await using visit = await open("/dashboard/", { as: await people.owner(), expected: FAILED });
  const { page } = visit;
  await visit.settled();
  await stays(page);
  await page.route(AUDIT_FILE, (route) => route.fulfill({ status: 404, body: "" }));
  await page.getByRole("link", { name: "Audit log" }).click();
  await page.getByText("Part of it did not load.").waitFor();
  await visit.axe();
  assert.equal(await page.evaluate("globalThis.stays"), true, "it was not loaded anew");
  await page.unroute(AUDIT_FILE);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { level: 1, name: "Audit log" }).waitFor();
});

/** Cuts open connections and refuses new ones, as when the machine goes down. */
function goAway(proxy: TcpProxy): void {
  proxy.mode = "refuse";
  proxy.cut();
}

/** Replaces the files of the page's build by those of another one. */
async function upgrade(page: Page): Promise<void> {
  await page.route(AUDIT_FILE, (route) => route.fulfill({ status: 404, body: "" }));
  await page.route(/\/dashboard\/$/, async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replace(/index-[^"]*\.js/, "index-newer.js");
    await route.fulfill({ response, body });
  });
}

/** A mark that stays until the page is reloaded. */
async function stays(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.evaluate("globalThis.stays = true");
}
