/** Reviewing changes marked in the article itself. */
import assert from "node:assert/strict";
import type { FrameLocator, Page } from "playwright-core";
import { until } from "../helpers/until.ts";
import { reviewed, websiteWith } from "./articles.ts";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";

const journey = shared(() => startJourney());

const paragraphs = (count: number) =>
  Array.from({ length: count }, (_, no) => `Paragraph ${no} about the tides.`).join("\n\n");
const text = (hour: string, link: string, fee: string) =>
  `We sail at ${hour} from [the pier](https://${link}.example/pier).\n\n## Fees\n\n` +
  `| Boat | Fee |\n|---|---|\n| Dinghy | ${fee} |\n| Cutter | 40 |\n\n${paragraphs(30)}\n\n## Weather\n\nIt may rain.`;

for (const width of [1280, 390]) {
  test(`what changed since one's own review is marked in the article, at ${width} px`, async () => {
    const { people } = journey();
    const { website, ids } = await websiteWith(journey(), [{ title: "Sailing", markdown: text("noon", "old", "10") }]);
    const id = ids[0] ?? "";
    const owner = await people.owner();
    const seen = async () => Number((await reviewed(owner, id)).line["version"]);
    await owner.json("POST", `/articles/${id}/request-changes`, { version: await seen(), reason: "Which hour?" });
    const editor = await people.person("editor", website.id, `editor${width}@example.com`);
    const changes = { markdown: text("one", "new", "12"), tags: ["boats"] };
    await editor.json("PATCH", `/articles/${id}`, { version: await seen(), changes });
    await editor.json("POST", `/articles/${id}/submit`, { version: await seen() });

    await using visit = await journey().open(`/dashboard/articles/${id}?website=${website.id}`, { as: owner, width });
    const { page } = visit;
    await visit.settled();
    const frame = article(page);
    await frame.locator("del", { hasText: "noon" }).waitFor();
    await frame.locator("ins", { hasText: "one" }).waitFor();
    await frame.locator("td del", { hasText: "10" }).waitFor();
    await frame.getByText("Link: “https://old.example/pier” → “https://new.example/pier”").waitFor();
    await page.getByText("2 words added; 2 words removed; other fields: tags.").waitFor();
    await until("the frame is as high as its text", () => page.evaluate(IS_WHOLE));
    assert.equal(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true, "nothing is cut off");
    await visit.axe();
    await page.keyboard.press("n");
    await frame.locator("[data-current]", { hasText: "noon" }).waitFor();
    await page.keyboard.press("n");
    await frame.locator("[data-current]", { hasText: "Link" }).waitFor();

    await page.getByRole("button", { name: "Source" }).click();
    const dialog = page.getByRole("dialog", { name: /^Compare/ });
    await dialog
      .getByRole("button", { name: /^Show \d+ unchanged lines$/ })
      .first()
      .waitFor();
    await dialog.locator("ins").filter({ hasText: "one" }).first().waitFor();
    await visit.axe();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });

    await page.keyboard.press("d");
    await frame.locator("p", { hasText: "We sail at one" }).waitFor();
    assert.equal(await frame.locator("ins, del").count(), 0);
    await visit.axe();
  });

  test(`the article scrolls with the page, and its links work, at ${width} px`, async () => {
    const { people } = journey();
    const html = `<p>See <a href="https://elsewhere.example/x">a page</a> and <a href="#end">the end</a>.</p>
      <iframe src="https://www.youtube.com/embed/1"></iframe>
      ${"<p>A paragraph about the tides.</p>".repeat(60)}<h2 id="end">The end</h2><p>x</p>`;
    const { website, ids } = await websiteWith(journey(), [{ title: "Long", content: html }]);
    const as = await people.owner();
    await using visit = await journey().open(`/dashboard/articles/${ids[0]}?website=${website.id}`, { as, width });
    const { page } = visit;
    await visit.settled();
    const frame = article(page);
    await until("the frame is as high as its text", () => page.evaluate(IS_WHOLE));
    const top = () => page.evaluate<number>("scrollY");
    await page.locator("h1").focus();
    await page.keyboard.press("PageDown");
    await until("it has turned a page", async () => (await top()) > 200);
    await page.keyboard.press("Home");
    await until("it is at its beginning", async () => (await top()) === 0);

    await frame.getByRole("link", { name: "the end" }).click();
    await until("the page is at the end", async () => (await top()) > 800);
    await page.evaluate("scrollTo(0, 0)");
    await page.getByRole("button", { name: "Outline" }).click();
    await page.getByRole("menuitem", { name: "The end" }).waitFor();
    await visit.axe();
    await page.getByRole("menuitem", { name: "The end" }).click();
    await until("the page is at the end", async () => (await top()) > 800);

    await page.context().route("https://elsewhere.example/**", (route) => {
      assert.equal(route.request().headers()["referer"], undefined);
      return route.fulfill({ contentType: "text/html", body: "<title>Elsewhere</title>" });
    });
    const popup = page.waitForEvent("popup");
    await frame.getByRole("link", { name: "a page" }).click();
    const opened = await popup;
    await until("the page is open", async () => (await opened.title()) === "Elsewhere");
    assert.equal(await opened.evaluate("window.opener"), null);
    await frame.getByRole("link", { name: "Open the video in a new tab" }).waitFor();
    // Keys that are pressed in the article's frame reach the page.
    await frame.locator("p").first().click();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  });
}

const IS_WHOLE = `(() => {
  const frame = document.querySelector("iframe[title]");
  const height = frame?.contentDocument?.body.getBoundingClientRect().height ?? -1;
  return height > 500 && Math.abs(frame.clientHeight - height) < 2;
})()`;

function article(page: Page): FrameLocator {
  return page.frameLocator('iframe[title^="Article"]').first();
}
