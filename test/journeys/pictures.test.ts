/** Pictures of an article under review come from the service. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { until } from "../helpers/until.ts";
import { LOOPBACK } from "../helpers/webhooks.ts";
import { websiteWith } from "./articles.ts";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";

const journey = shared(() => startJourney(LOOPBACK));

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
    const inputs = [
      { title: "Picture", content: `<p><img src="${url}" alt="A boat"></p>`, featuredImageUrl: `${url}?hero` },
    ];
    const { website, ids } = await websiteWith(journey(), inputs);
    const as = await journey().people.owner();
    await using visit = await journey().open(`/dashboard/articles/${ids[0]}?website=${website.id}`, { as });
    const picture = visit.page.frameLocator("iframe").getByRole("img", { name: "A boat" });
    await picture.waitFor();
    await picture.scrollIntoViewIfNeeded();
    await until("it is shown", () => picture.evaluate((image) => "naturalWidth" in image && image.naturalWidth === 1));
    assert.deepEqual([...new Set(asked)], ["Rostrum"]);
  } finally {
    host.closeAllConnections();
    host.close();
  }
});
