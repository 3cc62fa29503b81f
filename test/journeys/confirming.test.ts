/** Every change of what readers get asks once, in a dialog that says what will happen. No single key makes such a change. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createEndpoint, pauseEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { CLI_ACTOR } from "../../src/cli/command.ts";
import { listArticles } from "../../src/operations/articles/write/articles.ts";
import { saveDraftCopy } from "../../src/operations/articles/write/draft-copies.ts";
import { until } from "../helpers/until.ts";
import type { Browser as Person } from "../people/dashboard.ts";
import { startJourney, waitForDialogFocus } from "./browser.ts";
import { shared, test } from "./journeys.ts";
import { numbered, reviewed, websiteWith } from "./articles.ts";

const journey = shared(() => startJourney());

test("no shortcut takes a live page down without asking and naming the webhook event", async () => {
  const { people } = journey();
  const { website, ids } = await websiteWith(journey(), numbered(1, { status: "published" }));
  const id = ids[0] ?? "";
  const owner = await people.owner();
  // The rest of an address may be a secret.
  const hook = { url: "https://93.184.215.14/secret?token=1", events: ["article.deleted"] } as const;
  const { app } = journey().service;
  const { endpoint } = await createEndpoint(app, website.id, hook, CLI_ORIGIN);
  await pauseEndpoint(app, endpoint.id, CLI_ORIGIN);
  await using visit = await journey().open(`/dashboard/articles/${id}?website=${website.id}`, { as: owner });
  const { page } = visit;
  await visit.settled();
  for (const key of ["Delete", "Backspace", "u"]) {
    await page.keyboard.press(key);
    await page.getByRole("dialog").getByText("article.deleted").waitFor();
    await page.getByRole("dialog").getByText("“Tea number 1”").waitFor();
    await page.getByRole("dialog").getByText("93.184.215.14 (when it is enabled again)", { exact: true }).waitFor();
    assert.equal(await status(owner, id), "published", `after ${key}`);
    await visit.axe();
    // Confirming without reading changes nothing.
    await waitForDialogFocus(page);
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.equal(await status(owner, id), "published", `after ${key} and Enter`);
  }
  await page.keyboard.press("u");
  await page.getByRole("dialog").getByRole("button", { name: "Unpublish" }).click();
  await page.locator("main header").getByText("Approved", { exact: true }).waitFor();
  assert.equal(await status(owner, id), "approved");
});

test("publishing with a key, alone or together with the approval, asks first", async () => {
  const { people } = journey();
  const { website, ids } = await websiteWith(journey(), numbered(2));
  const owner = await people.owner();
  for (const [id, steps] of [
    [ids[0] ?? "", ["Shift+A"]],
    [ids[1] ?? "", ["a", "p"]],
  ] as const) {
    await using visit = await journey().open(`/dashboard/articles/${id}?website=${website.id}`, { as: owner });
    const { page } = visit;
    await visit.settled();
    for (const step of steps) {
      await page.keyboard.press(step);
      if (step === "a") await page.locator("main header").getByText("Approved", { exact: true }).waitFor();
    }
    const dialog = page.getByRole("dialog");
    await dialog.getByText("article.published").waitFor();
    assert.equal(await status(owner, id), steps.length === 1 ? "pending" : "approved");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    assert.equal(await status(owner, id), steps.length === 1 ? "pending" : "approved");
    await page.keyboard.press(steps.at(-1) ?? "");
    await dialog.waitFor();
    // The button that publishes has the focus: two deliberate keypresses are enough.
    await waitForDialogFocus(page);
    await page.keyboard.press("Enter");
    await page.locator("main header").getByText("Published", { exact: true }).waitFor();
    assert.equal(await status(owner, id), "published");
  }
});

test("a draft copy goes live, and a published article leaves the trash, only after confirmation", async () => {
  const { people, service } = journey();
  const { website, ids } = await websiteWith(journey(), numbered(1, { status: "published" }));
  const id = ids[0] ?? "";
  await saveDraftCopy(service.app, id, { title: "Second edition" }, CLI_ACTOR);
  const owner = await people.owner();
  await using visit = await journey().open(`/dashboard/articles/${id}?website=${website.id}`, { as: owner });
  const { page } = visit;
  await visit.settled();
  await page.keyboard.press("p");
  await page.getByRole("dialog").getByText("article.updated").waitFor();
  assert.equal((await reviewed(owner, id)).article["title"], "Tea number 1");
  await cancel(page);

  await page.keyboard.press("Delete");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page
    .locator("main header")
    .getByRole("button", { name: /^Restore/ })
    .waitFor();
  await page.keyboard.press("r");
  await page.getByRole("dialog").getByText("live again").waitFor();
  assert.notEqual((await reviewed(owner, id)).line["deleted_at"], null);
  await page.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
  await page.locator("main header").getByText("Published", { exact: true }).waitFor();
});

test("the editor's changes go live only after confirmation, by shortcut and by button", async () => {
  const { people } = journey();
  const { website, ids } = await websiteWith(journey(), numbered(1, { status: "published" }));
  const id = ids[0] ?? "";
  const owner = await people.owner();
  const title = async () => (await reviewed(owner, id)).article["title"];
  await using visit = await journey().open(`/dashboard/articles/${id}/edit?website=${website.id}`, { as: owner });
  const { page } = visit;
  await visit.settled();
  await page.getByRole("textbox", { name: "Title", exact: true }).fill("Second edition");
  for (const press of [
    () => page.keyboard.press("Control+Enter"),
    () => page.getByRole("button", { name: "Save and update" }).click(),
  ]) {
    await press();
    await page.getByRole("dialog").getByText("article.updated").waitFor();
    await page.getByRole("dialog").getByText("“Second edition”").waitFor();
    await visit.axe();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.equal(await title(), "Tea number 1");
    assert.equal((await reviewed(owner, id)).draft, null, "nothing is saved before the answer");
  }
  // A draft copy that is saved already.
  await page.keyboard.press("Control+s");
  await page.getByText(/^Saved at/).waitFor();
  await page.keyboard.press("Control+Enter");
  await page.getByRole("dialog").getByText("article.updated").waitFor();
  assert.equal(await title(), "Tea number 1");
  await waitForDialogFocus(page);
  // The response is held back: the dialog does not ask again about an action under way.
  const { held, release } = await holdNext(page, "**/draft/publish");
  await page.keyboard.press("Enter");
  await held;
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("Control+Enter");
  await page.evaluate(TWO_FRAMES);
  assert.equal(await page.getByRole("dialog").count(), 0);
  release();
  await until("readers get it", async () => (await title()) === "Second edition");
  // Nothing could go live, so there is no question.
  await page.getByText("Saved and updated.").waitFor({ state: "attached" });
  await page.keyboard.press("Control+Enter");
  await page.evaluate(TWO_FRAMES);
  assert.equal(await page.getByRole("dialog").count(), 0);
});

