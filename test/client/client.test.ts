/** The client against the real service, with a real network between them where that matters. */
import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import {
  type Author,
  createClient,
  type ListParameters,
  memoryStore,
  type Neighbours,
  RostrumError,
  type TransportOptions,
} from "../../client/src/index.ts";
import {
  createArticle,
  deleteArticle,
  unpublishArticle,
  updateArticle,
} from "../../src/operations/articles/write/articles.ts";
import { CHIEF, DAY, makeArticle } from "../helpers/articles.ts";
import { cases, fc } from "../helpers/properties.ts";
import { until } from "../helpers/until.ts";
import { startTestService, type TestService } from "../helpers/service.ts";

let service: TestService;

before(async () => {
  service = await startTestService();
});
after(() => service[Symbol.asyncDispose]());

const connect = (options: Partial<TransportOptions> = {}) =>
  createClient({ url: service.url, key: service.key, ...options });

async function publish(websiteId = service.website.id, title = "A title"): Promise<string> {
  const input = makeArticle({ status: "published", title });
  return (await createArticle(service.app, websiteId, input, CHIEF)).article.id;
}

/** A website of its own, with a key for it. */
async function emptyWebsite() {
  const website = await service.newWebsite();
  const { secret } = await service.newKey({}, website.id);
  return { websiteId: website.id, client: connect({ key: secret }) };
}

test("functions work without their objects", async () => {
  const { client } = await emptyWebsite();
  const { list, all, get, getBySlug, related } = client.articles;
  const { list: listEvents } = client.events;
  const { state, tags } = client;
  assert.deepEqual((await list()).articles, []);
  assert.deepEqual(await Array.fromAsync(all()), []);
  const none = crypto.randomUUID();
  assert.deepEqual([await get(none), await getBySlug("none"), await tags()], [null, null, []]);
  await assert.rejects(related(none), RostrumError);
  assert.deepEqual((await listEvents()).events, []);
  assert.equal((await state()).latest_sequence, 0);
  const { getBySlug: getCopied, refresh, close } = await client.mirror({ store: memoryStore() });
  await refresh();
  assert.equal(await getCopied("none"), null);
  await close();
});

/** Counts what is really sent. */
function counting() {
  const counts = { requests: 0, statuses: [] as number[] };
  const counted: typeof fetch = async (input, init) => {
    counts.requests += 1;
    const response = await fetch(input, init);
    counts.statuses.push(response.status);
    return response;
  };
  return { counts, fetch: counted };
}

/** Loopback servers that misbehave as proxies and networks do. */
async function listen(listener: RequestListener) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function refuses(url: unknown, key: unknown, reason: RegExp): void {
  assert.throws(() => createClient({ url: url as string, key: key as string }), reason);
}

/** A server that has been there. */
async function closedServer() {
  await using server = await listen(() => undefined);
  return { url: server.url };
}

