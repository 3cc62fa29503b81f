/** Importing articles from files: chosen or dropped, as a trial, and stopped. */
import assert from "node:assert/strict";
import { writeFile, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { Locator, Page } from "playwright-core";
import { deleteArticle, getArticle, listArticles } from "../../src/operations/articles/write/articles.ts";
import { CHIEF, PROSE } from "../helpers/articles.ts";
import { type Folder, tempFolder } from "../helpers/folder.ts";
import { png } from "../helpers/pictures.ts";
import { startPlainServer } from "../helpers/plain-server.ts";
import { until } from "../helpers/until.ts";
import { LOOPBACK } from "../helpers/webhooks.ts";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";

const journey = shared(() => startJourney(LOOPBACK));

const IMPORT = "/dashboard/import";
const FILES = {
  "posts/2026-01-02-first.md": "---\ntitle: The first\nstatus: published\n---\nIts **text**.\n",
  "posts/deeper/second.md": "---\ntitle: The second\n---\nMore text.\n",
  "posts/bad.md": "---\ntitle: Bad\nquality_metrics: good\n---\nNobody reads this.\n",
  "posts/.DS_Store": "what a file manager leaves",
};

test("the result says so if nothing could be imported", async () => {
  await using folder = await folderOf(FILES);
  const website = await journey().service.newWebsite({ name: "None" });
  await using visit = await open(website.id);
  await choose(visit.page, "Choose files", [folder.at("posts/bad.md")]);
  await importFiles(visit.page);
  const result = visit.page.getByRole("status").filter({ hasText: "0 new, 0 changed, 0 unchanged, 1 failed." });
  await result.getByText("Nothing was imported").waitFor();
});

test("files are chosen, tried without saving, then imported; a bad one among them says why", async () => {
  await using folder = await folderOf(FILES);
  const website = await journey().service.newWebsite({ name: "Chosen" });
  await using visit = await open(website.id);
  const { page } = visit;
  await choose(page, "Choose files", [
    folder.at("posts/2026-01-02-first.md"),
    folder.at("posts/bad.md"),
    folder.at("posts/deeper/second.md"),
  ]);
  await page.getByText("3 files,").waitFor();
  await visit.axe();

  await page.getByRole("button", { name: "Preview import" }).click();
  await page.getByText("This would be imported").waitFor();
  await page.getByText("2 new, 0 changed, 0 unchanged, 1 failed. Nothing was saved.").waitFor();
  // The result has the focus.
  await page.locator(":focus", { hasText: "Nothing was saved" }).waitFor();
  assert.deepEqual(await titlesOf(website.id), []);
  await visit.axe();

  await importFiles(page);
  await page.getByText("2 new, 0 changed, 0 unchanged, 1 failed.", { exact: true }).waitFor();
  const rows = page.getByRole("row");
  // The failed item comes first, below the table's heading.
  await rows.nth(1).getByText("bad.md").waitFor();
  await rows.nth(1).getByText("Failed").waitFor();
  assert.match(await rows.nth(1).innerText(), /quality_metrics must be a JSON object/);
  assert.deepEqual(await titlesOf(website.id), ["The first: published", "The second: pending"]);
  await page.getByText("New 2", { exact: true }).click();
  await until("the failed one is hidden", async () => (await rows.count()) === 3);
  await visit.axe();

  // The same import again.
  await importFiles(page);
  await page.getByText("0 new, 0 changed, 2 unchanged, 1 failed.", { exact: true }).waitFor();
  await page.getByRole("link", { name: "The first" }).click();
  await page.getByRole("heading", { level: 1, name: "The first" }).waitFor();
});

test("what articles lack is listed by kind with the places, and at the article itself", async () => {
  await using folder = await folderOf({
    "lacking.md": "---\ntitle: Lacking\nstatus: published\n---\nA [quote]word[/quote] of it.\n\n<button>Buy</button>\n",
    "other.md": "---\ntitle: Other\nstatus: published\n---\nSee [it](b.md).\n\n<button>Buy</button>\n",
  });
  const website = await journey().service.newWebsite({ name: "Lacking" });
  await using visit = await open(website.id);
  const { page } = visit;
  await choose(page, "Choose files", [folder.at("lacking.md"), folder.at("other.md")]);
  await importFiles(page);
  await page.getByText("2 new, 0 changed, 0 unchanged, 0 failed.", { exact: true }).waitFor();
  assert.deepEqual(await titlesOf(website.id), ["Lacking: pending", "Other: published"]);
  await page.getByText("Source markup left as text: [/quote]").waitFor();
  await page.getByRole("button", { name: "Elements removed (2)" }).click();
  await page.getByText("Other: <button>").waitFor();
  await page.getByRole("button", { name: "Links that lead nowhere (1)" }).waitFor();
  await visit.axe();
  await page.getByRole("button", { name: "Source markup left as text (1)" }).click();
  await page.getByRole("region").getByRole("link", { name: "Lacking" }).first().click();
  await page.getByRole("tab", { name: "Pipeline" }).click();
  await page.getByRole("listitem").getByText("Source markup left as text: [/quote]").waitFor();
  await visit.axe();
});

test("a folder is dropped with its content, and its files are identified by their paths", async () => {
  await using folder = await folderOf(FILES);
  const website = await journey().service.newWebsite({ name: "Dropped" });
  await using visit = await open(website.id);
  const { page } = visit;
  await visit.settled();
  // A drop beside the zone does nothing; the browser does not leave the page.
  await drop(page, page.getByRole("heading", { level: 1 }), [folder.at("posts")]);
  assert.equal(await page.getByRole("button", { name: "Import", exact: true }).count(), 0);
  await drop(page, page.getByText("Drop files or a folder here"), [folder.at("posts")]);
  await page.getByText("3 files,").waitFor();
  await page.getByRole("radio", { name: "Approved" }).check();
  await importFiles(page);
  await page.getByText("2 new, 0 changed, 0 unchanged, 1 failed.", { exact: true }).waitFor();
  assert.deepEqual(await titlesOf(website.id), ["The first: approved", "The second: approved"]);

  // The command recognises the same folder as the same articles.
  await choose(page, "Choose a folder", folder.at("posts"));
  await page.getByText("3 files,").waitFor();
  await page.getByRole("radio", { name: "Approved" }).check();
  await importFiles(page);
  await page.getByText("0 new, 0 changed, 2 unchanged, 1 failed.", { exact: true }).waitFor();

  const { app } = journey().service;
  const [one] = await Array.fromAsync(listArticles(app, website.id));
  await deleteArticle(app, one?.id ?? "", CHIEF);
  await choose(page, "Choose a folder", folder.at("posts"));
  await importFiles(page);
  await page.getByText("0 new, 0 changed, 1 unchanged, 1 failed, 1 skipped.", { exact: true }).waitFor();

  await using empty = await tempFolder();
  await drop(page, page.getByText("Drop files or a folder here"), [empty.path]);
  await page.getByText("No files found").waitFor();
  await visit.axe();
});

for (const width of [1280, 390]) {
  test(`pictures elsewhere are copied and reported one by one, at ${width} px`, async () => {
    await using far = await startPlainServer(({ url }, response) => {
      if (url === "/one.png") response.setHeader("Content-Type", "image/png").end(png(width, 3));
      else response.writeHead(404).end();
    });
    await using folder = await folderOf({
      "a.md": `---\ntitle: Kettles\n---\n![One](${far.url}/one.png) ![Gone](${far.url}/gone.png)\n`,
    });
    const website = await journey().service.newWebsite({ name: `Copies ${width}` });
    await using visit = await open(website.id, undefined, width);
    const { page } = visit;
    await choose(page, "Choose files", [folder.at("a.md")]);
    await page.getByRole("switch", { name: "Copy pictures" }).check();
    await importFiles(page);
    await page.getByText("1 picture copied, 1 not copied.").waitFor();
    const rows = page.getByRole("row");
    await rows.nth(1).getByText("Picture not copied").waitFor();
    await rows.nth(1).getByText("could not be fetched").waitFor();
    await visit.axe();
    await page.getByText("Picture copied 1", { exact: true }).click();
    await rows.nth(1).getByText(`${far.url}/one.png`).waitFor();
    await importFiles(page);
    await page.getByText("0 pictures copied, 1 not copied.").waitFor();
    await page.getByText("0 new, 0 changed, 1 unchanged, 0 failed.").waitFor();
    assert.equal(far.asked.filter((one) => one === "GET /one.png").length, 1);
  });
}

test("a stopped import counts what it has saved and what it had not begun, and can be continued; leaving asks first", async () => {
  await using folder = await folderOf(manyPosts());
  const website = await journey().service.newWebsite({ name: "Stopped" });
  await using visit = await open(website.id);
  const { page } = visit;
  await choose(page, "Choose a folder", folder.at("posts"));
  await importFiles(page);
  await page.getByText(/^New \d+$/).waitFor();
  // The progress is in view without scrolling, above what was chosen.
  const bar = await page.getByRole("progressbar").boundingBox();
  assert.ok((bar?.y ?? Infinity) < 400, JSON.stringify(bar));

  await page.getByRole("link", { name: "Overview", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Stop the import?" });
  await dialog.getByText("What has been imported stays").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  const summary = page.getByRole("status").filter({ hasText: "Stopped" });
  await summary.getByText(/not started\. Import the same files again to continue/).waitFor();
  const [, imported = ""] = /(\d+) new, 0 changed/.exec(await summary.innerText()) ?? [];
  assert.match(await summary.innerText(), new RegExp(`${imported} articles were saved before it stopped: `));
  const [, left = ""] = /(\d+) files were not started/.exec(await summary.innerText()) ?? [];
  assert.equal(Number(imported) + Number(left), MANY);
  assert.equal((await titlesOf(website.id)).length, Number(imported));
  assert.equal(await page.getByText(/may have been imported/).count(), 0);
  await visit.axe();

  await importFiles(page);
  await page.getByText(`${left} new, 0 changed, ${imported} unchanged, 0 failed.`, { exact: true }).waitFor();
  await page.getByRole("link", { name: "Show the articles" }).click();
  await page.getByText(`1–50 of ${MANY}`).waitFor();
});

test("an import that cannot be stopped after its batch is cut off, and says that more may have been saved", async () => {
  await using folder = await folderOf(manyPosts());
  const website = await journey().service.newWebsite({ name: "Cut off" });
  await using visit = await open(website.id);
  const { page } = visit;
  await page.route("**/dashboard/api/imports/stop*", (route) => route.fulfill({ json: { is_stopped: false } }));
  await choose(page, "Choose a folder", folder.at("posts"));
  await importFiles(page);
  await page.getByText(/^New \d+$/).waitFor();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByText(/^A few more articles of the current file may have been imported/).waitFor();
});

test("a file that was edited after it was chosen is named, and others are imported", async () => {
  await using folder = await folderOf(FILES);
  const website = await journey().service.newWebsite({ name: "Edited" });
  await using visit = await open(website.id, /ERR_UPLOAD_FILE_CHANGED/);
  const { page } = visit;
  const table = folder.at("table.csv");
  await writeFile(table, "title,content\nOf a table,Text\n");
  await choose(page, "Choose files", [folder.at("posts/2026-01-02-first.md"), table]);
  await page.getByText("2 files,").waitFor();
  await writeFile(folder.at("posts/2026-01-02-first.md"), "---\ntitle: Corrected\n---\nOther **text**.\n");
  await importFiles(page);
  await page.getByText("1 new, 0 changed, 0 unchanged, 1 failed.", { exact: true }).waitFor();
  await page.getByText("2026-01-02-first.md has been changed or moved since you chose it. Choose it again.").waitFor();
  assert.deepEqual(await titlesOf(website.id), ["Of a table: pending"]);
  await visit.axe();
});

test("what the browser may not read in a dropped folder is named, and the rest is imported", async () => {
  await using folder = await folderOf({ ...FILES, "posts/locked/third.md": "Hidden." });
  const website = await journey().service.newWebsite({ name: "Locked" });
  await using visit = await open(website.id);
  const { page } = visit;
  // As root the browser may read everything.
  await page.evaluate(`
    const { webkitGetAsEntry: getEntry } = DataTransferItem.prototype;
    DataTransferItem.prototype.webkitGetAsEntry = function () {
      const entry = getEntry.call(this);
      // Chromium does not name the interface of folders.
      const folders = Object.getPrototypeOf(entry);
      const { createReader } = folders;
      const lock = { readEntries: (resolve, reject) => reject(new DOMException("", "NotReadableError")) };
      folders.createReader = function () {
        return this.name === "locked" ? lock : createReader.call(this);
      };
      return entry;
    };
  `);
  await drop(page, page.getByText("Drop files or a folder here"), [folder.at("posts")]);
  await page.getByText("Your browser may not read posts/locked. Everything else can be imported.").waitFor();
  await page.getByText("3 files,").waitFor();
  await visit.axe();
  await drop(page, page.getByText("Drop files or a folder here"), [folder.at("posts/locked")]);
  await page.getByText("Your browser may not read locked. Change the permissions, then drop it again.").waitFor();
});

test("pictures beside the texts of a dropped folder come with them", async () => {
  await using folder = await folderOf({ "blog/a.md": "---\ntitle: Kettle\n---\n![Steam](img/steam.png)\n" });
  await mkdir(folder.at("blog/img"));
  await writeFile(folder.at("blog/img/steam.png"), png(5, 3));
  const website = await journey().service.newWebsite({ name: "Beside" });
  await using visit = await open(website.id);
  const { page } = visit;
  await visit.settled();
  await drop(page, page.getByText("Drop files or a folder here"), [folder.at("blog")]);
  await page.getByText("2 files,").waitFor();
  await importFiles(page);
  await page.getByText("1 new, 0 changed, 0 unchanged, 0 failed.", { exact: true }).waitFor();
  const { app } = journey().service;
  const [one] = await Array.fromAsync(listArticles(app, website.id));
  const { body } = await getArticle(app, one?.id ?? "");
  assert.match(body.html, /<img[^>]+src="[^"]*\/assets\//);
});

const exported = (items: string) =>
  `<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" ` +
  `xmlns:wp="http://wordpress.org/export/1.2/"><channel><title>Tea</title><link>https://tea.example</link>` +
  `<wp:wxr_version>1.2</wp:wxr_version>${items}</channel></rss>`;
const wordPressItem = (id: number, type: string, title: string, text: string) =>
  `<item><title>${title}</title><wp:post_id>${id}</wp:post_id><wp:post_type>${type}</wp:post_type>` +
  `<wp:post_name>p${id}</wp:post_name><wp:status>publish</wp:status>` +
  `<wp:post_date_gmt>2021-02-15 10:00:00</wp:post_date_gmt><content:encoded><![CDATA[${text}]]></content:encoded></item>`;

test("an export of WordPress in several files is one import, though they are dropped singly", async () => {
  await using folder = await folderOf({
    "tea.000.xml": exported(wordPressItem(5, "post", "Kettles", '<p>Before.</p><!-- wp:block {"ref":77} /-->')),
    "tea.001.xml": exported(wordPressItem(77, "wp_block", "Note", "<p>Descale it monthly.</p>")),
  });
  const website = await journey().service.newWebsite({ name: "Parts" });
  await using visit = await open(website.id);
  const { page } = visit;
  await choose(page, "Choose files", [folder.at("tea.000.xml"), folder.at("tea.001.xml")]);
  await page.getByText("2 files,").waitFor();
  await importFiles(page);
  await page.getByText("1 new, 0 changed, 0 unchanged, 0 failed, 1 skipped.", { exact: true }).waitFor();
  const { app } = journey().service;
  const [one] = await Array.fromAsync(listArticles(app, website.id));
  const { body } = await getArticle(app, one?.id ?? "");
  assert.match(body.html, /Before\..*Descale it monthly\./s);
});

/** More, and longer, than are imported before somebody can stop it. */
const MANY = 400;
const LONG = PROSE.repeat(Math.ceil(8_000 / PROSE.length));
function manyPosts(): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: MANY }, (_none, number) => [
      `posts/${number}.md`,
      `---\ntitle: Post ${number}\n---\n${LONG}\n`,
    ]),
  );
}