test("deleting from the queue asks first and can be undone", async () => {
  const { people } = journey();
  const { website, ids } = await websiteWith(journey(), numbered(2));
  const owner = await people.owner();
  const address = `/dashboard/articles/${ids[0]}?website=${website.id}&view=in_review`;
  await using visit = await journey().open(address, { as: owner });
  const { page } = visit;
  await visit.settled();
  await page.keyboard.press("Delete");
  await page.getByRole("dialog").getByText("article.deleted").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("heading", { level: 1, name: "Tea number 2" }).waitFor();
  await page.keyboard.press("z");
  await page.getByRole("heading", { level: 1, name: "Tea number 1" }).waitFor();
  assert.equal((await reviewed(owner, ids[0] ?? "")).line["deleted_at"], null);
});

test("undoing the deletion of a published article asks before it goes live again", async () => {
  const { people } = journey();
  const { website, ids } = await websiteWith(
    journey(),
    numbered(2, { status: "published", publishedAt: Date.UTC(2026, 0, 1) }),
  );
  const id = ids[0] ?? "";
  const owner = await people.owner();
  const address = `/dashboard/articles/${id}?website=${website.id}&view=published`;
  await using visit = await journey().open(address, { as: owner });
  const { page } = visit;
  await visit.settled();
  await page.keyboard.press("Delete");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("heading", { level: 1, name: "Tea number 2" }).waitFor();
  await page.keyboard.press("z");
  await page.getByRole("dialog").getByText("article.published").waitFor();
  await page.getByRole("dialog").getByText("“Tea number 1”").waitFor();
  await cancel(page);
  assert.equal(await status(owner, id), "trash");
  // The offer stays until it is taken or has passed.
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
  await page.getByRole("heading", { level: 1, name: "Tea number 1" }).waitFor();
  assert.equal(await status(owner, id), "published");
});

