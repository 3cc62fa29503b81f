/**
 * An article of some 1,200 words with pictures, a table, code, links, a video and a footnote is written, reviewed, sent back, mended
 * and published with the keyboard alone. The test prints how many keys and seconds each part took.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test as nodeTest, type TestContext } from "node:test";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { addAsset } from "../../src/operations/articles/assets/assets.ts";
import { WITHOUT_CHROMIUM as skip } from "../helpers/chromium.ts";
import { tempFolder } from "../helpers/folder.ts";
import { records } from "../helpers/http.ts";
import { png } from "../helpers/pictures.ts";
import { until } from "../helpers/until.ts";
import { LOOPBACK } from "../helpers/webhooks.ts";
import { reviewed, websiteWith } from "./articles.ts";
import { startJourney, waitForDialogFocus } from "./browser.ts";
import { Hands } from "./hands.ts";
import { explained, shared } from "./journeys.ts";

const journey = shared(async () => {
  const started = await startJourney(LOOPBACK);
  await started.people.owner();
  return started;
});

/** What browsers say when pasted HTML is read under the page's policy. */
const BLOCKED = /^(?:Applying inline style|Executing inline event handler) violates/;

const FIRST =
  "In January the harbour is quiet. The ferries stay on the mainland, and the three boats that go out come home before four, because the light goes early and the ice comes with it. Whoever wants to see the town as its people see it should come now, with good boots, a thermos, and no plan. The times of the tides are at https://example.org/tides for every day of the year.";
const SECOND =
  "Begin at the old customs house, where the harbour office keeps a list of those who let rooms. Nobody books ahead in winter: you ring the bell, and somebody comes down. From the upper windows the whole bay lies open, the mole with its small light on the left, the salt works on the right, and between them a mile of grey water that the wind combs from the north.";
const NOTE = "The list hangs on the door, too.";

const DETAILS = ["nets", "ropes", "crates", "buoys", "lamps", "oars", "sails", "hooks", "tar", "salt"];
/** Some 900 words, in the markup of Google Docs. */
const describe = (thing: string) =>
  `Of all that one finds along the quay in winter, the ${thing} tell most about the year that has passed. They are mended indoors while the storms last, sorted by those who will need them in spring, and counted twice, once by the owner and once by the cooperative. A visitor who asks is shown everything, and hears for each piece where it came from, who used it last, and why nobody would ever give it away.`;
const PASTED = DETAILS.map((thing, no) => {
  const plain = "font-size:11pt;font-weight:400;font-style:normal;text-decoration:none;white-space:pre-wrap;";
  const heading = `<h2 dir="ltr" style="line-height:1.38;"><span style="font-size:16pt;font-weight:400;">The ${thing}</span></h2>`;
  const bold = `<span style="${plain.replace("400", "700")}">Note ${no + 1}.</span>`;
  return `${heading}<p dir="ltr" style="line-height:1.38;">${bold}<span style="${plain}"> ${describe(thing)}</span></p>`;
}).join("");
const DOCS = `<meta charset="utf-8"><b style="font-weight:normal;" id="docs-internal-guid-6f1c0e53-7fff-2a1b-9c44-0d6f6b7e2a10">${PASTED}</b>`;

nodeTest("an article is written, reviewed, mended and published with the keyboard alone", { skip }, (t) =>
  explained(() => writeArticle(t)),
);

