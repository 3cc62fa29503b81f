/** Pictures of an article: dropped, pasted, chosen from this device, from the library or by an address, and changed. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Locator, Page } from "playwright-core";
import type { ArticleInput } from "../../src/domain/articles/article.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { addAsset } from "../../src/operations/articles/assets/assets.ts";
import { tempFolder } from "../helpers/folder.ts";
import { record, records } from "../helpers/http.ts";
import { png } from "../helpers/pictures.ts";
import { until } from "../helpers/until.ts";
import { LOOPBACK } from "../helpers/webhooks.ts";
import { websiteWith } from "./articles.ts";
import { startJourney, type VisitOptions } from "./browser.ts";
import { shared, test } from "./journeys.ts";
import { NARROW } from "./pages.ts";

const journey = shared(async () => {
  const started = await startJourney(LOOPBACK);
  await started.people.owner();
  return started;
});

async function openEditor(input: ArticleInput, name: string, options: VisitOptions = {}) {
  const { people, open } = journey();
  const { website, ids } = await websiteWith(journey(), [{ title: "An article", ...input }]);
  const editor = await people.person("editor", website.id, `${name}@example.com`);
  const visit = await open(`/dashboard/articles/${ids[0]}/edit?website=${website.id}`, { as: editor, ...options });
  const { page } = visit;
  const content = page.getByRole("textbox", { name: "Content" });
  await content.waitFor();
  await visit.settled();
  const base = `${journey().service.url}/assets/${website.id}/`;
  return {
    visit,
    page,
    content,
    website,
    editor,
    /** Saves, and returns the stored source with the pictures' names instead of their addresses. */
    save: async () => {
      await page.keyboard.press("Control+s");
      await page.getByText(/^Saved at/).waitFor();
      const { source, markdown, article } = await editor.json("GET", `/articles/${ids[0]}`);
      const stored = source === "markdown" ? markdown : record(article)["content"];
      return withoutAddresses(String(stored), base);
    },
    library: async () => records((await editor.json("GET", `/assets?website_id=${website.id}`))["assets"]),
  };
}

function withoutAddresses(source: string, base: string): string {
  return source.replaceAll(base, "").replaceAll(/[0-9a-f]{64}\//g, "");
}

/** Puts the caret at the end of the paragraph. */
async function caretIn(page: Page, content: Locator, text: string): Promise<void> {
  await content.getByText(text).click();
  await page.keyboard.press("End");
  // The editor takes a selection over from the browser in a later event.
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))");
}

async function pressAddPicture(page: Page): Promise<void> {
  await page.getByRole("toolbar", { name: "Formatting" }).getByRole("button", { name: "Add picture" }).click();
}

/** Drops or pastes files on the text, as the browser does. */
async function bring(how: "drop" | "paste", page: Page, files: readonly { name: string; bytes: Buffer }[]) {
  const given = files.map(({ name, bytes }) => ({ name, base64: bytes.toString("base64") }));
  await page.getByRole("textbox", { name: "Content" }).focus();
  await page.evaluate(`(() => {
    const data = new DataTransfer();
    for (const { name, base64 } of ${JSON.stringify(given)}) {
      const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
      data.items.add(new File([bytes], name, { type: "image/png" }));
    }
    const field = document.activeElement;
    const { left, bottom } = field.lastElementChild.getBoundingClientRect();
    const more = { bubbles: true, cancelable: true };
    field.dispatchEvent(
      ${JSON.stringify(how)} === "drop"
        ? new DragEvent("drop", { dataTransfer: data, clientX: left + 5, clientY: bottom - 5, ...more })
        : new ClipboardEvent("paste", { clipboardData: data, ...more }),
    );
  })()`);
}

