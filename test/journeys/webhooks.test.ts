/** Webhooks: created, inspected, tested, and enabled again after their receiver was down. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createArticle } from "../../src/operations/articles/write/articles.ts";
import { createEndpoint, type NewEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { until } from "../helpers/until.ts";
import { assertSigned, FAILS, isSignedBy, LOOPBACK, OK, ScriptedReceiver } from "../helpers/webhooks.ts";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";

const journey = shared(() =>
  startJourney({ ...LOOPBACK, ROSTRUM_WEBHOOK_RETRY_SECONDS: "0", ROSTRUM_WEBHOOK_DISABLE_AFTER: "2" }),
);
const WEBHOOKS = "/dashboard/settings/webhooks";

test("a webhook is created with a check of its URL, and its deliveries are inspected and sent again", async () => {
  await using receiver = await ScriptedReceiver.start();
  const { id } = await journey().service.newWebsite({ name: "Made" });
  await using visit = await journey().open(`${WEBHOOKS}?website=${id}`, { as: await journey().people.owner() });
  const { page } = visit;
  await page.getByRole("heading", { name: "No webhooks yet" }).waitFor();
  await visit.axe();
  await page.getByRole("button", { name: "Create a webhook" }).click();
  const dialog = page.getByRole("dialog", { name: "Create a webhook" });
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.getByText("Enter the URL.").waitFor();
  const address = dialog.getByRole("textbox", { name: "URL" });
  await address.fill("http://10.1.2.3/hook");
  await address.blur();
  await dialog.getByText("10.1.2.3").waitFor();
  await visit.axe();
  await address.fill(receiver.url);
  assert.equal(await dialog.getByText("10.1.2.3").count(), 0, "what was said of the other address is gone");
  await address.blur();
  await dialog.getByText("This address is not encrypted").waitFor();
  await dialog.getByRole("button", { name: "Advanced settings" }).click();
  await dialog.getByRole("button", { name: "Add a header" }).click();
  await dialog.getByLabel("Name of header 1").fill("Host");
  await dialog.getByLabel("Value of header 1").fill("Bearer of-nobody");
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.getByText("The header Host is set by Rostrum itself").waitFor();
  await visit.axe();
  await dialog.getByLabel("Name of header 1").fill("Authorization");
  await dialog.getByRole("button", { name: "Add a header" }).click();
  await dialog.getByLabel("Name of header 2").fill("authorization");
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.getByText("This header is listed already.").waitFor();
  await dialog.getByRole("button", { name: "Remove header 2" }).click();
  await dialog.getByRole("button", { name: "Create" }).click();
  const made = page.getByRole("dialog", { name: "Webhook created" });
  const secret = await made.getByRole("region", { name: "the secret" }).innerText();
  await visit.axe();
  await made.getByRole("button", { name: "I have stored it" }).click();
  await made.waitFor({ state: "detached" });

  await page.getByRole("link", { name: receiver.url }).click();
  await page.getByText("custom headers: Authorization").waitFor();
  await page.getByText("Nothing sent yet.").waitFor();
  await publish(id, "Harvest begins");
  const row = delivery(page, "Harvest begins");
  await row.getByText("Delivered").waitFor();
  const received = await receiver.arrival(1);
  assertSigned(received, secret);
  assert.equal(received.headers["authorization"], "Bearer of-nobody");

  await row.getByRole("button", { name: /Harvest begins/ }).press("Enter");
  await row.getByText("Attempt 1: HTTP 204").waitFor();
  await row.getByRole("button", { name: "Request headers" }).click();
  await row.getByText(String(received.headers["webhook-signature"])).waitFor();
  assert.equal(await page.getByText("of-nobody").count(), 0, "the values of its own headers are not shown");
  const message = row.getByRole("region", { name: "the message" });
  await message.getByText('"title": "Harvest begins"').waitFor();
  await row.getByText("As sent").click();
  await until("the bytes are shown", async () => (await message.innerText()) === received.body);
  await visit.axe();
  await row.getByRole("button", { name: "Send again" }).click();
  const again = await receiver.arrival(2);
  assert.equal(again.body, received.body);
  assert.equal(again.headers["webhook-id"], received.headers["webhook-id"]);
  await delivery(page, "sent again").getByText("Delivered").waitFor();
});

test("a failing receiver is reported, then disabled; once enabled it gets what it has missed", async () => {
  await using receiver = await ScriptedReceiver.start(FAILS);
  const set = await webhookOf("Failing", receiver, { name: "Search index" });
  await using visit = await journey().open(set.path, { as: await journey().people.owner() });
  const { page } = visit;
  await publish(set.website, "First");
  await page.getByText("It has failed once").waitFor();
  await page.getByText("1 of 2").waitFor();
  await visit.axe();
  await delivery(page, "First").getByRole("button", { name: /First/ }).click();
  await delivery(page, "First").getByText("Attempt 2: HTTP 500").waitFor();
  await publish(set.website, "Second");
  await page.getByText("It is disabled.").waitFor();
  await publish(set.website, "Third");
  await publish(set.website, "Fourth");
  await delivery(page, "Fourth").getByText("Parked").waitFor();

  await page.getByRole("link", { name: "Webhooks" }).first().click();
  await page
    .getByRole("status")
    .filter({ hasText: /^Search index.*View the webhook/ })
    .waitFor();
  await visit.axe();
  await page.getByRole("link", { name: "View the webhook" }).click();
  receiver.script = OK;
  await page.getByRole("button", { name: "Enable" }).click();
  const dialog = page.getByRole("dialog", { name: "Enable the webhook" });
  await dialog.getByText("It has missed 4 events about 4 articles since its last success").waitFor();
  assert.equal(await dialog.getByLabel("The latest event of each article").isChecked(), true);
  await dialog.getByLabel("All events, in order for each article").check();
  await visit.axe();
  await dialog.getByRole("button", { name: "Enable" }).click();
  await dialog.waitFor({ state: "detached" });
  for (const title of ["First", "Second", "Third", "Fourth"]) {
    await delivery(page, title).getByText("Delivered").waitFor();
  }
  // The events are of different articles, so they have no order.
  assert.deepEqual(receiver.titles.slice(-4).toSorted(), ["First", "Fourth", "Second", "Third"]);
  await page.getByText("0 of 2").waitFor();
  assert.equal(await page.getByText("It is disabled.").count(), 0);
});

test("a rotated secret is shown once, and both secrets sign for the chosen time", async () => {
  await using receiver = await ScriptedReceiver.start();
  const set = await webhookOf("Rotated", receiver);
  await using visit = await journey().open(set.path, { as: await journey().people.owner() });
  const { page } = visit;
  const secret = await rotate(page, "24 hours", async (dialog) => {
    await dialog.getByText("The previous secret stays valid until").waitFor();
    await visit.axe();
  });
  await page.getByText("The previous secret stays valid until").waitFor();
  await publish(set.website, "Both");
  const both = await receiver.arrival(1);
  assert.ok(isSignedBy(both, set.secret) && isSignedBy(both, secret));

  const last = await rotate(page, "It ends immediately", (dialog) =>
    dialog.getByText("The previous secret is no longer valid").waitFor(),
  );
  await page.getByText("The previous secret stays valid until").waitFor({ state: "detached" });
  await publish(set.website, "One");
  const one = await receiver.arrival(2);
  assert.deepEqual(
    [set.secret, secret, last].map((known) => isSignedBy(one, known)),
    [false, false, true],
  );
});

test("a test says at once how it ended, of a webhook that is paused, too", async () => {
  await using receiver = await ScriptedReceiver.start(() => ({ status: 418, body: "I am a teapot" }));
  const set = await webhookOf("Tested", receiver);
  await using visit = await journey().open(set.path, { as: await journey().people.owner() });
  const { page } = visit;
  await more(page, "Pause");
  await page.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
  await page.getByText("Paused", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Send a test event" }).click();
  await page.getByText(/^The receiver answered 418. It took [\d.]+ ms/).waitFor();
  await page.getByRole("region", { name: "the answer to the test" }).getByText("I am a teapot").waitFor();
  await visit.axe();
  receiver.script = OK;
  await page.getByRole("button", { name: "Send a test event" }).click();
  await page.getByText(/^The receiver answered 204 after/).waitFor();
  await until("both are in the log", async () => (await delivery(page, "test").count()) === 2);
  await page.getByText("0 of 2").waitFor();
  await page.getByRole("button", { name: "Enable" }).click();
  const dialog = page.getByRole("dialog", { name: "Enable the webhook" });
  await dialog.getByText("It has missed nothing since its last success.").waitFor();
  assert.equal(await dialog.getByRole("radio").count(), 0, "there is nothing to choose");
});

test("a receiver's response is shown as text, whatever it is", async () => {
  const hostile = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
  await using receiver = await ScriptedReceiver.start(() => ({
    status: 500,
    headers: { "Content-Type": "text/html", "X-Note": hostile, Refresh: "0; url=https://evil.example/" },
    body: `${hostile}</code></pre><iframe src="https://evil.example/"></iframe>`,
  }));
  const set = await webhookOf("Hostile", receiver);
  await using visit = await journey().open(set.path, { as: await journey().people.owner() });
  const { page } = visit;
  await page.getByRole("button", { name: "Send a test event" }).click();
  await page.getByRole("region", { name: "the answer to the test" }).getByText(hostile).waitFor();
  const row = delivery(page, "test");
  await row.getByRole("button", { name: /test/ }).click();
  await row.getByRole("region", { name: "the answer", exact: true }).getByText(hostile).waitFor();
  await row.getByRole("button", { name: "Response headers" }).click();
  await row.getByText(hostile, { exact: true }).waitFor();
  assert.equal(await page.locator("iframe, img[src=x]").count(), 0);
  assert.equal(await page.title(), "Webhook · Rostrum");
  await visit.axe();
});

test("a range is replayed, settings are changed, and deleting asks first", async () => {
  await using receiver = await ScriptedReceiver.start();
  const set = await webhookOf("Changed", receiver, { headers: { "X-Token": "abc" } });
  await publish(set.website, "Once");
  await receiver.arrival(1);
  await using visit = await journey().open(set.path, { as: await journey().people.owner() });
  const { page } = visit;
  await more(page, "Replay events");
  const range = page.getByRole("dialog", { name: "Replay events" });
  await range.getByLabel("Since").fill("01/02/2020");
  await range.getByRole("button", { name: "Send again" }).click();
  await range.getByText("Enter a date and time such as 2026-12-31 09:00.").waitFor();
  await range.getByLabel("Since").fill("2020-01-01 00:00");
  await range.getByText("That is Wed, 1 Jan 2020, 00:00, UTC. Sends up to 1 event.").waitFor();
  await visit.axe();
  await range.getByRole("button", { name: "Send again" }).click();
  assert.equal((await receiver.arrival(2)).headers["x-token"], "abc");
  await delivery(page, "replayed").getByText("Delivered").waitFor();

  await page.getByRole("button", { name: "Edit" }).click();
  const edit = page.getByRole("dialog", { name: "Edit the webhook" });
  await edit.getByRole("radio", { name: "IDs only" }).check();
  await edit.getByRole("button", { name: "Advanced settings" }).click();
  await edit.getByText("Saved: X-Token").waitFor();
  await edit.getByLabel("Remove all saved headers").check();
  await visit.axe();
  await edit.getByRole("button", { name: "Save" }).click();
  await page.getByText("Receives every event; IDs only.").waitFor();

  await more(page, "Delete");
  const deletion = page.getByRole("dialog", { name: "Delete the webhook?" });
  const confirm = deletion.getByRole("button", { name: "Delete" });
  await deletion.getByLabel("Type “delete” to confirm").fill("delete");
  await page.keyboard.press("Escape");
  await deletion.waitFor({ state: "detached" });
  await page
    .locator(":focus")
    .and(page.getByRole("button", { name: "More", exact: true }))
    .waitFor();
  await more(page, "Delete");
  assert.equal(await confirm.isDisabled(), true, "it is typed anew");
  await visit.axe();
  await deletion.getByLabel("Type “delete” to confirm").fill("delete");
  await confirm.click();
  await page.getByRole("heading", { name: "No webhooks yet" }).waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: "Webhook not found" }).waitFor();
  await visit.axe();
});

/** A webhook on a website of its own. */
async function webhookOf(name: string, { url }: ScriptedReceiver, settings: Partial<NewEndpoint> = {}) {
  const website = (await journey().service.newWebsite({ name })).id;
  const { endpoint, secret } = await createEndpoint(journey().service.app, website, { url, ...settings }, CLI_ORIGIN);
  return { website, secret, path: `${WEBHOOKS}/${endpoint.id}?website=${website}` };
}

async function publish(website: string, title: string): Promise<void> {
  await createArticle(journey().service.app, website, makeArticle({ title, status: "published" }), CHIEF);
}

/** The line of the log with this text. */
function delivery(page: Page, text: string) {
  return page.getByRole("region", { name: "Deliveries" }).getByRole("listitem").filter({ hasText: text });
}

async function more(page: Page, item: string): Promise<void> {
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name: item }).click();
}

/** @returns the new secret. */
async function rotate(
  page: Page,
  overlap: string,
  look: (dialog: ReturnType<Page["getByRole"]>) => Promise<void>,
): Promise<string> {
  await more(page, "Rotate the secret");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox", { name: "How long the previous secret stays valid" }).click();
  await page.getByRole("option", { name: overlap }).click();
  await dialog.getByRole("button", { name: "Rotate" }).click();
  const secret = await dialog.getByRole("region", { name: "the secret" }).innerText();
  await look(dialog);
  await dialog.getByRole("button", { name: "I have stored it" }).click();
  await dialog.waitFor({ state: "detached" });
  return secret;
}
