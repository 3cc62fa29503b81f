/**
 * What several nodes do once, in time, and in turn, whatever their clocks say: each is wrong by five minutes. These tests run where
 * the clock is right, as the database does.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CLI_ORIGIN } from "../../../src/domain/system/audit.ts";
import { createArticle, scheduleArticle } from "../../../src/operations/articles/write/articles.ts";
import { createEndpoint } from "../../../src/operations/webhooks/endpoints.ts";
import { CHIEF, makeArticle } from "../../helpers/articles.ts";
import { until } from "../../helpers/until.ts";
import { gate, ScriptedReceiver } from "../../helpers/webhooks.ts";
import { runCli } from "../../helpers/cli.ts";
import { LIST } from "../../helpers/service.ts";
import { wrongClock } from "../../helpers/wrong-clock.ts";
import { SHARED } from "./nodes.ts";
import { openWorld, type World } from "./world.ts";

const OFF_MS = 300_000;
const SECOND_MS = 1_000;
/** A node knows the server's time within the duration of a query. */
const KNOWN_TO_MS = 100;
/** How often a dispatcher checks for leases of dead workers. */
const LOOKS_WITHIN_MS = 2_000;

let world: World;
let receiver: ScriptedReceiver;

before(async () => {
  world = await openWorld(undefined, [OFF_MS, -OFF_MS, -OFF_MS]);
  receiver = await ScriptedReceiver.start();
  await createEndpoint(world.app, world.website.id, { url: receiver.url }, CLI_ORIGIN);
});
after(async () => {
  await world[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

/** Schedules approved articles for `waitMs` after all of them are written. @returns their ids, and that time. */
async function schedule(count: number, waitMs: number): Promise<{ ids: string[]; at: number }> {
  const ids: string[] = [];
  for (let made = 0; made < count; made++) {
    const input = makeArticle({ status: "approved" });
    ids.push((await createArticle(world.app, world.website.id, input, CHIEF)).article.id);
  }
  const at = Date.now() + waitMs;
  for (const id of ids) await scheduleArticle(world.app, id, at, CHIEF);
  return { ids, at };
}

async function published(): Promise<string[]> {
  const node = world.nodes.find(({ isRunning }) => isRunning);
  assert.ok(node);
  const { data } = (await world.get(node, "/api/public/events?limit=100")).json() as {
    data: { events: { event: string; data: { article_id: string } }[] };
  };
  return data.events.flatMap(({ event, data }) => (event === "article.published" ? [data.article_id] : []));
}

/** The earliest time of publication in the events after the first `count`, milliseconds since 1970. */
function firstPublished(count: number): number {
  return Math.min(...receiver.received.slice(count).map(({ event }) => Date.parse(String(event["timestamp"]))));
}

async function isPublishedOnce(ids: readonly string[]): Promise<void> {
  // Each node polls this often, so a second publication would have happened by now.
  const since = performance.now();
  await until("every node has looked once more", () => performance.now() - since > 1_000);
  const all = await published();
  const told = receiver.received.map(({ data }) => data["article_id"]);
  for (const id of ids) {
    assert.equal(all.filter((one) => one === id).length, 1);
    assert.equal(told.filter((one) => one === id).length, 1);
  }
}

test("a node says how wrong its clock is: in its metrics, once in its log, and to doctor", async () => {
  for (const [index, seconds] of [300, -300, -300].entries()) {
    const node = world.nodes[index];
    assert.ok(node);
    const metrics = (await world.get(node, "/metrics")).text;
    const skew = Number(/^rostrum_clock_skew_seconds (\S+)$/m.exec(metrics)?.[1]);
    assert.ok(Math.abs(skew - seconds) < 1, `${skew} s`);
    const warnings = () => node.lines.filter((line) => line.includes("this machine's clock is 300 s"));
    await until("it is in the log", () => warnings().length > 0);
    assert.equal(warnings().length, 1);
  }
  const env = { ...SHARED, DATABASE_URL: world.databaseUrl };
  const right = await runCli(["doctor", "--json"], { env });
  assert.match(right.stdout, /{"check":"clock","ok":true,"detail":"-?0\.0 s from the database's"}/);
  const wrong = await runCli(["doctor", "--json"], { env: { ...env, ...wrongClock(OFF_MS) } });
  assert.equal(wrong.code, 1);
  assert.match(
    wrong.stdout,
    /{"check":"clock","ok":false,"detail":"this machine's clock is 300 s ahead of the database's/,
  );
});

test("a key is accepted until its end, and the header Date can be taken for updated_since, on nodes with a wrong clock", async () => {
  const valid = await world.newKey({ expiresAt: Date.now() + 100 * SECOND_MS });
  const expired = await world.newKey({ expiresAt: Date.now() - 100 * SECOND_MS });
  for (const node of world.nodes) {
    const reply = await node.send(LIST, { headers: { "X-API-Key": valid.secret } });
    assert.equal(reply.status, 200);
    const date = Date.parse(String(reply.headers["date"]));
    assert.ok(Math.abs(Date.now() - date) < 20 * SECOND_MS, String(reply.headers["date"]));
    assert.equal((await node.send(LIST, { headers: { "X-API-Key": expired.secret } })).status, 401);
  }
});

test("a scheduled article is published by one of the nodes, once, and not before its time", async () => {
  const before = receiver.received.length;
  const { ids, at } = await schedule(5, 4_000);
  await until("all are sent", () => receiver.received.length === before + 5);
  assert.ok(firstPublished(before) > at - KNOWN_TO_MS, "not before its time");
  await isPublishedOnce(ids);
});

test("another node takes over when the one that publishes is killed", async () => {
  const before = receiver.received.length;
  const { ids } = await schedule(3, 3_000);
  await world.nodes[0].kill();
  await until("all are told of", () => receiver.received.length === before + 3);
  await isPublishedOnce(ids);
});

test("a paused node publishes nothing twice when it resumes", async () => {
  const before = receiver.received.length;
  world.nodes[1].stop();
  const { ids } = await schedule(3, 3_000);
  await until("another one has published them", () => receiver.received.length === before + 3);
  world.nodes[1].resume();
  await until("it answers again", async () => (await world.get(world.nodes[1], LIST)).status === 200);
  await isPublishedOnce(ids);
});

test("a node with a wrong clock does not take over deliveries that others have under way", async () => {
  const { script, open } = gate();
  await using slow = await ScriptedReceiver.start(script);
  await world.nodes[0].start();
  world.nodes[0].stop();
  await createEndpoint(world.app, world.website.id, { url: slow.url }, CLI_ORIGIN);
  await createArticle(world.app, world.website.id, makeArticle({ status: "published" }), CHIEF);
  // By its clock all leases have expired.
  await slow.arrival(1);
  world.nodes[0].resume();
  const since = performance.now();
  await until("it answers again", async () => (await world.get(world.nodes[0], LIST)).status === 200);
  await until("it has looked for what the dead have left", () => performance.now() - since > LOOKS_WITHIN_MS);
  assert.equal(slow.received.length, 1);
  open();
});

test("deliveries of a killed node with a wrong clock are taken over by another node", async () => {
  await using slow = await ScriptedReceiver.start((_request, index) =>
    index === 0 ? new Promise(() => undefined) : {},
  );
  for (const node of world.nodes.slice(1)) node.stop();
  await createEndpoint(world.app, world.website.id, { url: slow.url }, CLI_ORIGIN);
  await createArticle(world.app, world.website.id, makeArticle({ status: "published" }), CHIEF);
  await slow.arrival(1);
  for (const node of world.nodes.slice(1)) node.resume();
  await world.nodes[0].kill();
  const again = await slow.arrival(2);
  assert.equal(again.headers["webhook-id"], slow.received[0]?.headers["webhook-id"]);
});