test("an import that can change what readers get asks first", async () => {
  const { people } = journey();
  const { website } = await websiteWith(journey(), []);
  await using visit = await journey().open(`/dashboard/import?website=${website.id}`, { as: await people.owner() });
  const { page } = visit;
  await visit.settled();
  const file = {
    name: "a.md",
    mimeType: "text/markdown",
    buffer: Buffer.from("---\ntitle: A\nstatus: published\n---\nText.\n"),
  };
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    page.getByRole("button", { name: "Choose files" }).click(),
  ]);
  await chooser.setFiles(file);
  const dialog = page.getByRole("dialog", { name: "Import 1 file?" });
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await dialog.getByText("Articles that the files mark as published go live at once.").waitFor();
  await dialog.getByText("Your webhooks receive nothing.").waitFor();
  await visit.axe();
  await cancel(page);
  assert.deepEqual(await Array.fromAsync(listArticles(journey().service.app, website.id)), []);
  await page.getByRole("switch", { name: /webhooks/ }).click();
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await dialog.getByText("Your webhooks receive article.published and article.updated.").waitFor();
  await dialog.getByRole("button", { name: "Import" }).press("Enter");
  await page.getByText("1 new, 0 changed, 0 unchanged, 0 failed.", { exact: true }).waitFor();
});

test("many at once are taken down and deleted only after a dialog that names the event", async () => {
  const { people } = journey();
  const { website, ids } = await websiteWith(
    journey(),
    numbered(2, { status: "published", publishedAt: Date.UTC(2026, 0, 1) }),
  );
  const owner = await people.owner();
  await using visit = await journey().open(`/dashboard/articles?website=${website.id}&view=published`, { as: owner });
  const { page } = visit;
  await visit.settled();
  for (const action of ["Unpublish", "Delete"]) {
    await page.keyboard.press("Shift+X");
    await page
      .getByRole("region", { name: "Actions for the selected articles" })
      .getByRole("button", { name: action })
      .click();
    await page.getByRole("dialog").getByText("article.deleted").waitFor();
    for (const id of ids) assert.equal(await status(owner, id), "published");
    await visit.axe();
    await cancel(page);
    await page.keyboard.press("Shift+X");
  }
});

async function status(person: Person, id: string): Promise<unknown> {
  const { line } = await reviewed(person, id);
  return line["deleted_at"] === null ? line["status"] : "trash";
}

/** Holds back the next request to this address until it is released. */
async function holdNext(page: Page, address: string): Promise<{ held: Promise<void>; release: () => void }> {
  const held = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  await page.route(
    address,
    async (route) => {
      held.resolve();
      await gate.promise;
      await route.continue();
    },
    { times: 1 },
  );
  return { held: held.promise, release: gate.resolve };
}

async function cancel(page: Page): Promise<void> {
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

/** A dialog that a key opens would be there by now. */
const TWO_FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))";
