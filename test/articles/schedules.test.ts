/** docs/specification.md, section 3: an approved article with a future `publish_at` is published at that time, once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CHIEF, DAY, makeArticle, TODAY, withClock } from "../helpers/articles.ts";
import { until } from "../helpers/until.ts";
import { clockedService } from "../helpers/service.ts";
import * as articles from "../../src/operations/articles/write/articles.ts";
import { publishDueArticles } from "../../src/operations/articles/write/schedule.ts";

const { service, deps } = await clockedService();

async function scheduled(at: number): Promise<string> {
  const input = makeArticle({ status: "approved" });
  const { article } = await articles.createArticle(deps, service.website.id, input, CHIEF);
  await articles.scheduleArticle(deps, article.id, at, CHIEF);
  return article.id;
}

test("a scheduled article stays approved until its time, and is then published with its event", async () => {
  const id = await scheduled(deps.now + DAY);
  const sequence = await service.lastSequence();
  deps.now += DAY - 1;
  assert.equal(await publishDueArticles(deps, 100), 0);
  assert.equal((await service.detail(id))["status"], "approved");
  deps.now += 1;
  assert.equal(await publishDueArticles(deps, 100), 1);
  const detail = await service.detail(id);
  assert.deepEqual([detail["status"], detail["published_at"]], ["published", new Date(deps.now).toISOString()]);
  const events = await service.eventsAfter(sequence);
  assert.deepEqual(
    events.map(({ event, data }) => [event, data["user_id"], data["published_at"]]),
    [["article.published", "schedule", new Date(deps.now).toISOString()]],
  );
});

test("articles that became due while no service ran are published late, oldest schedule first, and once", async () => {
  const second = await scheduled(deps.now + 2 * DAY);
  const first = await scheduled(deps.now + DAY);
  const sequence = await service.lastSequence();
  deps.now += 30 * DAY;
  assert.equal(await publishDueArticles(deps, 100), 2);
  assert.equal(await publishDueArticles(deps, 100), 0);
  assert.deepEqual(
    (await service.eventsAfter(sequence)).map(({ data }) => data["article_id"]),
    [first, second],
  );
});

test("two processes that poll at the same time publish each article once", async () => {
  const ids = [];
  for (let count = 0; count < 5; count++) ids.push(await scheduled(deps.now + DAY));
  const sequence = await service.lastSequence();
  deps.now += DAY;
  const counts = await Promise.all([publishDueArticles(deps, 100), publishDueArticles(deps, 100)]);
  assert.equal(counts[0] + counts[1], 5);
  const told = (await service.eventsAfter(sequence)).map(({ data }) => data["article_id"]);
  assert.deepEqual(new Set(told), new Set(ids));
  assert.equal(told.length, 5);
});

test("more than the limit are published in turns", async () => {
  for (let count = 0; count < 5; count++) await scheduled(deps.now + DAY);
  deps.now += DAY;
  assert.deepEqual([await publishDueArticles(deps, 2), await publishDueArticles(deps, 2)], [2, 2]);
  assert.equal(await publishDueArticles(deps, 2), 1);
});

test("a time in the past is refused", async () => {
  const { article } = await articles.createArticle(
    deps,
    service.website.id,
    makeArticle({ status: "approved" }),
    CHIEF,
  );
  for (const at of [deps.now, deps.now - 1, 0]) {
    await assert.rejects(articles.scheduleArticle(deps, article.id, at, CHIEF), {
      code: "invalid",
      field: "publish_at",
    });
  }
});

test("an article that was returned, deleted or published meanwhile is not published by its schedule", async () => {
  const [back, gone, early] = [
    await scheduled(deps.now + DAY),
    await scheduled(deps.now + DAY),
    await scheduled(deps.now + DAY),
  ];
  await articles.requestChanges(deps, back, "No.", CHIEF);
  await articles.deleteArticle(deps, gone, CHIEF);
  await articles.publishArticle(deps, early, CHIEF);
  deps.now += DAY;
  assert.equal(await publishDueArticles(deps, 100), 0);
});

test("the running service publishes by itself what is due by the wall clock", async () => {
  const past = withClock(service.app, TODAY);
  const input = makeArticle({ status: "approved" });
  const { article } = await articles.createArticle(past, service.website.id, input, CHIEF);
  await articles.scheduleArticle(past, article.id, TODAY + DAY, CHIEF);
  await until("it is published", async () => (await service.detail(article.id))["status"] === "published");
});
