/** What is wrong in a text is seen before it is approved, and put right. */
import assert from "node:assert/strict";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { updateWebsite } from "../../src/operations/website/websites.ts";
import { until } from "../helpers/until.ts";
import { reviewed, websiteWith } from "./articles.ts";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";

const journey = shared(() => startJourney());

const OPENER = "Sure! Here is an article about kettles:";
const TEXT = `${OPENER}

Hard water leaves a white crust on the heating element of every kettle. The crust is mostly calcium carbonate.

## What you need

A heaped tablespoon of citric acid is enough for one litre of water. Order it from [Insert company name] in time.`;

const SOUND = `Boil fresh water twice after the kettle was cleaned, and pour it away both times.

The third one tastes of nothing at all, so that the tea tastes of tea again, as it did when the kettle was new.`;

test("findings are stepped through, fixed and undone, quoted in a request for changes, and filtered by", async () => {
  const { people } = journey();
  const { website, ids } = await websiteWith(journey(), [
    { title: "How to descale a kettle", markdown: TEXT },
    { title: "A sound one", markdown: SOUND },
  ]);
  const [id = ""] = ids;
  const owner = await people.owner();
  await using visit = await journey().open(`/dashboard/articles/${id}?website=${website.id}&view=in_review`, {
    as: owner,
  });
  const { page } = visit;
  const panel = page.getByRole("region", { name: "Before you approve" });
  await panel.getByRole("heading", { name: "Gap to fill in" }).waitFor();
  await visit.axe();

  await page.keyboard.press("f");
  await page
    .getByRole("status")
    .filter({ hasText: /^Finding 1 of \d: Opening of a chat/ })
    .waitFor();
  await page.keyboard.press("f");
  await panel.locator("[aria-current]", { hasText: "[Insert company name]" }).waitFor();
  const marked = `String([...document.querySelector("iframe").contentWindow.CSS.highlights.get("finding-active")][0])`;
  assert.equal(await page.evaluate(marked), "[Insert company name]");

  await panel.getByRole("button", { name: "Fix", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(OPENER).first().waitFor();
  await visit.axe();
  await dialog.getByRole("button", { name: "Apply the fix" }).click();
  await panel.getByRole("heading", { name: "Opening of a chat" }).waitFor({ state: "detached" });
  const markdown = async () => String((await owner.json("GET", `/articles/${id}`))["markdown"]);
  assert.equal(await markdown(), TEXT.slice(OPENER.length).trimStart());
  await page.keyboard.press("z");
  await panel.getByRole("heading", { name: "Opening of a chat" }).waitFor();
  assert.equal(await markdown(), TEXT);

  await panel.getByRole("button", { name: "Request changes: Gap to fill in" }).click();
  const asked = dialog.getByLabel("What should change?");
  await until("the quote is there", async () => (await asked.inputValue()).includes("“[Insert company name]”"));
  await dialog.getByRole("button", { name: "Request changes" }).click();
  await page.getByRole("heading", { level: 1, name: "A sound one" }).waitFor();
  assert.equal((await reviewed(owner, id)).line["review_state"], "changes_requested");

  await page.goto(page.url().replace(/articles\/.*/, `articles?website=${website.id}&view=all&finding=blocking`));
  await page.getByRole("link", { name: "How to descale a kettle" }).waitFor();
  await page.getByRole("img", { name: "Something in its text blocks" }).waitFor();
  assert.equal(await page.getByRole("link", { name: "A sound one" }).count(), 0);
  await visit.axe();
});

test("an approval is held until each kind that blocks is accepted with a reason", async () => {
  const { people, service } = journey();
  const { website, ids } = await websiteWith(journey(), [{ title: "How to descale a kettle", markdown: TEXT }]);
  await updateWebsite(service.app, website.id, { integrityGate: "all" }, CLI_ORIGIN);
  const [id = ""] = ids;
  const owner = await people.owner();
  await using visit = await journey().open(`/dashboard/articles/${id}?website=${website.id}`, { as: owner });
  const { page } = visit;
  await page.getByText("Blocked by: Opening of a chat, Gap to fill in.").first().waitFor();
  await visit.axe();
  await page.keyboard.press("a");
  await page.getByRole("status").filter({ hasText: "Blocked by: Opening of a chat" }).waitFor();
  for (const kind of ["Opening of a chat", "Gap to fill in"]) {
    await page.getByRole("button", { name: `Accept: ${kind}` }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Why is it acceptable here?").fill("short");
    await dialog.getByRole("button", { name: "Accept it" }).click();
    await dialog.getByText("At least 10 characters.").waitFor();
    await dialog.getByLabel("Why is it acceptable here?").fill("It is a quotation from the manual.");
    await dialog.getByRole("button", { name: "Accept it" }).click();
    await dialog.waitFor({ state: "detached" });
  }
  await page.getByText("Blocked by:").first().waitFor({ state: "detached" });
  assert.equal(await page.getByText("It is a quotation from the manual.").count(), 2);
  await visit.axe();
  await page.keyboard.press("a");
  await until("it is approved", async () => (await reviewed(owner, id)).line["status"] === "approved");
});
