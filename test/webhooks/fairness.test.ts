/** Nobody waits for a receiver that hangs. How long the others take beside it is measured by bench/webhooks.ts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseArticleJson } from "../../src/domain/articles/article-json.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import type { Website } from "../../src/domain/system/website.ts";
import { insertNew, prepareNew } from "../../src/operations/articles/write/edit-article.ts";
import { publishArticle } from "../../src/operations/articles/write/articles.ts";
import { createEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { CHIEF } from "../helpers/articles.ts";
import { answer, Receiver } from "../helpers/receivers.ts";
import { startTestService, type TestService } from "../helpers/service.ts";
import { until } from "../helpers/until.ts";
import { LOOPBACK, openQueue, ScriptedReceiver, type TestQueue } from "../helpers/webhooks.ts";
import { wrapStore } from "../helpers/wrap-store.ts";
import { type Claimed, Claimer } from "../../src/webhooks/dispatch/claimer.ts";
import { Brake, LeaseRegistry } from "../../src/webhooks/dispatch/result-writer.ts";
import { saveReceipt } from "../../src/operations/articles/lists/receipts.ts";

const WEBSITES = 10;
/** Endpoints that answer; as many again hang. */
const ENDPOINTS_EACH = 5;
/** In all websites together. Each event goes to all endpoints of its website. */
const EVENTS = 200;
/** None that hangs is given up while the test lasts. */
const PATIENT = { ...LOOPBACK, ROSTRUM_WEBHOOK_TIMEOUT_SECONDS: "60" };
const MAX_MS = 30_000;

test("with half of 100 endpoints hanging on one attempt each, the others get everything", async () => {
  await using service = await startTestService(PATIENT);
  await using answering = await Receiver.start({ onRequest: (socket) => socket.write(answer()) });
  await using hanging = await Receiver.start({});
  const websites: Website[] = [];
  for (let made = 0; made < WEBSITES; made++) websites.push(await service.newWebsite());
  await addEndpoints(service, websites, hanging.url());
  const ids = await makeApproved(service, websites, EVENTS);
  const half = WEBSITES * ENDPOINTS_EACH;

  const [first, others] = [ids.slice(0, WEBSITES), ids.slice(WEBSITES)];
  for (const id of first) await publishArticle(service.app, id, CHIEF);
  await until(`all ${half} hang`, () => hanging.requests.length === half, MAX_MS);
  await addEndpoints(service, websites, answering.url());
  for (const id of others) await publishArticle(service.app, id, CHIEF);

  const count = others.length * ENDPOINTS_EACH;
  await until(`all ${count} have arrived`, () => answering.requests.length >= count, MAX_MS);
  assert.equal(hanging.sockets.size, half, "each of those that hang holds one attempt");
  assert.equal(hanging.requests.length, half, "and it is their first");
  assert.deepEqual(service.log.failures, []);
});

test("an event of a webhook without a backlog is sent while receivers of others hold every attempt that there may be", async () => {
  await using service = await startTestService(PATIENT);
  await using answering = await Receiver.start({ onRequest: (socket) => socket.write(answer()) });
  await using hanging = await Receiver.start({});
  const websites: Website[] = [];
  for (let made = 0; made < WEBSITES; made++) websites.push(await service.newWebsite());
  await addEndpoints(service, websites, hanging.url(), 52);
  for (const id of await makeApproved(service, websites, WEBSITES)) await publishArticle(service.app, id, CHIEF);
  await until("512 hang", () => hanging.requests.length >= 512, MAX_MS);

  const clean = await service.newWebsite();
  await addEndpoints(service, [clean], answering.url(), 1);
  for (const [index, id] of (await makeApproved(service, [clean], 3)).entries()) {
    await publishArticle(service.app, id, CHIEF);
    await until(`event ${index} has arrived`, () => answering.requests.length === index + 1, MAX_MS);
  }
});

test("webhooks without a backlog are claimed from before those with one, which were claimed from longer ago", async () => {
  await using queue = await openQueue();
  const backlog = await queue.endpoint({ url: "http://127.0.0.1:9/backlog" });
  for (let made = 0; made < 3; made++) await queue.publish(`Article ${made}`);
  queue.app.now += 1_000;
  const claimer = newClaimer(queue);
  const claimFrom = async () => {
    const { claimed } = await claimer.write(async (db) => ({ claimed: await claimer.claim(db) }), false);
    return claimed.flatMap(({ claims }) => claims.map(({ endpointId }) => endpointId));
  };
  assert.deepEqual(await claimFrom(), [backlog.id]);
  const [failing, clean] = [
    await queue.endpoint({ url: "http://127.0.0.1:9/failing" }),
    await queue.endpoint({ url: "http://127.0.0.1:9/clean" }),
  ];
  await queue.app.store.write(async (db) => {
    const claimedAt = queue.app.now + 1;
    await db.run("UPDATE endpoints SET last_claimed_at = ? WHERE id IN (?, ?)", claimedAt, failing.id, clean.id);
    await db.run("UPDATE endpoints SET failed_attempts = 1 WHERE id = ?", failing.id);
  });
  queue.app.now += 1_000;
  await queue.publish("Fresh");
  assert.deepEqual(await claimFrom(), [clean.id, backlog.id, failing.id]);
});

