import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CLI_ORIGIN } from "../../../src/domain/system/audit.ts";
import { createArticle, scheduleArticle } from "../../../src/operations/articles/articles.ts";
import { createEndpoint } from "../../../src/operations/webhooks/endpoints.ts";
import { CHIEF, makeArticle } from "../../helpers/articles.ts";
import { inOneOf, until } from "../../helpers/until.ts";
import { ScriptedReceiver } from "../../helpers/webhooks.ts";
import { LIST } from "../../helpers/service.ts";
import { openWorld, type World } from "./world.ts";

/** And what a busy machine may add. */
const WITHIN_MS = 2_000 + 500;

let world: World;
let receiver: ScriptedReceiver;

before(async () => {
  world = await openWorld();
  receiver = await ScriptedReceiver.start();
  await createEndpoint(world.app, world.website.id, { url: receiver.url }, CLI_ORIGIN);
});
after(async () => {
  await world[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

/** Plans so many approved articles for `waitMs` from when all of them are written. @returns their ids, and that time. */
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

/** When the last of those was published that were told of after the first `count`, milliseconds since 1970. */
function lastPublished(count: number): number {
  return Math.max(...receiver.received.slice(count).map(({ event }) => Date.parse(String(event["timestamp"]))));
}

async function isPublishedOnce(ids: readonly string[]): Promise<void> {
  // Each node looks that often: a second publication would have come.
  const since = performance.now();
  await until("every node has looked once more", () => performance.now() - since > 1_000);
  const all = await published();
  const told = receiver.received.map(({ data }) => data["article_id"]);
  for (const id of ids) {
    assert.equal(all.filter((one) => one === id).length, 1);
    assert.equal(told.filter((one) => one === id).length, 1);
  }
}

test("what is scheduled is published by one of the nodes, once, within two seconds of its time", () =>
  inOneOf(3, async () => {
    const before = receiver.received.length;
    const { ids, at } = await schedule(5, 800);
    await until("all are told of", () => receiver.received.length === before + 5);
    await isPublishedOnce(ids);
    const lateMs = lastPublished(before) - at;
    assert.ok(lateMs < WITHIN_MS, `${lateMs} ms late`);
  }));

test("another node takes over when the one that publishes is killed", async () => {
  const before = receiver.received.length;
  const { ids } = await schedule(3, 500);
  await world.nodes[0].kill();
  await until("all are told of", () => receiver.received.length === before + 3);
  await isPublishedOnce(ids);
});

test("a node that stands still publishes nothing twice when it goes on", async () => {
  const before = receiver.received.length;
  world.nodes[1].stop();
  const { ids } = await schedule(3, 500);
  await until("another one has published them", () => receiver.received.length === before + 3);
  world.nodes[1].goOn();
  await until("it answers again", async () => (await world.get(world.nodes[1], LIST)).status === 200);
  await isPublishedOnce(ids);
});
