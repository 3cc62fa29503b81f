/** Decisions do not wait for the service: the next article is shown at once, and a refused decision is reported. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { until } from "../helpers/until.ts";
import { startJourney, waitForDialogFocus } from "./browser.ts";
import { shared, test } from "./journeys.ts";
import { numbered, reviewed, websiteWith } from "./articles.ts";

const ARTICLES = process.env["ROSTRUM_TEST_THOROUGH"] === "1" ? 50 : 10;

const journey = shared(async () => {
  const started = await startJourney();
  // The first account is its owner.
  await started.people.owner();
  return started;
});

test("many articles are decided about by keyboard alone, and each decision is about the article on the screen", async () => {
  const { people } = journey();
  const { website, ids } = await websiteWith(journey(), numbered(ARTICLES));
  const owner = await people.owner();
  await using visit = await journey().open(`/dashboard/articles/${ids[0]}?website=${website.id}&view=in_review`, {
    as: owner,
  });
  const { page } = visit;
  for (let no = 1; no <= ARTICLES; no++) {
    await shows(page, no);
    await page.getByText(`${no} of ${ARTICLES}`, { exact: true }).waitFor();
    await settle(page);
    if (no % 5 === 0) {
      await page.keyboard.press("c");
      await waitForDialogFocus(page);
      await page.keyboard.type(`Change number ${no}.`);
      await page.keyboard.press("Control+Enter");
    } else {
      await page.keyboard.press("a");
    }
  }
  await page.getByText("That was the last one.").waitFor();
  for (const [index, id] of ids.entries()) {
    const isSentBack = (index + 1) % 5 === 0;
    const { line } = await reviewed(owner, id);
    assert.equal(line["status"], isSentBack ? "pending" : "approved", `article ${index + 1}`);
    assert.equal(line["review_state"], isSentBack ? "changes_requested" : null);
  }
});

test("the next article does not wait for the service, and Z waits for what it undoes", async () => {
  const { people } = journey();
  const { website, ids } = await websiteWith(journey(), numbered(6));
  const owner = await people.owner();
  await using visit = await journey().open(`/dashboard/articles/${ids[0]}?website=${website.id}&view=in_review`, {
    as: owner,
  });
  const { page } = visit;
  await shows(page, 1);
  await loaded(page, ids.slice(1, 5));
  const decisions = await holdDecisions(page);
  for (const no of [2, 3, 4]) {
    await page.keyboard.press("a");
    await shows(page, no);
    await page.getByText(`${no} of 6`, { exact: true }).waitFor();
    await settle(page);
  }
  assert.equal(decisions.held(), 3);
  // Only the latest toast has the shortcut.
  assert.equal(await page.locator("[data-toasts] kbd").count(), 1);
  // Returning to an article whose decision is under way: it cannot be decided twice.
  await page.keyboard.press("k");
  await shows(page, 3);
  await page.keyboard.press("a");
  await page.keyboard.press("z");
  assert.equal(decisions.held(), 3);
  decisions.release();
  await page.getByRole("status").filter({ hasText: "Undone: Tea number 3" }).waitFor();
  await shows(page, 3);
  await page.getByText("3 of 6", { exact: true }).waitFor();
  const states = await Promise.all(ids.slice(0, 4).map(async (id) => (await reviewed(owner, id)).line["status"]));
  assert.deepEqual(states, ["approved", "approved", "pending", "pending"]);
});

test("a refused decision is reported on every page, with a way back to the article and the input", async () => {
  const { people } = journey();
  const { website, ids } = await websiteWith(journey(), numbered(4));
  const owner = await people.owner();
  const editor = await people.person("editor", website.id, "meanwhile@example.com");
  await using visit = await journey().open(`/dashboard/articles/${ids[0]}?website=${website.id}&view=in_review`, {
    as: owner,
  });
  const { page } = visit;
  await shows(page, 1);
  const decisions = await holdDecisions(page);
  await page.keyboard.press("c");
  await waitForDialogFocus(page);
  await page.keyboard.type("Say which tea.");
  await page.keyboard.press("Control+Enter");
  await shows(page, 2);
  const { line } = await reviewed(editor, ids[0] ?? "");
  await editor.json("PATCH", `/articles/${ids[0]}`, { version: Number(line["version"]), changes: { tags: ["tea"] } });
  decisions.release();
  const toast = page.getByRole("alert").filter({ hasText: "Changes not requested: Tea number 1" });
  await toast.getByText(/after you opened it/).waitFor();
  await page.getByText("2 of 4", { exact: true }).waitFor();
  await visit.axe();
  await toast.getByRole("button", { name: "Open it" }).press("Enter");
  await shows(page, 1);
  await page.getByText("1 of 4", { exact: true }).waitFor();
  const note = page.getByRole("main").getByRole("alert").filter({ hasText: "Changes not requested" });
  await note.waitFor();
  await visit.axe();
  await note.getByRole("button", { name: "Try again" }).press("Enter");
  await waitForDialogFocus(page);
  assert.equal(await page.getByRole("textbox", { name: "What should change?" }).inputValue(), "Say which tea.");
  await page.keyboard.press("Control+Enter");
  await shows(page, 2);
  await until("it is back with its author", async () => {
    return (await reviewed(owner, ids[0] ?? "")).line["review_state"] === "changes_requested";
  });
  await note.waitFor({ state: "detached" });
});

async function shows(page: Page, no: number): Promise<void> {
  await page.getByRole("heading", { name: `Tea number ${no}`, level: 1, exact: true }).waitFor();
}

/** The next articles have been prefetched. */
async function loaded(page: Page, ids: readonly string[]): Promise<void> {
  await until("the next articles are loaded", async () => {
    const names: unknown = await page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name)");
    return ids.every((id) => Array.isArray(names) && names.some((name) => String(name).endsWith(`/articles/${id}`)));
  });
}

/** Holds back requests to the service until they are released. */
async function holdDecisions(page: Page): Promise<{ held: () => number; release: () => void }> {
  const gate = Promise.withResolvers<void>();
  let held = 0;
  await page.route(/\/dashboard\/api\/articles\/[^/]+\/(?:approve|request-changes)$/, async (route) => {
    held += 1;
    await gate.promise;
    await route.continue();
  });
  return { held: () => held, release: gate.resolve };
}

/** Right after an automatic advance, a key was meant for the previous article. */
async function settle(page: Page): Promise<void> {
  // By the page's own clock, which may be behind.
  await page.evaluate("new Promise((resolve) => setTimeout(resolve, 400))");
}
