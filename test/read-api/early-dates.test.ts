/** Articles from before 1970, as archives have them: in order, dated in lists, feeds and exports, on both engines. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createArticle } from "../../src/operations/articles/write/articles.ts";
import { exportArticles } from "../../src/operations/articles/import/exports.ts";
import { updateWebsite } from "../../src/operations/website/websites.ts";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { startTestService, type TestService } from "../helpers/service.ts";

const WATERLOO = "1815-06-18T11:35:00.000Z";
const LUTHER = "1517-10-31T00:00:00.000Z";

let service: TestService;

before(async () => {
  service = await startTestService();
  await updateWebsite(service.app, service.website.id, { url: "https://example.com", servesFeeds: true }, CLI_ORIGIN);
  for (const [title, at] of [
    ["Waterloo", WATERLOO],
    ["Epoch", "1970-01-01T00:00:00.000Z"],
    ["Luther", LUTHER],
  ] as const) {
    const publishedAt = Date.parse(at);
    const input = { title, status: "published" as const, publishedAt, createdAt: publishedAt, updatedAt: publishedAt };
    await createArticle(service.app, service.website.id, makeArticle(input), CHIEF);
  }
});
after(() => service[Symbol.asyncDispose]());

test("an article from before 1970 has its date and its place in the list, by parameters, too", async () => {
  const { articles } = await service.list("?limit=10");
  assert.deepEqual(
    articles.map((one) => [one["title"], one["published_at"]]),
    [
      ["Epoch", "1970-01-01T00:00:00.000Z"],
      ["Waterloo", WATERLOO],
      ["Luther", LUTHER],
    ],
  );
  const since = await service.list(`?published_since=${encodeURIComponent("1600-01-01T00:00:00Z")}`);
  assert.deepEqual(
    since.articles.map((one) => one["title"]),
    ["Epoch", "Waterloo"],
  );
});

test("a feed and an export have it", async () => {
  const address = `/feeds/${service.website.id}/atom.xml`;
  const { text } = await service.send(address, { headers: { "X-API-Key": "" } });
  assert.match(text, new RegExp(`<published>${WATERLOO.replace(".000", "(?:\\.000)?")}</published>`));
  let lines = "";
  for await (const line of exportArticles(service.app, service.website.id)) lines += line;
  assert.match(lines, /"published_at":"1815-06-18T11:35:00\.000Z"/);
  assert.ok(lines.indexOf(LUTHER) < lines.indexOf(WATERLOO), "oldest first");
});
