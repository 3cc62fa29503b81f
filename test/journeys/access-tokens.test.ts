/** Access tokens: made by an owner, used by a machine, revoked. */
import assert from "node:assert/strict";
import { Client } from "../helpers/http.ts";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";

const journey = shared(startJourney);
const TOKENS = "/dashboard/settings/access-tokens";

test("a token is shown once with a command that works; its use shows by itself, and revoking it ends that", async () => {
  const { id } = await journey().service.newWebsite({ name: "Used" });
  await using visit = await journey().open(`${TOKENS}?website=${id}`, { as: await journey().people.owner() });
  const { page } = visit;
  await page.getByRole("heading", { name: "No access tokens yet" }).waitFor();
  await visit.axe();
  await page.getByRole("button", { name: "Create a token" }).click();
  const dialog = page.getByRole("dialog", { name: "Create an access token" });
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.getByText("Enter a name.").waitFor();
  assert.ok(await dialog.getByLabel("Write drafts").isChecked(), "a person approves");
  await dialog.getByText("A person approves and publishes.").waitFor();
  await visit.axe();
  await dialog.getByLabel("Name").fill("Generator");
  await dialog.getByRole("button", { name: "Create" }).click();
  const made = page.getByRole("dialog", { name: "The access token “Generator”" });
  const secret = await made.getByRole("region", { name: "the access token" }).innerText();
  const command = await made.getByRole("region", { name: "the command" }).innerText();
  const [, address = ""] = / '(http[^']+)'$/.exec(command) ?? [];
  await visit.axe();
  await made.getByRole("button", { name: "I have stored it" }).click();
  await made.waitFor({ state: "detached" });
  assert.ok(!(await page.content()).includes(secret), "the token is nowhere on the page any more");

  const row = page.getByRole("row", { name: /Generator/ });
  const cell = (label: string) => row.locator(`td[data-label="${label}"]`);
  assert.equal(await cell("Scope").innerText(), "Write drafts");
  assert.equal(await cell("Last used").innerText(), "never");
  using client = new Client(journey().service.url);
  const { pathname } = new URL(address);
  const get = () => client.send(pathname, { headers: { Authorization: `Bearer ${secret}` } });
  assert.equal((await get()).status, 200);
  await page.reload();
  await cell("Last used").getByText("just now").waitFor();

  await row.getByRole("button", { name: "Revoke Generator" }).click();
  const question = page.getByRole("dialog", { name: "Revoke the access token “Generator”?" });
  await question.getByRole("button", { name: "Revoke" }).click();
  const fold = page.getByRole("button", { name: "Expired and revoked (1)" });
  await fold.waitFor();
  await question.waitFor({ state: "detached" });
  assert.equal((await get()).status, 401);
  await fold.press("Enter");
  await row.getByText("Revoked", { exact: true }).waitFor();
  assert.equal(await row.getByRole("button").count(), 0);
  await visit.axe();
});

test("a website that requires a second factor asks for it before anybody makes a token", async () => {
  const { service, people } = journey();
  const { id } = await service.newWebsite({ name: "Careful" });
  await service.app.store.write((db) => db.run("UPDATE websites SET requires_second_factor = 1 WHERE id = ?", id));
  const owner = await people.owner();
  const body = { website_id: id, name: "Generator", scope: "draft", expires_at: null };
  const { message } = await owner.json("POST", "/access-tokens", body, 403);
  assert.match(String(message), /requires a second factor/);
});

test("only owners find the page", async () => {
  const { website, people } = journey();
  await using visit = await journey().open(TOKENS, { as: await people.person("approver", website.id) });
  await visit.page.getByText("Only owners can open this page").waitFor();
  assert.equal(await visit.page.getByRole("link", { name: "Access tokens" }).count(), 0);
});
