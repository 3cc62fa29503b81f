/** docs/specification.md, 4.4: ETag and If-None-Match; 304 without a database query. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { LIST, startTestService, type TestService } from "../helpers/service.ts";
import { wrapStore } from "../helpers/wrap-store.ts";
import type { App } from "../../src/app/app.ts";
import * as articles from "../../src/operations/articles/write/articles.ts";

let service: TestService;
let id: string;
let other: string;
let paths: string[];
/** Transactions that the store was asked for. */
let transactions = 0;

before(async () => {
  service = await startTestService({}, counting);
  const make = async () => {
    const input = makeArticle({ status: "published" });
    return (await articles.createArticle(service.app, service.website.id, input, CHIEF)).article.id;
  };
  id = await make();
  other = await make();
  paths = [LIST, `${LIST}?limit=1&offset=1`, `${LIST}?q=article&sort=title`, `${LIST}/${id}`, "/api/public/events"];
  // The first use of a key is written down once, which is a change like any other.
  await service.get(LIST);
});
beforeEach(() => {
  transactions = 0;
});
after(() => service[Symbol.asyncDispose]());

function counting(app: App): App {
  const { store } = app;
  const counted = wrapStore(store, {
    read: (work) => {
      transactions++;
      return store.read(work);
    },
  });
  return { ...app, store: counted };
}

/** The service's own upkeep may look at the store in one of the rounds; what the work needs is in all of them. */
async function leastTransactions(work: (round: number) => Promise<void>): Promise<number> {
  const rounds: number[] = [];
  for (let round = 1; round <= 3; round++) {
    transactions = 0;
    await work(round);
    rounds.push(transactions);
  }
  return Math.min(...rounds);
}

async function etagOf(path: string): Promise<string> {
  const { headers, status } = await service.get(path);
  assert.equal(status, 200);
  return String(headers.etag);
}

async function statusIf(path: string, condition: string): Promise<number> {
  return (await service.get(path, { "If-None-Match": condition })).status;
}

test("an unchanged response is a 304 to its own ETag, to a list that contains it, to its strong form and to *", async () => {
  for (const path of paths) {
    const etag = await etagOf(path);
    assert.match(etag, /^W\/"[^"]+"$/);
    const opaque = etag.slice(2);
    for (const condition of [etag, opaque, `"x", ${etag}`, `W/"y",${opaque} , "z"`, "*"]) {
      for (let turn = 0; turn < 2; turn++) assert.equal(await statusIf(path, condition), 304, `${path} ${condition}`);
    }
    for (const condition of ['"x"', 'W/"y", "z"', opaque.slice(1, -1), `${etag}x`, "", '""']) {
      assert.equal(await statusIf(path, condition), 200, `${path} ${condition}`);
    }
  }
});

describe("after a change", () => {
  const CHANGES: [name: string, change: () => Promise<unknown>][] = [
    ["an edit", () => articles.updateArticle(service.app, id, { title: `Edited ${performance.now()}` }, CHIEF)],
    ["an unpublication", () => articles.unpublishArticle(service.app, id, CHIEF)],
    ["a publication", () => articles.publishArticle(service.app, id, CHIEF)],
    ["a deletion of another article", () => articles.deleteArticle(service.app, other, CHIEF)],
    ["its restoring", () => articles.restoreArticle(service.app, other, CHIEF)],
  ];
  for (const [name, change] of CHANGES) {
    test(`${name} gives the lists another ETag from the very next request on`, async () => {
      const before = await Promise.all(paths.slice(0, 3).map(etagOf));
      await change();
      for (const [index, etag] of before.entries()) {
        const path = paths[index] ?? "";
        assert.equal(await statusIf(path, etag), 200, path);
        assert.notEqual(await etagOf(path), etag);
      }
    });
  }

  test("an article's own ETag changes when the article does, and not when another one does", async () => {
    const path = `${LIST}/${id}`;
    const etag = await etagOf(path);
    await articles.updateArticle(service.app, other, { title: "Something else" }, CHIEF);
    assert.equal(await statusIf(path, etag), 304);
    await articles.updateArticle(service.app, id, { tags: ["changed"] }, CHIEF);
    assert.equal(await statusIf(path, etag), 200);
  });

  test("an ETag is never reused: undoing an edit makes another version", async () => {
    const path = `${LIST}/${id}`;
    const { article } = await articles.getArticle(service.app, id);
    const etag = await etagOf(path);
    await articles.updateArticle(service.app, id, { title: "For a moment" }, CHIEF);
    await articles.updateArticle(service.app, id, { title: article.title }, CHIEF);
    assert.equal(await statusIf(path, etag), 200);
  });
});

