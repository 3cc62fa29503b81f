/** Settings › Senders: a tool is connected, what it sends appears by itself, and what is not understood is mapped. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { findDialect } from "../../src/domain/articles/senders/dialects.ts";
import { createSender } from "../../src/operations/articles/senders/senders.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import type { Reply } from "../helpers/http.ts";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";

const journey = shared(startJourney);
const SENDERS = "/dashboard/settings/senders";

test("a tool is connected by an address and a secret; its first arrival shows by itself, and leads to the article", async () => {
  const { service, people, open } = journey();
  const { id } = await service.newWebsite({ name: "Connected" });
  await using visit = await open(`${SENDERS}?website=${id}`, { as: await people.owner() });
  const { page } = visit;
  await page.getByRole("heading", { name: "No senders yet" }).waitFor();
  await visit.axe();
  await page.getByRole("button", { name: "Connect a sender" }).click();
  const dialog = page.getByRole("dialog", { name: "Connect a sender" });
  await dialog.getByRole("button", { name: "Connect" }).click();
  await dialog.getByText("Choose a kind.").waitFor();
  // By keyboard alone.
  const kind = dialog.getByRole("combobox", { name: /What sends/ });
  await kind.focus();
  await page.keyboard.type("outra");
  await page.keyboard.press("Enter");
  assert.equal(await dialog.getByRole("textbox", { name: "Name" }).inputValue(), "Outrank");
  await visit.axe();
  await dialog.getByRole("button", { name: "Connect" }).click();

  const made = page.getByRole("dialog", { name: "Connect Outrank" });
  const address = await made.getByRole("region", { name: "the address" }).innerText();
  const secret = await made.getByRole("region", { name: "the secret" }).innerText();
  await made.getByText(findDialect("outrank")?.setup ?? "").waitFor();
  await made.getByRole("button", { name: "Send a sample" }).click();
  await made.getByText("How to keep basil alive in winter").first().waitFor();
  await made.getByRole("region", { name: "the answer" }).waitFor();
  await visit.axe();
  await made.getByText("Waiting for the first arrival").waitFor();
  const article = { id: "9", title: "Gyokuro", content_html: "<p>Shaded for three weeks.</p>" };
  const reply = await deliver(address, secret, { event_type: "publish_articles", data: { articles: [article] } });
  assert.equal(reply.status, 200, reply.text);
  await made.getByText("Arrived: Gyokuro").waitFor();
  await visit.axe();
  await made.getByRole("button", { name: "I have pasted it" }).click();
  const question = page.getByRole("dialog", { name: "Close without the secret?" });
  assert.equal(await question.count(), 0);
  await made.waitFor({ state: "detached" });
  assert.ok(!(await page.content()).includes(secret), "the secret is nowhere on the page any more");

  await page.getByText("Working", { exact: true }).waitFor();
  await page.getByRole("link", { name: "Outrank" }).click();
  await page.getByRole("heading", { level: 1, name: "Outrank" }).waitFor();
  const row = page.getByRole("button", { name: /Gyokuro/ });
  await row.press("Enter");
  await page.getByRole("region", { name: "the body" }).waitFor();
  assert.ok(!(await page.content()).includes(secret), "an arrival is shown without its secret");
  await visit.axe();
  await page.getByRole("link", { name: "Open the article" }).click();
  await page.getByRole("heading", { name: "Gyokuro" }).first().waitFor();
  await page.getByText(/^Sent by Outrank/).waitFor();
});

test("what is not understood is mapped by clicking its values, tried, and run again", async () => {
  const { service, people, open } = journey();
  const website = await service.newWebsite({ name: "Mapped" });
  const input = { kind: "generic", name: "Newsroom script", secret: null };
  const { sender, secret } = await createSender(service.app, website.id, input, CLI_ORIGIN);
  const address = `${service.url}/senders/${sender.id}`;
  for (const ref of ["a", "b"]) {
    const body = { info: { ref, kopf: `Tea ${ref}`, rumpf: "<p>Dry, dark and cool.</p>" } };
    await deliver(address, String(secret), body);
  }
  await using visit = await open(`${SENDERS}/${sender.id}?website=${website.id}`, { as: await people.owner() });
  const { page } = visit;
  await page.locator("main").getByText("Needs attention").first().waitFor();
  const rows = page.locator("main li > [aria-expanded]");
  await rows.nth(1).getByText("Needs attention").waitFor();
  await rows.first().click();
  await page.locator("main li").getByRole("link", { name: "Map fields" }).click();
  await page.getByRole("heading", { level: 1, name: "Map fields" }).waitFor();
  await visit.axe();
  await pick(page, "Title", /kopf: "Tea b"/);
  await pick(page, "Text in HTML", /rumpf: /);
  await pick(page, "ID", /ref: "b"/);
  assert.equal(await page.getByRole("textbox", { name: "Place of the articles" }).inputValue(), "info");
  assert.equal(await page.getByRole("textbox", { name: "Title", exact: true }).inputValue(), "kopf");
  await page.getByRole("button", { name: "Try" }).click();
  await page.getByText("Would be stored").waitFor();
  await visit.axe();
  await page.getByRole("button", { name: "Save and run again" }).click();
  await page.getByText(/^2 arrivals were run again/).waitFor();
  await page.getByRole("button", { name: /Tea b/ }).getByText("New article").waitFor();
  await page.getByText("mapped here").waitFor();
  await visit.axe();
});

test("what arrives at “Anything else” looks like a kind, which can be chosen there", async () => {
  const { service, people, open } = journey();
  const website = await service.newWebsite({ name: "Recognised" });
  const input = { kind: "generic", name: "Some tool", secret: null };
  const { sender, secret } = await createSender(service.app, website.id, input, CLI_ORIGIN);
  const body = findDialect("outrank")?.sample?.body;
  await deliver(`${service.url}/senders/${sender.id}`, String(secret), Object(body));
  await using visit = await open(`${SENDERS}/${sender.id}?website=${website.id}`, { as: await people.owner() });
  const { page } = visit;
  await page
    .getByRole("alert")
    .getByText(/^This looks like .*Outrank/)
    .waitFor();
  await visit.axe();
  await page.getByRole("button", { name: "Use Outrank" }).click();
  await page.getByText("The kind is Outrank now.").waitFor();
  await page.getByText(/^Outrank\. /).waitFor();
});

test("a secret is rotated and a sender deleted, which refuses what it sends", async () => {
  const { service, people, open } = journey();
  const website = await service.newWebsite({ name: "Turned" });
  const input = { kind: "generic", name: "Old script", secret: null };
  const { sender, secret } = await createSender(service.app, website.id, input, CLI_ORIGIN);
  const path = `${SENDERS}/${sender.id}?website=${website.id}`;
  await using visit = await open(path, { as: await people.owner(), width: 390, height: 844, colorScheme: "dark" });
  const { page } = visit;
  await choose(page, "Rotate the secret");
  await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click();
  const made = page.getByRole("dialog", { name: "The new secret" });
  const rotated = await made.getByRole("region", { name: "the secret" }).innerText();
  await visit.axe();
  await made.getByRole("button", { name: "I have pasted it" }).click();
  await page.getByText("Previous secret").waitFor();
  const address = `${service.url}/senders/${sender.id}`;
  const article = { id: "1", title: "Tea", content: "<p>A tea.</p>" };
  for (const one of [String(secret), rotated]) assert.equal((await deliver(address, one, article)).status, 200);
  await page
    .locator("main")
    .getByRole("button", { name: /^.*Tea/ })
    .first()
    .waitFor();
  assert.ok(Number(await page.evaluate("document.documentElement.scrollWidth - innerWidth")) <= 0);

  await choose(page, "Delete");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("heading", { name: "No senders yet" }).waitFor();
  assert.equal((await deliver(address, rotated, article)).status, 401);
});

test("only owners find the page", async () => {
  const { website, people } = journey();
  await using visit = await journey().open(SENDERS, { as: await people.person("approver", website.id) });
  await visit.page.getByText("Only owners can open this page").waitFor();
  assert.equal(await visit.page.getByRole("link", { name: "Senders" }).count(), 0);
});

/** Takes the value for the field. */
async function pick(page: Page, field: string, value: RegExp): Promise<void> {
  await page.getByRole("textbox", { name: field, exact: true }).focus();
  await page.getByText(`Click a value to use it as: ${field}.`).waitFor();
  await page.getByRole("button", { name: value }).click();
}

async function choose(page: Page, item: string): Promise<void> {
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name: item }).click();
  await page.getByRole("dialog").waitFor();
}

function deliver(address: string, secret: string, body: object): Promise<Reply> {
  const headers = { "X-API-Key": undefined, "Content-Type": "application/json", Authorization: `Bearer ${secret}` };
  return journey().service.send(new URL(address).pathname, { method: "POST", headers, body: JSON.stringify(body) });
}
