/** Who else has an article open is seen by those who have it open, too. */
import { shared, test } from "./journeys.ts";
import { startJourney } from "./browser.ts";
import { numbered, websiteWith } from "./articles.ts";

const journey = shared(() => startJourney());

test("who edits and who reads is seen, on either page, until they leave", async () => {
  const { people, open } = journey();
  const { website, ids } = await websiteWith(journey(), numbered(2));
  const owner = await people.owner();
  const ed = await people.person("editor", website.id, "ed@example.com");
  const ann = await people.person("viewer", website.id, "ann@example.com");
  const path = `/dashboard/articles/${ids[0]}`;
  const query = `?website=${website.id}`;
  await using reviewing = await open(`${path}${query}`, { as: owner });
  {
    await using editing = await open(`${path}/edit${query}`, { as: ed });
    await reviewing.page.getByText("editor is editing", { exact: true }).waitFor();
    await editing.page.getByText(/ is reading$/).waitFor();
    {
      await using reading = await open(`${path}${query}`, { as: ann });
      await reading.page.getByText("editor is editing", { exact: true }).waitFor();
      await editing.page.getByText(/ and viewer are reading$/).waitFor();
      await editing.axe();
      await reading.axe();
      // Another article is not concerned.
      await reading.page.goto(new URL(`/dashboard/articles/${ids[1]}${query}`, reading.page.url()).href);
      await reading.page.getByRole("heading", { name: "Tea number 2" }).first().waitFor();
      await editing.page.getByText(/and viewer are reading$/).waitFor({ state: "detached" });
    }
    // From the editor to the article.
    await editing.page.getByRole("link", { name: "The article" }).click();
    await reviewing.page.getByText("editor is reading", { exact: true }).waitFor();
    await reviewing.page.getByText("editor is editing", { exact: true }).waitFor({ state: "detached" });
  }
  await reviewing.page.getByText("editor is reading", { exact: true }).waitFor({ state: "detached" });
});

test("whoever has published what they changed is reading, until they change more", async () => {
  const { people, open } = journey();
  const { website, ids } = await websiteWith(journey(), numbered(1, { status: "published" }));
  const owner = await people.owner();
  const chief = await people.person("approver", website.id, "chief@example.com");
  const path = `/dashboard/articles/${ids[0]}`;
  const query = `?website=${website.id}`;
  await using reviewing = await open(`${path}${query}`, { as: owner });
  await using editing = await open(`${path}/edit${query}`, { as: chief });
  const { page } = editing;
  const text = page.getByRole("textbox", { name: "Content" });
  await text.focus();
  await page.keyboard.type("More. ");
  await reviewing.page.getByText("approver is editing", { exact: true }).waitFor();
  await page.keyboard.press("Control+Enter");
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Update/ })
    .click();
  await reviewing.page.getByText("approver is reading", { exact: true }).waitFor();
  await text.focus();
  await page.keyboard.type("Again. ");
  await reviewing.page.getByText("approver is editing", { exact: true }).waitFor();
});
