/** What other people and commands do appears by itself; so does a newer version of these pages. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { cliJson, runCli } from "../helpers/cli.ts";
import { record } from "../helpers/http.ts";
import { until } from "../helpers/until.ts";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";

const journey = shared(() => startJourney());

test("what another person and a command do is in the list and on the overview, without loading them anew", async () => {
  const { people, open, website, service } = journey();
  const owner = await people.owner();
  const editor = await people.person("editor", website.id, "writing@example.com");
  const viewer = await people.person("viewer", website.id, "watching@example.com");
  await using list = await open("/dashboard/articles", { as: owner });
  await using overview = await open("/dashboard/", { as: viewer });
  await stays(list.page);
  await stays(overview.page);
  const waiting = overview.page.getByRole("link", { name: /To review$/ });
  const before = await numberOf(waiting);

  const written = await editor.json(
    "POST",
    "/articles",
    { website_id: website.id, title: "Written just now", markdown: "By somebody else." },
    201,
  );
  await list.page.getByRole("link", { name: "Written just now" }).waitFor();
  await until("it is counted", async () => (await numberOf(waiting)) === before + 1);

  const { dataDir: data, database } = service.app.config;
  const env = database.kind === "postgres" ? { DATABASE_URL: database.url } : {};
  const options = { data, cwd: import.meta.dirname, env, withinMs: 60_000 };
  const id = String(record(written["line"])["id"]);
  for (const command of ["approve", "publish"]) {
    const { code, stderr } = await runCli(["article", command, id], options);
    assert.equal(code, 0, stderr);
  }
  await list.page.getByRole("link", { name: "Written just now" }).waitFor({ state: "detached" });
  const published = overview.page.getByRole("region", { name: "Published last" }).getByRole("link").first();
  await until("it is published", async () => (await published.innerText()) === "Written just now");
  assert.equal(await numberOf(waiting), before);

  const more = JSON.stringify({ title: "By command", content: "<p>Text.</p>" });
  await cliJson(["article", "create", "--website", website.id, "--file", "-"], { ...options, stdin: more });
  await list.page.getByRole("link", { name: "By command" }).waitFor();
  for (const { page } of [list, overview]) assert.equal(await page.evaluate("globalThis.stays"), true);
});

const AUDIT_FILE = /\/assets\/audit-page-[^/]*\.js$/;

test("a tab that is older than the service is loaded anew where somebody goes, and not while they write", async () => {
  const { people, open } = journey();
  await using visit = await open("/dashboard/articles/new", { as: await people.owner(), expected: REFUSED });
  const { page } = visit;
  await page.getByLabel("Title").fill("Not saved yet");
  await stays(page);
  await page.route(AUDIT_FILE, (route) => route.fulfill({ status: 404, body: "" }));
  const asked = page.waitForResponse(AUDIT_FILE);
  const link = page.getByRole("link", { name: "Audit log" });
  await link.hover();
  await asked;
  assert.equal(await page.getByLabel("Title").inputValue(), "Not saved yet");
  assert.equal(await page.evaluate("globalThis.stays"), true);
  await page.getByLabel("Title").fill("");

  // The new one has it.
  page.on("request", (request) => {
    if (request.isNavigationRequest()) void page.unroute(AUDIT_FILE);
  });
  await link.click();
  await page.getByRole("heading", { level: 1, name: "Audit log" }).waitFor();
  assert.equal(await page.evaluate("globalThis.stays"), undefined, "it was loaded anew");
  assert.ok(page.url().includes("/settings/audit"));
});

test("a file that stays away is told of, without loading the page again and again", async () => {
  const { people, open } = journey();
  await using visit = await open("/dashboard/", { as: await people.owner(), expected: REFUSED });
  const { page } = visit;
  await page.getByRole("heading", { level: 1 }).waitFor();
  let loads = 0;
  page.on("request", (request) => {
    if (request.isNavigationRequest()) loads++;
  });
  await page.route(AUDIT_FILE, (route) => route.fulfill({ status: 404, body: "" }));
  // The page of before says so, too, until it is loaded anew.
  await Promise.all([page.waitForEvent("domcontentloaded"), page.getByRole("link", { name: "Audit log" }).click()]);
  await page.getByText("This page could not be shown").waitFor();
  await page.getByRole("button", { name: "Load the page again" }).waitFor();
  assert.ok(loads >= 1 && loads <= 2, `${loads} times`);
  await visit.axe();
  await page.unroute(AUDIT_FILE);
  await page.getByRole("button", { name: "Load the page again" }).click();
  await page.getByRole("heading", { level: 1, name: "Audit log" }).waitFor();
});

const REFUSED = /status of 404|dynamically imported module|The above error occurred/;

/** What is there until the page is loaded anew. */
async function stays(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.evaluate("globalThis.stays = true");
}

async function numberOf(tile: ReturnType<Page["getByRole"]>): Promise<number> {
  return Number((await tile.innerText()).replaceAll(/\D/g, ""));
}
