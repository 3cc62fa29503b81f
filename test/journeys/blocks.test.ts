/** Links, tables, code and embeds in the visual view, and what of them is stored. */
import assert from "node:assert/strict";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";
import { caretAfter, openEditor, saveAll } from "./visual-view.ts";

const journey = shared(async () => {
  const started = await startJourney();
  await started.people.owner();
  return started;
});

const LINKS =
  "See [the *old* page](https://example.org/old) and [a note][n], or <https://example.org/a_b>.\n\n[n]: /notes/1\n";

test("the link at the caret shows its address, and is changed and removed; the rest stays as it was", async () => {
  const { visit, page, content, saved } = await openEditor(journey(), { markdown: LINKS }, "links");
  await using _ = visit;
  const bar = page.getByRole("toolbar", { name: "Link" });
  const dialog = page.getByRole("dialog", { name: "Link" });
  await content.getByRole("link", { name: "the old page" }).click();
  await bar.getByText("https://example.org/old", { exact: true }).waitFor();
  assert.deepEqual(
    await bar.getByRole("link", { name: "Open" }).evaluate(`(link) => [link.href, link.target, link.rel]`),
    ["https://example.org/old", "_blank", "noopener noreferrer"],
  );
  await visit.axe();
  await bar.getByRole("button", { name: "Change" }).click();
  assert.equal(await dialog.getByLabel("Address").inputValue(), "https://example.org/old");
  await dialog.getByLabel("Address").fill("https://example.org/new");
  await visit.axe();
  await dialog.getByRole("button", { name: "Change" }).click();
  await dialog.waitFor({ state: "detached" });
  await bar.getByText("https://example.org/new", { exact: true }).waitFor();

  // With keys alone.
  await caretAfter(page, content, "a no");
  await bar.getByText("/notes/1", { exact: true }).waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Escape");
  await content.and(page.locator(":focus")).waitFor();
  await page.keyboard.press("Control+k");
  await dialog.getByRole("button", { name: "Remove link" }).click();
  await dialog.waitFor({ state: "detached" });
  await bar.waitFor({ state: "detached" });

  // An address that is its own text stays so.
  await caretAfter(page, content, "https://exam");
  await page.keyboard.press("Control+k");
  await dialog.getByLabel("Address").fill("https://example.org/b");
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await saveAll(page);
  assert.equal(
    saved(),
    "See [the *old* page](https://example.org/new) and a note, or <https://example.org/b>.\n\n[n]: /notes/1\n",
  );
});

test("a link leads to a published article that is found by its title", async () => {
  const { service, website, people } = journey();
  const admin = await people.person("editor", website.id, "finds@example.com");
  const published = await admin.json("GET", `/articles?website_id=${website.id}&view=published`);
  const [first] = published["articles"] as { id: string; title: string }[];
  const pending = await admin.json("GET", `/articles?website_id=${website.id}&view=pending`);
  const [edited] = pending["articles"] as { id: string }[];
  assert.ok(first !== undefined && edited !== undefined);
  const visit = await journey().open(`/dashboard/articles/${edited.id}/edit?website=${website.id}`, { as: admin });
  await using _ = visit;
  const { page } = visit;
  const content = page.getByRole("textbox", { name: "Content" });
  await content.waitFor();
  await visit.settled();
  await content.focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.press("Enter");
  await page.keyboard.type("Read ");
  await page.keyboard.press("Control+k");
  const dialog = page.getByRole("dialog", { name: "Link" });
  await dialog.getByLabel("Address").fill(first.title.slice(0, -2));
  await dialog.getByRole("option", { name: first.title }).waitFor();
  await visit.axe();
  await page.keyboard.press("Enter");
  await dialog.getByText(`Article: ${first.title}`).waitFor();
  await dialog.getByRole("button", { name: "Insert link" }).click();
  await dialog.waitFor({ state: "detached" });
  await saveAll(page);
  const slug = (await admin.json("GET", `/articles/${first.id}`))["public_url"];
  const stored = String((await admin.json("GET", `/articles/${edited.id}`))["markdown"]);
  assert.ok(stored.trimEnd().endsWith(`Read [${first.title}](${String(slug)})`), stored.slice(-200));
  assert.deepEqual(service.log.failures, []);
});
