/** The page one writes on: its toolbar by keyboard and on a telephone. */
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
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
  await page.setViewportSize({ width: 800, height: 844 });
  await bar.getByRole("button", { name: "Code", exact: true }).waitFor();
});

async function boxOf(element: Locator) {
  const box = await element.boundingBox();
  assert.ok(box !== null, "the element is shown");
  return box;
}
