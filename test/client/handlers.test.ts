/** The answers that are the same in every framework. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createHandlers } from "../../client/src/handlers.ts";
import { createClient } from "../../client/src/index.ts";
import { createTestClient, makeArticle, makeWebhookRequest } from "../../client/src/testing.ts";

const SECRET = "whsec_c2VjcmV0";
const WEBSITE = { url: "https://site.test/", title: "Tea" };

function handlers(rostrum = createTestClient([makeArticle({ title: "Water for Tea" })])) {
  return createHandlers({ rostrum, website: WEBSITE, secret: SECRET });
}

const preview = (query: string) => handlers().preview(new Request(`https://site.test/preview${query}`));

test("a genuine webhook makes the client ask again, and nothing else does", async () => {
  let requests = 0;
  const answer: typeof fetch = async () => {
    requests += 1;
    return Response.json({ data: { article: makeArticle() } }, { headers: { ETag: '"1"' } });
  };
  const cache = { maxAgeMs: 600_000 };
  const rostrum = createClient({ url: "http://rostrum.test", key: "rs_test", fetch: answer, cache });
  const event = { event: "article.deleted", timestamp: "", website_id: "", data: { article_id: "" } } as never;
  const read = async () => void (await rostrum.articles.getBySlug("an-article"));
  await read();
  const forged = await makeWebhookRequest(event, "whsec_YW5vdGhlcg==");
  assert.equal((await handlers(rostrum).webhook(forged)).status, 401);
  await read();
  assert.equal(requests, 1);
  assert.equal((await handlers(rostrum).webhook(await makeWebhookRequest(event, SECRET))).status, 204);
  await read();
  assert.equal(requests, 2);
});

test("a preview stores its token and leads to the article's page, on this website only", () => {
  const { status, headers } = preview("?slug=water-for-tea&token=a-token_1");
  assert.equal(status, 307);
  assert.equal(headers.get("Location"), "/blog/water-for-tea");
  const cookie = "preview=a-token_1; Path=/; Max-Age=3600; HttpOnly; SameSite=Lax; Secure";
  assert.deepEqual(headers.getSetCookie(), [cookie]);
  const elsewhere = preview("?slug=//example.com/&token=t").headers.get("Location") ?? "";
  assert.equal(new URL(elsewhere, WEBSITE.url).origin, "https://site.test");
});

test("a preview without a token, or with one that is none, is refused", () => {
  for (const query of ["", "?slug=a", "?token=t", "?slug=a&token=t%3B+Domain%3Dtest", "?slug=a&token=t%0D%0AX:+y"]) {
    assert.equal(preview(query).status, 400, query);
  }
});

test("the feed has absolute links, and the sitemap no article whose original is on another host", async () => {
  const rostrum = createTestClient([
    makeArticle({ content: '<a href="/about">x</a>', canonical_url: "https://first.example/tea" }),
  ]);
  assert.match(await (await handlers(rostrum).feed()).text(), /href=&quot;https:\/\/site\.test\/about&quot;/);
  assert.doesNotMatch(await (await handlers(rostrum).sitemap()).text(), /<loc>/);
});

test("the feed and the sitemap name the articles", async () => {
  const feed = await handlers().feed();
  assert.match(feed.headers.get("Content-Type") ?? "", /xml/);
  assert.match(
    await feed.text(),
    /<title>Water for Tea<.*https:\/\/site\.test\/feed\.xml|https:\/\/site\.test\/feed\.xml.*Water for Tea/s,
  );
  assert.match(await (await handlers().sitemap()).text(), /<loc>https:\/\/site\.test\/blog\/water-for-tea</);
});
