/** Section 1: what the service does. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fullArticle, CHIEF } from "../helpers/articles.ts";
import { LIST, startTestService, type TestService } from "../helpers/service.ts";
import { createArticle, getArticle } from "../../src/operations/articles/write/articles.ts";

let service: TestService;
let id: string;

before(async () => {
  service = await startTestService();
  id = (await createArticle(service.app, service.website.id, fullArticle({ status: "published" }), CHIEF)).article.id;
});
after(() => service[Symbol.asyncDispose]());

test("1: articles are stored with their SEO metadata and read through the API", async () => {
  const article = await service.detail(id);
  assert.equal(article["meta_description"], "How soft water changes tea.");
  assert.equal(article["target_keyword"], "soft water");
  assert.deepEqual(article["seo_keywords"], ["tea", "water"]);
});

test("1: every endpoint is under {base_url}/api/public, and nothing is served beside it", async () => {
  assert.equal((await service.get("/api/public/articles")).status, 200);
  for (const path of ["/articles", `/articles/${id}`, "/api/articles", "/public/articles", "/api/public"]) {
    assert.equal((await service.get(path)).status, 404, path);
  }
});

test("1: response bodies are JSON, and say so in UTF-8", async () => {
  const paths = [LIST, `${LIST}/${id}`, `${LIST}/nonsense`, `${LIST}?limit=0`, "/api/public/nothing"];
  for (const path of paths) {
    const reply = await service.get(path);
    assert.equal(reply.headers["content-type"], "application/json; charset=utf-8", path);
    assert.doesNotThrow(() => reply.json(), path);
  }
});

for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
  test(`1: the API is read-only: ${method} is refused and changes nothing`, async () => {
    const before = await getArticle(service.app, id);
    for (const path of [LIST, `${LIST}/${id}`]) {
      const reply = await service.send(path, { method, body: JSON.stringify({ title: "Changed" }) });
      assert.equal(reply.status, 405, path);
    }
    assert.deepEqual(await getArticle(service.app, id), before);
    assert.equal((await service.list()).pagination["total"], 1);
  });
}
