/** Ctrl K: to any article, page or action, by keyboard alone. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { until } from "../helpers/until.ts";
import { startJourney, waitForDialogFocus } from "./browser.ts";
import { shared, test } from "./journeys.ts";
import { numbered, reviewed, websiteWith } from "./articles.ts";
import { NARROW } from "./pages.ts";

const journey = shared(async () => {
  const started = await startJourney();
  // The first account is its owner.
  await started.people.owner();
  return started;
});

test("what is typed before the palette is loaded is searched for, and is no shortcut of the page", async () => {
  const { website, ids } = await websiteWith(journey(), numbered(2));
  const owner = await journey().people.owner();
  const path = `/dashboard/articles/${ids[0]}?website=${website.id}&view=in_review`;
  await using visit = await journey().open(path, { as: owner });
  const { page } = visit;
  await visit.settled();
  const held = Promise.withResolvers<void>();
  await page.route(/\/assets\/palette-[^/]*\.js/, async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.locator("h1").focus();
  await page.keyboard.press("Control+k");
  // The letter "a" approves an article. Somebody goes on typing while the palette appears.
  await page.keyboard.type("number a");
  held.resolve();
  for (const letter of "aaaaaaaaaaaaaaaaaaaa") await page.keyboard.type(letter);
  await waitForDialogFocus(page);
  const field = page.getByRole("dialog").getByRole("combobox");
  assert.equal(await field.inputValue(), `number ${"a".repeat(21)}`);
  await field.fill("number 2");
  await chosen(page, "Tea number 2");
  await page.keyboard.press("Escape");
  await page.locator("h1:focus").waitFor();
  assert.equal((await reviewed(owner, ids[0] ?? "")).line["status"], "pending");
});

test("an article of this website, an action on it, one of another website, and a page are reached by typing", async () => {
  const { people } = journey();
  const { website, ids } = await websiteWith(journey(), [
    ...numbered(3),
    { title: "Oolong in the trash", markdown: "A text." },
  ]);
  const other = await websiteWith(journey(), [{ title: "Quincemeal", markdown: "About marmalade." }]);
  const owner = await people.owner();
  const { line } = await reviewed(owner, ids[3] ?? "");
  await owner.json("POST", `/articles/${ids[3]}/delete`, { version: Number(line["version"]) });
  await using visit = await journey().open(`/dashboard/settings/audit?website=${website.id}`, { as: owner });
  const { page } = visit;
  await visit.settled();

  await open(page);
  await visit.axe();
  await page.keyboard.type("number 2");
  await chosen(page, "Tea number 2");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Tea number 2", level: 1 }).waitFor();

  await open(page);
  await page.keyboard.type("appr");
  await chosen(page, "Approve");
  await visit.axe();
  await page.keyboard.press("Enter");
  await until("it is approved", async () => (await reviewed(owner, ids[1] ?? "")).line["status"] === "approved");

  // An article with that text in the trash.
  await open(page);
  await page.keyboard.type("oolong");
  await chosen(page, "Oolong in the trash");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });

  await open(page);
  await page.keyboard.type("marmalade");
  await chosen(page, "Quincemeal");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Quincemeal", level: 1 }).waitFor();
  await until("the website is the article's", () => page.url().includes(other.website.id));

  await open(page);
  await page.keyboard.type("api k");
  await chosen(page, "API keys");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "API keys", level: 1 }).waitFor();
});

test("it opens from the navigation on a phone, and in dark mode", async () => {
  const { people } = journey();
  const { website } = await websiteWith(journey(), numbered(1));
  await using visit = await journey().open(`/dashboard/articles?website=${website.id}`, {
    as: await people.owner(),
    colorScheme: "dark",
    ...NARROW,
  });
  const { page } = visit;
  await visit.settled();
  await page.getByRole("button", { name: "Open the navigation" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Go to…" }).click();
  await page.getByRole("combobox", { name: "Article, page or action" }).fill("number");
  await page.getByRole("option", { name: "Tea number 1 In review", exact: true }).waitFor();
  await visit.axe();
  await page.getByRole("option", { name: "Tea number 1 In review", exact: true }).click();
  await page.getByRole("heading", { name: "Tea number 1", level: 1 }).waitFor();
});

async function open(page: Page): Promise<void> {
  await page.keyboard.press("Control+k");
  await waitForDialogFocus(page);
}

async function chosen(page: Page, label: string): Promise<void> {
  await page.getByRole("option", { selected: true }).filter({ hasText: label }).waitFor();
}

test("an article with that very title is first, also before actions", async () => {
  const { people } = journey();
  const { website } = await websiteWith(journey(), [
    { title: "About tea", markdown: "An invitation: invite a member to tea." },
    { title: "Invite a member", markdown: "A text." },
    ...numbered(12),
  ]);
  await using visit = await journey().open(`/dashboard/?website=${website.id}`, { as: await people.owner() });
  const { page } = visit;
  await visit.settled();
  await open(page);
  await page.keyboard.type("invite a member");
  await page.getByRole("group", { name: "Articles" }).getByRole("option", { name: "About tea" }).waitFor();
  await chosen(page, "Invite a member");
  await page.getByRole("option", { selected: true }).getByText("In review").waitFor();
  await page.getByRole("combobox").fill("tea number");
  await until("ten are shown", async () => (await page.getByRole("option", { name: /^Tea number/ }).count()) === 10);
});

test("things are created and the theme is chosen from anywhere; another website opens at the same page", async () => {
  const { people } = journey();
  const { website } = await websiteWith(journey(), numbered(1));
  const other = await journey().service.newWebsite({ name: "Marmalade weekly" });
  await using visit = await journey().open(`/dashboard/articles?website=${website.id}`, { as: await people.owner() });
  const { page } = visit;
  await visit.settled();
  for (const [typed, command, title] of [
    ["create webh", "Create webhook", "Create a webhook"],
    ["create api", "Create API key", "Create an API key"],
    ["invite", "Invite a member", "Invite somebody"],
  ] as const) {
    await open(page);
    await page.keyboard.type(typed);
    await chosen(page, command);
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: title });
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  }
  await open(page);
  await page.keyboard.type("theme dark");
  await chosen(page, "Theme: dark");
  await page.keyboard.press("Enter");
  await page.locator('html[data-mantine-color-scheme="dark"]').waitFor();

  await open(page);
  await page.keyboard.type("switch marm");
  await chosen(page, "Switch to Marmalade weekly");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Website: Marmalade weekly. Switch" }).waitFor();
  await page.getByRole("heading", { name: "Members", level: 1 }).waitFor();
  await until("the address names it", () => page.url().includes(`/settings/members?website=${other.id}`));
});
