/** Pictures of an article under review come from the service, which also follows its links. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";
import type { Locator } from "playwright-core";
import { LinkChecker } from "../../src/webhooks/http/link-checker.ts";
import { PictureFetcher } from "../../src/webhooks/http/picture-fetcher.ts";
import { AddressGuard, parseCidrs } from "../../src/webhooks/net/ssrf-guard.ts";
import { until } from "../helpers/until.ts";
import { websiteWith } from "./articles.ts";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";

/** The service's own fetchers, to which the tests' host is a public one. */
const guard = new AddressGuard({ allowHttp: true, allowCidrs: parseCidrs("127.0.0.0/8") ?? [] });
const fetcher = new PictureFetcher(guard);
const checker = new LinkChecker(guard, Date.now);
after(() => {
  fetcher[Symbol.dispose]();
  checker[Symbol.dispose]();
});

const journey = shared(() =>
  startJourney({}, (app) => ({
    ...app,
    fetchPicture: (websiteId, url) => fetcher.fetch(websiteId, url),
    checkLink: (websiteId, url, again) => checker.check(websiteId, url, again),
  })),
);

const PIXEL = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");

test("a reviewer sees an article's pictures, and their host sees only the service", async () => {
  const asked: (string | undefined)[] = [];
  const host = createServer((request, response) => {
    asked.push(request.headers["user-agent"]);
    response.writeHead(200, { "Content-Type": "image/gif" }).end(PIXEL);
  }).listen(0, "127.0.0.1");
  await once(host, "listening");
  const url = `http://127.0.0.1:${(host.address() as AddressInfo).port}/a.gif`;
  try {
    const content = `<p><img src="${url}" alt="A boat"> <img src="/mill.gif" alt="A mill"></p>`;
    const inputs = [{ title: "Picture", content, featuredImageUrl: `${url}?hero` }];
    const { website, ids } = await websiteWith(journey(), inputs);
    const as = await journey().people.owner();
    await as.json("PATCH", `/websites/${website.id}`, { url: new URL(url).origin });
    await using visit = await journey().open(`/dashboard/articles/${ids[0]}?website=${website.id}`, { as });
    const { page } = visit;
    await assertLoads(page.frameLocator("iframe").getByRole("img", { name: "A boat" }));
    // The editor opens before it knows the website's address.
    const asksForWebsite = Promise.withResolvers<void>();
    await page.route(`**/dashboard/api/websites/${website.id}`, async (route) => {
      await asksForWebsite.promise;
      await route.continue();
    });
    await page.goto(page.url().replace("?", "/edit?"));
    const text = page.getByRole("textbox", { name: "Content" });
    await assertLoads(text.getByRole("img", { name: "A boat" }));
    await text.getByText("Image: A mill").waitFor();
    asksForWebsite.resolve();
    await assertLoads(text.getByRole("img", { name: "A mill" }));
    await page.getByRole("tab", { name: "Preview" }).click();
    await assertLoads(page.frameLocator("iframe[title='Preview']").getByRole("img", { name: "A mill" }));
    assert.deepEqual([...new Set(asked)], ["Rostrum"]);
  } finally {
    host.closeAllConnections();
    host.close();
  }
});

async function assertLoads(picture: Locator): Promise<void> {
  await picture.waitFor();
  await picture.scrollIntoViewIfNeeded();
  await until("it is shown", () => picture.evaluate((image) => "naturalWidth" in image && image.naturalWidth === 1));
}

test("broken links are marked in the text, and a reviewer sees where each link leads and has them checked again", async () => {
  let isThere = false;
  const host = createServer(({ url }, response) => {
    response.writeHead(url === "/there" || isThere ? 200 : 404).end();
  }).listen(0, "127.0.0.1");
  await once(host, "listening");
  const url = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
  try {
    const links = [`${url}/there`, `${url}/soon`, "/oolong", "/sencha"].map((href) => `<a href="${href}">${href}</a>`);
    const { website, ids } = await websiteWith(journey(), [
      { title: "With links", content: `<p>${links.join(" ")}</p>` },
      { title: "Oolong", content: "<p>Text.</p>", status: "published" },
      { title: "Sencha", content: "<p>Text.</p>" },
    ]);
    const as = await journey().people.owner();
    await as.json("PATCH", `/websites/${website.id}`, { url: "https://tea.example/" });
    await using visit = await journey().open(`/dashboard/articles/${ids[0]}?website=${website.id}`, { as });
    const { page } = visit;
    const link = (text: string) => page.frameLocator("iframe").getByRole("link", { name: text });
    const broken = page.frameLocator("iframe").locator('[data-link="broken"]');
    // Nobody has requested the checks.
    await page.getByRole("button", { name: "2 broken links" }).click();
    assert.deepEqual(await broken.allInnerTexts(), [`${url}/soon`, "/sencha"]);
    assert.equal(await link("/soon").getAttribute("title"), `${url}/soon\nBroken: HTTP 404`);
    assert.equal(await link("/sencha").getAttribute("title"), "/sencha\nNot published yet");
    // Its accessible name says so, too.
    await link("/soon (broken link)").and(page.frameLocator("iframe").locator("[data-current]")).waitFor();
    await page.getByRole("tab", { name: "Quality" }).click();
    const panel = page.getByRole("region", { name: "Links" });
    const item = (text: string | RegExp) => panel.getByRole("listitem").filter({ hasText: text });
    await item("/there")
      .getByText(/^Reachable, checked/)
      .waitFor();
    await item("/soon")
      .getByText(/^Broken: HTTP 404, checked/)
      .waitFor();
    await item("/oolong").getByText("Leads to a published article").waitFor();
    await item("/sencha").getByText("Readers find nothing there until you publish this article").waitFor();
    assert.match(await panel.getByRole("listitem").first().innerText(), /soon/, "what is broken comes first");
    await visit.axe();
    isThere = true;
    // A check that was just made is not repeated.
    await until("it is found", async () => {
      await panel.getByRole("button", { name: "Check again" }).click();
      return (await item("/soon").innerText()).includes("Reachable");
    });
    await page.getByRole("button", { name: "1 broken link" }).waitFor();
    assert.deepEqual(await broken.allInnerTexts(), ["/sencha"]);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole("tab", { name: "Article" }).click();
    await page.getByRole("button", { name: "1 broken link" }).click();
    await link("/sencha").and(page.frameLocator("iframe").locator("[data-current]")).waitFor();
    await visit.axe();
  } finally {
    host.closeAllConnections();
    host.close();
  }
});