describe("the client", () => {
  test("gives one article by its id, or undefined", async () => {
    const id = await publish();
    assert.deepEqual(await connect().articles.get(id), await service.detail(id));
    assert.equal(await connect().articles.get("00000000-0000-4000-8000-000000000000"), null);
    const pending = await createArticle(service.app, service.website.id, makeArticle({ status: "pending" }), CHIEF);
    assert.equal(await connect().articles.get(pending.article.id), null);
  });

  test("gives the fields of one article that are asked for, with their types", async () => {
    const { websiteId, client } = await emptyWebsite();
    const input = makeArticle({
      status: "published",
      authors: [{ name: "Ana", url: null }],
      markdown: "Some **text**.",
    });
    const { id, slug } = (await createArticle(service.app, websiteId, input, CHIEF)).article;
    const article = await client.articles.getBySlug(slug, { include: ["authors", "language"] });
    assert.equal(article?.authors[0]?.name satisfies string | undefined, "Ana");
    assert.deepEqual([article?.language satisfies string | null | undefined, article?.id], [null, id]);
    const part = await client.articles.get(id, { fields: ["slug", "content"], format: ["markdown"] });
    assert.deepEqual(part satisfies { slug: string; content_markdown: string } | null, {
      slug,
      content_markdown: "Some **text**.",
    });
    // @ts-expect-error It was not asked for.
    assert.equal(part?.content, undefined);
  });

  test("lists by any or all of several labels, with the fields that are asked for and their types", async () => {
    const { websiteId, client } = await emptyWebsite();
    for (const [title, tags] of Object.entries({ A: ["tea", "salt, pepper"], B: ["tea"], C: ["milk"] })) {
      await createArticle(service.app, websiteId, makeArticle({ status: "published", title, tags }), CHIEF);
    }
    const titles = async (parameters: ListParameters) =>
      (await client.articles.list({ ...parameters, sort: "title" })).articles.map(
        ({ title }) => title satisfies string,
      );
    assert.deepEqual(await titles({ tags: ["tea", "salt, pepper"] }), ["A"]);
    assert.deepEqual(await titles({ tag: ["salt, pepper", "milk"], category: [] }), ["A", "C"]);
    assert.deepEqual(await titles({ tag: "tea", tags: "salt, pepper" }), ["A"]);
    assert.deepEqual(await titles({ tags: ["tea", "no\0tag"] }), []);

    const { articles } = await client.articles.list({
      fields: "title",
      include: ["content", "authors"],
      tag: ["milk"],
    });
    const [article] = articles satisfies { title: string; content: string; authors: Author[] }[];
    assert.deepEqual(Object.keys(article ?? {}).toSorted(), ["authors", "content", "title"]);
    // @ts-expect-error It was not asked for.
    assert.equal(article?.slug, undefined);
    const [whole] = (await client.articles.list({ include: "content", format: "text", tag: "milk" })).articles;
    assert.deepEqual([whole?.title satisfies string | undefined, typeof whole?.content_text], ["C", "string"]);
    const one = await client.articles.get(whole?.id ?? "", { fields: ["slug"], include: ["content", "authors"] });
    assert.deepEqual(Object.keys((one satisfies { slug: string; content: string; authors: Author[] } | null) ?? {}), [
      "slug",
      "content",
      "authors",
    ]);
  });

  test("gives an article with its neighbours, and null for a slug that is gone", async () => {
    const { websiteId, client } = await emptyWebsite();
    const ids: string[] = [];
    for (const slug of ["old", "middle", "new"]) {
      const input = makeArticle({ status: "published", slug, publishedAt: ids.length * DAY });
      ids.push((await createArticle(service.app, websiteId, input, CHIEF)).article.id);
    }
    const article = await client.articles.getBySlug("middle", { include: "neighbours" });
    const { previous, next } = (article?.neighbours satisfies Neighbours | undefined) ?? { previous: null, next: null };
    assert.deepEqual(
      [previous?.slug satisfies string | undefined, next?.slug, article?.slug],
      ["new", "old", "middle"],
    );
    await deleteArticle(service.app, ids[1] ?? "", CHIEF);
    assert.equal(await client.articles.getBySlug("middle"), null);
    const last = await client.articles.get(ids[0] ?? "", { fields: ["neighbours"] });
    assert.deepEqual([last?.neighbours.previous?.slug, last?.neighbours.next], ["new", null]);
  });

  test("shows what is published to whoever has a preview that has ended", async () => {
    const id = await publish();
    assert.equal((await connect().articles.get(id, { previewToken: "ended" }))?.id, id);
    const pending = await createArticle(service.app, service.website.id, makeArticle({ status: "pending" }), CHIEF);
    assert.equal(await connect().articles.get(pending.article.id, { previewToken: "ended" }), null);
  });

  test("takes what cannot be a preview token for none, without trying to send it", async () => {
    const id = await publish();
    const { counts, fetch } = counting();
    for (const previewToken of ["\u6F22", "a\nb", "a b", ""]) {
      assert.equal((await connect({ fetch }).articles.get(id, { previewToken }))?.id, id);
    }
    assert.deepEqual(counts.statuses, [200, 200, 200, 200]);
  });

  test("gives a page as the service sends it", async () => {
    const id = await publish(undefined, "Found by its title");
    const { articles, pagination } = await connect().articles.list({
      q: "found by its title",
      fields: ["id", "title"],
    });
    assert.deepEqual(articles, [{ id, title: "Found by its title" }]);
    assert.deepEqual(pagination, { total: 1, limit: 50, offset: 0 });
  });

  test("gives an article by its slug, also an earlier one, and redirects to the current one", async () => {
    const { websiteId, client } = await emptyWebsite();
    const id = await publish(websiteId, "Water");
    await updateArticle(service.app, id, { slug: "water-for-tea" }, CHIEF);
    for (const slug of ["water", "water-for-tea"]) {
      const article = await client.articles.getBySlug(slug);
      assert.deepEqual([article?.id, article?.slug], [id, "water-for-tea"]);
    }
    assert.equal(await client.articles.getBySlug("none"), null);
    for (const status of ["pending", "approved"] as const) {
      const { article } = await createArticle(service.app, websiteId, makeArticle({ status }), CHIEF);
      assert.equal(await client.articles.getBySlug(article.slug), null, status);
    }
    const redirects = await Array.fromAsync(client.redirects(), ({ from, slug }) => [from, slug]);
    assert.deepEqual(redirects, [["water", "water-for-tea"]]);
  });

  test("gives labels with their counts, and related articles", async () => {
    const { websiteId, client } = await emptyWebsite();
    const ids: string[] = [];
    for (const tags of [["Black Tea"], ["Black Tea", "water"]]) {
      const input = makeArticle({ status: "published", tags, categories: ["Guides"] });
      ids.push((await createArticle(service.app, websiteId, input, CHIEF)).article.id);
    }
    assert.deepEqual(await client.tags(), [
      { name: "Black Tea", slug: "black-tea", count: 2 },
      { name: "water", slug: "water", count: 1 },
    ]);
    assert.deepEqual(await client.categories(), [{ name: "Guides", slug: "guides", count: 2 }]);
    const related = await client.articles.related(ids[0] ?? "");
    assert.deepEqual(
      related.map(({ id }) => id),
      [ids[1]],
    );
  });

  test("says what is wrong when a request is refused, and does not retry it", async () => {
    const { counts, fetch } = counting();
    const error = await connect({ fetch })
      .articles.list({ limit: 0 })
      .catch((error: unknown) => error);
    assert.ok(error instanceof RostrumError);
    assert.deepEqual([error.status, error.param, counts.requests], [400, "limit", 1]);
    assert.match(error.message, /limit must be a whole number/);
    assert.notEqual(error.requestId, null);
    const wrongKey = connect({ key: "rs_wrong" }).articles.list();
    await assert.rejects(wrongKey, { name: "RostrumError", status: 401, code: "key_unknown" });
  });

  test("finds no article under an id or a slug that none can have", async () => {
    const { articles } = connect();
    for (const none of ["", ".", "..", "none", "\0", "\uD800", ";".repeat(7000), ",".repeat(7000)]) {
      assert.deepEqual([await articles.get(none), await articles.getBySlug(none)], [null, null], none.slice(0, 9));
    }
    await assert.rejects(articles.getBySlug("none", { lang: "?" }), { status: 400, param: "lang" });
    await using proxy = await listen((_request, response) => response.writeHead(414).end("<h1>Too long</h1>"));
    assert.equal(await connect({ url: proxy.url }).articles.getBySlug("\u8336".repeat(1000)), null);
  });

  test("lists nothing for a slug or a label that no article can have, and does not ask for it", async () => {
    const { counts, fetch } = counting();
    const { list, all } = connect({ fetch }).articles;
    for (const none of ["\0", "\uD800", "a".repeat(1001), ";".repeat(7000)]) {
      for (const filter of [{ slug: none }, { category: none }, { tag: none }, { keyword: none }, { author: none }]) {
        const empty = { articles: [], pagination: { total: 0, limit: 5, offset: 10 } };
        assert.deepEqual(await list({ ...filter, limit: 5, offset: 10 }), empty);
        assert.deepEqual(await Array.fromAsync(all(filter)), []);
      }
    }
    assert.equal(counts.requests, 0);
    // It is many labels, any of which is meant.
    await assert.rejects(list({ tag: Array(300).fill("tea").join(",") }), { status: 400, param: "tag" });
    await assert.rejects(list({ q: "a".repeat(1001) }), { status: 400, param: "q" });
  });

  test("confirms a cached response by its ETag, and callers cannot change it for others", async () => {
    const { counts, fetch } = counting();
    const client = connect({ fetch });
    const id = await publish();
    const first = await client.articles.get(id);
    assert.ok(first !== null);
    first.title = "changed by the caller";
    assert.equal((await client.articles.get(id))?.title, "A title");
    await updateArticle(service.app, id, { title: "New" }, CHIEF);
    assert.equal((await client.articles.get(id))?.title, "New");
    assert.deepEqual(counts.statuses, [200, 304, 200]);
  });
});

