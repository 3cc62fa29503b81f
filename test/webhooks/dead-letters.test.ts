/** Dead letters in the dashboard: who sees them, and what becomes of work that is tried again or discarded. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createArticle } from "../../src/operations/articles/write/articles.ts";
import { listDeadLetters } from "../../src/operations/system/set-aside.ts";
import { discardDeadLetter, retryDeadLetter } from "../../src/operations/webhooks/dead-letter-actions.ts";
import { createEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { replaySince, stepReplays } from "../../src/operations/webhooks/replays.ts";
import { saveDeadLetter } from "../../src/store/system/dead-letters.ts";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { record, records } from "../helpers/http.ts";
import { poison } from "../helpers/poison.ts";
import { startTestService } from "../helpers/service.ts";
import { eventually, LOOPBACK, openQueue, ScriptedReceiver } from "../helpers/webhooks.ts";
import { people } from "../people/dashboard.ts";

test("an owner of every website sees dead letters, and retries or discards them, with audit entries", async () => {
  await using service = await startTestService(LOOPBACK);
  await using receiver = await ScriptedReceiver.start(() => ({ status: 299 }));
  using all = people(service);
  const owner = await all.owner();
  const { app, website } = service;
  const { endpoint } = await createEndpoint(app, website.id, { url: receiver.url }, CLI_ORIGIN);
  const heal = await poison(app.store, "INSERT", "attempts", "status", 299);
  const publish = () => createArticle(app, website.id, makeArticle({ status: "published" }), CHIEF);
  const list = async () => records((await owner.json("GET", "/dead-letters"))["dead_letters"]);
  await publish();
  await publish();
  await eventually(async () => (await list()).length, 2);
  await heal();
  const [first, second] = await list();
  const { subject_id: id, first_failed_at: since, last_failed_at: _last, ...shown } = record(first);
  assert.deepEqual(shown, {
    kind: "delivery",
    website_id: website.id,
    webhook_id: endpoint.id,
    reason: "poison",
    failures: 1,
    can_retry: true,
    can_discard: true,
  });
  assert.ok(Date.parse(String(since)) > 0);
  const retried = { kind: "delivery", subject_id: id };
  assert.equal((await owner.send("POST", "/dead-letters/retry", retried)).status, 204);
  await receiver.arrival(3);
  assert.equal((await owner.send("POST", "/dead-letters/retry", retried)).status, 404, "somebody was quicker");
  const discarded = { kind: "delivery", subject_id: record(second)["subject_id"] };
  assert.equal((await owner.send("POST", "/dead-letters/discard", discarded)).status, 204);
  assert.deepEqual(await list(), []);
  const { entries } = await owner.json("GET", "/audit?about=webhooks");
  assert.deepEqual(
    records(entries)
      .map(({ action }) => action)
      .filter((action) => action !== "webhook.set_aside")
      .slice(0, 3)
      .map(String)
      .toSorted(),
    ["dead_letter.discarded", "dead_letter.retried", "webhook.redelivered"],
  );
  // Naming a website, which its owner may, does not open the list of all of them.
  assert.equal((await owner.send("GET", `/dead-letters?website_id=${website.id}`)).status, 400);
});

test("a delivery that was stuck in the queue is sent when it is tried again, and leaves it when it is discarded", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start();
  const { id } = await queue.endpoint(receiver);
  const article = await queue.publish("A1");
  await queue.retitle(article, "A2");
  const nos = await queue.app.store.read((db) => db.all("SELECT no FROM deliveries ORDER BY no"));
  const heal = await poison(queue.app.store, "DELETE", "delivery_queue", "delivery_no", nos[0]?.no ?? 0);
  queue.start();
  await eventually(async () => (await listDeadLetters(queue.app, 10)).length, 1);
  await heal();
  const [letter] = await listDeadLetters(queue.app, 10);
  assert.ok(letter !== undefined);
  await retryDeadLetter(queue.app, letter, CLI_ORIGIN);
  await eventually(() => queue.states(id), ["delivered", "delivered"]);
  assert.deepEqual(receiver.titles, ["A1", "A1", "A2"]);
  const third = await queue.publish("B1");
  await eventually(async () => (await queue.states(id)).at(-1), "delivered");
  const healAgain = await poison(queue.app.store, "DELETE", "delivery_queue", "article_id", third);
  await queue.retitle(third, "B2");
  await eventually(async () => (await listDeadLetters(queue.app, 10)).length, 1);
  await healAgain();
  const [other] = await listDeadLetters(queue.app, 10);
  assert.ok(other !== undefined);
  await discardDeadLetter(queue.app, other, CLI_ORIGIN);
  assert.equal((await queue.states(id)).at(-1), "skipped");
  await queue.retitle(third, "B3");
  await eventually(async () => (await queue.states(id)).at(-1), "delivered");
});

test("a replay that was set aside continues when it is retried, and has ended when it is discarded", async () => {
  for (const action of [retryDeadLetter, discardDeadLetter]) {
    await using queue = await openQueue();
    await using receiver = await ScriptedReceiver.start();
    const { id } = await queue.endpoint(receiver);
    await queue.publish("A");
    await replaySince(queue.app, id, 0, CLI_ORIGIN);
    const job = await queue.app.store.read((db) => db.get("SELECT id FROM replay_jobs"));
    const letter = { kind: "replay", subjectId: job?.id ?? "", websiteId: queue.website.id, reason: "poison" } as const;
    await queue.app.store.write((db) => saveDeadLetter(db, letter, queue.app.now));
    assert.equal(await stepReplays(queue.app, 10), false);
    assert.equal((await queue.states(id)).length, 1);
    await action(queue.app, letter, CLI_ORIGIN);
    await stepReplays(queue.app, 10);
    assert.equal((await queue.states(id)).length, action === retryDeadLetter ? 2 : 1);
    assert.deepEqual(await listDeadLetters(queue.app, 10), []);
  }
});

test("final failures can only be discarded, and work that must be done can only be retried", async () => {
  await using queue = await openQueue();
  const letters = [
    { kind: "mail", subjectId: "m", websiteId: null, reason: "x" },
    { kind: "article", subjectId: "a", websiteId: null, reason: "x" },
  ] as const;
  const [mail, article] = letters;
  await queue.app.store.write(async (db) => {
    for (const letter of letters) await saveDeadLetter(db, letter, queue.app.now);
  });
  await assert.rejects(retryDeadLetter(queue.app, mail, CLI_ORIGIN), { code: "conflict" });
  await assert.rejects(discardDeadLetter(queue.app, article, CLI_ORIGIN), { code: "conflict" });
  await discardDeadLetter(queue.app, mail, CLI_ORIGIN);
  await retryDeadLetter(queue.app, article, CLI_ORIGIN);
  assert.deepEqual(await listDeadLetters(queue.app, 10), []);
});
