/**
 * Answers are never older than the request, whoever made the change: on SQLite. On PostgreSQL a node hears of another
 * process's change at once, too, but nobody waits for that before the command that made it ends; a webhook does
 * (read-your-webhook.test.ts, test/postgres/coherence).
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { CHIEF, makeArticle } from "../../helpers/articles.ts";
import { cliJson, runCli } from "../../helpers/cli.ts";
import { ENGINE } from "../../helpers/database.ts";
import { deriveContent } from "../../helpers/content.ts";
import { LIST, startTestService, type TestService } from "../../helpers/service.ts";
import { eventually } from "../../helpers/webhooks.ts";
import { type App, openApp } from "../../../src/app/app.ts";
import { CLI_ORIGIN } from "../../../src/domain/system/audit.ts";
import * as articles from "../../../src/operations/articles/write/articles.ts";
import { revokeKey } from "../../../src/operations/people/api-keys.ts";

/** 0: the very next answer. */
const WITHIN_MS = ENGINE === "sqlite" ? 0 : 10_000;

let service: TestService;
/** The same data through connections of its own: to the service it is another process. */
let other: App;

before(async () => {
  service = await startTestService();
  other = { ...(await openApp(service.app.config)), deriveContent };
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

async function firstListed(): Promise<unknown> {
  return (await service.list("?limit=1")).articles[0]?.["id"];
}

/** What is read is that, now or as soon as is promised. */
function next<T>(read: () => Promise<T>, expected: T): Promise<void> {
  return eventually(read, expected, WITHIN_MS);
}

describe(`a change by other connections is in ${WITHIN_MS === 0 ? "the very next answer" : "the next answers"}`, () => {
  test("in the list, however warm it is", async () => {
    for (let turn = 0; turn < 20; turn++) {
      const before = await total();
      for (let warm = 0; warm < 3; warm++) await service.get(LIST);
      const id = await newArticle();
      await next(firstListed, id);
      await next(total, before + 1);
    }
  });

  test("in the detail, however warm it is", async () => {
    const id = await newArticle();
    for (let turn = 0; turn < 20; turn++) {
      for (let warm = 0; warm < 3; warm++) await service.detail(id);
      const title = `Title ${turn}`;
      await articles.updateArticle(other, id, { title }, CHIEF);
      await next(async () => (await service.detail(id))["title"], title);
    }
  });

  test("in each list that an article leaves or enters", async () => {
    const id = await newArticle("pending");
    await next(async () => (await service.list("?status=pending&limit=1")).articles[0]?.["id"], id);
    const [pending = 0, approved = 0, published = 0] = await totals();
    await articles.approveArticle(other, id, CHIEF);
    await next(totals, [pending - 1, approved + 1, published]);
    await articles.publishArticle(other, id, CHIEF);
    await next(totals, [pending - 1, approved, published + 1]);
    await articles.deleteArticle(other, id, CHIEF);
    await next(totals, [pending - 1, approved, published]);
    await articles.restoreArticle(other, id, CHIEF);
    await next(totals, [pending - 1, approved, published + 1]);
  });

  test("in a search and in a filter", async () => {
    const id = await newArticle();
    for (const word of ["alabaster", "bergamot", "cinnamon"]) {
      assert.deepEqual((await service.list(`?q=${word}`)).articles, []);
      assert.deepEqual((await service.list(`?tag=${word}`)).articles, []);
      await articles.updateArticle(other, id, { title: word, tags: [word] }, CHIEF);
      await next(async () => (await service.list(`?q=${word}`)).articles.length, 1);
      await next(async () => (await service.list(`?tag=${word}`)).articles.length, 1);
    }
  });

  test("for keys: a revoked one is refused, however often it was used", async () => {
    const { id, secret } = await service.newKey();
    const get = async () => (await service.get(LIST, { "X-API-Key": secret })).status;
    for (let warm = 0; warm < 5; warm++) assert.equal(await get(), 200);
    await revokeKey(other, id, CLI_ORIGIN);
    await next(get, 401);
  });

  test("in requests made during the change: each shows the state before or after, never one in between", async () => {
    const id = await newArticle();
    const change = articles.updateArticle(other, id, { title: "After", content: "<p>After.</p>" }, CHIEF);
    const during = await Promise.all(Array.from({ length: 40 }, () => service.detail(id)));
    await change;
    for (const one of during) assert.equal(one["title"] === "After", one["content"] === "<p>After.</p>");
    await next(async () => (await service.detail(id))["title"], "After");
  });
});

test("a command beside the running service is served at once", async () => {
  const { dataDir: data, database } = service.app.config;
  // The data folder is made when something is put there.
  const options = { data, cwd: ".", env: database.kind === "postgres" ? { DATABASE_URL: database.url } : {} };
  const args = ["article", "create", "--website", service.website.id, "--file", "-"];
  const created = await cliJson(args, {
    ...options,
    stdin: '{"title":"By command","content":"<p>x</p>","status":"published"}',
  });
  const id = String(created["id"]);
  await next(firstListed, id);
  const { code, stderr } = await runCli(["article", "delete", id], options);
  assert.equal(code, 0, stderr);
  await next(async () => (await service.get(`${LIST}/${id}`)).status, 404);
});
