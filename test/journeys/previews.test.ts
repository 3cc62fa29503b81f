/** An article on its website before it is published: the website is a real one, on this machine. */
import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { createArticle } from "../../src/operations/articles/write/articles.ts";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";

const journey = shared(startJourney);

for (const width of [1280, 390]) {
  test(`an article is shown on its website before it is published, at ${width} px`, async () => {
    const { service, people, open } = journey();
    const website = await service.newWebsite({ name: `Harbour ${width}` });
    const { secret } = await service.newKey({}, website.id);
    const { article } = await createArticle(
      service.app,
      website.id,
      makeArticle({ title: "Before the tide", content: "<p>Not out yet.</p>" }),
      CHIEF,
    );
    await using site = await startSite(service.url, secret);
    const owner = await people.owner();
    const path = `/dashboard/articles/${article.id}?website=${website.id}`;
    {
      await using visit = await open(path, { as: owner, width });
      await visit.settled();
      await showDetails(visit.page, width);
      const button = visit.page.getByRole("button", { name: "Preview on the website" });
      assert.equal(await button.count(), 0, "the website has no preview address");
    }
    await using settings = await open(`/dashboard/settings/website?website=${website.id}`, { as: owner, width });
    await settings.page.getByLabel("Preview address").fill(`${site.url}/preview?id={id}`);
    await settings.page.getByRole("button", { name: "Save" }).click();
    await settings.page.getByText("is not a preview address").waitFor();
    await settings.page.getByLabel("Preview address").fill(`${site.url}/preview?id={id}&token={token}`);
    await settings.page.getByRole("button", { name: "Save" }).click();
    await settings.page.getByText("Saved.").waitFor();
    await settings.axe();

    await using visit = await open(path, {
      as: await people.person("viewer", website.id, `viewer${width}@example.com`),
      width,
    });
    const { page } = visit;
    await page.context().route(`${site.url}/**`, (route) => route.continue());
    const popup = page.waitForEvent("popup");
    await showDetails(page, width);
    await page.getByRole("button", { name: "Preview on the website" }).click();
    const shown = await popup;
    await shown.getByText("Not out yet.").waitFor();
    assert.equal(await shown.title(), "Before the tide");
    assert.equal(await shown.evaluate("window.opener"), null, "the website cannot reach the dashboard");
    await visit.axe();
  });
}

/** On a phone they have a tab of their own. */
async function showDetails(page: Page, width: number): Promise<void> {
  if (width < 1024) await page.getByRole("tab", { name: "Details" }).click();
  await page.getByText("Written here").waitFor();
}

/** What docs/api.md says of a preview page. */
async function startSite(api: string, key: string): Promise<AsyncDisposable & { url: string }> {
  const show = async (address: string, response: ServerResponse) => {
    const { searchParams } = new URL(address, "http://localhost");
    const headers = { "X-API-Key": key, "X-Preview-Token": searchParams.get("token") ?? "" };
    const answer = await fetch(`${api}/api/public/articles/${searchParams.get("id")}`, { headers });
    const { data } = (await answer.json()) as { data: { article: { title: string; content: string } } };
    response.setHeader("Content-Type", "text/html");
    response.end(`<title>${data.article.title}</title>${data.article.content}`);
  };
  // A failure closes the connection, and the browser's page stays empty.
  const server = createServer((request, response) => {
    show(request.url ?? "", response).catch(() => response.destroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
