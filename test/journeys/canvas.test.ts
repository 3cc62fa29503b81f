/** The page one writes on: its toolbar by keyboard and on a telephone. */
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { until } from "../helpers/until.ts";
import { websiteWith } from "./articles.ts";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";
import { NARROW } from "./pages.ts";

const journey = shared(async () => {
  const started = await startJourney();
  await started.people.owner();
  return started;
});

const TOOLS = [
  "Bold",
  "Italic",
  "Link",
  "Add picture",
  "List",
  "Numbered list",
  "Quote",
  "Undo",
  "Redo",
  "Strikethrough",
  "Code",
];

async function openEditor(name: string, look = {}) {
  const { website, ids } = await websiteWith(journey(), [{ title: "An article", markdown: "One word." }]);
  const as = await journey().people.person("editor", website.id, `${name}@example.com`);
  const visit = await journey().open(`/dashboard/articles/${ids[0]}/edit?website=${website.id}`, { as, ...look });
  const bar = visit.page.getByRole("toolbar", { name: "Formatting" });
  await bar.getByRole("button", { name: "Bold" }).waitFor();
  await visit.settled();
  return { visit, page: visit.page, bar, content: visit.page.getByRole("textbox", { name: "Content" }) };
}

test("the toolbar is one stop after the text, has all tools in one row, and Escape leads back", async () => {
  const { visit, page, bar, content } = await openEditor("toolbar");
  await using _ = visit;
  const focused = page.locator(":focus");
  const boxes = await Promise.all(TOOLS.map((name) => boxOf(bar.getByRole("button", { name, exact: true }))));
  assert.equal(new Set(boxes.map(({ y }) => y)).size, 1);
  await content.focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Alt+F10");
  await bar.getByRole("button", { name: "Text", exact: true }).and(focused).waitFor();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await bar.getByRole("button", { name: "Bold", pressed: true }).waitFor();
  await content.locator("strong").waitFor();
  await page.keyboard.press("Alt+F10");
  await bar.getByRole("button", { name: "Bold" }).and(focused).waitFor();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await bar.getByRole("button", { name: "View and format" }).and(focused).waitFor();
  await page.keyboard.press("Escape");
  await content.and(focused).waitFor();
  // On paper there is only the article.
  await page.emulateMedia({ media: "print" });
  await bar.waitFor({ state: "hidden" });
  for (const role of ["navigation", "complementary", "tab"] as const)
    assert.equal(await page.getByRole(role).count(), 0);
  await content.waitFor();
  await page.emulateMedia({ media: "screen" });
  // A second press of Tab has left the toolbar.
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  await bar.locator(":focus").waitFor();
  await page.keyboard.press("Tab");
  await bar.locator(":focus").waitFor({ state: "detached" });
  await visit.axe();
});

test("on a telephone the toolbar is at the bottom, large enough for thumbs, and the rest of it in a menu", async () => {
  const { visit, page, bar, content } = await openEditor("thumbs", NARROW);
  await using _ = visit;
  const box = await boxOf(bar);
  assert.equal(box.y + box.height, NARROW.height);
  for (const button of await bar.getByRole("button").all()) {
    const { width, height, x } = await boxOf(button);
    assert.ok(width >= 44 && height >= 44 && x + width <= NARROW.width, JSON.stringify({ width, height, x }));
  }
  assert.equal(await bar.getByRole("button", { name: "Code", exact: true }).count(), 0);
  await content.focus();
  await page.keyboard.press("Control+a");
  await bar.getByRole("button", { name: "Table and more" }).click();
  await page.getByRole("menuitem", { name: "Insert table" }).waitFor();
  await visit.axe();
  await page.getByRole("menuitemcheckbox", { name: "Code", exact: true }).click();
  await content.locator("code").waitFor();
  await bar.getByRole("button", { name: "Table and more" }).click();
  await page.getByRole("menuitemcheckbox", { name: "Code", exact: true, checked: true }).waitFor();
  // A wider window has room for more.
  await page.keyboard.press("Escape");
  await page.setViewportSize({ width: 1000, height: 844 });
  await bar.getByRole("button", { name: "Code", exact: true }).waitFor();
});

test("the first words are on the page before the editor is, and the text says its language wherever it is", async () => {
  const article = { title: "شاي", content: "<p>أول كلمة</p><p><a href='#x'>ثانية</a></p>", language: "ar" };
  const { website, ids } = await websiteWith(journey(), [article]);
  const as = await journey().people.owner();
  await using visit = await journey().open(`/dashboard/articles?website=${website.id}`, { as });
  const { page } = visit;
  await visit.settled();
  const held = Promise.withResolvers<void>();
  await page.route(/\/assets\/visual-editor-[^/]*\.js/, async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.goto(page.url().replace(/articles.*/, `articles/${ids[0]}/edit?website=${website.id}`));
  const first = page.locator("[aria-busy][dir='rtl']");
  await first.getByText("أول كلمة").waitFor();
  await first.and(page.locator("[lang='ar']")).waitFor();
  assert.equal(await first.locator("a[href]").count(), 0);
  // The text takes the focus as soon as it can be edited.
  const title = page.getByRole("textbox", { name: "Title", exact: true });
  await title.press("Enter");
  held.resolve();
  const content = page.getByRole("textbox", { name: "Content" });
  await content.and(page.locator(":focus")).waitFor();
  await first.waitFor({ state: "detached" });
  await title.and(page.locator("[lang='ar']")).waitFor();
  await content.and(page.locator("[lang='ar'] *")).waitFor();
  await page.getByRole("tab", { name: "Preview" }).click();
  await page.frameLocator("iframe[title='Preview']").locator("html[lang='ar']").waitFor();
  await page.goto(page.url().replace("/edit", ""));
  await page.locator("h1[lang='ar']").waitFor();
  await page.emulateMedia({ media: "print" });
  await page.getByRole("tab").first().waitFor({ state: "detached" });
  await page.emulateMedia({ media: "screen" });
  await until("the font is there", () => page.evaluate("document.fonts.check('16px \"Inter Variable\"')"));
  await page.frameLocator("iframe").first().locator("html[lang='ar']").waitFor();
});

async function boxOf(element: Locator) {
  const box = await element.boundingBox();
  assert.ok(box !== null, "the element is shown");
  return box;
}
