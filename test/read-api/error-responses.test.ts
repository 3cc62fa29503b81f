/** docs/specification.md, section 7: 401, 403, 404, 405 with their exact bodies and headers. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { CHIEF, makeArticle, oneOfEach } from "../helpers/articles.ts";
import { assertRefusal } from "../helpers/http.ts";
import { LIST, startTestService, type TestService } from "../helpers/service.ts";
import { until } from "../helpers/until.ts";
import type { FullArticle } from "../../src/domain/articles/article.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createArticle, deleteArticle, restoreArticle } from "../../src/operations/articles/write/articles.ts";
import { listKeys, revokeKey } from "../../src/operations/people/api-keys.ts";

let service: TestService;
let made: Record<"published" | "approved" | "pending", FullArticle>;

before(async () => {
  service = await startTestService();
  made = await oneOfEach(service.app, service.website.id);
});
after(() => service[Symbol.asyncDispose]());

const ASK = "put a valid API key in the X-API-Key header.";

async function unauthorized(key: string | undefined, message: string): Promise<void> {
  for (const path of [LIST, `${LIST}/${made.published.article.id}`, "/api/public/events"]) {
    const reply = await service.get(path, { "X-API-Key": key });
    assertRefusal(reply, 401, { error: "Unauthorized", message });
    assert.equal(reply.headers["www-authenticate"], 'ApiKey realm="Rostrum", header="X-API-Key"');
  }
}

describe("401", () => {
  const unknown = `This API key is not known here: ${ASK}`;

  test("a request without a key is refused", () => unauthorized(undefined, `Send your API key: ${ASK}`));
  test("an empty key is refused", () => unauthorized("", `Send your API key: ${ASK}`));
  test("text that is no key is refused", () => unauthorized("garbage", unknown));
  test("a key with a wrong checksum is refused", () => {
    const last = service.key.endsWith("A") ? "B" : "A";
    return unauthorized(service.key.slice(0, -1) + last, unknown);
  });
  test("a well-formed key that does not exist is refused", async () => {
    const { mintKey } = await import("../../src/domain/people/api-key.ts");
    await unauthorized(mintKey(service.app.randomBytes), unknown);
  });
  test("a key in another case, or cut short, is refused", async () => {
    await unauthorized(service.key.toUpperCase(), unknown);
    await unauthorized(service.key.slice(0, -1), unknown);
  });
  test("a revoked key is refused from the very next request on", async () => {
    const { id, secret } = await service.newKey();
    assert.equal((await service.get(LIST, { "X-API-Key": secret })).status, 200);
    await revokeKey(service.app, id, CLI_ORIGIN);
    await unauthorized(secret, `This API key is revoked: ${ASK}`);
  });
  test("an expired key is refused, whether it was used before or not", async () => {
    const { secret } = await service.newKey({ expiresAt: Date.now() - 1 });
    await unauthorized(secret, `This API key is expired: ${ASK}`);
  });
  test("a key that expires while it is in use is refused", async () => {
    const expiresAt = Date.now() + 300;
    const { secret } = await service.newKey({ expiresAt });
    assert.equal((await service.get(LIST, { "X-API-Key": secret })).status, 200);
    await until("it has expired", () => Date.now() > expiresAt);
    await unauthorized(secret, `This API key is expired: ${ASK}`);
  });
  test("a key that is sent twice is refused", async () => {
    const reply = await service.send(LIST, { headers: { "X-API-Key": [service.key, service.key] } });
    assertRefusal(reply, 401, { error: "Unauthorized", message: unknown });
  });
});

describe("403", () => {
  test("a pending article is refused, and nothing of it is revealed", async () => {
    const { id, title, slug } = made.pending.article;
    const reply = await service.get(`${LIST}/${id}`);
    assertRefusal(reply, 403, {
      error: "Forbidden",
      message: "This article exists but is not approved or published yet; ask again when it is.",
    });
    const said = `${reply.text}${JSON.stringify(reply.headers)}`;
    assert.ok(!said.includes(title) && !said.includes(slug));
  });

  test("a key of scope published gets published articles only", async () => {
    const { secret } = await service.newKey({ scope: "published" });
    const get = (path: string) => service.get(path, { "X-API-Key": secret });
    for (const query of ["", "?status=published"]) assert.equal((await get(`${LIST}${query}`)).status, 200, query);
    for (const status of ["approved", "pending"]) {
      assertRefusal(await get(`${LIST}?status=${status}`), 403, {
        error: "Forbidden",
        message: `This API key reads published articles only; leave out status=${status}.`,
      });
    }
    assert.equal((await get(`${LIST}/${made.published.article.id}`)).status, 200);
    assert.equal((await get(`${LIST}/${made.pending.article.id}`)).status, 403);
    const path = `${LIST}/${made.approved.article.id}`;
    assertRefusal(await get(path), 403, {
      error: "Forbidden",
      message: "This article is not published; ask again when it is.",
    });
    // What the other key has read and the server has kept is not given to this one.
    assert.equal((await service.get(path)).status, 200);
    assert.equal((await get(path)).status, 403);
    const listed = await service.get(`${LIST}?status=approved`);
    assert.equal(listed.status, 200);
    assert.equal((await get(`${LIST}?status=approved`)).status, 403);
    const condition = { "X-API-Key": secret, "If-None-Match": String(listed.headers.etag) };
    assert.equal((await service.get(`${LIST}?status=approved`, condition)).status, 403);
    assert.equal((await service.get(path, { "X-API-Key": secret, "If-None-Match": "*" })).status, 403);
  });

  test("a published article that returns to pending is refused even to clients that had received it", async () => {
    const { article } = await createArticle(
      service.app,
      service.website.id,
      makeArticle({ status: "approved" }),
      CHIEF,
    );
    const path = `${LIST}/${article.id}`;
    const etag = String((await service.get(path)).headers.etag);
    const { requestChanges } = await import("../../src/operations/articles/write/articles.ts");
    await requestChanges(service.app, article.id, "No.", CHIEF);
    assert.equal((await service.get(path, { "If-None-Match": etag })).status, 403);
  });
});

describe("404", () => {
  const missing = { error: "Not Found", message: "There is no article with this id; take the id from the list." };

  test("an article that does not exist is not found", async () => {
    assertRefusal(await service.get(`${LIST}/00000000-0000-0000-0000-000000000000`), 404, missing);
  });

  test("another website's article is not found in any state, and each website's lists contain only its own", async () => {
    const other = await service.newWebsite();
    const { secret } = await service.newKey({}, other.id);
    for (const { article } of Object.values(made)) {
      assertRefusal(await service.get(`${LIST}/${article.id}`, { "X-API-Key": secret }), 404, missing);
    }
    for (const status of ["published", "approved", "pending"]) {
      const reply = await service.get(`${LIST}?status=${status}`, { "X-API-Key": secret });
      assert.deepEqual(reply.json(), {
        success: true,
        data: { articles: [], pagination: { total: 0, limit: 50, offset: 0 } },
      });
    }
    const events = await service.get("/api/public/events", { "X-API-Key": secret });
    assert.match(events.text, /"events":\[\]/);
  });

  test("an article in the trash is not found until it is restored", async () => {
    const { article } = await createArticle(
      service.app,
      service.website.id,
      makeArticle({ status: "published" }),
      CHIEF,
    );
    const path = `${LIST}/${article.id}`;
    const etag = String((await service.get(path)).headers.etag);
    await deleteArticle(service.app, article.id, CHIEF);
    assertRefusal(await service.get(path, { "If-None-Match": etag }), 404, missing);
    await restoreArticle(service.app, article.id, CHIEF);
    assert.equal((await service.get(path, { "If-None-Match": etag })).status, 200);
  });

  for (const path of [
    "/api/public/",
    "/api/public/article",
    "/api/public/articles/",
    `${LIST}/a/b`,
    "/api/public/keys",
  ]) {
    test(`the unknown path ${path} is not found`, async () => {
      assertRefusal(await service.get(path), 404, {
        error: "Not Found",
        message: "There is nothing here; the articles are at /api/public/articles.",
      });
    });
  }
});

describe("405", () => {
  for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "QUERY"]) {
    test(`${method} is refused with Allow, with a key and without, and with a body`, async () => {
      for (const path of [
        LIST,
        `${LIST}/${made.published.article.id}`,
        "/api/public/events",
        "/api/public/openapi.json",
      ]) {
        for (const key of [service.key, undefined]) {
          const body = method === "TRACE" ? "" : '{"title":"x"}';
          const reply = await service.send(path, { method, headers: { "X-API-Key": key }, body });
          assertRefusal(reply, 405, {
            error: "Method Not Allowed",
            message: "This API is read-only: use GET or HEAD.",
          });
          assert.equal(reply.headers.allow, "GET, HEAD");
        }
      }
    });
  }
});

test("keys are never stored: only their hash, their first characters and their last four are", async () => {
  const key = (await listKeys(service.app, service.website.id)).find(({ hash }) => hash.length === 64);
  assert.equal(key?.prefix, service.key.slice(0, 7));
  assert.equal(key?.lastFour, service.key.slice(-4));
});
