/** An article between its author and the reviewers, on wide and narrow screens, and undoing decisions. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { until } from "../helpers/until.ts";
import { startJourney, waitForDialogFocus } from "./browser.ts";
import { shared, test } from "./journeys.ts";
import { numbered, reviewed, websiteWith } from "./articles.ts";
import { NARROW, WIDE } from "./pages.ts";

const META_DESCRIPTION =
  "How hot the water for black, green and white tea should be, how long each of them steeps, and what happens if it is too hot.";

const journey = shared(async () => {
  const started = await startJourney();
  // The first account is its owner.
  await started.people.owner();
  return started;
});

test("an author submits on a phone, a reviewer requests changes, and the resubmitted article is approved", async () => {
  const { people } = journey();
  const { website } = await websiteWith(journey(), numbered(2));
  const editor = await people.person("editor", website.id, "author@example.com");
  const approver = await people.person("approver", website.id, "reviewer@example.com");
  await using written = await journey().open(`/dashboard/articles/new?website=${website.id}`, {
    as: editor,
    ...NARROW,
  });
  const { page: small } = written;
  await small.getByRole("textbox", { name: "Title", exact: true }).fill("From a draft");
  await small.getByRole("textbox", { name: "Content" }).fill("A text.");
  await small.getByRole("button", { name: "Create" }).click();
  await badge(small, "Draft");
  const id = small.url().match(/articles\/([\w-]+)/)?.[1] ?? "";
  await written.axe();
  await small.getByRole("button", { name: "Submit for review" }).click();
  await badge(small, "In review");

  await using visit = await journey().open(`/dashboard/articles?website=${website.id}`, { as: approver });
  const { page } = visit;
  await count(page, "To review", 3);
  await visit.axe();
  await page.getByRole("link", { name: "From a draft" }).click();
  await badge(page, "In review");
  await page.getByRole("combobox", { name: "Assigned to" }).selectOption({ label: "editor" });
  await until("it is assigned", async () => (await reviewed(approver, id)).line["assignee"] !== null);
  await page.locator("h1").focus();
  await page.keyboard.press("c");
  await page.getByRole("textbox", { name: "What should change?" }).waitFor();
  await visit.axe();
  await page.keyboard.type("Say which tea.");
  await page.keyboard.press("Control+Enter");
  await until("it is back", async () => (await reviewed(approver, id)).line["review_state"] === "changes_requested");

  await badge(small, "Changes requested");
  await small.getByRole("button", { name: /requested changes .*: Say which tea\./ }).click();
  await small.getByRole("checkbox", { name: "Say which tea." }).click();
  await small.getByText("1 of 1 done").waitFor();
  await written.axe();
  await small.getByRole("link", { name: "Articles" }).first().click();
  await count(small, "Mine", 1);
  await small.getByRole("link", { name: /^Mine/ }).click();
  await small.getByRole("link", { name: "From a draft" }).waitFor();
  await written.axe();
  await small.getByRole("link", { name: "From a draft" }).click();
  await small.getByRole("button", { name: "Resubmit" }).click();
  await until("it is there again", async () => (await reviewed(approver, id)).line["is_resubmitted"] === true);

  await page.goto(new URL(`/dashboard/articles?website=${website.id}&view=resubmitted`, page.url()).href);
  await count(page, "Resubmitted", 1);
  await page.getByRole("link", { name: "From a draft" }).click();
  await badge(page, "Resubmitted");
  await page.getByRole("checkbox", { name: "Say which tea.", checked: true }).waitFor();
  await visit.axe();
  await page.locator("h1").focus();
  await page.keyboard.press("a");
  await badge(page, "Approved");
  // Undone within ten seconds.
  await page.keyboard.press("z");
  await badge(page, "In review");
  assert.equal((await reviewed(approver, id)).line["status"], "pending");
  await page.keyboard.press("c");
  await waitForDialogFocus(page);
  await page.keyboard.type("One more thing.");
  await page.keyboard.press("Control+Enter");
  await badge(page, "Changes requested");
  await page.keyboard.press("z");
  await badge(page, "In review");
});

const IS_UNDO_CUT = `[...document.querySelectorAll("[data-toasts] .mantine-Button-label")].some(
  (label) => label.scrollWidth > label.clientWidth,
)`;

test("a publication can be undone until its seconds are over, and is done by the service", async () => {
  const { people } = journey();
  const { website, ids } = await websiteWith(journey(), numbered(2, { metaDescription: META_DESCRIPTION }));
  const [id = "", overlong = ""] = ids;
  const owner = await people.owner();
  const { line: before } = await reviewed(owner, overlong);
  await owner.json("PATCH", `/articles/${overlong}`, {
    version: Number(before["version"]),
    changes: { meta_description: "Tea, and how it is made. ".repeat(20) },
  });
  const set = (publish_delay_seconds: number) =>
    owner.json("PATCH", `/websites/${website.id}`, { publish_delay_seconds });
  await set(60);
  await using visit = await journey().open(`/dashboard/articles/${id}?website=${website.id}`, { as: owner });
  const { page } = visit;
  await visit.settled();
  await page.keyboard.press("Shift+A");
  await page.getByText(/^Publishing: Tea number 1 in/).waitFor();
  await badge(page, "Scheduled");
  await visit.axe();
  await page.getByText(/^Goes live in /).waitFor();
  await page.setViewportSize(NARROW);
  assert.equal(await page.evaluate(IS_UNDO_CUT), false);
  await page.setViewportSize(WIDE);
  await page.getByRole("button", { name: /^Undo/ }).click();
  await badge(page, "In review");

  await set(2);
  await page.keyboard.press("Shift+A");
  await badge(page, "Published");
  const { line } = await reviewed(owner, id);
  assert.equal(line["status"], "published");

  // Publishing an article with something that readers would miss asks first.
  await page.goto(page.url().replace(id, overlong));
  await visit.settled();
  await page.keyboard.press("Shift+A");
  const dialog = page.getByRole("dialog", { name: "Approve and publish this article?" });
  await dialog.getByText(/^Shorten the meta description/).waitFor();
  await dialog.getByText("No webhook will be notified.").waitFor();
  await visit.axe();
  await dialog.getByRole("button", { name: "Approve and publish" }).press("Enter");
  await badge(page, "Published");
});

test("an owner requires a second person and chooses how long publishing can be undone", async () => {
  const { people } = journey();
  const { website } = await websiteWith(journey(), numbered(1));
  const owner = await people.owner();
  await using visit = await journey().open(`/dashboard/settings/website?website=${website.id}`, { as: owner });
  const { page } = visit;
  await page.getByRole("switch", { name: "A second person approves every article" }).click();
  await page.getByRole("combobox", { name: "Undo publishing for" }).selectOption({ label: "30 seconds" });
  await until("both are saved", async () => {
    const saved = await owner.json("GET", `/websites/${website.id}`);
    return saved["requires_second_person"] === true && saved["publish_delay_seconds"] === 30;
  });
  await visit.axe();
});

test("changes are requested of several articles, and they are assigned, at once", async () => {
  const { people } = journey();
  const { website, ids } = await websiteWith(journey(), numbered(2));
  const owner = await people.owner();
  await using visit = await journey().open(`/dashboard/articles?website=${website.id}`, { as: owner });
  const { page } = visit;
  await page.getByRole("checkbox", { name: "Select all on this page" }).check();
  await page.getByRole("button", { name: "Assign" }).click();
  const dialog = page.getByRole("dialog", { name: "Assign 2 articles" });
  await dialog.getByRole("combobox", { name: "Assigned to" }).selectOption({ index: 1 });
  await visit.axe();
  await dialog.getByRole("button", { name: "Assign" }).click();
  await until("both are assigned", async () => {
    const all = await Promise.all(ids.map((id) => reviewed(owner, id)));
    return all.every(({ line }) => line["assignee"] !== null);
  });
  await page.getByRole("region", { name: "Actions for the selected articles" }).waitFor({ state: "detached" });
  await page.getByRole("checkbox", { name: "Select all on this page" }).check();
  await page.getByRole("button", { name: "Request changes" }).click();
  await page.getByRole("textbox", { name: "What should change?" }).fill("Both are too short.");
  await visit.axe();
  await page.getByRole("dialog").getByRole("button", { name: "Request changes" }).click();
  await count(page, "With the author", 2);
});

async function badge(page: Page, text: string): Promise<void> {
  await page.locator("main header [data-tone]").getByText(text, { exact: true }).waitFor();
}

async function count(page: Page, queue: string, number: number): Promise<void> {
  await page.getByRole("link", { name: new RegExp(`^${queue}\\s*${number}$`) }).waitFor();
}
