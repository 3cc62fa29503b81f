/** docs/specification.md, section 8: rate limits. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createArticle } from "../../src/operations/articles/write/articles.ts";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { assertRefusal } from "../helpers/http.ts";
import { LIST, startTestService } from "../helpers/service.ts";
import { until } from "../helpers/until.ts";

describe("per key", () => {
  test("after the burst a request is a 429, with Retry-After and an exact body, and other keys are not affected", async () => {
    await using service = await startTestService();
    const { secret } = await service.newKey({ rateLimit: 1 });
    const get = () => service.get(LIST, { "X-API-Key": secret });
    const statuses = [(await get()).status, (await get()).status];
    assert.deepEqual(statuses, [200, 200]);
    const reply = await get();
    assertRefusal(reply, 429, {
      error: "Too Many Requests",
      message: "Too many requests with this API key; wait 1 s, or ask for a higher limit.",
    });
    assert.equal(reply.headers["retry-after"], "1");
    assert.equal(reply.headers["ratelimit-policy"], '"key";q=2;w=2');
    assert.equal(reply.headers["ratelimit"], '"key";r=0;t=2');
    assert.equal((await service.get(LIST)).status, 200);
  });

  test("after the time in Retry-After, requests are answered again", async () => {
    await using service = await startTestService();
    const { secret } = await service.newKey({ rateLimit: 50 });
    const get = () => service.get(`${LIST}/00000000-0000-4000-8000-000000000000`, { "X-API-Key": secret });
    let reply = await get();
    for (let count = 0; count < 1_000 && reply.status !== 429; count++) reply = await get();
    assert.equal(reply.status, 429);
    await until("there is room", async () => (await get()).status !== 429);
  });

  test("the default is 50 requests a second and bursts of 100, and the headers count down", async () => {
    await using service = await startTestService({ ROSTRUM_RATE_LIMIT: "50" });
    const first = await service.get(LIST);
    assert.equal(first.headers["ratelimit-policy"], '"key";q=100;w=2');
    assert.match(String(first.headers["ratelimit"]), /^"key";r=99;t=1$/);
    const since = performance.now();
    const replies = await Promise.all(Array.from({ length: 150 }, () => service.get(LIST)));
    const refilled = ((performance.now() - since) * 50) / 1_000;
    const served = replies.filter(({ status }) => status === 200).length;
    assert.ok(served >= 99 && served <= 101 + refilled, `${served} of 150`);
    assert.ok(replies.every(({ status }) => status === 200 || status === 429));
  });

  test("a large answer counts as a request for each 256 KiB of it, and the next one waits until they have passed", async () => {
    await using service = await startTestService();
    for (let count = 0; count < 4; count++) {
      const content = `<p>${"Many words of an article. ".repeat(20_000)}</p>`;
      await createArticle(service.app, service.website.id, makeArticle({ status: "published", content }), CHIEF);
    }
    const { secret } = await service.newKey({ rateLimit: 1 });
    const get = (path: string) => service.get(path, { "X-API-Key": secret });
    const all = `${LIST}?include=content&format=html,text`;
    const [first, second] = await Promise.all([get(all), get(all)]);
    const tokens = Math.ceil(first.text.length / (256 * 1024));
    assert.ok(tokens > 10);
    assert.deepEqual([first.status, second.status], [200, 429], "which came while the first was made");
    assert.match(String(second.headers["ratelimit"]), /^"key";r=0;t=1\d$/);
    assert.ok(Number(second.headers["retry-after"]) >= tokens - 2);
    assert.equal((await get(LIST)).status, 429);
    assert.equal((await service.get(LIST)).status, 200, "other keys are not affected");
  });

  test("a page of a hundred articles, or an article, counts as one request", async () => {
    await using service = await startTestService();
    const content = `<p>${"Many words of an article. ".repeat(1_000)}</p>`;
    for (let count = 0; count < 100; count++) {
      await createArticle(service.app, service.website.id, makeArticle({ status: "published", content }), CHIEF);
    }
    const { secret } = await service.newKey({ rateLimit: 50 });
    const [{ id } = { id: "" }] = (await service.list("?limit=1")).articles;
    const left = [];
    for (const path of [`${LIST}?limit=100`, `${LIST}/${String(id)}`]) {
      const { headers } = await service.get(path, { "X-API-Key": secret });
      left.push(/r=(\d+)/.exec(String(headers["ratelimit"]))?.[1]);
    }
    assert.deepEqual(
      left.map(Number).filter((one) => one < 98),
      [],
    );
  });

  test("a limit of 0 means no limit, for one key and for all", async () => {
    await using service = await startTestService({ ROSTRUM_RATE_LIMIT: "1" });
    const { secret } = await service.newKey({ rateLimit: 0 });
    const get = () => service.get(LIST, { "X-API-Key": secret });
    for (const reply of await Promise.all(Array.from({ length: 50 }, get))) {
      assert.equal(reply.status, 200);
      assert.equal(reply.headers["ratelimit"], undefined);
    }
  });

  test("a 304 does not count", async () => {
    await using service = await startTestService();
    const { secret } = await service.newKey({ rateLimit: 1 });
    const first = await service.get(LIST, { "X-API-Key": secret });
    const conditional = { "X-API-Key": secret, "If-None-Match": String(first.headers.etag) };
    for (let count = 0; count < 20; count++) {
      for (const path of [LIST, `${LIST}?offset=${count}`]) {
        assert.equal((await service.get(path, conditional)).status, 304, `${path} the ${count}th time`);
      }
    }
    assert.equal((await service.get(LIST, { "X-API-Key": secret })).status, 200);
  });

  test("If-None-Match: * counts like any request, because it names no version", async () => {
    await using service = await startTestService();
    const id = "00000000-0000-4000-8000-000000000000";
    for (const path of [LIST, `${LIST}?x=n`, "/api/public/events", `${LIST}/${id}`]) {
      const { secret } = await service.newKey({ rateLimit: 1 });
      const statuses: number[] = [];
      for (let count = 0; count < 4; count++) {
        const at = path.replace("=n", `=${count}`);
        statuses.push((await service.get(at, { "X-API-Key": secret, "If-None-Match": "*" })).status);
      }
      assert.deepEqual(statuses.slice(2), [429, 429], path);
    }
  });

  test("an unchanged resource is a 304 even when the key has no requests left", async () => {
    await using service = await startTestService();
    const { secret } = await service.newKey({ rateLimit: 1 });
    const first = await service.get(LIST, { "X-API-Key": secret });
    const conditional = { "X-API-Key": secret, "If-None-Match": String(first.headers.etag) };
    await Promise.all(Array.from({ length: 5 }, () => service.get(LIST, { "X-API-Key": secret })));
    assert.equal((await service.get(LIST, conditional)).status, 304);
    assert.equal((await service.get(`${LIST}?offset=1`, conditional)).status, 304);
    assert.equal((await service.get(LIST, { "X-API-Key": secret })).status, 429);
  });
});

describe("unknown keys", () => {
  test("an address may try 100 unknown keys an hour; its good keys, and other addresses, are not affected", async () => {
    await using service = await startTestService();
    const bad = (localAddress: string) => service.send(LIST, { headers: { "X-API-Key": "rs_bad" }, localAddress });
    for (let count = 0; count < 100; count++) assert.equal((await bad("127.0.0.2")).status, 401, `the ${count}th`);
    const reply = await bad("127.0.0.2");
    assert.equal(reply.status, 429);
    const wait = Number(reply.headers["retry-after"]);
    assert.ok(wait > 0 && wait <= 36, String(wait));
    assertRefusal(reply, 429, {
      error: "Too Many Requests",
      message: `Too many requests with unknown API keys from this address; wait ${wait} s and use a valid one.`,
    });
    assert.equal((await service.send(LIST, { localAddress: "127.0.0.2" })).status, 200);
    assert.equal((await bad("127.0.0.3")).status, 401);
  });

  test("a request without a key is a 401 however often it is made, because there is nothing to guess", async () => {
    await using service = await startTestService();
    for (let count = 0; count < 120; count++) {
      assert.equal((await service.get(LIST, { "X-API-Key": undefined })).status, 401);
    }
  });
});
