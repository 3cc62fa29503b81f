/** Finding and replacing in both views of the editor, and what is stored. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { until } from "../helpers/until.ts";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";
import { openSource } from "./source-view.ts";
import { caretAfter, openEditor, saveAll } from "./visual-view.ts";

const journey = shared(async () => {
  const started = await startJourney();
  await started.people.owner();
  return started;
});

const TEXT = `The tea is *tea* of   the
teapot. Tea is warm.

* one cup
* more **te**a

| tea | b |
|-----|---|
| x   | Tea |
`;

function bar(page: Page) {
  return page.getByRole("search", { name: "Find and replace" });
}

test("matches are counted, visited and replaced; one undo restores them, and all other bytes stay", async () => {
  const { visit, page, content, saved } = await openEditor(journey(), { markdown: TEXT }, "finds");
  await using _ = visit;
  await caretAfter(page, content, "more");
  await page.keyboard.press("Control+f");
  const find = bar(page).getByRole("textbox", { name: "Find" });
  await find.and(page.locator(":focus")).waitFor();
  await page.keyboard.type("tea");
  // From the caret on, across marks.
  await bar(page).getByText("5 of 7").waitFor();
  await visit.axe();
  await page.keyboard.press("Enter");
  await bar(page).getByText("6 of 7").waitFor();
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.press("F3");
  await page.keyboard.press("F3");
  await bar(page).getByText("7 of 7").waitFor();
  await bar(page).getByRole("button", { name: "Next" }).click();
  await bar(page).getByText("1 of 7").waitFor();
  await bar(page).getByRole("checkbox", { name: "Match case" }).check();
  await bar(page).getByText("1 of 5").waitFor();
  await bar(page).getByRole("checkbox", { name: "Whole words" }).check();
  await bar(page).getByText("1 of 4").waitFor();
  await bar(page).getByRole("textbox", { name: "Replace" }).fill("mate");
  await bar(page).getByRole("button", { name: "Replace", exact: true }).click();
  await bar(page).getByText("1 of 3").waitFor();
  await bar(page).getByRole("button", { name: "Replace all" }).click();
  await bar(page).getByText("Not found").waitFor();
  await page.keyboard.press("Escape");
  await bar(page).waitFor({ state: "detached" });
  await content.and(page.locator(":focus")).waitFor();
  assert.equal(await content.locator(".ProseMirror-search-match").count(), 0);
  await saveAll(page);
  const once = TEXT.replace("The tea", "The mate");
  const all = once.replace("*tea*", "*mate*").replace("**te**a", "**mate**").replace("| tea |", "| mate |");
  assert.equal(saved(), all);
  await page.keyboard.press("Control+z");
  await saveAll(page);
  assert.equal(saved(), once);
});

test("the selection is what is sought, and a text that comes from elsewhere is searched as well", async () => {
  const { visit, page, content } = await openEditor(journey(), { markdown: TEXT }, "selects");
  await using _ = visit;
  await caretAfter(page, content, "one");
  for (let key = 0; key < 4; key += 1) await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("Control+f");
  await bar(page).getByText("1 of 1").waitFor();
  assert.equal(await bar(page).getByRole("textbox", { name: "Find" }).inputValue(), " cup");
  await bar(page).getByRole("textbox", { name: "Find" }).fill("nowhere");
  await bar(page).getByText("Not found").waitFor();
  await until("nothing can be replaced", () => bar(page).getByRole("button", { name: "Replace all" }).isDisabled());
});

test("the source view counts its matches, too", async () => {
  const { visit, page } = await openEditor(journey(), { markdown: TEXT }, "counts");
  await using _ = visit;
  await openSource(page);
  await page.locator(".cm-content").focus();
  await page.keyboard.press("Control+f");
  const find = page.locator(".cm-search");
  await find.getByRole("textbox", { name: "Find" }).pressSequentially("tea");
  await find.getByText("6 found").waitFor();
  await page.keyboard.press("Enter");
  await find.getByText("1 of 6").waitFor();
  await find.getByLabel("Match case").check();
  await find.getByText("1 of 4").waitFor();
  await visit.axe();
  await find.getByRole("textbox", { name: "Find" }).pressSequentially("!");
  await find.getByText("Not found").waitFor();
});
