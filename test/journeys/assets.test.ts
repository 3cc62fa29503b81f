/** The library of pictures: pictures are uploaded, described, and deleted, with a warning if one is used. */
import { writeFile } from "node:fs/promises";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { addAsset } from "../../src/operations/articles/assets/assets.ts";
import { createArticle } from "../../src/operations/articles/write/articles.ts";
import { CHIEF } from "../helpers/articles.ts";
import { tempFolder } from "../helpers/folder.ts";
import { record, records } from "../helpers/http.ts";
import { png } from "../helpers/pictures.ts";
import { startJourney } from "./browser.ts";
import { NARROW } from "./pages.ts";
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
  await page.getByText("Not used", { exact: true }).waitFor();
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
  await writeFile(folder.at("Blue Kettle.png"), png(300, 200, 90));
  const replacing = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Replace red-kettle.png" }).click();
  await (await replacing).setFiles(folder.at("Blue Kettle.png"));
  const question = page.getByRole("dialog", { name: "Replace red-kettle.png with Blue Kettle.png?" });
  await question.waitFor();
  await visit.axe();
  await question.getByRole("button", { name: "Replace", exact: true }).click();
  await page.getByText("Replaced in 1 article.").waitFor();
  await page.getByText("blue-kettle.png", { exact: true }).waitFor();
  await visit.axe();
  await page.getByRole("button", { name: "Delete red-kettle.png" }).click();
  await page.getByText("No article uses it, but other pages that show it will lose it.").waitFor();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("red-kettle.png", { exact: true }).waitFor({ state: "detached" });

  await page.getByRole("button", { name: "Delete blue-kettle.png" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete blue-kettle.png?" });
  await dialog.getByText("An article uses it").waitFor();
  await dialog.getByRole("button", { name: "Delete anyway" }).click();
  await page.getByText("No pictures yet").waitFor();
});

for (const size of [{ width: 1280 }, NARROW]) {
  test(`pictures that nothing uses are listed and deleted together at ${size.width} px`, async () => {
    const { service, people, open } = journey();
    await using folder = await tempFolder();
    const website = await service.newWebsite({ name: "Coffee" });
    for (const [no, name] of ["used.png", "late.png", "one.png", "two.png"].entries()) {
      await writeFile(folder.at(name), png(30 + no, 20));
      await addAsset(service.app, website.id, { path: folder.at(name), name, alt: "" }, CLI_ORIGIN);
    }
    const owner = await people.owner();
    const assets = records((await owner.json("GET", `/assets?website_id=${website.id}`))["assets"]);
    const use = (name: string) => {
      const markdown = `![A](${String(assets.find((asset) => asset["name"] === name)?.["url"])})`;
      return createArticle(service.app, website.id, { title: `With ${name}`, markdown }, CHIEF);
    };
    await use("used.png");
    await using visit = await open(`/dashboard/pictures?website=${website.id}`, { as: owner, ...size });
    const { page } = visit;
    await page.getByText("used.png", { exact: true }).waitFor();
    await page.getByText("Not used (3)").click();
    await page.getByText("used.png", { exact: true }).waitFor({ state: "detached" });
    await visit.axe();

    await use("late.png");
    await page.getByLabel("Select all").check();
    await page.getByText("3 pictures selected").waitFor();
    await visit.axe();
    await page.getByLabel("Select two.png").uncheck();
    await page.getByRole("region", { name: "Actions for the selected pictures" }).getByRole("button").click();
    const dialog = page.getByRole("dialog", { name: "Delete 2 pictures?" });
    await dialog.waitFor();
    await visit.axe();
    await dialog.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("Used since you opened this list: late.png.").waitFor();
    await page.getByText("Not used (1)").waitFor();
    await page.getByText("two.png", { exact: true }).waitFor();
    await visit.axe();

    await page.getByLabel("Select two.png").check();
    await page.getByRole("region", { name: "Actions for the selected pictures" }).getByRole("button").click();
    const last = page.getByRole("dialog", { name: "Delete 1 picture?" });
    await last.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("No unused pictures").waitFor();
    await visit.axe();
    await page.getByRole("button", { name: "Show all pictures" }).click();
    await page.getByText("late.png", { exact: true }).waitFor();
  });
}
