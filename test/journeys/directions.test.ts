/** Texts that run from right to left, and words wider than the page. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { websiteWith } from "./articles.ts";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";

const journey = shared(() => startJourney());

const ARABIC = `HTML5 و CSS في سطر واحد.

| المدينة | السعر |
|---|---|
| فاس | 12 |

\`\`\`js
const a = 1;
\`\`\`
`;
const WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerk".repeat(4);

test("the language of a text decides its direction, in review and in the editor; code runs from left to right", async () => {
  const { website, ids } = await websiteWith(journey(), [{ title: "CSS", markdown: ARABIC, language: "ar" }]);
  const as = await journey().people.owner();
  const path = `/dashboard/articles/${ids[0]}`;
  await using visit = await journey().open(`${path}?website=${website.id}`, { as });
  const { page } = visit;
  await page.frameLocator("iframe[title^='Article']").locator("article[dir=rtl] pre").waitFor();
  await assertDirections(page, SHOWN);
  await page.getByRole("heading", { level: 1 }).and(page.locator("[dir=rtl]")).waitFor();

  await page.getByRole("button", { name: "Outline" }).click();
  await page.getByRole("menu").getByText("No headings").waitFor();
  await page.keyboard.press("Escape");

  await page.goto(`${journey().service.url}${path}/edit?website=${website.id}`);
  await page.getByRole("textbox", { name: "Content" }).locator("pre").waitFor();
  await assertDirections(page, EDITED);
});

test("a wide table scrolls by itself, in the editor, too, and its words stay whole", async () => {
  const columns = Array.from({ length: 20 }, (_, no) => `Column ${no}`);
  const markdown = [columns, columns.map(() => "---"), columns.map(() => WORD)]
    .map((row) => `| ${row.join(" | ")} |`)
    .join("\n");
  const { website, ids } = await websiteWith(journey(), [{ title: "Wide", markdown }]);
  const as = await journey().people.owner();
  await using visit = await journey().open(`/dashboard/articles/${ids[0]}/edit?website=${website.id}`, { as });
  await visit.page.getByRole("textbox", { name: "Content" }).locator("td").first().waitFor();
  assert.ok(Number(await visit.page.evaluate("document.documentElement.scrollWidth - innerWidth")) <= 0);
});

/** No script runs in the article's frame, so the page reads it. */
const SHOWN = "document.querySelector(\"iframe[title^='Article']\").contentDocument.querySelector('article')";
const EDITED = "document.querySelector('.ProseMirror')";

/** Checks the directions of the first paragraph, a cell with letters, a cell with digits only, and code. */
async function assertDirections(page: Page, text: string): Promise<void> {
  const found = await page.evaluate(`(() => {
    const text = ${text};
    const cells = text.querySelectorAll("td");
    const innermost = [text.querySelector("p"), cells[0], cells[1], text.querySelector("pre")].map((one) => one.querySelector("p") ?? one);
    return innermost.map((one) => getComputedStyle(one)).map((style) => style.unicodeBidi === "plaintext" ? "each by itself" : style.direction);
  })()`);
  assert.deepEqual(found, ["rtl", "rtl", "rtl", "ltr"]);
}