test("several pictures are dropped: all are added in order, and one that is none is named", async () => {
  const { visit, page, content, save } = await openEditor({ markdown: "See.\n\nThe end." }, "drops");
  await using _ = visit;
  // The first one is answered last.
  const isReleased = Promise.withResolvers<void>();
  await page.route(/\/assets\?.*name=one\.png/, async (route) => {
    await isReleased.promise;
    await route.continue();
  });
  await bring("drop", page, [
    { name: "one.png", bytes: png(60, 40, 10) },
    { name: "notes.png", bytes: Buffer.from("no picture") },
    { name: "two.png", bytes: png(60, 40, 20) },
    { name: "three.png", bytes: png(60, 40, 30) },
  ]);
  const uploads = page.getByRole("region", { name: "Uploads" });
  await uploads.getByText(/^Not uploaded: This is not a picture/).waitFor();
  await content.getByText("Uploading 4 pictures…").waitFor();
  await visit.axe();
  // Typing goes on meanwhile.
  await caretIn(page, content, "See.");
  await page.keyboard.type(" Typed.");
  assert.equal(await save(), "See. Typed.\n\nThe end.");
  isReleased.resolve();
  await content.locator("img[src*='three.png']").waitFor();
  assert.deepEqual(await content.getByText(/^Uploading/).count(), 0);
  await uploads.getByRole("button", { name: "Close" }).click();
  await uploads.waitFor({ state: "detached" });
  // They were dropped at the beginning of the last paragraph.
  const pictures = "![](one.png)\n\n![](two.png)\n\n![](three.png)";
  assert.equal(await save(), `See. Typed.\n\n${pictures}\n\nThe end.`);
  // Undo brings no placeholder back.
  await caretIn(page, content, "See. Typed.");
  for (let key = 0; key < 3; key += 1) await page.keyboard.press("Control+z");
  await until("they are gone", async () => (await content.locator("img").count()) === 0);
  for (let key = 0; key < 3; key += 1) await page.keyboard.press("Control+y");
  await content.locator("img[src*='one.png']").waitFor();
  assert.equal(await content.getByText(/^Uploading/).count(), 0);
});

test("a file that is dropped where nothing takes it is not opened instead of the page", async () => {
  const opened = await openEditor({ markdown: "One." }, "beside");
  await using _ = opened.visit;
  const { page } = opened;
  const drop = (place: string) =>
    page.evaluate(`(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(["Two."], "two.txt", { type: "text/plain" }));
      return ["dragover", "drop"].map((kind) => {
        const event = new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer });
        ${place}.dispatchEvent(event);
        return event.defaultPrevented;
      });
    })()`);
  assert.deepEqual(await drop("document.querySelector('.ProseMirror p')"), [true, true]);
  assert.deepEqual(await drop("document.querySelector('nav')"), [true, true]);
  await page.getByRole("link", { name: "The article" }).click();
  await page.frameLocator("iframe[title^='Article']").getByText("One.").waitFor();
  const frame = "document.querySelector('iframe[title^=Article]').contentDocument.body";
  await until("its frame takes none", async () => JSON.stringify(await drop(frame)) === "[true,true]");
  assert.equal(await opened.page.getByText("Two.").count(), 0);
});

test("an upload is cancelled, and the others go on", async () => {
  const { visit, page, content, save } = await openEditor({ markdown: "See." }, "cancels");
  await using _ = visit;
  await page.route(/\/assets\?.*name=one\.png/, () => undefined);
  await bring("paste", page, [
    { name: "one.png", bytes: png(60, 40, 11) },
    { name: "two.png", bytes: png(60, 40, 21) },
  ]);
  await page.getByRole("button", { name: "Cancel one.png" }).click();
  await content.locator("img[src*='two.png']").waitFor();
  await page.getByRole("region", { name: "Uploads" }).waitFor({ state: "detached" });
  await caretIn(page, content, "See.");
  assert.equal(await save(), "![](two.png)\n\nSee.");
});