test("a webhook that gets more than it takes at once does not fall behind all backlogs, unless attempts fail", async () => {
  await using queue = await openQueue();
  const backlog = await queue.endpoint({ url: "http://127.0.0.1:9/backlog" });
  for (let made = 0; made < 3; made++) await queue.publish(`Article ${made}`);
  const claimer = newClaimer(queue);
  const claimFrom = async () => {
    const { claimed } = await claimer.write(async (db) => ({ claimed: await claimer.claim(db, { most: 2 }) }), false);
    return claimed.flatMap(({ claims }) => claims.map(({ endpointId }) => endpointId));
  };
  queue.app.now += 10_000;
  const [busy, failing] = [
    await queue.endpoint({ url: "http://127.0.0.1:9/busy" }),
    await queue.endpoint({ url: "http://127.0.0.1:9/failing" }),
  ];
  await queue.publish("More");
  queue.app.now += 200;
  await queue.app.store.write(async (db) => {
    const set = "UPDATE endpoints SET last_claimed_at = ?";
    await db.run(set, queue.app.now);
    await db.run(`${set} WHERE id = ?`, queue.app.now - 100, backlog.id);
    await db.run("UPDATE endpoints SET failed_attempts = 1 WHERE id = ?", failing.id);
  });
  assert.deepEqual(await claimFrom(), [busy.id, backlog.id]);
});

test("on SQLite few deliveries are claimed and recorded at once while others write, who wait for the transaction", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start();
  const { store } = queue.app;
  for (let made = 0; made < 20; made++) await queue.endpoint({ url: `${receiver.url}/${made}` });
  await store.write((db) => db.run("UPDATE endpoints SET send_window = 8"));
  const batches: number[] = [];
  let commits = 0;
  let doOthersWrite = false;
  const changed = wrapStore(store, {
    commitCounter: () => (doOthersWrite ? ++commits : commits),
    write: async (work, options) => {
      const result = await store.write(work, options);
      const { claimed, recorded } = result as { claimed?: Claimed[]; recorded?: unknown[] };
      batches.push(claimed?.reduce((sum, { claims }) => sum + claims.length, 0) ?? 0, recorded?.length ?? 0);
      return result;
    },
  });
  const dispatcher = queue.start({ app: { ...queue.app, store: changed } });
  const largestBatch = async (othersWrite: boolean) => {
    const before = queue.recorded.length;
    for (let made = 0; made < 8; made++) await queue.publish(`Article ${made}`);
    doOthersWrite = othersWrite;
    dispatcher.wake();
    await until("160 are recorded", () => queue.recorded.length === before + 160, MAX_MS);
    return Math.max(...batches.splice(0));
  };
  const [alone, besideWriters] = [await largestBatch(false), await largestBatch(true)];
  // On PostgreSQL nobody waits, and what is claimed at once depends on the heartbeats.
  if (store.engine === "sqlite") assert.deepEqual([alone, besideWriters], [160, 128]);
  assert.deepEqual(queue.errors, []);
});

test("what was published while a batch waited for SQLite's lock is sent before that batch", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start();
  const { store } = queue.app;
  const backlog = await queue.endpoint({ url: `${receiver.url}/backlog` });
  for (let made = 0; made < 3; made++) await queue.publish(`Article ${made}`);
  await store.write((db) => db.run("UPDATE endpoints SET last_claimed_at = ?", queue.app.clock() + 60_000));
  const batches: (string | undefined)[][] = [];
  let commits = 0;
  let fresh = "";
  const changed = wrapStore(store, {
    commitCounter: () => commits,
    write: async (work, options) => {
      if (commits === 0) {
        ({ id: fresh } = await queue.endpoint({ url: `${receiver.url}/fresh` }));
        await queue.publish("News");
        commits++;
      }
      const result = await store.write(work, options);
      const { claimed } = (result ?? {}) as { claimed?: Claimed[] };
      if (claimed !== undefined) batches.push(claimed.map(({ claims: [claim] }) => claim?.endpointId));
      return result;
    },
  });
  queue.start({ app: { ...queue.app, store: changed } });
  await until("all five are recorded", () => queue.recorded.length === 5, MAX_MS);
  // On PostgreSQL nobody waits.
  if (store.engine === "sqlite") assert.deepEqual(batches.slice(0, 2), [[fresh], [backlog.id]]);
  assert.deepEqual(queue.errors, []);
});

const fail = (error: unknown): never => assert.fail(String(error));

/** At most one delivery of each endpoint. */
function newClaimer({ app }: TestQueue): Claimer {
  const policy = app.config.webhooks;
  return new Claimer(
    { deps: app, policy, random: () => 0.5, saveReceipt, worker: "test", onRecorded: () => undefined, onError: fail },
    {
      leases: new LeaseRegistry(),
      brake: new Brake(),
      mayClaim: () => true,
      room: () => 1,
      unrecorded: () => 0,
      setWindow: () => undefined,
      load: () => 0,
    },
  );
}

async function addEndpoints(
  service: TestService,
  websites: readonly Website[],
  url: string,
  each = ENDPOINTS_EACH,
): Promise<void> {
  for (const { id } of websites) {
    for (let made = 0; made < each; made++)
      await createEndpoint(service.app, id, { url: `${url}/${made}` }, CLI_ORIGIN);
  }
}

/** Of each website in turn. @returns their ids. */
async function makeApproved({ app }: TestService, websites: readonly Website[], count: number): Promise<string[]> {
  const input = parseArticleJson({ title: "Note", content: "<p>Short.</p>", status: "approved" });
  const [first] = websites;
  if (first === undefined) throw new Error("no website");
  const { composed } = await prepareNew(app, first, input);
  return app.store.write(async (db) => {
    const ids: string[] = [];
    for (let made = 0; made < count; made++) {
      const website = websites[made % websites.length];
      if (website === undefined) throw new Error("no website");
      const title = `Note ${made}`;
      const draft = { input: { ...input, title }, composed: { ...composed, source: { ...composed.source, title } } };
      const created = await insertNew(db, app, website, draft, { actor: CHIEF });
      ids.push(created.full.article.id);
    }
    return ids;
  });
}
