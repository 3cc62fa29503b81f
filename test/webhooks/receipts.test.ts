/** docs/specification.md, 6.7: readers see the address that the receiver's response names for the article. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ArticleInput } from "../../src/domain/articles/article.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createArticle, unpublishArticle, updateArticle } from "../../src/operations/articles/write/articles.ts";
import { createEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { LIST, startTestService, type TestService } from "../helpers/service.ts";
import { until } from "../helpers/until.ts";
import { eventually, LOOPBACK, OK, type ScriptedAnswer, ScriptedReceiver } from "../helpers/webhooks.ts";

const BLOG = "https://blog.example.com";

let service: TestService;
let receiver: ScriptedReceiver;

before(async () => {
  service = await startTestService({ ...LOOPBACK, ROSTRUM_WEBHOOK_RETRY_SECONDS: "0" });
  receiver = await ScriptedReceiver.start();
  await createEndpoint(service.app, service.website.id, { url: receiver.url }, CLI_ORIGIN);
});
after(async () => {
  await service[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

const json = (body: unknown, status = 200): ScriptedAnswer => ({ status, body: JSON.stringify(body) });

async function publish(input: ArticleInput = {}): Promise<string> {
  return (await createArticle(service.app, service.website.id, makeArticle({ status: "published", ...input }), CHIEF))
    .article.id;
}

async function platform(id: string): Promise<unknown[]> {
  const article = await service.detail(id);
  return [article["platform_url"], article["platform_post_id"]];
}

const articles = () => receiver.received.map(({ data }) => data["article_id"]);

/** Publishes another article; when it has been delivered, what came before was written down. */
async function afterAnotherOne(): Promise<void> {
  const { script } = receiver;
  receiver.script = (request, index) =>
    request.data["title"] === "Marker" ? json({ id: "marker" }) : script(request, index);
  const id = await publish({ title: "Marker" });
  await eventually(() => platform(id), [null, "marker"]);
}

for (const [name, body, expected] of [
  ["platform_url and platform_post_id", { platform_url: `${BLOG}/tea`, platform_post_id: "42" }, [`${BLOG}/tea`, "42"]],
  ["url and id", { url: `${BLOG}/tea`, id: 42 }, [`${BLOG}/tea`, "42"]],
  [
    "all four, of which the first two count",
    { platform_url: `${BLOG}/a`, url: `${BLOG}/b`, id: 7 },
    [`${BLOG}/a`, "7"],
  ],
  ["only an id", { id: "p-1" }, [null, "p-1"]],
] as const) {
  test(`a 2xx whose JSON has ${name} sets the article's URL`, async () => {
    receiver.script = () => json(body, 201);
    const id = await publish();
    await eventually(() => platform(id), [...expected]);
  });
}

test("readers see it in the list too, which then has another ETag", async () => {
  receiver.script = OK;
  const id = await publish();
  await until("it was delivered", () => articles().includes(id));
  const before = String((await service.get(LIST)).headers.etag);
  receiver.script = () => json({ url: `${BLOG}/listed` });
  await updateArticle(service.app, id, { tags: ["new"] }, CHIEF);
  await eventually(() => platform(id), [`${BLOG}/listed`, null]);
  const changed = String((await service.get(LIST)).headers.etag);
  assert.notEqual(changed, before);
  const listed = (await service.list()).articles.find((one) => one["id"] === id);
  assert.equal(listed?.["platform_url"], `${BLOG}/listed`);
});

test("a receipt alone gives the list a new ETag, and the same receipt again does not", async () => {
  const answer = Promise.withResolvers<ScriptedAnswer>();
  receiver.script = () => answer.promise;
  const id = await publish();
  await until("it is under way", () => articles().includes(id));
  const before = String((await service.get(LIST)).headers.etag);
  answer.resolve(json({ url: `${BLOG}/once` }));
  await until("readers see it", async () => (await service.get(LIST, { "If-None-Match": before })).status === 200);
  receiver.script = () => json({ url: `${BLOG}/once` });
  const sequence = await service.lastSequence();
  await updateArticle(service.app, id, { tags: ["new"] }, CHIEF);
  const after = String((await service.get(LIST)).headers.etag);
  await until("it was sent", () => articles().filter((one) => one === id).length === 2);
  await afterDelivered(id, sequence + 1);
  assert.equal((await service.get(LIST, { "If-None-Match": after })).status, 304);
});

/** Waits until the article's delivery with that event was written down. */
async function afterDelivered(articleId: string, sequence: number): Promise<void> {
  await until("it was written down", async () => {
    const row = await service.app.store.read((db) =>
      db.get(
        "SELECT 1 FROM deliveries WHERE article_id = ? AND event_sequence = ? AND state = 'delivered'",
        articleId,
        sequence,
      ),
    );
    return row !== undefined;
  });
}

test("a receipt creates no event, because the receiver knows it already", async () => {
  receiver.script = () => json({ url: `${BLOG}/quiet`, id: 1 });
  const sequence = await service.lastSequence();
  const id = await publish();
  await eventually(() => platform(id), [`${BLOG}/quiet`, "1"]);
  await afterAnotherOne();
  assert.deepEqual(
    (await service.eventsAfter(sequence)).filter(({ data }) => data["article_id"] === id).map(({ event }) => event),
    ["article.published"],
  );
  assert.equal(articles().filter((one) => one === id).length, 1);
});

test("a receipt does not change the time of the article's last change", async () => {
  const answer = Promise.withResolvers<ScriptedAnswer>();
  receiver.script = () => answer.promise;
  const id = await publish();
  await until("it is under way", () => articles().includes(id));
  const { platform_url: _none, ...before } = await service.detail(id);
  answer.resolve(json({ url: `${BLOG}/later` }));
  await eventually(() => platform(id), [`${BLOG}/later`, null]);
  const { platform_url: _some, ...after } = await service.detail(id);
  assert.deepEqual(after, before);
});

test("fields that a response does not name are kept, and those that it names are replaced", async () => {
  receiver.script = () => json({ url: `${BLOG}/new` });
  const id = await publish({ platformUrl: `${BLOG}/old`, platformPostId: "old" });
  await eventually(() => platform(id), [`${BLOG}/new`, "old"]);
});

for (const [name, answer] of [
  ["no JSON", { status: 200, body: `{"url": "${BLOG}/x"` }],
  ["a URL that is none", json({ url: "javascript:alert(1)" })],
  ["a list", json([{ url: `${BLOG}/x` }])],
  ["a failure", json({ url: `${BLOG}/x` }, 500)],
] as const) {
  test(`a response that is ${name} leaves the article as it was`, async () => {
    receiver.script = () => answer;
    const id = await publish({ platformUrl: `${BLOG}/old`, platformPostId: "old" });
    await until("it was sent", () => articles().includes(id));
    await afterAnotherOne();
    assert.deepEqual(await platform(id), [`${BLOG}/old`, "old"]);
  });
}

test("the response to an article's withdrawal does not change its URL, although the article still exists", async () => {
  receiver.script = OK;
  const id = await publish();
  await until("it was sent", () => articles().includes(id));
  receiver.script = () => json({ url: `${BLOG}/ghost` });
  await unpublishArticle(service.app, id, CHIEF);
  await until("the deletion was sent", () => articles().filter((one) => one === id).length === 2);
  await afterAnotherOne();
  const row = await service.app.store.read((db) => db.get("SELECT platform_url FROM articles WHERE id = ?", id));
  assert.equal(row?.platform_url, null);
  assert.deepEqual(service.log.failures, []);
});
