/** Filters of the list: each is in the address, so that Back, Forward and a shared link show the same articles. */
import type { Page } from "playwright-core";
import { until } from "../helpers/until.ts";
import { reviewed, websiteWith } from "./articles.ts";
import { startJourney } from "./browser.ts";
import { shared as sharedJourney, test } from "./journeys.ts";

const journey = sharedJourney(() => startJourney());

const ALL = ["A draft in German", "Published in March", "Published in May", "Approved"];
const DAY = Date.UTC(2026, 2, 5, 12);

test("filters by day, person, language, score and state are kept by back, forward and a shared link", async () => {
  const { people, open } = journey();
  const { website, ids } = await websiteWith(journey(), [
    { title: "A draft in German", markdown: "Kurz.", language: "de" },
    { title: "Published in March", markdown: "A text.", status: "published", publishedAt: DAY },
    { title: "Published in May", markdown: "A text.", status: "published", publishedAt: Date.UTC(2026, 4, 5, 12) },
    { title: "Approved", markdown: "A text.", status: "approved" },
  ]);
  const owner = await people.owner();
  const editor = await people.person("editor", website.id, "filters@example.com");
  const id = ids[0] ?? "";
  const { line } = await reviewed(owner, id);
  const { account } = (await editor.json("GET", "/session")) as { account: { id: string } };
  await owner.json("POST", `/articles/${id}/assign`, { version: line["version"], assignee_id: account.id });

  await using visit = await open(`/dashboard/articles?website=${website.id}&view=all`, { as: owner });
  const { page } = visit;
  await page.getByText("1–4 of 4").waitFor();
  await filter(page, { Language: "German (de)" });
  await shows(page, ["A draft in German"]);
  await filter(page, { "Assigned to": "editor" });
  await shows(page, ["A draft in German"]);
  const shared = page.url();
  await page.goBack();
  await page.getByRole("button", { name: "Remove assigned to: editor" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: /^Remove language: German \(de\)/ }).waitFor();
  await page.goForward();
  await page.getByRole("button", { name: "Remove assigned to: editor" }).waitFor();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await shows(page, ALL);

  await filter(page, { Status: "Approved" });
  await shows(page, ["Approved"]);
  await page.getByRole("button", { name: "Remove status: Approved" }).click();
  await filter(page, { Score: "Poor (below 40)" });
  await shows(page, ALL);
  await filter(page, { Score: "Good (80 to 100)" });
  await page.getByText("Nothing found").waitFor();
  await page.getByRole("button", { name: "Remove score: Good (80 to 100)" }).click();
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  const day = page.getByRole("textbox", { name: "Published from" });
  await day.fill("05/04/2026");
  await page.getByText("Use the format 2026-12-31").waitFor();
  await day.fill("2026-04-01");
  await page.keyboard.press("Escape");
  await shows(page, ["Published in May"]);
  await visit.axe();
  await page.goBack();
  await shows(page, ALL);
  await page.goForward();
  await shows(page, ["Published in May"]);

  await using other = await open("/dashboard", { as: editor });
  await other.page.goto(shared);
  await shows(other.page, ["A draft in German"]);
  await other.page.getByRole("button", { name: "Remove assigned to: editor" }).waitFor();
});

async function filter(page: Page, choices: Record<string, string>): Promise<void> {
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  for (const [name, value] of Object.entries(choices)) {
    await page.getByRole("combobox", { name }).click();
    await page.getByRole("option", { name: value }).click();
  }
  await page.keyboard.press("Escape");
  await page.getByRole("dialog", { name: "Filter" }).waitFor({ state: "detached" });
}

async function shows(page: Page, titles: readonly string[]): Promise<void> {
  const links = page.locator("tr[data-article] a");
  await until(`the list has ${titles.join(", ")}`, async () => {
    return JSON.stringify((await links.allInnerTexts()).toSorted()) === JSON.stringify(titles.toSorted());
  });
}