async function writeArticle(t: TestContext): Promise<void> {
  await using host = await pictureHost();
  const { people, open, service } = journey();
  const { website } = await websiteWith(journey(), []);
  await fillLibrary(website.id);
  const author = await people.person("editor", website.id, "author@example.com");
  const start = `/dashboard/articles?website=${website.id}`;
  await using writing = await open(start, { as: author, expected: BLOCKED });
  await writing.settled();
  const writer = await Hands.at(writing);
  await write(writer, host.url);
  await writer.axe();
  const id = await submit(writer);
  await until("it is in review", async () => (await reviewed(author, id)).line["review_state"] === "in_review");
  const stored = async () => String((await author.json("GET", `/articles/${id}`))["markdown"]);
  const source = (text: string) => withoutAddresses(text, `${service.url}/assets/${website.id}/`);
  assert.equal(source(await stored()).trim(), STORED);

  const approver = await people.person("approver", website.id, "approver@example.com");
  const queue = `/dashboard/articles?website=${website.id}&view=in_review`;
  await using reviewing = await open(queue, { as: approver });
  await reviewing.settled();
  const reviewer = await Hands.at(reviewing);
  await review(reviewer);
  await until("it is back", async () => (await reviewed(author, id)).line["review_state"] === "changes_requested");
  const threads = records((await author.json("GET", `/articles/${id}/comments`))["threads"]);
  const about = threads.map((thread) => String(thread["quote"]).slice(0, 30)).toSorted();
  assert.deepEqual(about, ["", "In January the harbour is quie", "Note 10. Of all that one finds"]);
  assert.ok(
    threads.every(({ quote, passage }) => quote === "" || passage !== null),
    "the passages are found",
  );

  await mend(writer);
  await until("it is there again", async () => (await reviewed(author, id)).line["is_resubmitted"] === true);
  await publish(reviewer);
  await until("it is published", async () => (await reviewed(author, id)).line["status"] === "published");

  const { entries } = await author.json("GET", `/articles/${id}/history`);
  const actions = records(entries).map(({ action }) => String(action));
  for (const action of DONE) assert.ok(actions.includes(action), `${action} in ${actions.join(", ")}`);

  // Both pages show what has changed.
  await writing.settled();
  await reviewing.settled();
  t.diagnostic(Hands.table(writer, reviewer));
  assert.equal(await writer.pointers(), 0);
  assert.equal(await reviewer.pointers(), 0);
}

async function review(reviewer: Hands): Promise<void> {
  const { page } = reviewer;
  const composer = page.getByRole("dialog", { name: "Comment" });
  const comment = async (text: string, about: string | null) => {
    await reviewer.press("m");
    await composer.getByRole("textbox", { name: "Comment" }).and(page.locator(":focus")).waitFor();
    await reviewer.type(text);
    if (about !== null) {
      await reviewer.reach(composer.getByRole("combobox", { name: "About" }), "Shift+Tab");
      await reviewer.type(about);
      await page.getByRole("option", { name: about }).waitFor();
      await reviewer.press("Enter");
    }
    await reviewer.press("Control+Enter");
    await composer.waitFor({ state: "detached" });
  };
  await reviewer.part("three comments", async () => {
    await reviewer.press("j Enter");
    await page.getByRole("heading", { level: 1, name: TITLE }).and(page.locator(":focus")).waitFor();
    await comment("Which boats?", "In January the harbour");
    await comment("Which salt?", "Note 10.");
    await comment("A good text.", null);
    await reviewer.axe();
  });
  await reviewer.part("a request with two items", async () => {
    await reviewer.press("c");
    const dialog = page.getByRole("dialog", { name: "Request changes" });
    await dialog.getByRole("textbox", { name: "What should change?" }).and(page.locator(":focus")).waitFor();
    await reviewer.type("- Name the boats.");
    await reviewer.press("Enter");
    await reviewer.type("- Say which salt.");
    await reviewer.axe();
    await reviewer.press("Control+Enter");
    await dialog.waitFor({ state: "detached" });
  });
}

async function mend(writer: Hands): Promise<void> {
  const { page } = writer;
  const content = page.getByRole("textbox", { name: "Content" });
  await writer.part("the two items, ticked, and resubmitted", async () => {
    await page.getByText("requested changes").first().waitFor();
    await writer.press("e");
    await page.getByRole("tab", { name: "Feedback (3)", selected: true }).waitFor();
    await writer.reach(content);
    await writer.press("Control+Home");
    await writer.type("The Ada, the Ebba and the Ida sell salt from the bay. ");
    await writer.press("Escape");
    await writer.choose(page.getByRole("checkbox", { name: "Name the boats." }), "Space");
    await page.getByText("1 of 2 done").waitFor();
    await writer.choose(page.getByRole("checkbox", { name: "Say which salt." }), "Space");
    await page.getByText("2 of 2 done").waitFor();
    await writer.choose(page.getByRole("button", { name: "Resubmit" }));
    await writer.axe();
  });
}