test("a 304 takes no query of the database", async () => {
  for (const path of paths) {
    const etag = await etagOf(path);
    await etagOf(path);
    const needed = await leastTransactions(async () => {
      for (let turn = 0; turn < 5; turn++) assert.equal(await statusIf(path, etag), 304, path);
    });
    assert.equal(needed, 0, path);
  }
});

test("a 304 to a list that this process has never sent takes no query of the database either", async () => {
  const etag = await etagOf(LIST);
  const needed = await leastTransactions(async (round) => {
    for (const query of [
      `?limit=1${round}`,
      `?offset=${round}`,
      `?status=published&sort=title`,
      `?tag=never-asked-${round}`,
    ]) {
      assert.equal(await statusIf(`${LIST}${query}`, etag), 304, query);
    }
  });
  assert.equal(needed, 0);
});

test("a 304 to an article that was requested before takes no query, however it was requested", async () => {
  const input = makeArticle({ status: "published" });
  const { article } = await articles.createArticle(service.app, service.website.id, input, CHIEF);
  const path = `${LIST}/${article.id}`;
  assert.equal(await statusIf(path, "*"), 304);
  const needed = await leastTransactions(async () => assert.equal(await statusIf(path, "*"), 304));
  assert.equal(needed, 0);
});

test("a repeated response takes no query of the database", async () => {
  for (const path of [LIST, `${LIST}?limit=3`, `${LIST}/${id}`]) {
    for (let turn = 0; turn < 3; turn++) await service.get(path);
    const needed = await leastTransactions(async () => assert.equal((await service.get(path)).status, 200));
    assert.equal(needed, 0, path);
  }
});

test("an article's bytes are cached from its second request on, its ETag from its first", async () => {
  const input = makeArticle({ status: "published" });
  const { article } = await articles.createArticle(service.app, service.website.id, input, CHIEF);
  const path = `${LIST}/${article.id}`;
  const etag = await etagOf(path);
  assert.equal(await leastTransactions(async () => assert.equal(await statusIf(path, etag), 304)), 0);
  const first = await service.get(path);
  const bodies = [first.text];
  const needed = await leastTransactions(async () => void bodies.push((await service.get(path)).text));
  assert.equal(needed, 0);
  for (const body of bodies) assert.deepEqual(body, first.text);
});

test("another website's change leaves this website's ETags as they are", async () => {
  const etags = await Promise.all(paths.map(etagOf));
  const website = await service.newWebsite();
  await articles.createArticle(service.app, website.id, makeArticle({ status: "published" }), CHIEF);
  for (const [index, path] of paths.entries()) assert.equal(await statusIf(path, etags[index] ?? ""), 304, path);
});

test("an error has no ETag, and If-None-Match: * does not turn it into a 304", async () => {
  for (const [path, status] of [
    [`${LIST}?limit=x`, 400],
    [`${LIST}/00000000-0000-4000-8000-000000000000`, 404],
  ] as const) {
    const reply = await service.get(path, { "If-None-Match": "*" });
    assert.deepEqual([reply.status, reply.headers.etag], [status, undefined]);
  }
});

test("a response with debug information is never a 304", async () => {
  const etag = await etagOf(LIST);
  assert.equal(await statusIf(`${LIST}?debug=true`, etag), 200);
  assert.equal(await statusIf(`${LIST}?debug=true`, "*"), 200);
});
