/** Actions on all articles that match. */
import assert from "node:assert/strict";
import { publishArticle } from "../../src/operations/articles/write/articles.ts";
import { CHIEF } from "../helpers/articles.ts";
import { holdChanges } from "../helpers/hold-changes.ts";
import { until } from "../helpers/until.ts";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";
import { numbered, reviewed, websiteWith } from "./articles.ts";
import { NARROW } from "./pages.ts";

const journey = shared(async () => {
  const started = await startJourney();
  // The first account is its owner.
  await started.people.owner();
  return started;
});

test("all matching articles are approved, not only the visible page, and Z undoes it", async () => {
  const { people } = journey();
  const { website, ids } = await websiteWith(journey(), numbered(60, { tags: ["Spring"] }));
  const owner = await people.owner();
  await using visit = await journey().open(`/dashboard/articles?website=${website.id}&tag=spring`, { as: owner });
  const { page } = visit;
  await page.getByRole("checkbox", { name: "Select all on this page" }).check();
  await page.getByRole("button", { name: "Select all 60 that match" }).click();
  await page.getByText("All 60 articles that match are selected.").waitFor();
  await page.getByRole("button", { name: "More", exact: true }).last().click();
  await page.getByRole("menuitem", { name: "Tags and categories" }).waitFor();
  await visit.axe();
  await page.getByRole("menuitem", { name: "Tags and categories" }).click();
  const tags = page.getByLabel("Add tags", { exact: true }).and(page.locator("input"));
  await tags.fill("Harvest");
  await visit.axe();
  await page.getByRole("button", { name: "Apply", exact: true }).click();
  await page.getByText("60 articles labelled.").first().waitFor();

  await page.getByRole("checkbox", { name: "Select all on this page" }).check();
  await page.getByRole("button", { name: "Select all 60 that match" }).click();
  await page.getByRole("button", { name: "Approve", exact: true }).click();
  await page.getByRole("dialog", { name: "Approve 60 articles?" }).getByRole("button", { name: "Approve" }).click();
  await page.getByRole("link", { name: /^Approved\s*60$/ }).waitFor();
  await page.getByText("60 articles approved", { exact: true }).waitFor();
  const last = await reviewed(owner, ids.at(-1) ?? "");
  assert.deepEqual([last.line["status"], last.line["tags"]], ["approved", ["Spring", "Harvest"]]);
  await page.locator("h1").focus();
  await page.keyboard.press("z");
  await page.getByRole("link", { name: /^To review\s*60$/ }).waitFor();
});