async function publish(reviewer: Hands): Promise<void> {
  const { page } = reviewer;
  await reviewer.part("approving and publishing", async () => {
    await reviewer.reach(page.getByRole("button", { name: "Load the new version" }), "Shift+Tab");
    await reviewer.press("Enter");
    await page.getByText("Resubmitted").first().waitFor();
    await reviewer.press("Shift+A");
    const dialog = page.getByRole("dialog", { name: "Approve and publish this article?" });
    await waitForDialogFocus(page);
    await reviewer.choose(dialog.getByRole("button", { name: "Approve and publish" }));
    await dialog.waitFor({ state: "detached" });
  });
}

/** Ends on the article's own page. @returns its id. */
async function submit(writer: Hands): Promise<string> {
  const { page } = writer;
  await writer.part("creating and submitting it", async () => {
    await writer.press("Control+s");
    const button = page.getByRole("button", { name: "Submit for review" });
    await button.waitFor();
    await page.getByRole("heading", { level: 1 }).and(page.locator(":focus")).waitFor();
    await writer.press("r");
    await button.waitFor({ state: "detached" });
  });
  return /articles\/([^/?]+)/.exec(page.url())?.[1] ?? "";
}

function withoutAddresses(source: string, base: string): string {
  return source.replaceAll(base, "").replaceAll(/[0-9a-f]{64}\//g, "");
}

async function write(writer: Hands, elsewhere: string): Promise<void> {
  const { page } = writer;
  const content = page.getByRole("textbox", { name: "Content" });
  const inText = content.and(page.locator(":focus"));
  const option = (name: string) => page.getByRole("listbox", { name: "Insert" }).getByRole("option", { name });
  const insert = async (typed: string, name: string) => {
    await writer.type(typed);
    await option(name).and(page.locator("[aria-selected=true]")).waitFor();
    await writer.press("Enter");
  };

  await writer.part("a new article and its title", async () => {
    await writer.press("Control+k");
    await waitForDialogFocus(page);
    await writer.type("New art");
    await page.getByRole("option", { name: "New article" }).and(page.locator("[aria-selected=true]")).waitFor();
    await writer.press("Enter");
    const title = page.getByRole("textbox", { name: "Title", exact: true });
    await title.and(page.locator(":focus")).waitFor();
    await writer.type(TITLE);
    await writer.press("Enter");
    await inText.waitFor();
  });

  await writer.part("two paragraphs, two links and a footnote", async () => {
    await writer.type(FIRST);
    await writer.press("Enter");
    const [before = "", after = ""] = SECOND.split("the harbour office");
    await writer.type(`${before}the harbour office`);
    await writer.selectWordsBefore(3);
    await writer.paste({ text: "https://example.org/office" });
    await content.locator("a[href='https://example.org/office']").waitFor();
    await writer.press("ArrowRight");
    await writer.type(after);
    await insert(" /foot", "Footnote");
    await writer.type(NOTE);
    await writer.press("ArrowUp");
    await writer.press("End Enter");
  });

  await writer.part("three pictures", async () => {
    await writer.type("## What to see");
    await writer.press("Enter");
    await writer.paste({ png: png(64, 40, 120).toString("base64") });
    await content.locator("img[src*='image']").waitFor();
    const dialog = page.getByRole("dialog", { name: "Add picture" });
    const add = dialog.getByRole("button", { name: "Add picture" });
    await insert("/pic", "Picture");
    await waitForDialogFocus(page);
    await writer.chooseTab(dialog.getByRole("tab", { name: "Library" }));
    await writer.reach(dialog.getByLabel("Search pictures"));
    await writer.type("mole");
    const found = dialog.getByRole("option", { name: "the-mole.png: The mole with its light" });
    await dialog.getByRole("option", { name: /^salt/ }).waitFor({ state: "detached" });
    await writer.press("ArrowDown Enter");
    await found.and(page.locator("[aria-selected=true]")).waitFor();
    await writer.axe();
    await writer.choose(add);
    await dialog.waitFor({ state: "detached" });
    await inText.waitFor();
    await insert("/pic", "Picture");
    await waitForDialogFocus(page);
    await writer.chooseTab(dialog.getByRole("tab", { name: "By address" }));
    await writer.reach(dialog.getByLabel("Address of the picture"));
    await writer.type(`${elsewhere}/salt-works.png`);
    await writer.press("Enter");
    await writer.reach(dialog.getByLabel("Alternative text"));
    await writer.type("The salt works");
    await writer.choose(add);
    await dialog.waitFor({ state: "detached" });
    await inText.waitFor();
  });

  await writer.part("a table", async () => {
    await insert("/tab", "Table");
    const cells = await content.locator("th, td").count();
    for (let cell = 0; cell < cells; cell += 1) {
      await writer.type(CELLS[cell] ?? "–");
      if (cell < cells - 1) await writer.press("Tab");
    }
    await writer.press("ArrowDown");
  });

  await writer.part("code with its language", async () => {
    await writer.type("```bash");
    await writer.press("Enter");
    await writer.type("curl https://example.org/tides");
    await writer.press("Enter");
    await writer.type("echo done");
    await writer.press("ArrowDown");
  });

  await writer.part("a video", async () => {
    await writer.paste({ text: VIDEO });
    const offer = page.getByRole("group", { name: "YouTube video" });
    await offer.waitFor();
    await writer.press("Tab Enter");
    await offer.waitFor({ state: "detached" });
    await inText.waitFor();
  });

  await writer.part("900 words from Google Docs", async () => {
    await writer.paste({ html: DOCS });
    await content.getByRole("heading", { name: "The salt" }).waitFor();
  });
}

/** In the article's history. */
const DONE = [
  "article.submitted",
  "article.commented",
  "article.changes_requested",
  "article.request_item_done",
  "article.edited",
  "article.approved",
];
const TITLE = "The harbour in winter";
const VIDEO = "https://www.youtube.com/watch?v=abcDEF12345";
const STORED = [
  FIRST,
  `${SECOND.replace("the harbour office", "[the harbour office](https://example.org/office)")} [^1]`,
  "## What to see",
  "![](image.png)",
  "![The mole with its light](the-mole.png)",
  "![The salt works](salt-works.png)",
  "| Month | Light | Ice |\n| --- | --- | --- |\n| January | 8 h | thick |\n| March | 12 h | none |",
  "```bash\ncurl https://example.org/tides\necho done\n```",
  `<iframe src="https://www.youtube-nocookie.com/embed/abcDEF12345" title="YouTube video" width="560" height="315" loading="lazy" allowfullscreen></iframe>`,
  ...DETAILS.flatMap((thing, no) => [`## The ${thing}`, `**Note ${no + 1}.** ${describe(thing)}`]),
  `[^1]: ${NOTE}`,
].join("\n\n");
const CELLS = ["Month", "Light", "Ice", "January", "8 h", "thick", "March", "12 h", "none"];

async function fillLibrary(websiteId: string): Promise<void> {
  await using folder = await tempFolder();
  for (const [no, alt] of ["Salt", "The mole with its light"].entries()) {
    await writeFile(folder.at("a.png"), png(60 + no, 40, 90));
    const name = `${no === 0 ? "salt" : "the-mole"}.png`;
    await addAsset(journey().service.app, websiteId, { path: folder.at("a.png"), name, alt }, CLI_ORIGIN);
  }
}

/** Another host, with a picture. */
async function pictureHost(): Promise<AsyncDisposable & { url: string }> {
  const server = createServer((_, response) => {
    response.writeHead(200, { "Content-Type": "image/png" }).end(png(48, 32, 40));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
