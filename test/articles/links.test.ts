/** Where the links of an article lead. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { startTestService, type TestService } from "../helpers/service.ts";
import * as articles from "../../src/operations/articles/write/articles.ts";
import { checkLinks } from "../../src/operations/articles/review/links.ts";

let service: TestService;

before(async () => {
  service = await startTestService();
});
after(() => service[Symbol.asyncDispose]());

test("a link to an article of the website is not sent anywhere, all others are", async () => {
  const website = await service.newWebsite({
    url: "https://www.tea.example/",
    urlPattern: "https://tea.example/blog/{slug}/",
  });
  const make = async (slug: string) =>
    (await articles.createArticle(service.app, website.id, makeArticle({ slug }), CHIEF)).article.id;
  const [pending, published, gone] = [await make("pending"), await make("grüner-tee"), await make("gone")];
  await articles.approveArticle(service.app, published, CHIEF);
  await articles.publishArticle(service.app, published, CHIEF);
  await articles.updateArticle(service.app, published, { slug: "green-tea" }, CHIEF);
  await articles.deleteArticle(service.app, gone, CHIEF);
  const sent: string[] = [];
  const deps = {
    store: service.app.store,
    checkLink: (_websiteId: string, url: string) => {
      sent.push(url);
      return { state: "waiting", reason: null, leadsTo: null, checkedAt: null } as const;
    },
  };
  const inside = {
    "https://tea.example/blog/pending": { id: pending, status: "pending", isFormer: false },
    "https://www.tea.example/blog/green-tea/?from=list": { id: published, status: "published", isFormer: false },
    "https://tea.example/blog/gr%C3%BCner-tee/": { id: published, status: "published", isFormer: true },
  };
  const outside = [
    "https://tea.example/tags/pending",
    "https://tea.example/blog/gone",
    "https://tea.example/",
    "https://tea.example/%ff",
    "https://other.example/blog/pending",
    "no address",
  ];
  const urls = [...Object.keys(inside), ...outside];
  const links = await checkLinks(deps, website.id, { urls, contained: new Set(urls), again: false });
  assert.deepEqual(
    links.slice(0, 3).map(({ url, article }) => [url, article]),
    Object.entries(inside),
  );
  assert.deepEqual(sent, outside);
  assert.deepEqual(
    links.map(({ check }) => check?.state ?? null),
    [null, null, null, ...outside.map(() => "waiting")],
  );
});
