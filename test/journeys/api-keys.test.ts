/** Keys for the read API: made, used, revoked. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Locator, Page } from "playwright-core";
import { startOfHour } from "../../src/domain/system/time.ts";
import { listKeys, recordKeyRequests } from "../../src/operations/people/api-keys.ts";
import { Client } from "../helpers/http.ts";
import { LIST } from "../helpers/service.ts";
import { until } from "../helpers/until.ts";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";

const journey = shared(startJourney);
const KEYS = "/dashboard/settings/api-keys";

test("a key is shown once with a command that works; its use shows by itself, and revoking it ends that", async () => {
  const { id } = await journey().service.newWebsite({ name: "Used" });
  await using visit = await journey().open(`${KEYS}?website=${id}`, { as: await journey().people.owner() });
  const { page } = visit;
  await page.getByRole("heading", { name: "No API keys yet" }).waitFor();
  await visit.axe();
  await page.getByRole("button", { name: "Create a key" }).click();
  const dialog = page.getByRole("dialog", { name: "Create an API key" });
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.getByText("Enter a name.").waitFor();
  await visit.axe();
  await dialog.getByLabel("Name").fill("Shop");
  assert.ok(await dialog.getByLabel("A website").isChecked(), "what most keys are for");
  await dialog.getByLabel("A staging site").check();
  await dialog.getByLabel("A website").check();
  await dialog.getByRole("button", { name: "Create" }).click();
  const made = page.getByRole("dialog", { name: "The key “Shop”" });
  const secret = await made.getByRole("region", { name: "the key" }).innerText();
  const command = await made.getByRole("region", { name: "the command" }).innerText();
  await visit.axe();
  await made.getByRole("button", { name: "I have stored it" }).click();
  await made.waitFor({ state: "detached" });
  assert.ok(!(await page.content()).includes(secret), "the key is nowhere on the page any more");

  const row = page.getByRole("row", { name: /Shop/ });
  assert.equal(await cell(row, "Reads").innerText(), "Published articles");
  await row.getByRole("img", { name: "No requests in 14 days" }).waitFor();
  assert.equal(await cell(row, "Last used").innerText(), "never");
  assert.match(await run(command), /"articles":\[\]/);
  await cell(row, "Last used").getByText("just now").waitFor();
  await visit.axe();
  // They are written down once a minute; this is what another process has counted.
  await count(id, 1_500);
  await page.reload();
  await row.getByRole("img", { name: /^1,50[01] requests in 14 days: / }).hover();
  await page.getByRole("tooltip").getByText("Days are in UTC").waitFor();

  await row.getByRole("button", { name: "Revoke Shop" }).click();
  const question = page.getByRole("dialog", { name: "Revoke the key “Shop”?" });
  await question.getByText("will be refused with 401").waitFor();
  await question.getByRole("button", { name: "Revoke" }).click();
  const fold = page.getByRole("button", { name: "Expired and revoked (1)" });
  await fold.waitFor();
  await question.waitFor({ state: "detached" });
  // Its row is gone.
  await page.locator("h1:focus").waitFor();
  assert.equal(await page.getByText("Shop", { exact: true }).isVisible(), false);
  using client = new Client(journey().service.url);
  assert.equal((await client.send(LIST, { headers: { "X-API-Key": secret } })).status, 401);
  await fold.press("Enter");
  await row.getByText("Revoked", { exact: true }).waitFor();
  assert.equal(await row.getByRole("button").count(), 0);
  await visit.axe();
});

test("closing before the key was copied asks first, and the next dialog starts fresh", async () => {
  await using visit = await open("Asked");
  const { page } = visit;
  await create(page, "Lost");
  const made = page.getByRole("dialog", { name: "The key “Lost”" });
  await made.getByRole("region", { name: "the key" }).waitFor();
  await page.keyboard.press("Escape");
  const question = page.getByRole("dialog", { name: "Close without the key?" });
  await question.getByRole("button", { name: "Cancel" }).click();
  await question.waitFor({ state: "detached" });
  await made.getByRole("region", { name: "the key" }).waitFor();
  await page.mouse.click(2, 2);
  await made.getByRole("button", { name: "Copy the key" }).click();
  const secret = await made.getByRole("region", { name: "the key" }).innerText();
  await until("it is copied", async () => (await page.evaluate("navigator.clipboard.readText()")) === secret);
  await page.getByText("Copied.").waitFor({ state: "attached" });
  await page.keyboard.press("Escape");
  await made.waitFor({ state: "detached" });
  assert.equal(await question.count(), 0, "what was copied is not asked about");
  await page.getByRole("button", { name: "Create a key" }).click();
  const dialog = page.getByRole("dialog", { name: "Create an API key" });
  assert.equal(await dialog.getByLabel("Name").inputValue(), "");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await hasFocus(page.getByRole("button", { name: "Create a key" }));
});

test("a key expires on the chosen date and has its own rate limit", async () => {
  await using visit = await open("Dated");
  const { page } = visit;
  await page.getByRole("button", { name: "Create a key" }).click();
  const dialog = page.getByRole("dialog", { name: "Create an API key" });
  await dialog.getByLabel("Name").fill("Preview");
  await dialog.getByRole("combobox", { name: "Expires" }).click();
  await page.getByRole("option", { name: "On a date…" }).click();
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.getByText("Choose a date.").waitFor();
  await dialog.getByLabel(/^On/).fill("2020-01-31");
  await dialog.getByRole("button", { name: "Advanced settings" }).click();
  await dialog.getByLabel("Requests per second").fill("1500");
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.getByText("in the future").waitFor();
  await visit.axe();
  const year = new Date().getUTCFullYear() + 1;
  await dialog.getByLabel(/^On/).fill(`${year}-01-31`);
  await dialog.getByRole("button", { name: "Create" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "I have stored it" }).click();
  const row = page.getByRole("row", { name: /Preview/ });
  await cell(row, "Expires").getByText(`31 Jan ${year}`).waitFor();
  await cell(row, "Reads").getByText("1,500 requests a second").waitFor();
});

test("only owners find the page", async () => {
  const { website, people } = journey();
  await using visit = await journey().open(KEYS, { as: await people.person("editor", website.id) });
  await visit.page.getByText("Only owners can open this page").waitFor();
  assert.equal(await visit.page.getByRole("link", { name: "API keys" }).count(), 0);
});

async function open(name: string) {
  const { id } = await journey().service.newWebsite({ name });
  const as = await journey().people.owner();
  const context = { permissions: ["clipboard-read", "clipboard-write"] };
  return journey().open(`${KEYS}?website=${id}`, { as, context });
}

async function create(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "Create a key" }).click();
  const dialog = page.getByRole("dialog", { name: "Create an API key" });
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByRole("button", { name: "Create" }).click();
}

function cell(row: Locator, label: string): Locator {
  return row.locator(`td[data-label="${label}"]`);
}

/** So many requests, now, by the website's one key. */
async function count(websiteId: string, requests: number): Promise<void> {
  const { app } = journey().service;
  const [key] = await listKeys(app, websiteId);
  assert.ok(key !== undefined);
  await recordKeyRequests(app, [{ websiteId, keyId: key.id, hour: startOfHour(app.clock()), requests }]);
}

/** As somebody does who pastes it. @returns what it says. */
async function run(command: string): Promise<string> {
  const { stdout } = await promisify(execFile)("sh", ["-c", command], { timeout: 60_000 });
  return stdout;
}

async function hasFocus(element: Locator): Promise<void> {
  await element.and(element.page().locator(":focus")).waitFor();
}
