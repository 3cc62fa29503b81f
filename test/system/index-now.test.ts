/** docs/feeds.md, "IndexNow": what search engines are told, when, and what happens if they do not answer. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { after, describe, test } from "node:test";
import type { ArticleInput } from "../../src/domain/articles/article.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { AppError } from "../../src/domain/system/errors.ts";
import * as articles from "../../src/operations/articles/write/articles.ts";
import { readPings, sendPings } from "../../src/operations/website/index-now.ts";
import { updateWebsite } from "../../src/operations/website/websites.ts";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { cliJson, runCli } from "../helpers/cli-in-process.ts";
import { record } from "../helpers/http.ts";
import { clockedService } from "../helpers/service.ts";
import { LOOPBACK } from "../helpers/webhooks.ts";
import { tempFolder } from "../helpers/folder.ts";

const MINUTE_MS = 60_000;
const clocked = await clockedService(LOOPBACK);
/** The body of each ping, and how it is answered. */
const engine = { received: [] as string[], statusOf: (_body: string): number => 200, url: "" };
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  engine.received.push(body);
  response.writeHead(engine.statusOf(body)).end();
}
const server = createServer((request, response) => void answer(request, response)).listen(0, "127.0.0.1");
await once(server, "listening");
engine.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
after(() => {
  server.closeAllConnections();
  server.close();
});

const onError = (error: unknown) => assert.fail(String(error));
const send = () => sendPings(clocked.deps, engine.url, onError);

/** Turns IndexNow on for a website, and records what the search engine receives. */
async function turnedOn({
  statusOf = () => 200,
  ...website
}: { statusOf?: (body: string) => number; urlPattern?: string | null; language?: string } = {}) {
  engine.statusOf = statusOf;
  const { deps, service } = clocked;
  const { id } = await service.newWebsite({
    url: "https://tea.example",
    urlPattern: "https://tea.example/blog/{slug}",
    ...website,
  });
  const { indexNowKey } = await updateWebsite(deps, id, { indexNow: true }, CLI_ORIGIN);
  const start = engine.received.length;
  return {
    id,
    key: indexNowKey ?? "",
    publish: async (input: ArticleInput = {}) =>
      (await articles.createArticle(deps, id, makeArticle({ status: "published", ...input }), CHIEF)).article.id,
    sent: () => engine.received.slice(start).map((body) => record(JSON.parse(body))),
    outcomes: async () => (await readPings(deps, id)).pings.map(({ outcome }) => outcome).toReversed(),
  };
}