for (const size of [{ width: 1280 }, { ...NARROW, colorScheme: "dark" as const }]) {
  test(`a picture of this device is added, described and changed at ${size.width} px`, async () => {
    const name = `device${size.width}`;
    const { visit, page, content, save, library } = await openEditor(
      { markdown: "Before.\n\nAfter *all*." },
      name,
      size,
    );
    await using _ = visit;
    await using folder = await tempFolder();
    await writeFile(folder.at("Red Kettle.png"), png(320, 200, 180));
    await caretIn(page, content, "Before.");
    await pressAddPicture(page);
    const dialog = page.getByRole("dialog", { name: "Add picture" });
    await dialog.getByRole("button", { name: "Choose files" }).waitFor();
    await visit.axe();
    assert.equal(await dialog.locator("input[type=file]").getAttribute("accept"), "image/*");
    await dialog.locator("input[type=file]").setInputFiles(folder.at("Red Kettle.png"));
    await dialog.getByLabel("Alternative text").fill("A red kettle");
    await dialog.getByLabel("Caption").fill('The "old" kettle');
    await dialog.getByRole("img", { name: "A red kettle" }).waitFor();
    await visit.axe();
    await dialog.getByRole("button", { name: "Add picture" }).click();
    await dialog.waitFor({ state: "detached" });
    const picture = content.getByRole("img", { name: "A red kettle" });
    await picture.waitFor();
    assert.equal(await save(), 'Before.\n\n![A red kettle](red-kettle.png "The \\"old\\" kettle")\n\nAfter *all*.');
    // The library has the alternative text, too.
    await until("it is there", async () => (await library())[0]?.["alt"] === "A red kettle");

    await picture.click();
    const bar = page.getByRole("toolbar", { name: "Picture" });
    await bar.waitFor();
    await visit.axe();
    await bar.getByRole("button", { name: "Caption" }).click();
    const change = page.getByRole("dialog", { name: "Picture" });
    await change.getByLabel("Caption").and(page.locator(":focus")).fill("");
    await change.getByLabel("Alternative text").fill("A kettle");
    await visit.axe();
    await change.getByRole("button", { name: "Apply" }).click();
    await change.waitFor({ state: "detached" });
    assert.equal(await save(), "Before.\n\n![A kettle](red-kettle.png)\n\nAfter *all*.");
    assert.equal((await library())[0]?.["alt"], "A red kettle", "another text is only the article's");

    // By the keyboard alone: the picture is still chosen.
    await page.keyboard.press("Enter");
    await change.getByRole("button", { name: "Remove" }).click();
    await change.waitFor({ state: "detached" });
    assert.equal(await save(), "Before.\n\nAfter *all*.");
  });
}

test("pictures of the library are found, chosen with the keyboard, and shown in a row", async () => {
  const { service } = journey();
  const { visit, page, content, website, save } = await openEditor({ markdown: "Before." }, "library");
  await using _ = visit;
  await using folder = await tempFolder();
  for (const [no, alt] of ["A cup", "A red kettle", "A blue kettle"].entries()) {
    await writeFile(folder.at("a.png"), png(40 + no, 30, 90));
    const name = `${alt.toLowerCase().replaceAll(" ", "-")}.png`;
    await addAsset(service.app, website.id, { path: folder.at("a.png"), name, alt }, CLI_ORIGIN);
  }
  await caretIn(page, content, "Before.");
  await page.keyboard.press("Enter");
  await page.keyboard.type("/ima");
  await page.getByRole("option", { name: "Picture" }).waitFor();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Add picture" });
  await dialog.getByRole("tab", { name: "Library" }).click();
  await dialog.getByRole("option", { name: "a-cup.png: A cup" }).waitFor();
  await dialog.getByLabel("Search pictures").fill("kettle");
  await dialog.getByRole("option", { name: "A cup" }).waitFor({ state: "detached" });
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  assert.equal(await dialog.getByRole("option", { selected: true }).count(), 2);
  await visit.axe();
  await dialog.getByLabel("Show them in a row").check();
  await dialog.getByRole("button", { name: "Add 2 pictures" }).click();
  await dialog.waitFor({ state: "detached" });
  const boxes = await Promise.all(
    ["A blue kettle", "A red kettle"].map((name) => content.getByRole("img", { name }).boundingBox()),
  );
  assert.equal(boxes[0]?.y, boxes[1]?.y, "they are beside each other");
  assert.equal(await save(), "Before.\n\n![A blue kettle](a-blue-kettle.png) ![A red kettle](a-red-kettle.png)");
  await pressAddPicture(page);
  await dialog.getByRole("tab", { name: "Library" }).waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await content.and(page.locator(":focus")).waitFor();
});