test("a question about one article speaks of one", async () => {
  const { website } = await websiteWith(journey(), numbered(2));
  const as = await journey().people.owner();
  await using visit = await journey().open(`/dashboard/articles?website=${website.id}`, { as });
  const { page } = visit;
  await page.getByLabel("Select Tea number 1").check();
  const bar = page.getByRole("region", { name: "Actions for the selected articles" });
  await bar.getByRole("button", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog", { name: "Move 1 article to the trash?" });
  await dialog.getByText("It moves to the trash and can be restored.").waitFor();
});

test("a stopped action says and undoes exactly what was done", async () => {
  const { people, service } = journey();
  const { website, ids } = await websiteWith(journey(), numbered(60));
  const owner = await people.owner();
  await using visit = await journey().open(`/dashboard/articles?website=${website.id}`, { as: owner, ...NARROW });
  const { page } = visit;
  await page.getByRole("checkbox", { name: "Select all on this page" }).check();
  await page.getByRole("button", { name: "Select all 60 that match" }).click();
  await using held = await holdChanges(service.app, website.id);
  await page
    .getByRole("region", { name: "Actions for the selected articles" })
    .getByRole("button", { name: "Approve", exact: true })
    .click();
  await page.getByRole("dialog", { name: "Approve 60 articles?" }).getByRole("button", { name: "Approve" }).click();
  const stop = page.getByRole("button", { name: "Stop" });
  const stopped = page.waitForResponse(
    async (response) => response.url().endsWith("/bulk/stop") && (await response.text()).includes("true"),
  );
  await stop.click();
  await stopped;
  await visit.axe();
  await held[Symbol.asyncDispose]();
  await page.getByText("Stopped. What was already done is kept.").waitFor();
  const approved = async () => {
    const counts = await owner.json("GET", `/articles/counts?website_id=${website.id}`);
    return Number(counts["approved"]);
  };
  const done = await approved();
  assert.ok(done < ids.length);
  await page.getByText(`${done} articles approved, 0 refused`, { exact: true }).waitFor();
  await visit.axe();
  await page.locator("h1").focus();
  await page.keyboard.press("z");
  await page.getByRole("link", { name: /^To review\s*60$/ }).waitFor();
  assert.equal(await approved(), 0);
});

test("a stopped undo says what is not undone, and Z undoes the rest; refused articles have their titles", async () => {
  const { people, service } = journey();
  const { website, ids } = await websiteWith(journey(), numbered(60));
  const owner = await people.owner();
  await using visit = await journey().open(`/dashboard/articles?website=${website.id}`, { as: owner });
  const { page } = visit;
  await page.getByRole("checkbox", { name: "Select all on this page" }).check();
  await page.getByRole("button", { name: "Select all 60 that match" }).click();
  await page.getByRole("button", { name: "Approve", exact: true }).click();
  await page.getByRole("dialog", { name: "Approve 60 articles?" }).getByRole("button", { name: "Approve" }).click();
  await page.getByText("60 articles approved", { exact: true }).waitFor();
  // Somebody else publishes the first and the last one.
  for (const id of [ids[0], ids.at(-1)]) await publishArticle(service.app, id ?? "", CHIEF);
  await using held = await holdChanges(service.app, website.id);
  await page.locator("h1").focus();
  await page.keyboard.press("z");
  await page.getByRole("button", { name: "Stop" }).click();
  await held[Symbol.asyncDispose]();
  const note = page.getByRole("alert");
  await note.getByText("24 articles back in review, 1 refused").waitFor();
  await note.getByText("Stopped: 35 articles not undone.").waitFor();
  await note.getByRole("link", { name: /^Tea number \d+$/ }).waitFor();
  await visit.axe();
  await page.keyboard.press("z");
  await note.getByText("34 articles back in review, 1 refused").waitFor();
  await note.getByRole("link", { name: /^Tea number \d+$/ }).waitFor();
  await page.getByRole("link", { name: /^To review\s*58$/ }).waitFor();
});

test("on a phone the author is changed, and refusals say why", async () => {
  const { people } = journey();
  const { website, ids } = await websiteWith(journey(), numbered(2));
  const owner = await people.owner();
  const editor = await people.person("editor", website.id, "new.author@example.com");
  await using visit = await journey().open(`/dashboard/articles?website=${website.id}`, {
    as: owner,
    colorScheme: "dark",
    ...NARROW,
  });
  const { page } = visit;
  await page.getByRole("checkbox", { name: "Select all on this page" }).check();
  // Somebody else changes one of them first.
  const { line } = await reviewed(editor, ids[1] ?? "");
  await editor.json("PATCH", `/articles/${ids[1]}`, { version: Number(line["version"]), changes: { tags: ["tea"] } });
  await page
    .getByRole("region", { name: "Actions for the selected articles" })
    .getByRole("button", { name: "More" })
    .click();
  const changeAuthor = page.getByRole("menuitem", { name: "Change author" });
  await changeAuthor.waitFor();
  await visit.axe();
  await changeAuthor.click();
  await page.getByRole("combobox", { name: "Author" }).selectOption({ label: "editor" });
  await page.getByRole("dialog").getByRole("button", { name: "Change author" }).click();
  await page.getByText("1 article given another author, 1 refused").waitFor();
  await visit.axe();
  await until("the author is another", async () => {
    const { author } = (await reviewed(owner, ids[0] ?? "")).line as { author: { name: string } | null };
    return author?.name === "editor";
  });
});