describe("cached responses", () => {
  const lasting = { maxAgeMs: 3_600_000 };

  test("are used without confirmation until `changed()` is called", async () => {
    const { counts, fetch } = counting();
    const client = connect({ fetch, cache: lasting });
    const id = await publish();
    for (let count = 0; count < 3; count++) await client.articles.get(id);
    assert.equal(counts.requests, 1);
    await updateArticle(service.app, id, { title: "New" }, CHIEF);
    client.changed();
    assert.equal((await client.articles.get(id))?.title, "New");
    assert.equal(counts.requests, 2);
  });

  test("do not include one that was requested before its article changed", async () => {
    const id = await publish();
    const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>();
    const { promise: mayArrive, resolve: arrive } = Promise.withResolvers<void>();
    let isFirst = true;
    const delayed: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (!isFirst) return response;
      isFirst = false;
      hold();
      await mayArrive;
      return response;
    };
    const client = connect({ fetch: delayed, cache: lasting });
    const old = client.articles.get(id);
    await isHeld;
    await updateArticle(service.app, id, { title: "New" }, CHIEF);
    client.changed();
    arrive();
    assert.equal((await old)?.title, "A title");
    assert.equal((await client.articles.get(id))?.title, "New");
  });
});

test("callers at the same time share one request, but none that was sent before a change", async () => {
  const id = await publish();
  const { promise: mayArrive, resolve: arrive } = Promise.withResolvers<void>();
  const { counts, fetch: counted } = counting();
  const held: typeof fetch = async (input, init) => {
    const response = await counted(input, init);
    await mayArrive;
    return response;
  };
  const client = connect({ fetch: held, cache: { maxAgeMs: 3_600_000 } });
  const early = [client.articles.get(id), client.articles.get(id)];
  await until("the request is answered", () => counts.statuses.length === 1);
  await updateArticle(service.app, id, { title: "New" }, CHIEF);
  client.changed();
  const late = [client.articles.get(id), client.articles.get(id)];
  await until("the second request is answered", () => counts.statuses.length === 2);
  arrive();
  const titles = await Promise.all([...early, ...late].map(async (article) => (await article)?.title));
  assert.deepEqual(titles, ["A title", "A title", "New", "New"]);
  assert.equal(counts.requests, 2);
});

