/**
 * People at the dashboard: a service of its own with the demonstration's website, and pages in a real Chromium. Closing a
 * page fails the test if the page logged an error, or requested anything but an article's picture from another host.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import axe from "axe-core";
import type { BrowserContext, BrowserContextOptions, ConsoleMessage, Page, Route } from "playwright-core";
import type { App } from "../../src/app/app.ts";
import { CLI_ACTOR } from "../../src/cli/command.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import type { Website } from "../../src/domain/system/website.ts";
import { readImport } from "../../src/importers/import-source.ts";
import { withPictures } from "../../src/operations/articles/import/import-pictures.ts";
import { importArticles } from "../../src/operations/articles/import/imports.ts";
import { updateWebsite } from "../../src/operations/website/websites.ts";
import { buildDashboard } from "../../tools/build-dashboard.ts";
import { shareChromium } from "../helpers/chromium.ts";
import { startTestService, type TestService, withRealPasswords } from "../helpers/service.ts";
import { until } from "../helpers/until.ts";
import { type People, people, type Browser as Person } from "../people/dashboard.ts";

/** After this time a page counts as hung. Nothing takes as long, even on a busy machine. */
const HUNG_MS = 60_000;

const ARTICLES = join(import.meta.dirname, "..", "..", "demo", "articles");
const WEBSITE = {
  name: "Lantern Row Tea",
  url: "https://www.example.com",
  urlPattern: "https://www.example.com/blog/{slug}",
};