test("a problem that concerns every file stops the import, instead of failing each file", async () => {
  await using folder = await folderOf(FILES);
  const website = await journey().service.newWebsite({ name: "Away" });
  await using visit = await open(website.id, /net::ERR_FAILED/);
  const { page } = visit;
  await page.route("**/dashboard/api/imports?*", (route) => route.abort());
  await choose(page, "Choose a folder", folder.at("posts"));
  await importFiles(page);
  await page.getByText("No article was saved before it stopped: 0 new, 0 changed, 0 unchanged, 1 failed.").waitFor();
  await page.getByText("The service cannot be reached.").waitFor();
});

test("an editor's imports wait for review, and a viewer learns whom to ask", async () => {
  await using folder = await folderOf(FILES);
  const website = await journey().service.newWebsite({ name: "Roles" });
  const { people, open: openPage } = journey();
  const editor = await people.person("editor", website.id, "importing@example.com");
  await using visit = await openPage(IMPORT, { as: editor });
  const { page } = visit;
  await choose(page, "Choose files", [folder.at("posts/2026-01-02-first.md")]);
  await page.getByRole("radio", { name: "To review" }).waitFor();
  assert.equal(await page.getByRole("radio").count(), 2);
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await page.getByText("1 new, 0 changed, 0 unchanged, 0 failed.", { exact: true }).waitFor();
  assert.deepEqual(await titlesOf(website.id), ["The first: pending"]);

  const viewer = await people.person("viewer", website.id, "not-importing@example.com");
  await using theirs = await openPage(IMPORT, { as: viewer });
  await theirs.page.getByText("Only editors, approvers and owners can open this page").waitFor();
  await theirs.axe();
});

