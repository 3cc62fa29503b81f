/** docs/specification.md, 4.5: X-Preview-Token shows one article in any state, to nobody else and not for longer than an hour. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import type { Website } from "../../src/domain/system/website.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { updateWebsite } from "../../src/operations/website/websites.ts";
import * as articles from "../../src/operations/articles/write/articles.ts";
import { saveDraftCopy } from "../../src/operations/articles/write/draft-copies.ts";
import { createSitePreview, endSitePreviews } from "../../src/operations/articles/review/site-preview.ts";
import { CHIEF, makeArticle, withClock } from "../helpers/articles.ts";
import { record, records, type Reply } from "../helpers/http.ts";
import { cases } from "../helpers/properties.ts";
import { LIST, startTestService, type TestService } from "../helpers/service.ts";

const HOUR = 3_600_000;
const PREVIEW_URL = "https://example.com/preview?id={id}&slug={slug}&token={token}";

let service: TestService;
let other: Website;
let othersKey: string;

before(async () => {
  service = await startTestService();
  await updateWebsite(service.app, service.website.id, { previewUrl: PREVIEW_URL }, CLI_ORIGIN);
  other = await service.newWebsite({ name: "Other", previewUrl: PREVIEW_URL });
  othersKey = (await service.newKey({}, other.id)).secret;
});
after(() => service[Symbol.asyncDispose]());

async function newArticle(
  input: Parameters<typeof makeArticle>[0] = {},
  websiteId = service.website.id,
): Promise<string> {
  return (await articles.createArticle(service.app, websiteId, makeArticle(input), CHIEF)).article.id;
}

async function tokenFor(id: string, at = service.app.clock()): Promise<string> {
  return (await createSitePreview(withClock(service.app, at), id, CHIEF)).token;
}

const look = (path: string, token: string, headers: Record<string, string> = {}): Promise<Reply> =>
  service.get(path, { "X-Preview-Token": token, ...headers });

const shown = (reply: Reply) => record(record(record(reply.json())["data"])["article"]);

test("a preview token shows its article in every state, and the response is never cached", async () => {
  for (const status of ["pending", "approved", "published"] as const) {
    const id = await newArticle({ status, title: `In state ${status}` });
    const token = await tokenFor(id);
    const path = `${LIST}/${id}`;
    for (let time = 1; time <= 3; time++) {
      const reply = await look(path, token);
      assert.equal(reply.status, 200, reply.text);
      assert.deepEqual([shown(reply)["status"], shown(reply)["title"]], [status, `In state ${status}`]);
      assert.equal(typeof shown(reply)["content"], "string");
      assert.deepEqual([reply.headers["cache-control"], reply.headers.etag], ["no-store", undefined]);
    }
    // Without it, everything is as before.
    assert.equal((await service.get(path)).status, status === "pending" ? 403 : 200);
  }
});

test("a preview shows each change at once, a draft copy before it is published, and nothing from the trash", async () => {
  const id = await newArticle({ status: "published", title: "Live" });
  const token = await tokenFor(id);
  assert.equal(shown(await look(`${LIST}/${id}`, token))["title"], "Live");
  await saveDraftCopy(service.app, id, { title: "Drafted", markdown: "Only *here*." }, CHIEF);
  const drafted = shown(await look(`${LIST}/${id}`, token));
  assert.deepEqual([drafted["title"], drafted["content"]], ["Drafted", "<p>Only <em>here</em>.</p>\n"]);
  assert.equal((await service.detail(id))["title"], "Live");
  await articles.deleteArticle(service.app, id, CHIEF);
  assert.equal((await look(`${LIST}/${id}`, token)).status, 403);
});

test("with a token, a list by the article's slug contains the article, and every other request gets the same response as without one", async () => {
  const id = await newArticle({ title: "Found by its slug", slug: "found-by-its-slug" });
  const published = await newArticle({ status: "published", slug: "another" });
  const pending = await newArticle();
  const token = await tokenFor(id);
  const bySlug = record(record((await look(`${LIST}?slug=found-by-its-slug`, token)).json())["data"]);
  assert.deepEqual(
    records(bySlug["articles"]).map((article) => article["id"]),
    [id],
  );
  assert.equal(record(bySlug["pagination"])["total"], 1);
  const next = record(record((await look(`${LIST}?slug=found-by-its-slug&offset=1`, token)).json())["data"]);
  assert.deepEqual([next["articles"], record(next["pagination"])["total"]], [[], 1]);
  for (const path of [LIST, `${LIST}?slug=another`, `${LIST}/${published}`, "/api/public/events"]) {
    const [withToken, without] = [await look(path, token), await service.get(path)];
    assert.deepEqual([withToken.status, withToken.text], [without.status, without.text], path);
  }
  assert.equal((await look(`${LIST}/${pending}`, token)).status, 403);
});

test("the token works only with an API key of its website, of any scope", async () => {
  const id = await newArticle();
  const token = await tokenFor(id);
  const narrow = (await service.newKey({ scope: "published" })).secret;
  assert.equal((await look(`${LIST}/${id}`, token, { "X-API-Key": narrow })).status, 200);
  assert.equal((await look(`${LIST}/${id}`, token, { "X-API-Key": othersKey })).status, 403);
  assert.equal((await look(`${LIST}/${id}`, token, { "X-API-Key": "" })).status, 401);
});

test("forged, expired, revoked and foreign tokens show nothing", async () => {
  const id = await newArticle();
  const path = `${LIST}/${id}`;
  const now = service.app.clock();
  const foreign = await tokenFor(await newArticle({}, other.id));
  const expired = await tokenFor(id, now - HOUR);
  const revoked = await tokenFor(id);
  assert.equal(await endSitePreviews(service.app, id), 2);
  const valid = await tokenFor(id);
  const forgeries = [
    () => randomBytes(32).toString("base64url"),
    () => valid.slice(0, -1) + (valid.endsWith("A") ? "E" : "A"),
    () => flipped(valid),
    () => valid.toLowerCase(),
    () => `${valid} `.repeat(2).trim(),
    () => `${valid}'--`,
    () => "%",
    () => "x".repeat(1_000),
  ];
  let tried = 0;
  for (const token of [
    foreign,
    expired,
    revoked,
    "",
    "null",
    ...Array.from({ length: cases(10_000) }, (_, index) => forgeries[index % forgeries.length]?.() ?? ""),
  ]) {
    const reply = await look(path, token);
    assert.equal(reply.status, 403, `${token}: ${reply.text}`);
    assert.ok(!reply.text.includes("content"));
    tried++;
  }
  assert.ok(tried > 100);
  assert.equal((await look(path, valid)).status, 200);
});

test("there is no preview without a preview address, or of an article in the trash", async () => {
  const { id: websiteId } = await service.newWebsite({ name: "Without" });
  const id = await newArticle({}, websiteId);
  await assert.rejects(createSitePreview(service.app, id, CHIEF), { code: "conflict", message: /preview address/ });
  const deleted = await newArticle();
  await articles.deleteArticle(service.app, deleted, CHIEF);
  await assert.rejects(createSitePreview(service.app, deleted, CHIEF), { code: "conflict", message: /trash/ });
});

test("the preview address needs a token in its path or query", async () => {
  for (const previewUrl of [
    "https://example.com/preview",
    "/preview?token={token}",
    "https://{token}.example.com/",
    "https://example.com{token}/",
    "ftp://example.com/{token}",
    "https://example.com/{token} x",
    "javascript:alert('{token}')",
  ]) {
    await assert.rejects(updateWebsite(service.app, other.id, { previewUrl }, CLI_ORIGIN), {
      code: "invalid",
      message: /write it like https:\/\/example\.com\/preview/,
    });
  }
  const id = await newArticle({ slug: "a-slug" });
  const { url, token } = await createSitePreview(service.app, id, CHIEF);
  assert.equal(url, `https://example.com/preview?id=${id}&slug=a-slug&token=${token}`);
});

/** The token with one bit of it changed. */
function flipped(token: string): string {
  const bytes = Buffer.from(token, "base64url");
  const index = Math.floor(Math.random() * bytes.length);
  bytes.writeUInt8((bytes[index] ?? 0) ^ 1, index);
  return bytes.toString("base64url");
}
