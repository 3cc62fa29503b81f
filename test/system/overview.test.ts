/** The overview, and the page for those who begin. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { HOUR_MS, startOfHour, isoTime } from "../../src/domain/system/time.ts";
import { createArticle, deleteArticle, scheduleArticle } from "../../src/operations/articles/write/articles.ts";
import { testEndpoint } from "../../src/operations/webhooks/deliveries.ts";
import { createEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { revokeKey } from "../../src/operations/people/api-keys.ts";
import { addDeliveryCounts } from "../../src/store/webhooks/attempts.ts";
import { addKeyRequests } from "../../src/store/people/key-requests.ts";
import { CHIEF, FUTURE, makeArticle } from "../helpers/articles.ts";
import { type Json, record, records } from "../helpers/http.ts";
import { LIST, startTestService, type TestService } from "../helpers/service.ts";
import { until } from "../helpers/until.ts";
import { LOOPBACK, ScriptedReceiver } from "../helpers/webhooks.ts";
import { type Browser, type People, people } from "../people/dashboard.ts";

let service: TestService;
let all: People;
let owner: Browser;

before(async () => {
  service = await startTestService(LOOPBACK);
  all = people(service);
  owner = await all.owner();
});
after(async () => {
  all[Symbol.dispose]();
  await service[Symbol.asyncDispose]();
});
afterEach(() =>
  assert.deepEqual(
    service.log.failures.filter(({ url }) => url !== undefined),
    [],
  ),
);

const overviewOf = (id: string, browser = owner) => browser.json("GET", `/overview?website_id=${id}`);
const beginningsOf = (id: string, browser = owner) => browser.json("GET", `/getting-started?website_id=${id}`);

const NO_REVIEW = { in_review: 0, resubmitted: 0, with_author: 0, mine: 0 };

describe("the overview", () => {
  test("is empty for a new website, and has every hour", async () => {
    const { id } = await service.newWebsite({ name: "New" });
    const found = await overviewOf(id);
    assert.deepEqual(found["counts"], {
      ...NO_REVIEW,
      all: 0,
      pending: 0,
      approved: 0,
      scheduled: 0,
      published: 0,
      drafts: 0,
      held: 0,
      trash: 0,
    });
    for (const list of ["waiting", "scheduled", "published", "warnings"]) assert.deepEqual(found[list], [], list);
    const now = startOfHour(Date.now());
    for (const [name, none] of [
      ["deliveries", { delivered: 0, exhausted: 0, retried: 0 }],
      ["reads", { requests: 0 }],
    ] as const) {
      const series = records(found[name]);
      assert.equal(series.length, 24);
      // The hour may have ended between the two.
      const last = Date.parse(String(series.at(-1)?.["hour"]));
      assert.ok(last === now || last === now + HOUR_MS);
      series.forEach((one, index) => {
        assert.deepEqual(one, { hour: isoTime(last - (23 - index) * HOUR_MS), ...none });
      });
    }
  });

  test("shows the five that wait longest here, the next five scheduled and the last five published here", async () => {
    const { id } = await service.newWebsite({ name: "Busy" });
    const { app } = service;
    const make = async (title: string, input: Parameters<typeof makeArticle>[0]) =>
      (await createArticle(app, id, makeArticle({ title, ...input }), CHIEF)).article.id;
    for (let number = 1; number <= 7; number++) {
      // Their own dates, which an import may bring, say the opposite.
      await make(`Waiting ${number}`, { status: "pending", createdAt: Date.UTC(2025, 0, 31 - number) });
      await make(`Published ${number}`, { status: "published", publishedAt: Date.UTC(2025, 0, 31 - number) });
      const scheduled = await make(`Scheduled ${number}`, { status: "approved" });
      await scheduleArticle(app, scheduled, FUTURE - number * 1_000, CHIEF);
    }
    await make("Approved", { status: "approved" });
    await deleteArticle(app, await make("Gone", { status: "pending" }), CHIEF);
    const found = await overviewOf(id);
    const titles = (name: string) => records(found[name]).map(({ title }) => title);
    assert.deepEqual(found["counts"], {
      ...NO_REVIEW,
      in_review: 7,
      all: 22,
      pending: 7,
      approved: 1,
      scheduled: 7,
      published: 7,
      drafts: 0,
      held: 0,
      trash: 1,
    });
    assert.deepEqual(
      titles("waiting"),
      [1, 2, 3, 4, 5].map((number) => `Waiting ${number}`),
    );
    assert.deepEqual(
      titles("scheduled"),
      [7, 6, 5, 4, 3].map((number) => `Scheduled ${number}`),
    );
    assert.deepEqual(
      titles("published"),
      [7, 6, 5, 4, 3].map((number) => `Published ${number}`),
    );
    const list = await owner.json("GET", `/articles?website_id=${id}&view=published&sort=-state_since&limit=5`);
    assert.deepEqual(found["published"], list["articles"], "the same lines as in the list");
  });

  test("draws the counts of the last 24 hours, of this website alone", async () => {
    const { id } = await service.newWebsite({ name: "Counted" });
    const other = (await service.newWebsite({ name: "Other" })).id;
    const now = startOfHour(Date.now());
    await service.app.store.write(async (db) => {
      for (const [websiteId, hoursAgo, number] of [
        [id, 0, 1],
        [id, 5, 2],
        [id, 23, 3],
        [id, 24, 900],
        [other, 5, 7_000],
      ] as const) {
        const hour = now - hoursAgo * HOUR_MS;
        const counts = { delivered: number, exhausted: number * 10, retried: number * 100 };
        await addDeliveryCounts(db, "w", [{ websiteId, hour, ...counts, firstDeliveredAt: hour }]);
        await addKeyRequests(db, [{ websiteId, hour, keyId: "k", requests: number }]);
        await addKeyRequests(db, [{ websiteId, hour, keyId: "l", requests: number }]);
      }
    });
    const found = await overviewOf(id);
    const at = (name: string, hoursAgo: number) =>
      records(found[name]).find(({ hour }) => hour === isoTime(now - hoursAgo * HOUR_MS));
    for (const [hoursAgo, number] of [
      [0, 1],
      [5, 2],
    ] as const) {
      const hour = isoTime(now - hoursAgo * HOUR_MS);
      const counts = { delivered: number, exhausted: number * 10, retried: number * 100 };
      assert.deepEqual(at("deliveries", hoursAgo), { hour, ...counts });
      assert.deepEqual(at("reads", hoursAgo), { hour, requests: number * 2 });
    }
    const all = records(found["deliveries"]).reduce((sum, one) => sum + Number(one["delivered"]), 0);
    assert.ok(all === 6 || all === 3, "the 24th hour is not among them");
  });

  test("names the webhooks that need attention, to those who may see them", async () => {
    const { id } = await service.newWebsite({ name: "Failing" });
    await using receiver = await ScriptedReceiver.start(() => ({ status: 410 }));
    const { endpoint } = await createEndpoint(service.app, id, { url: receiver.url, name: "Shop" }, CLI_ORIGIN);
    await createArticle(service.app, id, makeArticle({ status: "published" }), CHIEF);
    const warnings = async (browser = owner) => records((await overviewOf(id, browser))["warnings"]);
    await until("it is disabled", async () => (await warnings()).length > 0);
    const [warning] = await warnings();
    assert.equal(warning?.["webhook_id"], endpoint.id);
    assert.deepEqual([warning["name"], warning["url"]], ["Shop", receiver.url]);
    assert.equal(warning["state"], "disabled");
    assert.match(String(warning["message"]), /410/);
    const deliveries = records((await overviewOf(id))["deliveries"]);
    assert.equal(
      deliveries.reduce((sum, one) => sum + Number(one["exhausted"]), 0),
      1,
    );
    const viewer = await all.person("viewer", id);
    assert.deepEqual(await warnings(viewer), []);
  });

  test("is available to members of the website only", async () => {
    const { id } = await service.newWebsite({ name: "Closed" });
    const stranger = await all.person("owner", service.website.id, "stranger@example.com");
    for (const path of ["overview", "getting-started"]) {
      assert.equal((await stranger.send("GET", `/${path}?website_id=${id}`)).status, 403);
      assert.equal((await stranger.send("GET", `/${path}?website_id=${service.website.id}`)).status, 200);
      assert.equal((await owner.send("GET", `/${path}?website_id=nonsense`)).status, 404);
      assert.equal((await owner.send("GET", `/${path}`)).status, 400);
    }
  });
});

describe("the getting started page", () => {
  test("ticks off an article, a key, a request, a webhook and a delivery as they happen", async () => {
    const { app, url } = service;
    const website = await service.newWebsite({ name: "Fresh", url: "https://fresh.example" });
    const { id } = website;
    const fresh = {
      base_url: url,
      website: { id, name: "Fresh", url: "https://fresh.example" },
      example_article: null,
      has_articles: false,
      has_key: false,
      has_webhook: false,
      first_request_at: null,
      first_delivery_at: null,
    };
    assert.deepEqual(await beginningsOf(id), fresh);

    await createArticle(app, id, makeArticle({ status: "pending" }), CHIEF);
    assert.deepEqual(await beginningsOf(id), { ...fresh, has_articles: true });
    const published = await createArticle(app, id, makeArticle({ title: "Seen", status: "published" }), CHIEF);
    const example = { id: published.article.id, title: "Seen", slug: "seen" };
    const withArticle: Json = { ...fresh, has_articles: true, example_article: example };
    assert.deepEqual(await beginningsOf(id), withArticle);

    const revoked = await service.newKey({}, id);
    await revokeKey(app, revoked.id, CLI_ORIGIN);
    assert.deepEqual(await beginningsOf(id), withArticle);
    const { secret } = await service.newKey({}, id);
    const withKey = { ...withArticle, has_key: true };
    assert.deepEqual(await beginningsOf(id), withKey);
    const from = Date.now();
    assert.equal((await service.send(LIST, { headers: { "X-API-Key": secret } })).status, 200);
    await until("the request is noted", async () => (await beginningsOf(id))["first_request_at"] !== null);
    const requested = (await beginningsOf(id))["first_request_at"];
    assert.ok(Math.abs(Date.parse(String(requested)) - from) < HOUR_MS);

    await using receiver = await ScriptedReceiver.start();
    const { endpoint } = await createEndpoint(app, id, { url: receiver.url }, CLI_ORIGIN);
    const withWebhook = { ...withKey, first_request_at: requested, has_webhook: true };
    assert.deepEqual(await beginningsOf(id), withWebhook);
    await testEndpoint(app, endpoint.id, CLI_ORIGIN);
    const tested = Date.parse(String((await beginningsOf(id))["first_delivery_at"]));
    assert.ok(tested >= from && tested <= Date.now(), "a test that arrived is a delivery");
    await createArticle(app, id, makeArticle({ status: "published" }), CHIEF);
    await receiver.arrival(2);
    const delivered = async () => Date.parse(String((await beginningsOf(id))["first_delivery_at"]));
    await until("the delivery is written down", async () => (await delivered()) > tested);
  });

  test("shows the public address of the service", async () => {
    await using behind = await startTestService({ ROSTRUM_PUBLIC_URL: "https://articles.example.com" });
    using them = people(behind);
    const someone = await them.owner();
    const found = await beginningsOf(behind.website.id, someone);
    assert.equal(found["base_url"], "https://articles.example.com");
    assert.equal(record(found["website"])["id"], behind.website.id);
  });
});
