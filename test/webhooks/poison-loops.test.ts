/** docs/webhooks.md, "What is set aside": every task that is done again and again goes on beside what always fails. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { ContentPool } from "../../src/content-processes/pool.ts";
import type { Mail } from "../../src/domain/system/email.ts";
import { createKey, listKeys, recordKeyRequests, recordKeyUse } from "../../src/operations/people/api-keys.ts";
import { createArticle, getArticle, scheduleArticle } from "../../src/operations/articles/write/articles.ts";
import { enableEndpoint } from "../../src/operations/webhooks/catch-up.ts";
import { listDeadLetters } from "../../src/operations/system/set-aside.ts";
import { pauseEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import type { ImportItem } from "../../src/operations/articles/import/import-items.ts";
import { importArticles } from "../../src/operations/articles/import/imports.ts";
import { Outbox, writeMails } from "../../src/operations/system/email-outbox.ts";
import { parkStopped, pruneHistory, reclaimLeases } from "../../src/operations/webhooks/queue-maintenance.ts";
import { replaySince, stepReplays } from "../../src/operations/webhooks/replays.ts";
import { CHIEF, makeArticle, SHORT_TEXT } from "../helpers/articles.ts";
import { poison } from "../helpers/poison.ts";
import { childrenRunning } from "../helpers/processes.ts";
import { eventually, openQueue, ScriptedReceiver, type TestQueue } from "../helpers/webhooks.ts";
import { publishDueArticles } from "../../src/operations/articles/write/schedule.ts";

const DAY = 86_400_000;

const letters = async ({ app }: TestQueue) =>
  (await listDeadLetters(app, 100)).map(({ kind, subjectId }) => `${kind} ${subjectId}`);

const deliveriesOf = ({ app }: TestQueue, endpointId: string) =>
  app.store.read((db) => db.all("SELECT no, id FROM deliveries WHERE endpoint_id = ? ORDER BY no", endpointId));

test("a scheduled article that cannot be published waits until it is changed; the others are published", async () => {
  await using queue = await openQueue();
  const { app } = queue;
  const ids: string[] = [];
  for (const title of ["A", "B", "C"]) {
    const { article } = await createArticle(app, queue.website.id, makeArticle({ title, status: "approved" }), CHIEF);
    await scheduleArticle(app, article.id, app.now + 1_000, CHIEF);
    ids.push(article.id);
  }
  const [bad = ""] = ids;
  const heal = await poison(app.store, "INSERT", "events", "article_id", bad);
  app.now += 2_000;
  const errors: string[] = [];
  assert.equal(await publishDueArticles(app, 1, (_, message) => errors.push(message)), 0);
  assert.equal(await publishDueArticles(app, 100), 2);
  assert.equal(await publishDueArticles(app, 100), 0);
  assert.deepEqual(await letters(queue), [`article ${bad}`]);
  assert.equal(errors.length, 1);
  await heal();
  assert.equal(await publishDueArticles(app, 100), 0);
  app.now += 1_000;
  await scheduleArticle(app, bad, app.now + 1, CHIEF);
  app.now += 1;
  assert.equal(await publishDueArticles(app, 100), 1);
  assert.equal((await getArticle(app, bad)).article.status, "published");
});

test("scheduled articles that may no longer be published are set aside, too: even a hundred delay no other", async () => {
  await using queue = await openQueue();
  const { app } = queue;
  for (const title of ["A", "B"]) {
    const { article } = await createArticle(app, queue.website.id, makeArticle({ title, status: "approved" }), CHIEF);
    await scheduleArticle(app, article.id, app.now + 1_000, CHIEF);
    if (title === "A") {
      await app.store.write((db) => db.run("UPDATE articles SET approved_hash = 'x' WHERE id = ?", article.id));
    }
  }
  app.now += 2_000;
  assert.equal(await publishDueArticles(app, 1), 0);
  assert.equal(await publishDueArticles(app, 1), 1);
});

test("deliveries that cannot be parked are set aside, and the rest are parked", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start();
  const { id } = await queue.endpoint(receiver);
  for (const title of ["A", "B", "C"]) await queue.publish(title);
  const [, bad] = await deliveriesOf(queue, id);
  await poison(queue.app.store, "UPDATE", "deliveries", "no", bad?.no ?? 0);
  await pauseEndpoint(queue.app, id, CLI_ORIGIN);
  await parkStopped(queue.app);
  assert.deepEqual(await queue.states(id), ["parked", "pending", "parked"]);
  assert.deepEqual(await letters(queue), [`delivery ${bad?.id}`]);
  assert.equal(await parkStopped(queue.app), 0);
});

test("a replay leaves out what always fails, and ends; other replays do, too", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start();
  await using other = await ScriptedReceiver.start();
  const first = await queue.endpoint(receiver);
  const second = await queue.endpoint(other);
  for (const { id } of [first, second]) await pauseEndpoint(queue.app, id, CLI_ORIGIN);
  for (const title of ["A", "B", "C"]) await queue.publish(title);
  const [, bad] = await deliveriesOf(queue, first.id);
  await poison(queue.app.store, "UPDATE", "deliveries", "no", bad?.no ?? 0);
  for (const { id } of [first, second]) await enableEndpoint(queue.app, id, "all", CLI_ORIGIN);
  while (await stepReplays(queue.app, 2));
  queue.start();
  await eventually(() => queue.states(first.id), ["delivered", "parked", "delivered"]);
  await eventually(() => queue.states(second.id), ["delivered", "delivered", "delivered"]);
  assert.deepEqual(await letters(queue), [`delivery ${bad?.id}`]);
  assert.equal((await queue.find(first.id)).state, "sending");
});

test("a replay that cannot continue is set aside; the endpoint's next replay, and new events, are sent", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start();
  const { id } = await queue.endpoint(receiver);
  queue.start();
  await queue.publish("A");
  await receiver.arrival(1);
  await replaySince(queue.app, id, 0, CLI_ORIGIN);
  const [job] = await queue.app.store.read((db) => db.all("SELECT id FROM replay_jobs"));
  await poison(queue.app.store, "UPDATE", "replay_jobs", "id", job?.id ?? "");
  queue.app.now += 1_000;
  await replaySince(queue.app, id, 0, CLI_ORIGIN);
  while (await stepReplays(queue.app, 10));
  assert.deepEqual(await letters(queue), [`replay ${job?.id}`]);
  await receiver.arrival(2);
  const reopened = await queue.reopen();
  assert.equal(await stepReplays(reopened, 10), false);
});

test("a lease that cannot be reclaimed does not keep the others from being reclaimed", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start();
  const { id } = await queue.endpoint(receiver);
  for (const title of ["A", "B", "C"]) await queue.publish(title);
  const [, bad] = await deliveriesOf(queue, id);
  await queue.app.store.write((db) =>
    db.run("UPDATE delivery_queue SET lease_token = 'dead', lease_until = ?, worker = 'dead'", queue.app.now - DAY),
  );
  await poison(queue.app.store, "UPDATE", "delivery_queue", "delivery_no", bad?.no ?? 0);
  assert.equal(await reclaimLeases(queue.app, () => false), 2);
  assert.equal(await reclaimLeases(queue.app, () => false), 0);
  assert.deepEqual(await letters(queue), [`lease ${bad?.no}`]);
});

test("a delivery that cannot be pruned stays; those before and after it are pruned", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start();
  const { id } = await queue.endpoint(receiver);
  queue.start();
  for (const title of ["A", "B", "C"]) await queue.publish(title);
  await eventually(() => queue.states(id), ["delivered", "delivered", "delivered"]);
  const [, bad] = await deliveriesOf(queue, id);
  await poison(queue.app.store, "DELETE", "deliveries", "no", bad?.no ?? 0);
  queue.app.now += 31 * DAY;
  assert.equal(await pruneHistory(queue.app, queue.app.now - 30 * DAY), 2);
  assert.deepEqual(await deliveriesOf(queue, id), [bad]);
});

test("a mail that always fails is given up, and the others are sent", async () => {
  await using queue = await openQueue();
  const sent: string[] = [];
  const mail = {
    base: "http://localhost",
    send: ({ to }: Mail) => {
      sent.push(to);
      return Promise.resolve({ kind: "sent" } as const);
    },
  };
  const deps = { ...queue.app, mail, clock: () => queue.app.now };
  const write = (to: string) =>
    queue.app.store.write((db) => writeMails(db, deps, [{ to, subject: "s", text: "t" }], { websiteId: null }));
  const newest = () => queue.app.store.read((db) => db.get("SELECT id FROM mails ORDER BY ready_at DESC, id DESC"));
  await write("claim@example.com");
  const unclaimable = (await newest())?.id ?? "";
  await poison(queue.app.store, "UPDATE", "mails", "id", unclaimable);
  await poison(queue.app.store, "DELETE", "mails", "id", unclaimable);
  queue.app.now += 1;
  await write("parse@example.com");
  const unreadable = (await newest())?.id ?? "";
  const content = queue.app.secrets().seal("no JSON", unreadable);
  await queue.app.store.write((db) => db.run("UPDATE mails SET content = ? WHERE id = ?", content, unreadable));
  queue.app.now += 1;
  await write("good@example.com");
  const errors: string[] = [];
  const outbox = () => new Outbox({ deps, onError: (_, message) => errors.push(message) });
  await outbox().poll();
  assert.deepEqual(sent, ["good@example.com"]);
  assert.deepEqual((await letters(queue)).toSorted(), [`mail ${unclaimable}`, `mail ${unreadable}`].toSorted());
  const count = errors.length;
  await outbox().poll();
  assert.equal(errors.length, count);
});

test("if the use of one key cannot be saved, only that key's use is lost", async () => {
  await using queue = await openQueue();
  const { app, website } = queue;
  const settings = { scope: "all" as const, expiresAt: null, rateLimit: null };
  const bad = (await createKey(app, website.id, { name: "bad", ...settings }, CLI_ORIGIN)).key.id;
  const good = (await createKey(app, website.id, { name: "good", ...settings }, CLI_ORIGIN)).key.id;
  await poison(app.store, "UPDATE", "api_keys", "id", bad);
  await poison(app.store, "INSERT", "key_requests", "key_id", bad);
  await recordKeyUse(
    app,
    [bad, good].map((id) => ({ id, usedAt: app.now })),
  );
  await recordKeyRequests(
    app,
    [bad, good].map((keyId) => ({ keyId, websiteId: website.id, hour: app.now, requests: 3 })),
  );
  const keys = await listKeys(app, website.id);
  assert.deepEqual(
    new Map(keys.map(({ id, lastUsedAt }) => [id, lastUsedAt])),
    new Map([
      [bad, null],
      [good, app.now],
    ]),
  );
  const counted = await app.store.read((db) => db.all("SELECT key_id FROM key_requests"));
  assert.deepEqual(
    counted.map((row) => row.key_id),
    [good],
  );
  assert.deepEqual(await letters(queue), [`key ${bad}`]);
});

test("an article that the store refuses fails alone in its batch; a NUL in the name of its source does no harm", async () => {
  await using queue = await openQueue();
  const { app, website } = queue;
  await poison(app.store, "INSERT", "articles", "title", "B");
  const options = { events: false, dryRun: false, actor: CHIEF };
  const summary = await importArticles(app, website.id, threeItems(), options);
  assert.deepEqual([summary.created, summary.failed.map(({ source }) => source)], [2, ["B"]]);
  const again = await importArticles(app, website.id, threeItems(), options);
  assert.deepEqual([again.created, again.unchanged, again.failed.length], [0, 2, 1]);
});

test("an import waits while too many texts of its website are processed, and no item fails because of that", async () => {
  await using queue = await openQueue();
  await using pool = new ContentPool({ maxWaiting: 1 });
  const { app, website } = queue;
  const options = { events: false, dryRun: false, actor: CHIEF };
  const deriveContent = pool.deriveContent.bind(pool);
  // One is worked on, by a process that has to start first, and one waits.
  const others = [1, 2].map(() => deriveContent(website.id, SHORT_TEXT, app.now));
  await assert.rejects(deriveContent(website.id, SHORT_TEXT, app.now), { code: "busy" });
  const summary = await importArticles({ ...app, deriveContent }, website.id, threeItems(), options);
  assert.deepEqual([summary.created, summary.failed], [3, []]);
  await Promise.all(others);
});

const skip = process.platform === "linux" ? false : "it looks into /proc";

test("a text whose process crashes fails alone in its import", { skip }, async () => {
  await using queue = await openQueue();
  const { app, website } = queue;
  let last: Promise<unknown> = Promise.resolve();
  // One after the other: the process works on nothing else when it ends.
  const deriveContent: typeof app.deriveContent = (...asked) => {
    const prepared = last.then(() => {
      const result = app.deriveContent(...asked);
      // As a fault inside V8 ends it: by a signal that nobody here has sent.
      if (asked[1].title === "B") for (const pid of childrenRunning("content-worker")) process.kill(pid, "SIGUSR2");
      return result;
    });
    last = prepared.catch(() => undefined);
    return prepared;
  };
  const options = { events: false, dryRun: false, actor: CHIEF };
  const summary = await importArticles({ ...app, deriveContent }, website.id, threeItems(), options);
  assert.deepEqual([summary.created, summary.failed.map(({ source }) => source)], [2, ["B"]]);
  assert.match(summary.failed[0]?.reason ?? "", /ended by itself \(SIGUSR2\)/);
});

async function* threeItems(): AsyncGenerator<ImportItem> {
  for (const title of ["A", "B", "C"]) {
    yield { kind: "draft", source: title, ref: `${title}\0`, input: { title, content: `<p>${title}</p>` } };
  }
}
