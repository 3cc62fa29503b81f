/** Open dashboards are notified of what has changed on their website, whoever changed it. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { type App, openApp } from "../../src/app/app.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { LIVE_TOPICS, type LiveTopic } from "../../src/domain/people/live-topics.ts";
import * as articles from "../../src/operations/articles/write/articles.ts";
import { discardDraftCopy, saveDraftCopy } from "../../src/operations/articles/write/draft-copies.ts";
import { listDeliveries } from "../../src/operations/webhooks/deliveries.ts";
import { deleteEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { addMember } from "../../src/operations/people/members.ts";
import { redeliver } from "../../src/operations/webhooks/replays.ts";
import { startService } from "../../src/service/service.ts";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { cliJson } from "../helpers/cli-in-process.ts";
import { ENGINE } from "../helpers/database.ts";
import { record, records } from "../helpers/http.ts";
import { deriveContent } from "../helpers/content.ts";
import { LIST, startTestService, type TestService } from "../helpers/service.ts";
import { finishes, until } from "../helpers/until.ts";
import { LOOPBACK, ScriptedReceiver } from "../helpers/webhooks.ts";
import { changeStore } from "../helpers/wrap-store.ts";
import { type Browser, type People, people } from "../people/dashboard.ts";
import { Listening } from "./event-source.ts";

const SETTINGS = { ...LOOPBACK, ROSTRUM_SECRET_KEY: "a key that outlives the service of this test" };

let service: TestService;
let all: People;
let owner: Browser;
let websiteId: string;
/** The same data through connections of its own: to the service it is another process. */
let other: App;
/** How often live updates have read from the store. */
let reads = 0;

