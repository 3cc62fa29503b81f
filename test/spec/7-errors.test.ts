/** Sections 7, 8 and 9: errors, limits, versions. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { LIST, startTestService, type TestService } from "../helpers/service.ts";
import * as shapes from "../helpers/shapes.ts";
import { createArticle } from "../../src/operations/articles/write/articles.ts";

let service: TestService;
let pending: string;

before(async () => {
  service = await startTestService();
  pending = (await createArticle(service.app, service.website.id, makeArticle(), CHIEF)).article.id;
});
after(() => service[Symbol.asyncDispose]());

describe("7: the statuses", () => {
  test("7: 200 means success", async () => assert.equal((await service.get(LIST)).status, 200));
  test("7: 400 means a bad request", async () => assert.equal((await service.get(`${LIST}?limit=x`)).status, 400));
  test("7: 401 means an invalid or missing API key", async () => {
    assert.equal((await service.get(LIST, { "X-API-Key": undefined })).status, 401);
  });
  test("7: 403 means that the article exists and is not approved or published yet", async () => {
    assert.equal((await service.get(`${LIST}/${pending}`)).status, 403);
  });
  test("7: 404 means that the article was not found", async () => {
    assert.equal((await service.get(`${LIST}/00000000-0000-4000-8000-000000000000`)).status, 404);
  });

  test("7: 401 has error and message, both strings; the message asks for a valid key in the X-API-Key header", async () => {
    const reply = await service.get(LIST, { "X-API-Key": undefined });
    shapes.shape({ error: shapes.string, message: shapes.string })(reply.json(), "401");
    assert.match(reply.text, /valid API key in the X-API-Key header/);
  });

  test("7: 500 has error and details, both strings that describe the cause, with no stack, SQL or secret", async () => {
    // PostgreSQL knows a table that was renamed again, unless each query is a new one to it.
    await using broken = await startTestService({ ROSTRUM_DATABASE_PGBOUNCER: "1" });
    assert.equal((await broken.get(LIST)).status, 200);
    await broken.app.store.write(async (db) => {
      await db.run("ALTER TABLE websites RENAME TO lost");
      db.markWebsiteChanged(broken.website.id);
    });
    for (const path of [LIST, `${LIST}/${pending}`, "/api/public/events"]) {
      const reply = await broken.get(path);
      assert.equal(reply.status, 500);
      const body = reply.json();
      const internal = { error: shapes.oneOf("Internal Server Error"), message: shapes.string, details: shapes.string };
      shapes.shape(internal)(body, "500");
      assert.doesNotMatch(reply.text, /websites|SELECT|sqlite|postgres|\.ts|at /i);
      assert.ok(reply.text.includes(String(reply.headers["x-request-id"])));
      assert.ok(
        broken.log.failures.some(
          ({ url, error }) => url === path && /no such table|does not exist/.test(String(error)),
        ),
      );
    }
    await broken.app.store.write((db) => db.run("ALTER TABLE lost RENAME TO websites"));
    assert.equal((await broken.get(LIST)).status, 200);
  });
});

describe("8: the limits of the list", () => {
  test("8: the limit parameter is at most 100", async () => {
    assert.equal((await service.list("?limit=1000")).pagination["limit"], 100);
  });
  test("8: the limit is 50 by default", async () => {
    assert.equal((await service.list()).pagination["limit"], 50);
  });
});

describe("9: the version", () => {
  test("9: exactly one version is offered, v1", async () => {
    assert.equal((await service.get(LIST)).headers["content-version"], "v1");
  });
  test("9: the paths carry no version segment", async () => {
    for (const path of ["/api/v1/public/articles", "/api/public/v1/articles", "/v1/api/public/articles"]) {
      assert.equal((await service.get(path)).status, 404, path);
    }
  });
});
