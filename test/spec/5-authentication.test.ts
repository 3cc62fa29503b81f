/** Section 5: API keys. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { LIST, startTestService, type TestService } from "../helpers/service.ts";
import * as shapes from "../helpers/shapes.ts";
import { createArticle } from "../../src/operations/articles/write/articles.ts";
import { listKeys } from "../../src/operations/people/api-keys.ts";

let service: TestService;
let paths: string[];

before(async () => {
  service = await startTestService();
  const { article } = await createArticle(service.app, service.website.id, makeArticle({ status: "published" }), CHIEF);
  paths = [LIST, `${LIST}/${article.id}`, "/api/public/events"];
});
after(() => service[Symbol.asyncDispose]());

test("5 rule 1: every request carries the key in X-API-Key, and a key anywhere else is ignored", async () => {
  for (const path of paths) {
    assert.equal((await service.get(path)).status, 200);
    assert.equal((await service.get(path, { "X-API-Key": undefined, "x-api-KEY": service.key })).status, 200);
    const elsewhere = { "X-API-Key": undefined, Authorization: `Bearer ${service.key}`, Cookie: `key=${service.key}` };
    assert.equal((await service.get(`${path}?api_key=${service.key}`, elsewhere)).status, 401);
  }
});

test("5 rule 2: a key begins with rs_", () => {
  assert.match(service.key, /^rs_[0-9A-Za-z]+$/);
});

test("5 rule 3: a new key works at once, and beside the earlier ones", async () => {
  const { secret } = await service.newKey();
  assert.equal((await service.get(LIST, { "X-API-Key": secret })).status, 200);
  assert.equal((await service.get(LIST)).status, 200);
});

for (const [name, key] of [
  ["missing", undefined],
  ["empty", ""],
  ["without the prefix", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"],
  ["the placeholder", "rs_<API_KEY>"],
  ["unknown", "rs_000000000000000000000000000000000000"],
] as const) {
  test(`5 rule 4: a key that is ${name} is 401 with an error body of error and message`, async () => {
    for (const path of paths) {
      const reply = await service.get(path, { "X-API-Key": key });
      assert.equal(reply.status, 401);
      shapes.shape({ error: shapes.string, message: shapes.string })(reply.json(), "the body");
      assert.match(reply.text, /valid API key in the X-API-Key header/);
    }
  });
}

test("5 rule 5: a key is a secret: after its creation nothing that is stored or sent contains it", async () => {
  for (const path of [...paths, `${LIST}?debug=true`, `${LIST}?limit=0`, "/api/public/nothing"]) {
    const reply = await service.get(path);
    assert.ok(!`${reply.text}${JSON.stringify(reply.headers)}`.includes(service.key.slice(7)), path);
  }
  assert.ok(!JSON.stringify(await listKeys(service.app, service.website.id)).includes(service.key.slice(7)));
});
