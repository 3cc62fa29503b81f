/** Undo over both views and over a colleague's change, which is marked and can be taken back. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { until } from "../helpers/until.ts";
import { reviewed, websiteWith } from "./articles.ts";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";
import { goToEnd, openSource, readSource } from "./source-view.ts";

const journey = shared(() => startJourney());

const TEXT = "The first paragraph.\n\nThe second paragraph.\n\nThe third paragraph.\n";

test("undo goes back through what was typed before the view was switched, and forth again", async () => {
  const { people, open } = journey();
  const { website, ids } = await websiteWith(journey(), [{ title: "Switched", markdown: TEXT }]);
  await using visit = await open(`/dashboard/articles/${ids[0]}/edit?website=${website.id}`, {
    as: await people.owner(),
  });
  const { page } = visit;
  const field = page.getByRole("textbox", { name: "Content" });
  await field.getByText("The third paragraph.").click();
  await goToEnd(page);
  await page.keyboard.type(" Visual.");
  await openSource(page);
  await until("it is in the source", async () => (await readSource(page)).includes("third paragraph. Visual."));
  await goToEnd(page);
  await page.keyboard.type("Source.");
  await page.keyboard.press("Control+z");
  await until("what was typed in the source is undone", async () => !(await readSource(page)).includes("Source."));
  assert.ok((await readSource(page)).includes("Visual."));
  await page.keyboard.press("Control+z");
  await until("so is what was typed before", async () => !(await readSource(page)).includes("Visual."));
  await page.keyboard.press("Control+y");
  await until("it is back", async () => (await readSource(page)).includes("Visual."));
  await page.keyboard.press("Control+y");
  await until("so is the rest", async () => (await readSource(page)).includes("Source."));

  await page.keyboard.press("Control+Shift+x");
  await field.getByText("Source.").waitFor();
  await page.keyboard.press("Control+z");
  await field.getByText("Source.").waitFor({ state: "detached" });
  await page.keyboard.press("Control+z");
  await field.getByText("Visual.").waitFor({ state: "detached" });
  await page.keyboard.press("Control+Shift+z");
  await field.getByText("Visual.").waitFor();
});

test("a colleague's change is merged and marked; undo takes back only what one has typed, “Undo merge” the change", async () => {
  const { people, open } = journey();
  const { website, ids } = await websiteWith(journey(), [{ title: "Merged", markdown: TEXT }]);
  const id = ids[0] ?? "";
  const owner = await people.owner();
  const editor = await people.person("editor", website.id, "merges@example.com");
  await using visit = await open(`/dashboard/articles/${id}/edit?website=${website.id}`, { as: editor });
  const { page } = visit;
  const field = page.getByRole("textbox", { name: "Content" });
  const change = async (markdown: string) => {
    const { line } = await reviewed(owner, id);
    await owner.json("PATCH", `/articles/${id}`, {
      version: line["version"],
      draft_saved_at: null,
      changes: { markdown },
    });
  };
  await field.getByText("The third paragraph.").click();
  await goToEnd(page);
  await page.keyboard.type(" Mine.");
  await page.getByText("Saved on this device and on the server").waitFor();
  await change(TEXT.replace("first", "very first"));
  await page.getByText("Olga’s change of the content was merged into yours. It is marked in the text.").waitFor();
  assert.deepEqual(await marked(page), ["The very first paragraph."]);
  await visit.axe();
  // The caret stayed where it was.
  await page.keyboard.type(" More.");
  await field.getByText("The third paragraph. Mine. More.").waitFor();
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
  await field.getByText("The third paragraph.", { exact: true }).waitFor();
  await field.getByText("The very first paragraph.").waitFor();
  await page.keyboard.press("Control+y");
  await page.getByRole("button", { name: "Undo merge" }).click();
  await field.getByText("The first paragraph.").waitFor();
  assert.deepEqual(await marked(page), []);
  await page.getByText("Olga has changed this article since you opened it.").waitFor();

  // The next one is merged again; saved, both changes are there.
  await change(TEXT.replace("second", "very second"));
  await page.getByRole("button", { name: "Undo merge" }).waitFor();
  await field.getByText("The very second paragraph.").waitFor();
  await page.keyboard.press("Control+s");
  await page.getByText(/^Saved at/).waitFor();
  await page.getByRole("button", { name: "Undo merge" }).waitFor({ state: "detached" });
  assert.match(String((await reviewed(owner, id)).article["content"]), /very second[^]*third paragraph\. Mine\./);
});

function marked(page: Page): Promise<string[]> {
  return page.locator('[class*="merged"]').allTextContents();
}