describe("search engines are told", () => {
  test("the pages of publications, changes and removals, together, once, and with the website's key", async () => {
    const { id, key, publish, sent, outcomes } = await turnedOn();
    const one = await publish({ slug: "one" });
    await publish({ slug: "two" });
    assert.equal(await send(), 1);
    const keyLocation = `https://tea.example/${key}.txt`;
    const urlList = ["https://tea.example/blog/one", "https://tea.example/blog/two"];
    assert.deepEqual(sent(), [{ host: "tea.example", key, keyLocation, urlList }]);
    assert.equal(await send(), 0);

    await articles.updateArticle(clocked.deps, one, { title: "Changed" }, CHIEF);
    await send();
    await articles.unpublishArticle(clocked.deps, one, CHIEF);
    await send();
    const lists = sent().map((ping) => ping["urlList"]);
    assert.deepEqual(lists.slice(1), [["https://tea.example/blog/one"], ["https://tea.example/blog/one"]]);
    assert.deepEqual(await outcomes(), ["sent", "sent", "sent"]);
    assert.equal((await readPings(clocked.deps, id)).nextAt, null);
  });

  test("both pages of an article whose slug changes", async () => {
    const { publish, sent } = await turnedOn();
    const id = await publish({ slug: "before" });
    await send();
    await articles.updateArticle(clocked.deps, id, { slug: "after" }, CHIEF);
    await send();
    assert.deepEqual(
      new Set(sent().at(-1)?.["urlList"] as string[]),
      new Set(["https://tea.example/blog/before", "https://tea.example/blog/after"]),
    );
  });

  test("pages of an article with a language at the addresses of that language, also when it is gone", async () => {
    const { publish, sent } = await turnedOn({ urlPattern: "https://tea.example{/lang}/blog/{slug}", language: "en" });
    const id = await publish({ slug: "tee", language: "de" });
    await send();
    await articles.updateArticle(clocked.deps, id, { language: "fr" }, CHIEF);
    await send();
    await articles.deleteArticle(clocked.deps, id, CHIEF);
    await send();
    const [german, french] = ["https://tea.example/de/blog/tee", "https://tea.example/fr/blog/tee"];
    assert.deepEqual(
      sent().map((ping) => new Set(ping["urlList"] as string[])),
      [new Set([german]), new Set([german, french]), new Set([french])],
    );
  });

  test("the address that an article was given, whatever its slug and language are, and the one that it had before", async () => {
    const { publish, sent } = await turnedOn({ urlPattern: "https://tea.example{/lang}/blog/{slug}", language: "en" });
    const [first, second] = ["https://tea.example/guides/1", "https://tea.example/guides/2"];
    const id = await publish({ slug: "tea", platformUrl: first });
    await send();
    await articles.updateArticle(clocked.deps, id, { language: "de" }, CHIEF);
    await send();
    await articles.updateArticle(clocked.deps, id, { slug: "tee" }, CHIEF);
    await send();
    await articles.updateArticle(clocked.deps, id, { platformUrl: second }, CHIEF);
    await send();
    await articles.deleteArticle(clocked.deps, id, CHIEF);
    await send();
    assert.deepEqual(
      sent().map((ping) => new Set(ping["urlList"] as string[])),
      [new Set([first]), new Set([first]), new Set([first]), new Set([first, second]), new Set([second])],
    );
  });

  test("the page that an article had before it was given its first address", async () => {
    const { publish, sent } = await turnedOn({ urlPattern: null });
    const [bySlug, given] = ["https://tea.example/blog/tea", "https://tea.example/guides/1"];
    const id = await publish({ slug: "tea" });
    await send();
    await articles.updateArticle(clocked.deps, id, { platformUrl: given }, CHIEF);
    await send();
    await articles.updateArticle(clocked.deps, id, { title: "Changed" }, CHIEF);
    await send();
    await articles.updateArticle(clocked.deps, id, { platformUrl: null }, CHIEF);
    await send();
    assert.deepEqual(
      sent().map((ping) => new Set(ping["urlList"] as string[])),
      [new Set([bySlug]), new Set([bySlug, given]), new Set([given]), new Set([given, bySlug])],
    );
  });

  test("nothing of an article that is deleted without having been public, or once it is not any more", async () => {
    const { publish, sent } = await turnedOn();
    await articles.deleteArticle(clocked.deps, await publish({ slug: "secret-plan", status: "pending" }), CHIEF);
    await send();
    assert.deepEqual(sent(), []);
    const id = await publish({ slug: "public" });
    await articles.unpublishArticle(clocked.deps, id, CHIEF);
    await articles.updateArticle(clocked.deps, id, { slug: "secret-name" }, CHIEF);
    await articles.deleteArticle(clocked.deps, id, CHIEF);
    await send();
    assert.deepEqual(sent().at(-1)?.["urlList"], ["https://tea.example/blog/public"]);
  });

  test("no address that an article got after it was unpublished", async () => {
    const { publish, sent } = await turnedOn();
    const id = await publish({ slug: "public" });
    await articles.unpublishArticle(clocked.deps, id, CHIEF);
    const platformUrl = "https://tea.example/blog/not-announced-yet";
    await articles.updateArticle(clocked.deps, id, { slug: "not-announced-yet", platformUrl }, CHIEF);
    await send();
    assert.deepEqual(sent().at(-1)?.["urlList"], ["https://tea.example/blog/public"]);
  });

  test("no page of another host, and nothing from before it was turned on or after it was turned off", async () => {
    const { id, publish, sent } = await turnedOn();
    const elsewhere = await publish({ slug: "elsewhere", platformUrl: "https://other.example/elsewhere" });
    await articles.updateArticle(clocked.deps, elsewhere, { title: "Changed" }, CHIEF);
    await send();
    assert.deepEqual(sent(), []);
    await publish({ slug: "unsent" });
    await updateWebsite(clocked.deps, id, { indexNow: false }, CLI_ORIGIN);
    await send();
    await updateWebsite(clocked.deps, id, { indexNow: true }, CLI_ORIGIN);
    await send();
    assert.deepEqual(sent(), []);
  });

  test("nothing of a website without an address: it cannot be turned on", async () => {
    const { id } = await clocked.service.newWebsite({ url: null });
    await assert.rejects(
      updateWebsite(clocked.deps, id, { indexNow: true }, CLI_ORIGIN),
      (error) => error instanceof AppError && error.code === "invalid",
    );
  });
});

describe("a refusal", () => {
  test("is tried again with what has changed since, ever later, and at last given up", async () => {
    const { publish, sent, outcomes } = await turnedOn({ statusOf: () => 403 });
    await publish({ slug: "first" });
    await send();
    await publish({ slug: "second" });
    await send();
    assert.equal(sent().length, 1);
    for (const minutes of [1, 5, 30, 120, 480]) {
      clocked.deps.now += minutes * MINUTE_MS - 1;
      await send();
      clocked.deps.now += 1;
      await send();
    }
    assert.deepEqual(
      sent().map((ping) => (ping["urlList"] as string[]).length),
      [1, 2, 2, 2, 2, 2],
    );
    assert.deepEqual(await outcomes(), [...Array.from({ length: 5 }, () => "retried"), "given_up"]);
    engine.statusOf = () => 200;
    await publish({ slug: "third" });
    await send();
    assert.deepEqual(sent().at(-1)?.["urlList"], ["https://tea.example/blog/third"]);
  });

  test("of one website keeps no other from its turn", async () => {
    const bad = await turnedOn();
    const good = await turnedOn({ statusOf: (body) => (body.includes(bad.key) ? 422 : 200) });
    await bad.publish();
    await good.publish();
    await send();
    assert.deepEqual([await bad.outcomes(), await good.outcomes()], [["retried"], ["sent"]]);
  });
});

test("the command turns it on, says where the key belongs, and shows what was sent", async () => {
  await using folder = await tempFolder();
  const data = folder.path;
  const { id } = await cliJson(["website", "create", "--name", "Tea", "--url", "https://tea.example"], { data });
  const on = await runCli(["website", "indexnow", "Tea", "on"], { data });
  assert.match(on.stdout, /https:\/\/tea\.example\/[0-9a-f]{32}\.txt/);
  const status = await cliJson(["website", "indexnow", String(id), "status"], { data });
  assert.deepEqual(status, { next_at: null, pings: [] });
  const shown = () => runCli(["website", "indexnow", "Tea", "status"], { data });
  assert.match((await shown()).stdout, /^IndexNow is on\. .*\.txt\nNo pings in the last 7 days\.\n$/);
  const off = await cliJson(["website", "indexnow", "Tea", "off"], { data });
  assert.equal(off["index_now_key"], null);
  assert.match((await shown()).stdout, /^IndexNow is off\.\n/);
});
