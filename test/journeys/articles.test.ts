/** The list of articles, and what is done with many of them. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { CLI_ACTOR } from "../../src/cli/command.ts";
import type { ImportItem } from "../../src/operations/articles/import/import-items.ts";
import { importArticles } from "../../src/operations/articles/import/imports.ts";
import { approveArticle } from "../../src/operations/articles/write/articles.ts";
import { WITHOUT_CHROMIUM as skip } from "../helpers/chromium.ts";
import { until } from "../helpers/until.ts";
import { type Journey, startJourney } from "./browser.ts";

let journey: Journey;

before(async () => {
  if (skip === false) journey = await startJourney();
});

after(() => journey?.[Symbol.asyncDispose]());

const LIST = "/dashboard/articles";

test("the tabs say how many there are, and search, filters and order are in the address", { skip }, async () => {
  const { id } = await websiteWith(120);
  await using visit = await journey.open(`${LIST}?website=${id}`, { as: await journey.people.owner() });
  const { page } = visit;
  await page.getByText("1–50 of 120").waitFor();
  await page.getByRole("link", { name: /To review\s*120/ }).waitFor();
  await page.getByRole("button", { name: "Next page" }).click();
  await page.getByText("51–100 of 120").waitFor();
  await page.goBack();
  await page.getByText("1–50 of 120").waitFor();
  await visit.settled();

  await page.keyboard.press("/");
  const searched = () => new URL(page.url()).searchParams.get("q");
  await page.keyboard.type("number");
  await until("it is searched without Enter", () => searched() === "number");
  await visit.settled();
  // Whoever has paused types on.
  await page.keyboard.type(" 77");
  await page.getByText("1–1 of 1").waitFor();
  assert.deepEqual(await titles(page), ["Article number 77"]);
  assert.equal(searched(), "number 77");
  const field = page.getByRole("searchbox");
  await page.goForward();
  await page.getByText("51–100 of 120").waitFor();
  await until("the field says what the address says", async () => (await field.inputValue()) === "");
  await page.goBack();
  await page.getByText("1–1 of 1").waitFor();
  await until("and says it again", async () => (await field.inputValue()) === "number 77");
  await field.fill("(((");
  await page.getByText("There is no word to search for: type letters or digits.").waitFor();
  await visit.axe();
  await page.getByRole("button", { name: "Clear the search" }).first().click();
  await page.getByText("1–50 of 120").waitFor();

  await page.getByRole("button", { name: "Article", exact: true }).click();
  await until("they are in the order of their titles", async () => (await titles(page))[1] === "Article number 1");
  await page.getByRole("button", { name: "Filter" }).click();
  await page.getByRole("combobox", { name: "Tag" }).click();
  await page.getByRole("option", { name: "tens" }).click();
  await page.keyboard.press("Escape");
  await page.getByText("1–12 of 12").waitFor();
  await page.getByRole("link", { name: /^To review\s*12$/ }).waitFor();
  await visit.axe();
  await page.reload();
  await page.getByText("1–12 of 12").waitFor();
  assert.equal((await titles(page))[1], "Article number 10");
  await page.getByRole("button", { name: "Remove tag: tens" }).click();
  await page.getByText("1–50 of 120").waitFor();
  await page.getByRole("button", { name: "Filter" }).click();
  await page.getByRole("textbox", { name: "Byline" }).fill("Nobody");
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByText("Nothing found").waitFor();
  await page.getByText("No article matches in any tab.").waitFor();
  await page.getByRole("button", { name: "Remove byline: Nobody" }).click();
  await page.getByText("1–50 of 120").waitFor();
  await page.getByRole("button", { name: "Filter" }).click();
  assert.equal(await page.getByRole("textbox", { name: "Byline" }).inputValue(), "", "as the address says");
  await page.getByRole("combobox", { name: "Origin" }).click();
  await page.getByRole("option", { name: "Management API" }).click();
  await page.keyboard.press("Escape");
  await page.getByText("Nothing found").waitFor();
  assert.equal(new URL(page.url()).searchParams.get("origin"), "api");
  await page.getByRole("button", { name: "Remove origin: Management API" }).click();
  await page.getByText("1–50 of 120").waitFor();

  await page.getByRole("link", { name: /Trash/ }).click();
  await page.getByText("Trash is empty").waitFor();
  await visit.axe();
});

for (const width of [1280, 390]) {
  test(`what a search finds only in other tabs is one click away, ${width} px wide`, { skip }, async () => {
    const { id } = await websiteWith(3);
    const as = await journey.people.owner();
    const colorScheme = width === 390 ? "dark" : "light";
    const address = `${LIST}?website=${id}&view=published&q=number`;
    await using visit = await journey.open(address, { as, width, height: 800, colorScheme });
    const { page } = visit;
    await page.getByText("No matches under “Published”. Other tabs have matches:").waitFor();
    await page.getByRole("link", { name: "All (3)" }).waitFor();
    await page.getByRole("link", { name: /^Published\s*0$/ }).waitFor();
    await visit.axe();
    await page.getByRole("link", { name: "To review (3)" }).click();
    await page.getByText("1–3 of 3").waitFor();
    assert.equal(await page.getByRole("searchbox").inputValue(), "number");
  });
}

test("many are approved and published at once, and each that is refused says why", { skip }, async () => {
  const { id, articles } = await websiteWith(3);
  await using visit = await journey.open(`${LIST}?website=${id}`, { as: await journey.people.owner() });
  const { page } = visit;
  await page.getByRole("checkbox", { name: "Select all on this page" }).check();
  // Somebody else is quicker with one of them.
  await approveArticle(journey.service.app, articles[1] ?? "", CLI_ACTOR);
  await page.getByRole("button", { name: "Approve", exact: true }).click();
  await page.getByRole("dialog").getByText("Approve 3 articles?").waitFor();
  await visit.axe();
  await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
  await page.getByText("2 articles approved, 1 refused").waitFor();
  await page.getByRole("alert").getByRole("link", { name: "Article number 1" }).waitFor();
  await visit.axe();

  await page.getByRole("link", { name: /Approved\s*3/ }).click();
  await page.getByText("1–3 of 3").waitFor();
  await page.getByRole("checkbox", { name: "Select Article number 0" }).click();
  await page.getByRole("checkbox", { name: "Select Article number 2" }).click({ modifiers: ["Shift"] });
  await page.getByRole("region", { name: "Actions for the selected articles" }).getByText("3 articles").waitFor();
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Publish" }).click();
  await page.getByText("3 articles published.").first().waitFor();
  await page.getByRole("link", { name: /Published\s*3/ }).click();
  await page.getByText("1–3 of 3").waitFor();
});

test("a deleted article is in the trash and can be restored unchanged", { skip }, async () => {
  const { id } = await websiteWith(2);
  await using visit = await journey.open(`${LIST}?website=${id}`, { as: await journey.people.owner() });
  const { page } = visit;
  // Without a mouse.
  await page.getByText("1–2 of 2").waitFor();
  await visit.settled();
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await page.getByRole("button", { name: "Delete" }).press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).press("Enter");
  await page.getByText("1–1 of 1").waitFor();
  await page.getByRole("link", { name: /Trash\s*1/ }).click();
  // Until then the rows of before are there.
  await page.locator('table[aria-busy="false"]').getByText("Deleted", { exact: true }).waitFor();
  await page.getByRole("checkbox", { name: "Select all on this page" }).check();
  await page.getByRole("button", { name: "Restore" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
  await page.getByText("Trash is empty").waitFor();
  await page.getByRole("link", { name: /To review\s*2/ }).waitFor();
});

test("going back from an article restores the list's position and marks the article's row", { skip }, async () => {
  const { id } = await websiteWith(120);
  await using visit = await journey.open(`${LIST}?website=${id}&sort=title&from=50`, {
    as: await journey.people.owner(),
  });
  const { page } = visit;
  await page.getByText("51–100 of 120").waitFor();
  const row = page.locator("tbody tr").nth(40);
  const title = await row.getByRole("link").innerText();
  await row.getByRole("link").click();
  await page.getByRole("heading", { name: title, level: 1, exact: true }).waitFor();
  // The way back leads to the page of the list that has the article, also after others.
  await page.keyboard.press("j");
  await page.getByText("92 of 120", { exact: true }).waitFor();
  await page
    .getByRole("navigation", { name: "The list" })
    .getByRole("link", { name: /^To review/ })
    .click();
  await page.getByText("51–100 of 120").waitFor();
  await page.locator("tr[data-last] a:focus").waitFor();
  assert.equal(await page.locator("tbody tr").nth(41).getAttribute("data-last"), "true");
  const box = await page.locator("tr[data-last]").boundingBox();
  assert.ok(box !== null && box.y >= 0 && box.y + box.height <= 800, JSON.stringify(box));
  await visit.axe();
});

test("a viewer sees every article and no actions", { skip }, async () => {
  const { id } = await websiteWith(2);
  const viewer = await journey.people.person("viewer", id, "looker@example.com");
  await using visit = await journey.open(LIST, { as: viewer });
  await visit.page.getByText("1–2 of 2").waitFor();
  assert.equal(await visit.page.getByRole("checkbox").count(), 0);
  assert.equal(await visit.page.getByRole("link", { name: "New article" }).count(), 0);
});

test("a title is text, whatever is in it", { skip }, async () => {
  const title = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
  const { id } = await websiteWith(1, () => title);
  await using visit = await journey.open(`${LIST}?website=${id}`, { as: await journey.people.owner() });
  await visit.page.getByRole("link", { name: title }).waitFor();
  assert.equal(await visit.page.title(), "Articles · Rostrum");
});

test("a website without articles says how to add some", { skip }, async () => {
  const { id } = await journey.service.newWebsite({ name: "Empty" });
  await using visit = await journey.open(`${LIST}?website=${id}`, { as: await journey.people.owner() });
  await visit.page.getByRole("heading", { name: "No articles yet" }).waitFor();
  await visit.axe();
  await visit.page.getByRole("link", { name: "Import articles" }).click();
  await visit.page.getByRole("heading", { name: "Import", level: 1 }).waitFor();
});

let websites = 0;

/** A new website with this many pending articles, the first one the newest. */
async function websiteWith(count: number, titleOf = (no: number) => `Article number ${no}`) {
  const { app } = journey.service;
  const { id } = await journey.service.newWebsite({ name: `Many ${++websites}` });
  const articles: string[] = [];
  async function* items(): AsyncGenerator<ImportItem> {
    for (let no = 0; no < count; no++) {
      const article = app.newId();
      articles.push(article);
      const input = {
        id: article,
        title: titleOf(no),
        markdown: `This is **number ${no}**.`,
        tags: no % 10 === 0 ? ["tens"] : [],
        createdAt: Date.UTC(2026, 0, 1) - no * 60_000,
      };
      yield { kind: "draft", source: `${no}`, ref: `many:${no}`, input };
    }
  }
  const summary = await importArticles(app, id, items(), { events: false, dryRun: false, actor: CLI_ACTOR });
  assert.equal(summary.created, count, JSON.stringify(summary.failed));
  return { id, articles };
}

function titles(page: Page): Promise<string[]> {
  return page.locator("tr[data-article] a").allInnerTexts();
}
