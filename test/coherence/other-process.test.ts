/** Answers are never older than the request, whoever made the change. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { cliJson, runCli } from "../helpers/cli.ts";
import { LIST, startTestService, type TestService } from "../helpers/service.ts";
import { type App, openApp } from "../../src/app.ts";
import * as articles from "../../src/operations/articles.ts";
import { revokeKey } from "../../src/operations/api-keys.ts";

let service: TestService;
/** The same file through connections of its own: to the service it is another process. */
let other: App;

before(async () => {
  service = await startTestService();
  other = await openApp(service.app.config);
});
after(async () => {
  await other[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

async function newArticle(status: "published" | "approved" | "pending" = "published"): Promise<string> {
  return (await articles.createArticle(other, service.website.id, makeArticle({ status }), CHIEF)).article.id;
}

async function total(status = "published"): Promise<number> {
  return Number((await service.list(`?status=${status}&limit=1`)).pagination["total"]);
}

async function totals(): Promise<number[]> {
  return [await total("pending"), await total("approved"), await total("published")];
}

describe("a change by other connections is in the very next answer", () => {
  test("of the list, however warm it is", async () => {
    for (let turn = 0; turn < 20; turn++) {
      const before = await total();
      for (let warm = 0; warm < 3; warm++) await service.get(LIST);
      const id = await newArticle();
      assert.equal((await service.list("?limit=1")).articles[0]?.["id"], id);
      assert.equal(await total(), before + 1);
    }
  });

  test("of the detail, however warm it is", async () => {
    const id = await newArticle();
    for (let turn = 0; turn < 20; turn++) {
      for (let warm = 0; warm < 3; warm++) await service.detail(id);
      const title = `Title ${turn}`;
      await articles.updateArticle(other, id, { title }, CHIEF);
      assert.equal((await service.detail(id))["title"], title);
    }
  });

  test("of each list that an article leaves or enters", async () => {
    const id = await newArticle("pending");
    const [pending = 0, approved = 0, published = 0] = await totals();
    await articles.approveArticle(other, id, CHIEF);
    assert.deepEqual(await totals(), [pending - 1, approved + 1, published]);
    await articles.publishArticle(other, id, CHIEF);
    assert.deepEqual(await totals(), [pending - 1, approved, published + 1]);
    await articles.deleteArticle(other, id, CHIEF);
    assert.deepEqual(await totals(), [pending - 1, approved, published]);
    await articles.restoreArticle(other, id, CHIEF);
    assert.deepEqual(await totals(), [pending - 1, approved, published + 1]);
  });

  test("of a search and of a filter", async () => {
    const id = await newArticle();
    for (const word of ["alabaster", "bergamot", "cinnamon"]) {
      assert.deepEqual((await service.list(`?q=${word}`)).articles, []);
      assert.deepEqual((await service.list(`?tag=${word}`)).articles, []);
      await articles.updateArticle(other, id, { title: word, tags: [word] }, CHIEF);
      assert.equal((await service.list(`?q=${word}`)).articles.length, 1);
      assert.equal((await service.list(`?tag=${word}`)).articles.length, 1);
    }
  });

  test("of a key: a revoked one is refused, however often it was used", async () => {
    const { id, secret } = await service.newKey();
    const get = async () => (await service.get(LIST, { "X-API-Key": secret })).status;
    for (let warm = 0; warm < 5; warm++) assert.equal(await get(), 200);
    await revokeKey(other, id);
    assert.equal(await get(), 401);
  });

  test("also to requests that come while the change is made: each is of before or of after, never of between", async () => {
    const id = await newArticle();
    const change = articles.updateArticle(other, id, { title: "After", content: "<p>After.</p>" }, CHIEF);
    const during = await Promise.all(Array.from({ length: 40 }, () => service.detail(id)));
    await change;
    for (const one of during) assert.equal(one["title"] === "After", one["content"] === "<p>After.</p>");
    assert.equal((await service.detail(id))["title"], "After");
  });
});

test("a command beside the running service is served at once", async () => {
  const data = service.app.config.dataDir;
  const args = ["article", "create", "--website", service.website.id, "--file", "-"];
  const created = await cliJson(args, {
    data,
    stdin: '{"title":"By command","content":"<p>x</p>","status":"published"}',
  });
  const id = String(created["id"]);
  assert.equal((await service.list("?limit=1")).articles[0]?.["id"], id);
  const { code, stderr } = await runCli(["article", "delete", id], { data });
  assert.equal(code, 0, stderr);
  assert.equal((await service.get(`${LIST}/${id}`)).status, 404);
});