describe("all articles of a list", () => {
  test("come once each, in the service's order, when nothing changes", async () => {
    const { websiteId, client } = await emptyWebsite();
    const ids = [];
    for (let count = 0; count < 230; count++) ids.push(await publish(websiteId));
    const seen = await Array.fromAsync(client.articles.all({ fields: ["slug"] }), ({ slug }) => slug);
    assert.equal(seen.length, 230);
    assert.equal(new Set(seen).size, 230);
    const page = await client.articles.list({ limit: 100 });
    assert.deepEqual(
      seen.slice(0, 100),
      page.articles.map(({ slug }) => slug),
    );
  });

  test("come once each, and none that stays is missed, while articles are published, deleted, unpublished and moved", async () => {
    const { websiteId, client } = await emptyWebsite();
    const ids: string[] = [];
    for (let count = 0; count < 260; count++) ids.push(await publish(websiteId));
    const change = fc.record({
      kind: fc.constantFrom("publish", "delete", "unpublish", "move" as const),
      which: fc.nat(),
      when: fc.nat(200),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 12 }), async (changes) => {
        const stays = new Set(ids);
        const seen: string[] = [];
        for await (const { id } of client.articles.all({ fields: ["id"] })) {
          seen.push(id);
          for (const { kind, which } of changes.filter(({ when }) => when === seen.length)) {
            const chosen = ids[which % ids.length] ?? "";
            if (kind === "publish") ids.push(await publish(websiteId));
            else if (kind === "move") await move(chosen, which);
            else if (ids.length > 210) {
              stays.delete(chosen);
              ids.splice(ids.indexOf(chosen), 1);
              await (kind === "delete" ? deleteArticle : unpublishArticle)(service.app, chosen, CHIEF);
            }
          }
        }
        assert.equal(new Set(seen).size, seen.length);
        const missed = [...stays].filter((id) => !seen.includes(id));
        assert.deepEqual(missed, []);
      }),
      { numRuns: cases(200) },
    );
  });
});