/** Articles of journeys name pictures on this host, which does not exist. */
const PICTURES = /^https:\/\/images\.example\.com\//;
const PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 9" width="1600" height="900">
  <rect width="16" height="9" fill="#d8c9a8"/><circle cx="11" cy="4" r="2" fill="#b0764a"/>
  <path d="M0 9 5 4l4 4 3-2 4 3Z" fill="#6d7f63"/></svg>`;

/** Chromium logs each response that is an error; the page reports it to people. */
const REFUSED = /^Failed to load resource: the server responded with a status of 4\d\d/;

const IS_SETTLED = `!document.querySelector('[aria-busy="true"], .mantine-Skeleton-root, .mantine-Loader-root')
  && [...document.images].every((image) => image.complete || image.loading === "lazy") && document.fonts.status === "loaded"`;

const STOPPED = /The service is stopping/;
const ACCESSIBLE = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const FIND_VIOLATIONS = `axe.run({ exclude: ["iframe"] }, ${JSON.stringify({
  runOnly: { type: "tag", values: ACCESSIBLE },
  resultTypes: ["violations"],
  iframes: false,
} satisfies axe.RunOptions)}).then(({ violations }) => violations)`;

export interface Journey extends AsyncDisposable {
  service: TestService;
  /** The service's one website, with the demonstration's sixteen articles in three states; `service.key` reads it. */
  website: Website;
  people: People;
  /** A page of its own, at an address below the service's, e.g. `/dashboard`. */
  open: (path: string, options?: VisitOptions) => Promise<Visit>;
}

export interface VisitOptions {
  /** The session that the page has; absent: nobody is signed in. */
  as?: Person;
  width?: number;
  height?: number;
  colorScheme?: "light" | "dark";
  /** Console messages that this journey expects. */
  expected?: RegExp;
  context?: BrowserContextOptions;
  /** Host name in the page's address; absent: the service's address. Browsers allow passkeys only for names. */
  host?: "localhost";
  /** Origin of another route to the service, such as one that can fail. */
  by?: string;
}

export interface Visit extends AsyncDisposable {
  page: Page;
  /** The page's problems so far; closing the page fails because of them. */
  complaints: readonly string[];
  /** Resolves when nothing on the page is loading any more (`aria-busy`). */
  settled(): Promise<void>;
  /** Fails if axe finds a barrier on the page as it is now. */
  axe(): Promise<void>;
}

/** @param settings of the service, as in the environment. */
export async function startJourney(
  settings: Record<string, string> = {},
  wrap: (app: App) => App = (app) => app,
): Promise<Journey> {
  await using opened = new AsyncDisposableStack();
  assert.notEqual(await buildDashboard(), "no-tools", "the dashboard's development packages are not installed");
  const service = opened.use(await startTestService(settings, (app) => wrap(withRealPasswords(app))));
  const website = await updateWebsite(service.app, service.website.id, WEBSITE, CLI_ORIGIN);
  const found = readImport(ARTICLES, { format: "markdown", websiteUrl: WEBSITE.url, clock: service.app.clock });
  const items = withPictures(service.app, found, { root: ARTICLES, website, base: service.url, origin: CLI_ORIGIN });
  const options = { events: true, dryRun: false, actor: CLI_ACTOR };
  assert.deepEqual((await importArticles(service.app, website.id, items, options)).failed, []);
  const { open } = opened.use(await startBrowser(service.url));
  const all = opened.use(people(service));
  const owned = opened.move();
  return {
    service,
    website,
    people: all,
    open,
    [Symbol.asyncDispose]: async () => {
      await owned.disposeAsync();
      // A page that has gone may have left a comparison under way, which the stop ended.
      const failures = service.log.failures.filter(({ error }) => !STOPPED.test(String(error)));
      assert.deepEqual(failures, [], "the service failed");
    },
  };
}

/** Pages of the service at that address. */
export async function startBrowser(address: string): Promise<Pick<Journey, "open"> & AsyncDisposable> {
  const shared = await shareChromium();
  const contexts: BrowserContext[] = [];
  return {
    open: async (path, visit = {}) => {
      const { as, width = 1280, height = 800, colorScheme = "light" } = visit;
      const context = await shared.browser.newContext({
        viewport: { width, height },
        colorScheme,
        reducedMotion: "reduce",
        locale: "en-GB",
        timezoneId: "UTC",
        ...visit.context,
      });
      contexts.push(context);
      context.setDefaultTimeout(HUNG_MS);
      const own = visit.by ?? address;
      const url = visit.host === undefined ? own : own.replace("127.0.0.1", visit.host);
      if (as?.cookie !== undefined) await addSession(context, url, as.cookie);
      return openPage(context, url, path, visit.expected);
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(contexts.map((context) => context.close()));
      await shared[Symbol.asyncDispose]();
    },
  };
}

async function addSession(context: BrowserContext, url: string, cookie: string): Promise<void> {
  const [name = "", value = ""] = cookie.split("=");
  await context.addCookies([{ name, value, url, httpOnly: true, sameSite: "Lax" }]);
}

async function openPage(context: BrowserContext, url: string, path: string, expected?: RegExp): Promise<Visit> {
  const complaints: string[] = [];
  await context.route(
    ({ protocol, origin }) => protocol.startsWith("http") && origin !== url,
    (route) => answerElsewhere(route, complaints),
  );
  // The service would fetch these from a host that does not exist.
  await context.route(
    ({ pathname, searchParams }) => pathname.endsWith("/picture") && PICTURES.test(searchParams.get("url") ?? ""),
    (route) => route.fulfill({ contentType: "image/svg+xml", body: PICTURE }),
  );
  const page = await context.newPage();
  page.on("console", (message) => {
    if (isComplaint(message, url) && expected?.test(message.text()) !== true) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.stack ?? error.message));
  page.on("websocket", (socket) => complaints.push(`a connection to ${socket.url()}`));
  await page.goto(`${url}${path}`);
  return {
    page,
    complaints,
    settled: async () => {
      await page.getByRole("heading", { level: 1 }).first().waitFor();
      // Playwright's own waiting would need eval, which the policy forbids.
      await until("everything is loaded", async () => (await page.evaluate(IS_SETTLED)) === true, HUNG_MS);
    },
    axe: async () => {
      // Scripts cannot run in an article's frame, not even axe.
      if ((await page.evaluate("'axe' in window")) !== true) await page.evaluate(axe.source);
      const violations: axe.Result[] = await page.evaluate(FIND_VIOLATIONS);
      const found = violations.map(({ id, help, nodes }) => ({
        [`${id}: ${help}`]: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })),
      }));
      assert.deepEqual(found, [], `axe on ${page.url()}`);
    },
    [Symbol.asyncDispose]: async () => {
      const address = page.url();
      await context.close();
      assert.deepEqual(complaints, [], `what ${address} complained about`);
    },
  };
}

async function answerElsewhere(route: Route, complaints: string[]): Promise<void> {
  const asked = route.request().url();
  if (route.request().resourceType() === "image" && PICTURES.test(asked)) {
    return route.fulfill({ contentType: "image/svg+xml", body: PICTURE });
  }
  complaints.push(`a request to another host: ${asked}`);
  return route.abort();
}

/** Resolves when keys go to the dialog, which takes the focus a moment after it is seen. */
export async function waitForDialogFocus(page: Page): Promise<void> {
  await page.locator('[role="dialog"] :focus').waitFor();
}

/** Errors and warnings, violations of the content security policy among them. */
function isComplaint(message: ConsoleMessage, url: string): boolean {
  if (!["error", "warning"].includes(message.type())) return false;
  return !(REFUSED.test(message.text()) && message.location().url.startsWith(`${url}/dashboard/api/`));
}
