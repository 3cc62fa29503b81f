/** Changes by other people and commands appear without reloading. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { cliJson, runCli } from "../helpers/cli.ts";
import { record } from "../helpers/http.ts";
import { until } from "../helpers/until.ts";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";

const journey = shared(() => startJourney());

test("changes by other people and by commands appear in the list and on the overview without reloading", async () => {
  const { people, open, website, service } = journey();
  const owner = await people.owner();
  const editor = await people.person("editor", website.id, "writing@example.com");
  const viewer = await people.person("viewer", website.id, "watching@example.com");
  await using list = await open("/dashboard/articles", { as: owner });
  await using overview = await open("/dashboard/", { as: viewer });
  await stays(list.page);
  await stays(overview.page);
  await overview.settled();
  const waiting = overview.page.getByRole("link", { name: /To review$/ });
  const before = await numberOf(waiting);

  const written = await editor.json(
    "POST",
    "/articles",
    { website_id: website.id, title: "Written just now", markdown: "By somebody else." },
    201,
  );
  const { id, version } = record(written["line"]);
  await editor.json("POST", `/articles/${String(id)}/submit`, { version });
  await list.page.getByRole("link", { name: "Written just now" }).waitFor();
  await until("it is counted", async () => (await numberOf(waiting)) === before + 1);

  const { dataDir: data, database } = service.app.config;
  const env = database.kind === "postgres" ? { DATABASE_URL: database.url } : {};
  const options = { data, cwd: import.meta.dirname, env };
  for (const command of ["approve", "publish"]) {
    const { code, stderr } = await runCli(["article", command, String(id)], options);
    assert.equal(code, 0, stderr);
  }
  await list.page.getByRole("link", { name: "Written just now" }).waitFor({ state: "detached" });
  const published = overview.page.getByRole("region", { name: "Recently published" }).getByRole("link").first();
  await until("it is published", async () => (await published.innerText()) === "Written just now");
  assert.equal(await numberOf(waiting), before);

  const more = JSON.stringify({ title: "By command", content: "<p>Text.</p>" });
  await cliJson(["article", "create", "--website", website.id, "--file", "-"], { ...options, stdin: more });
  await list.page.getByRole("link", { name: "By command" }).waitFor();
  for (const { page } of [list, overview]) assert.equal(await page.evaluate("globalThis.stays"), true);
});

test("a page left open over an upgrade ignores what only the later version reports, and follows the rest", async () => {
  const { people, open, website } = journey();
  const viewer = await people.person("viewer", website.id, "older@example.com");
  await using visit = await open("/dashboard/", { as: viewer });
  const { page } = visit;
  await visit.settled();
  const changes = [["tomorrow"], ["tomorrow", "articles"]].map((topics) => JSON.stringify({ topics }));
  let isLater = false;
  await page.route("**/dashboard/api/live?*", (route) => {
    if (isLater) return route.continue();
    isLater = true;
    const body = changes.map((data) => `event: change\ndata: ${data}\n\n`).join("");
    return route.fulfill({ contentType: "text/event-stream", body });
  });
  let counted = 0;
  page.on("request", (request) => {
    if (request.url().includes("/articles/counts")) counted += 1;
  });
  await page.reload();
  await until("the articles are counted again", () => isLater && counted > 1);
});

/** A mark that stays until the page is reloaded. */
async function stays(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.evaluate("globalThis.stays = true");
}

async function numberOf(tile: ReturnType<Page["getByRole"]>): Promise<number> {
  return Number((await tile.innerText()).replaceAll(/\D/g, ""));
}