const HTML = "<p class=x>Before &amp; all.</p>\n\n<p>After.</p>";

function around(figures: string): string {
  return HTML.replace("\n\n", `\n\n${figures}\n\n`);
}

function figure(image: string, caption: string): string {
  return `<figure>\n${image}\n<figcaption>${caption}</figcaption>\n</figure>`;
}

test("a picture by its address is kept or linked, with a figure, a caption and a size in HTML", async () => {
  const host = createServer(({ url }, response) => {
    if (url === "/gone.png") response.writeHead(404).end();
    else response.writeHead(200, { "Content-Type": "image/png" }).end(png(12, 9));
  }).listen(0, "127.0.0.1");
  await once(host, "listening");
  const elsewhere = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
  try {
    const { visit, page, content, save } = await openEditor({ content: HTML }, "address");
    await using _ = visit;
    await caretIn(page, content, "Before & all.");
    await pressAddPicture(page);
    const dialog = page.getByRole("dialog", { name: "Add picture" });
    await dialog.getByRole("tab", { name: "By address" }).click();
    const address = dialog.getByLabel("Address of the picture");
    await address.fill(`${elsewhere}/gone.png`);
    await page.keyboard.press("Enter");
    await dialog.getByText("The picture could not be fetched").waitFor();
    await visit.axe();
    await address.fill(`${elsewhere}/kept.png`);
    await page.keyboard.press("Enter");
    await dialog.getByRole("list", { name: "Chosen pictures" }).getByText("kept.png").waitFor();
    await dialog.getByLabel("Keep a copy in Pictures").uncheck();
    await address.fill(`${elsewhere}/linked.png`);
    await dialog.getByRole("button", { name: "Use address" }).click();
    await dialog.getByLabel("Caption").first().fill("Kept & shown");
    await dialog.getByLabel("Size").click();
    await page.getByRole("option", { name: "Small (320 px)" }).click();
    await visit.axe();
    await dialog.getByRole("button", { name: "Add 2 pictures" }).click();
    await dialog.waitFor({ state: "detached" });
    const linked = `<figure>\n<img src="${elsewhere}/linked.png" alt="" width="320">\n</figure>`;
    assert.equal(
      await save(),
      around(`${figure('<img src="kept.png" alt="" width="320">', "Kept &amp; shown")}\n\n${linked}`),
    );

    // It cannot be loaded here, and is shown by its address.
    await content.getByText(/^This picture cannot be loaded: .*linked\.png$/).click();
    await page.getByRole("toolbar", { name: "Picture" }).getByRole("button", { name: "Remove" }).click();
    await content.locator("img[src*='kept.png']").click();
    await page.getByRole("toolbar", { name: "Picture" }).getByRole("button", { name: "Size" }).click();
    const change = page.getByRole("dialog", { name: "Picture" });
    await change.getByLabel("Size").click();
    await page.getByRole("option", { name: "Full width" }).click();
    await change.getByLabel("Caption").fill("Kept");
    await change.getByRole("button", { name: "Apply" }).click();
    await change.waitFor({ state: "detached" });
    assert.equal(await save(), around(figure('<img src="kept.png" alt="">', "Kept")));
  } finally {
    host.closeAllConnections();
    host.close();
  }
});

test("the featured picture is chosen in the same dialog, with its alternative text", async () => {
  const { visit, page } = await openEditor({ markdown: "Text." }, "featured");
  await using _ = visit;
  await using folder = await tempFolder();
  await writeFile(folder.at("hero.png"), png(64, 36, 70));
  await page.getByRole("button", { name: "Choose picture" }).click();
  const dialog = page.getByRole("dialog", { name: "Add picture" });
  await dialog.locator("input[type=file]").setInputFiles(folder.at("hero.png"));
  await dialog.getByRole("button", { name: "Use picture" }).and(page.locator(":enabled")).click();
  await dialog.waitFor({ state: "detached" });
  assert.match(await page.getByRole("textbox", { name: "URL of the image" }).inputValue(), /\/hero\.png$/);
});