test("exported articles are recognised when they are imported again", async () => {
  const { website } = journey();
  await using folder = await tempFolder();
  await using visit = await open(website.id);
  const { page } = visit;
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Download" }).click(),
  ]);
  const file = folder.at(download.suggestedFilename());
  assert.match(file, /\.ndjson$/);
  await download.saveAs(file);
  await choose(page, "Choose files", [file]);
  await importFiles(page);
  await page.getByText("0 new, 0 changed, 16 unchanged, 0 failed.", { exact: true }).waitFor();
});

/** As an owner, who has to confirm first. */
async function importFiles(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await page
    .getByRole("dialog", { name: /^Import/ })
    .getByRole("button", { name: "Import" })
    .click();
}

/** `expected`: what the console may say. */
async function open(websiteId: string, expected?: RegExp, width?: number) {
  const { open: openPage, people } = journey();
  const as = await people.owner();
  return openPage(`${IMPORT}?website=${websiteId}`, {
    as,
    ...(expected === undefined ? {} : { expected }),
    ...(width === undefined ? {} : { width }),
  });
}

async function folderOf(files: Record<string, string>): Promise<Folder> {
  const folder = await tempFolder();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(folder.at(name)), { recursive: true });
    await writeFile(folder.at(name), text);
  }
  return folder;
}

async function choose(page: Page, button: string, paths: string | string[]): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    page.getByRole("button", { name: button }).click(),
  ]);
  await chooser.setFiles(paths);
}

/** Drags as a person does, through the browser itself: only this way can folders be dropped. */
async function drop(page: Page, target: Locator, files: string[]): Promise<void> {
  await target.scrollIntoViewIfNeeded();
  const box = await target.boundingBox();
  assert.ok(box !== null);
  const devtools = await page.context().newCDPSession(page);
  const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const data = { items: [], files, dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"] as const) {
    await devtools.send("Input.dispatchDragEvent", { type, ...at, data });
  }
  await devtools.detach();
}

/** Title and status of each article, in alphabetical order. */
async function titlesOf(websiteId: string): Promise<string[]> {
  const { app } = journey().service;
  const found = await Array.fromAsync(listArticles(app, websiteId));
  return found.map(({ title, status }) => `${title}: ${status}`).sort();
}
