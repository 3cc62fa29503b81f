/** A short article with a picture is written, reviewed, mended and published on telephones, by touch alone. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import type { Locator } from "playwright-core";
import { tempFolder } from "../helpers/folder.ts";
import { record, records } from "../helpers/http.ts";
import { png } from "../helpers/pictures.ts";
import { until } from "../helpers/until.ts";
import { reviewed, websiteWith } from "./articles.ts";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";
import { NARROW } from "./pages.ts";

const journey = shared(async () => {
  const started = await startJourney();
  await started.people.owner();
  return started;
});

test("an article with a picture is written, reviewed, mended and published by touch alone", async () => {
  await using folder = await tempFolder();
  await writeFile(folder.at("harbour.png"), png(320, 200, 90));
  const { people, open } = journey();
  const { website } = await websiteWith(journey(), []);
  const author = await people.person("editor", website.id, "author@example.com");
  const approver = await people.person("approver", website.id, "approver@example.com");

  await using writing = await open(`/dashboard/articles?website=${website.id}`, { ...NARROW, as: author });
  const { page } = writing;
  await writing.settled();
  await page.getByRole("link", { name: "New article" }).first().tap();
  const title = page.getByRole("textbox", { name: "Title", exact: true });
  await title.and(page.locator(":focus")).waitFor();
  await page.keyboard.type("The harbour at night");
  const content = page.getByRole("textbox", { name: "Content" });
  await content.tap();
  await content.and(page.locator(":focus")).waitFor();
  await page.keyboard.type("The lamps are lit at six.");
  await page.keyboard.press("Enter");
  await page.getByRole("toolbar", { name: "Formatting" }).getByRole("button", { name: "Add picture" }).tap();
  const pictures = page.getByRole("dialog", { name: "Add picture" });
  await pictures.locator("input[type=file]").setInputFiles(folder.at("harbour.png"));
  await pictures.getByLabel("Alternative text").fill("The harbour");
  await writing.axe();
  await tapIn(pictures.getByRole("button", { name: "Add picture" }));
  await pictures.waitFor({ state: "detached" });
  await content.getByRole("img", { name: "The harbour" }).waitFor();
  await writing.axe();
  await tapIn(page.getByRole("button", { name: /^Create/ }));
  await tapIn(page.getByRole("button", { name: "Submit for review" }));
  await page.getByText("In review").first().waitFor();
  const id = /articles\/([^/?]+)/.exec(page.url())?.[1] ?? "";
  await until("it is in review", async () => (await reviewed(author, id)).line["review_state"] === "in_review");

  await using reviewing = await open(`/dashboard/articles?website=${website.id}`, { ...NARROW, as: approver });
  const { page: other } = reviewing;
  await other.getByRole("link", { name: "The harbour at night" }).tap();
  await reviewing.settled();
  await other.frameLocator("iframe").getByRole("img", { name: "The harbour" }).waitFor();
  const offer = other.getByRole("button", { name: "Comment", exact: true });
  await until("the selected words can be commented on", async () => {
    await other.frameLocator("iframe").getByText("The lamps are lit at six.").selectText();
    return (await offer.count()) > 0;
  });
  await tapIn(offer.last());
  const composer = other.getByRole("dialog", { name: "Comment" });
  await composer.getByRole("textbox", { name: "Comment" }).fill("In winter, too?");
  await reviewing.axe();
  await tapIn(composer.getByRole("button", { name: "Comment" }));
  await composer.waitFor({ state: "detached" });
  await tapIn(other.getByRole("button", { name: "Request changes" }));
  const request = other.getByRole("dialog", { name: "Request changes" });
  await request.getByLabel("What should change?").fill("- Say when in summer.\n- Name the harbour.");
  await reviewing.axe();
  await tapIn(request.getByRole("button", { name: "Request changes" }));
  await request.waitFor({ state: "detached" });

  await tapIn(page.getByRole("button", { name: /requested changes .*Say when in summer/ }));
  await page.getByRole("checkbox", { name: "Say when in summer." }).tap();
  await page.getByText("1 of 2 done").waitFor();
  await tapIn(page.getByRole("button", { name: "Edit" }));
  await content.getByText("The lamps are lit at six.").tap();
  await page.keyboard.press("End");
  await page.keyboard.type(" In summer, at nine.");
  await page.getByRole("button", { name: "Details panel" }).tap();
  await page.getByRole("tab", { name: "Feedback (1)" }).tap();
  await tapIn(page.getByRole("button", { name: "Resubmit" }));
  const question = page.getByRole("dialog", { name: "Resubmit this article?" });
  await question.getByText("Name the harbour.").waitFor();
  await writing.axe();
  await tapIn(question.getByRole("button", { name: "Resubmit" }));
  await until("it is there again", async () => (await reviewed(author, id)).line["is_resubmitted"] === true);

  await tapIn(other.getByRole("button", { name: "Load the new version" }));
  await other.getByText("Resubmitted").first().waitFor();
  // What has changed is shown first.
  await other.frameLocator("iframe:visible").getByText("In summer, at nine.").waitFor();
  await tapIn(other.getByRole("button", { name: "More actions" }));
  await tapIn(other.getByRole("menuitem", { name: "Approve and publish" }));
  await tapIn(other.getByRole("dialog").getByRole("button", { name: "Approve and publish" }));
  await until("it is published", async () => (await reviewed(author, id)).line["status"] === "published");
  await writing.settled();
  await reviewing.settled();
  const { request: sent } = await author.json("GET", `/articles/${id}`);
  assert.equal(sent, null);
  const [thread] = records((await author.json("GET", `/articles/${id}/comments`))["threads"]);
  assert.equal(record(thread?.["passage"])["text"], "Thelampsarelitatsix.");
});

/** Taps where a thumb reaches it: nothing may be over it, and it must be on the screen. */
async function tapIn(target: Locator): Promise<void> {
  await target.waitFor();
  await target.scrollIntoViewIfNeeded();
  const box = await target.boundingBox();
  assert.ok(
    box !== null && box.x >= 0 && box.x + box.width <= NARROW.width,
    `${String(target)} fits: ${JSON.stringify(box)}`,
  );
  await target.tap();
}
