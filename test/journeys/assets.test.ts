/** The library of pictures: uploaded, described, and deleted with a warning where one is used. */
import { writeFile } from "node:fs/promises";
import { createArticle } from "../../src/operations/articles/articles.ts";
import { CHIEF } from "../helpers/articles.ts";
import { tempFolder } from "../helpers/folder.ts";
import { record } from "../helpers/http.ts";
import { png } from "../helpers/pictures.ts";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";

const journey = shared(() => startJourney());

test("pictures are uploaded, described, and deleted with a warning where one is used", async () => {
  const { service, people, open } = journey();
  await using folder = await tempFolder();
  await writeFile(folder.at("Red Kettle.png"), png(320, 200, 180));
  await writeFile(folder.at("notes.png"), "no picture");
  const website = await service.newWebsite({ name: "Tea" });
  const owner = await people.owner();
  await using visit = await open(`/dashboard/pictures?website=${website.id}`, { as: owner });
  const { page } = visit;
  await page.getByText("No pictures yet").waitFor();
  await visit.axe();

  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Upload pictures" }).click();
  await (await chooser).setFiles([folder.at("Red Kettle.png"), folder.at("notes.png")]);
  await page.getByText("notes.png: This is not a picture that can be used").waitFor();
  await page.getByText("red-kettle.png").waitFor();
  await page.getByText("320 × 200").waitFor();
  await page.getByText("Not used").waitFor();
  await visit.axe();

  await page.getByLabel("Alternative text").fill("A red kettle");
  await page.keyboard.press("Enter");
  await page.getByRole("img", { name: "A red kettle" }).waitFor();

  const [asset] = (await owner.json("GET", `/assets?website_id=${website.id}`))["assets"] as unknown[];
  const markdown = `![A red kettle](${String(record(asset)["url"])})`;
  await createArticle(service.app, website.id, { title: "On kettles", markdown }, CHIEF);
  await page.reload();
  await page.getByRole("link", { name: "On kettles" }).waitFor();
  await visit.axe();
  await page.getByRole("button", { name: "Delete red-kettle.png" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete red-kettle.png?" });
  await dialog.getByText("An article uses it").waitFor();
  await dialog.getByRole("button", { name: "Delete anyway" }).click();
  await page.getByText("No pictures yet").waitFor();
});