before(async () => {
  const change = changeStore((store) => ({
    read: (work) => {
      // Others read at intervals of their own.
      if (new Error().stack?.includes("operations/people/change-stream.ts") === true) reads++;
      return store.read(work);
    },
  }));
  service = await startTestService(SETTINGS, change);
  all = people(service);
  owner = await all.owner();
  websiteId = service.website.id;
  other = { ...(await openApp(service.app.config)), deriveContent };
});
after(async () => {
  all[Symbol.dispose]();
  await other[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});
/** Requests. On a busy machine the database is sometimes unavailable for a moment, which is reported. */
afterEach(() =>
  assert.deepEqual(
    service.log.failures.filter(({ url }) => url !== undefined),
    [],
  ),
);

const listen = (browser: Pick<Browser, "cookie"> = owner, id = websiteId, url = service.url) =>
  Listening.to(url, browser, id);

/** A command in a process of its own. */
function command(...args: string[]): Promise<Record<string, unknown>> {
  const { database } = service.app.config;
  const url = database.kind === "postgres" ? database.url : `sqlite:${database.path}`;
  return cliJson(args, { cwd: import.meta.dirname, env: { ...SETTINGS, DATABASE_URL: url } });
}

/** @returns the topics that came with that one, and before it. */
async function appears(topic: LiveTopic, change: () => Promise<unknown>): Promise<LiveTopic[]> {
  using listening = await listen();
  const before = listening.changes.length;
  await change();
  await listening.hears(topic, before);
  return listening.changes.slice(before).flat();
}

function ends(listening: Listening): Promise<void> {
  return until("the stream ends", () => listening.isOver);
}

function pathOf(id: string): string {
  return `/live?website_id=${id}`;
}

/** How often live updates read from the store within a second. */
async function readsMeanwhile(): Promise<number> {
  const earlier = reads;
  await wait(1_050);
  return reads - earlier;
}

function newArticle(): Promise<unknown> {
  return articles.createArticle(other, websiteId, makeArticle({ reviewState: "draft" }), CHIEF);
}

describe("the stream", () => {
  test("begins with everything that its reader can see, and is kept by no cache and no proxy", async () => {
    using listening = await listen();
    assert.match(listening.text, /^retry: \d+\n\n/);
    assert.deepEqual(listening.changes, [[...LIVE_TOPICS]]);
    const { headers } = listening;
    assert.equal(headers["content-type"], "text/event-stream; charset=utf-8");
    assert.equal(headers["cache-control"], "no-store");
    assert.equal(headers["x-accel-buffering"], "no");
    assert.equal(headers["content-encoding"], undefined);
    const viewer = await all.person("viewer", websiteId, "reader@example.com");
    using theirs = await listen(viewer);
    assert.deepEqual(theirs.changes, [["articles", "deliveries", "reads", "websites", "inbox", "presence"]]);
  });

  test("begins with what has changed since the session was fetched", async () => {
    const elsewhere = (await service.newWebsite({ name: "Shown later" })).id;
    const sinceOf = async (id: string) =>
      record((await owner.json("GET", `/session?website_id=${id}`))["live"]) as { website_id: string; since: string };
    const [here, there] = [await sinceOf(websiteId), await sinceOf(elsewhere)];
    assert.deepEqual([here.website_id, there.website_id], [websiteId, elsewhere]);
    using unchanged = await Listening.to(service.url, owner, websiteId, here.since);
    assert.deepEqual(unchanged.changes, [[]]);
    await newArticle();
    await unchanged.hears("articles");
    using later = await Listening.to(service.url, owner, websiteId, here.since);
    assert.deepEqual(later.changes, [["articles"]]);
    await service.newWebsite({ name: "Between" });
    using changed = await Listening.to(service.url, owner, elsewhere, there.since);
    assert.deepEqual(changed.changes, [["members", "websites"]]);
    using unknown = await Listening.to(service.url, owner, elsewhere, "nonsense");
    assert.deepEqual(unknown.changes, [[...LIVE_TOPICS]]);
  });

  test("is available to members of the website only", async () => {
    const elsewhere = (await service.newWebsite({ name: "Other" })).id;
    const local = await all.person("owner", websiteId, "local@example.com");
    assert.equal((await local.send("GET", pathOf(elsewhere))).status, 403);
    assert.equal((await all.browser().send("GET", pathOf(websiteId))).status, 401);
    assert.equal((await local.send("GET", "/live")).status, 400);
    assert.equal((await local.send("HEAD", pathOf(websiteId))).status, 404);
  });

  test("sends nothing while nothing changes, and does not query the store, or on PostgreSQL once a second", async () => {
    using listening = await listen();
    // What came just before is compared once more.
    await wait(600);
    const before = listening.text;
    const most = 1 + (ENGINE === "postgres" ? 1 : 0);
    const found = await readsMeanwhile();
    assert.ok(found <= most, `${found} reads instead of ${most}`);
    assert.equal(listening.text, before);
  });
});

describe("a change appears", () => {
  test("after an edit of an article by another process, and nothing else does", async () => {
    assert.deepEqual(await appears("articles", newArticle), ["articles"]);
  });

  test("after a review, in the inbox of the notified people, on every website", async () => {
    const elsewhere = (await service.newWebsite({ name: "Reviewed" })).id;
    const submit = () => articles.createArticle(other, elsewhere, makeArticle(), CHIEF);
    assert.deepEqual(await appears("inbox", submit), ["inbox"]);
  });

  test("after a change of a draft copy, which readers of the API do not see", async () => {
    const { article } = await articles.createArticle(other, websiteId, makeArticle({ status: "published" }), CHIEF);
    const { id } = article;
    assert.deepEqual(await appears("articles", () => saveDraftCopy(other, id, { title: "New" }, CHIEF)), ["articles"]);
    assert.deepEqual(await appears("articles", () => saveDraftCopy(other, id, { title: "Newer" }, CHIEF)), [
      "articles",
    ]);
    assert.deepEqual(await appears("articles", () => discardDraftCopy(other, id, CHIEF)), ["articles"]);
  });

  test("after a command changes an article, a key or a webhook", async () => {
    using listening = await listen();
    const made = await command("key", "create", "--website", websiteId, "--name", "by command");
    await listening.hears("keys", 1);
    const before = listening.changes.length;
    await command("key", "revoke", String(made["id"]));
    await listening.hears("keys", before);
    const { id } = await command("webhook", "create", "--website", websiteId, "--url", "http://127.0.0.1:9/");
    await listening.hears("webhooks", before);
    await deleteEndpoint(other, String(id), CLI_ORIGIN);
    assert.ok(!listening.changes.slice(1).flat().includes("articles"));
  });

  test("after a change of members, or of the website itself, in the dashboard", async () => {
    const invite = { email: "invited@example.com", role: "viewer", website_id: websiteId };
    const said = await appears("members", () => owner.json("POST", "/members", invite, 201));
    assert.deepEqual(said, ["members"]);
    assert.deepEqual(await appears("websites", () => service.newWebsite({ name: "Third" })), ["websites"]);
  });

  test("after a change of a role, to the person who has it", async () => {
    const person = await all.person("viewer", websiteId, "rising@example.com");
    const { members } = await owner.json("GET", `/members?website_id=${websiteId}`);
    const member = records(members).find(({ email }) => email === "rising@example.com");
    using listening = await listen(person);
    await owner.json("PATCH", `/members/${String(member?.["id"])}`, { role: "editor" });
    await listening.hears("members", 1);
  });

  test("after a delivery; a webhook that arrives is no change of an article or of the webhook", async () => {
    await using receiver = await ScriptedReceiver.start();
    const id = String((await command("webhook", "create", "--website", websiteId, "--url", receiver.url))["id"]);
    await articles.createArticle(other, websiteId, makeArticle({ status: "published" }), CHIEF);
    const delivered = async () => (await listDeliveries(other, id, { state: "delivered", limit: 1 }))[0];
    await until("the first webhook is written down", async () => (await delivered()) !== undefined);
    using listening = await listen();
    const before = listening.changes.length;
    await redeliver(other, String((await delivered())?.delivery.id), CLI_ORIGIN);
    await receiver.arrival(2);
    await listening.hears("deliveries", before);
    const topics = new Set(listening.changes.slice(before).flat());
    assert.deepEqual(topics, new Set(["deliveries"]));
    // Nothing is to fail behind the other tests' back.
    await deleteEndpoint(other, id, CLI_ORIGIN);
  });

  test("after the first request of a key", async () => {
    const { secret } = await service.newKey({ name: "first" });
    const said = await appears("reads", async () => {
      assert.equal((await service.send(LIST, { headers: { "X-API-Key": secret } })).status, 200);
    });
    assert.deepEqual(new Set(said), new Set(["reads"]));
  });

  test("to nobody on a website without viewers", async () => {
    const elsewhere = await service.newWebsite({ name: "Elsewhere" });
    using listening = await listen();
    const before = listening.changes.length;
    await articles.createArticle(other, elsewhere.id, makeArticle({ reviewState: "draft" }), CHIEF);
    await newArticle();
    await listening.hears("articles", before);
    assert.deepEqual(listening.changes.slice(before), [["articles"]]);
  });
});

test("a change made on one node appears on another", { skip: ENGINE === "sqlite" }, async () => {
  await using app = await openApp(service.app.config);
  await using node = await startService(app, service.log);
  using listening = await listen(owner, websiteId, node.url);
  const invitation = { email: "elsewhere@example.com", role: "viewer", website_id: websiteId };
  await owner.json("POST", "/members", invitation, 201);
  await listening.hears("members", 1);
  const person = await all.owner();
  using theirs = await listen(person, websiteId, node.url);
  await person.json("DELETE", "/session", undefined, 204);
  await until("the stream ends", () => theirs.isOver);
  assert.ok(!listening.isOver);
});

describe("the stream ends", () => {
  test("when the session is ended elsewhere, or the person signs out", async () => {
    const here = await all.owner();
    const there = await all.owner();
    using listening = await listen(here);
    using kept = await listen(there);
    const { sessions } = await here.json("GET", "/sessions");
    const id = records(sessions).find(({ current }) => current === true)?.["id"];
    await there.json("DELETE", `/sessions/${String(id)}`, undefined, 204);
    await ends(listening);
    assert.equal((await here.send("GET", pathOf(websiteId))).status, 401);
    assert.ok(!kept.isOver);
    await there.json("DELETE", "/session", undefined, 204);
    await ends(kept);
  });

  test("when the account is disabled, or removed from the website", async () => {
    const lost = await all.person("viewer", websiteId, "lost@example.com");
    const off = await all.person("viewer", websiteId, "off@example.com");
    using first = await listen(lost);
    using second = await listen(off);
    const members = records((await owner.json("GET", `/members?website_id=${websiteId}`))["members"]);
    const idOf = (email: string) => String(members.find((one) => one["email"] === email)?.["id"]);
    // Of another website too, so that the account stays.
    const elsewhere = (await service.newWebsite({ name: "Fourth" })).id;
    await addMember(other, { email: "lost@example.com", name: "", role: "viewer", websiteId: elsewhere }, CLI_ORIGIN);
    await owner.json("DELETE", `/members/${idOf("lost@example.com")}`, undefined, 204);
    await ends(first);
    assert.equal((await lost.send("GET", "/session")).status, 200);
    assert.equal((await lost.send("GET", pathOf(websiteId))).status, 403);
    await owner.json("PATCH", `/members/${idOf("off@example.com")}`, { disabled: true });
    await ends(second);
  });

  test("when a session has too many streams: the oldest is closed, with the reason", async () => {
    const person = await all.person("viewer", websiteId, "tabs@example.com");
    using streams = new DisposableStack();
    const five = [];
    for (let one = 0; one < 5; one++) five.push(streams.use(await listen(person)));
    assert.ok(five.every(({ isOver }) => !isOver));
    using sixth = await listen(person);
    const [oldest, ...others] = five;
    assert.ok(oldest !== undefined);
    await ends(oldest);
    assert.equal(oldest.events.at(-1), "superseded");
    assert.ok([...others, sixth].every(({ isOver }) => !isOver));
  });

  test("when the service stops, which does not wait for streams", async () => {
    const stopping = await startTestService();
    using them = people(stopping);
    const browser = await them.owner();
    using listening = await listen(browser, stopping.website.id, stopping.url);
    await finishes("the service stops", stopping[Symbol.asyncDispose]());
    await ends(listening);
    assert.deepEqual(stopping.log.failures, []);
  });

  test("when its reader has gone, and nothing of it remains", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    using listening = await listen();
    listening.res.on("close", resolve);
    listening[Symbol.dispose]();
    await promise;
    // The other person's connection continues and gets what follows.
    using next = await listen();
    await newArticle();
    await next.hears("articles", 1);
  });
});