async function move(id: string, day: number): Promise<void> {
  await updateArticle(service.app, id, { publishedAt: Date.UTC(2025, 0, 1) + (day % 400) * DAY }, CHIEF);
}

describe("limits and failures", () => {
  test("a build paces itself by the rate limit, and all pages arrive", async () => {
    const { secret } = await service.newKey({ rateLimit: 20 });
    const id = await publish();
    const { counts, fetch } = counting();
    const client = connect({ key: secret, fetch, cache: false });
    const articles = await Promise.all(Array.from({ length: 80 }, () => client.articles.get(id)));
    assert.ok(articles.every((article) => article?.id === id));
    assert.deepEqual(
      counts.statuses.filter((status) => status === 429),
      [],
    );
  });

  test("429, 503, 500 and broken connections are retried, no earlier than Retry-After says", async () => {
    const replies: RequestListener[] = [
      (_request, response) => response.writeHead(429, { "Retry-After": "1" }).end("{}"),
      (_request, response) => response.writeHead(503, { "Retry-After": "0" }).end("{}"),
      (_request, response) => response.writeHead(500).end("not JSON"),
      (request) => request.socket.destroy(),
      (_request, response) => response.end(JSON.stringify({ success: true, data: { article: { id: "x" } } })),
    ];
    const times: number[] = [];
    await using server = await listen((request, response) => {
      times.push(performance.now());
      replies.shift()?.(request, response);
    });
    const client = createClient({ url: server.url, key: "rs_x" });
    assert.deepEqual(await client.articles.get("x"), { id: "x" });
    assert.equal(times.length, 5);
    assert.ok((times[1] ?? 0) - (times[0] ?? 0) >= 990, "Retry-After is kept");
  });

  test("an endless response and an unreachable service time out", async () => {
    await using server = await listen((_request, response) => void response.write('{"success": true, '));
    const client = createClient({ url: server.url, key: "rs_x", timeoutMs: 50, giveUpAfterMs: 300 });
    const error = await client.articles.list().catch((error: unknown) => error);
    assert.ok(error instanceof RostrumError);
    assert.equal(error.status, 0);
  });

  test("a signal ends a request in progress, one that waits for its turn, and one that waits for its retry", async () => {
    await using server = await listen((request, response) => {
      if (request.url?.includes("away") === true) response.writeHead(503).end("{}");
    });
    const client = createClient({ url: server.url, key: "rs_x", maxConcurrent: 1 });
    const stop = new AbortController();
    const signal = stop.signal;
    const other = createClient({ url: server.url, key: "rs_x" }).articles.get("away", { signal });
    const requests = [client.articles.get("one", { signal }), client.articles.get("two", { signal }), other];
    const settled = Promise.allSettled(requests);
    await new Promise((resolve) => setTimeout(resolve, 50));
    stop.abort(new Error("stopped"));
    for (const result of await settled) {
      assert.equal(result.status, "rejected");
      assert.match(String(result.reason), /stopped/);
    }
    // Those that were ended have given their turn back.
    const next = client.articles.get("three", { signal: AbortSignal.timeout(100) });
    await assert.rejects(next, { name: "TimeoutError" });
  });

  test("settings that cannot work are refused at once, without repeating the key", () => {
    const url = "https://articles.example.com";
    refuses("articles.example.com", "rs_x", /must begin with https/);
    refuses("https://articles .example.com", "rs_x", /is no address/);
    refuses(`${url}?key=x`, "rs_x", /is no address/);
    refuses(undefined, "rs_x", /address of the service is missing/);
    refuses("", "rs_x", /address of the service is missing/);
    refuses(url, undefined, /API key is missing/);
    refuses(url, "", /API key is missing/);
    refuses(url, "whsec_x", /^TypeError: An API key begins with "rs_", and letters and digits follow\.$/);
    refuses(url, "rs_…", /begins with "rs_"/);
  });

  test("spaces and slashes around the settings, and a path before the API, do not matter", async () => {
    const id = await publish();
    for (const url of [`${service.url}/`, ` ${service.url}//\n`]) {
      assert.equal((await connect({ url, key: ` ${service.key}\n` }).articles.get(id))?.id, id);
    }
    await using proxy = await listen((request, response) => {
      assert.match(request.url ?? "", /^\/below\/api\/public\/articles\/x/);
      response.end(JSON.stringify({ success: true, data: { article: { id: "x" } } }));
    });
    assert.deepEqual(await connect({ url: `${proxy.url}/below/` }).articles.get("x"), { id: "x" });
  });

  test("a wrong address is an error, and never an article that does not exist", async () => {
    const below = connect({ url: `${service.url}/wrong` }).articles.getBySlug("a-slug");
    await assert.rejects(below, { status: 404, message: /is the address right/ });
    const inside = connect({ url: `${service.url}/api/public` }).articles.getBySlug("a-slug");
    await assert.rejects(inside, { status: 404, code: "no_such_endpoint" });
    for (const status of [403, 404]) {
      await using proxy = await listen((_request, response) => response.writeHead(status).end("<h1>No</h1>"));
      await assert.rejects(connect({ url: proxy.url }).articles.get("x"), { status, code: null });
    }
    await using other = await listen((_request, response) => response.end('{"hello": "world"}'));
    await assert.rejects(connect({ url: other.url }).articles.get("x"), /address of a Rostrum service/);
  });

  test("an unreachable service is named with the reason, also one with several addresses", async () => {
    const port = new URL((await closedServer()).url).port;
    for (const host of ["127.0.0.1", "localhost"]) {
      const error = await connect({ url: `http://${host}:${port}`, giveUpAfterMs: 0 })
        .articles.list()
        .catch((error: unknown) => error);
      assert.ok(error instanceof RostrumError);
      assert.match(error.message, /^http:\/\/\S+ did not answer: .*ECONNREFUSED/);
    }
  });
});

test("events are followed once each and in order, until it is stopped", async () => {
  const { websiteId, client } = await emptyWebsite();
  const stop = new AbortController();
  const events = client.events.follow({ after: 0, intervalMs: 10, signal: stop.signal });
  const first = await publish(websiteId);
  const second = await publish(websiteId);
  await deleteArticle(service.app, first, CHIEF);
  const seen = [];
  for await (const { sequence, event, data } of events) {
    seen.push([sequence, event, data.article_id]);
    if (sequence === 3) await publish(websiteId);
    if (sequence === 4) break;
  }
  assert.deepEqual(seen.slice(0, 3), [
    [1, "article.published", first],
    [2, "article.published", second],
    [3, "article.deleted", first],
  ]);
  const following = client.events.follow({ signal: stop.signal });
  const next = following.next();
  stop.abort();
  await assert.rejects(next, { name: "AbortError" });
});
