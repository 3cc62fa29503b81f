/** Publishing from the dashboard waits a few seconds, so that it can be undone: until then nothing is live or sent. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { FUTURE, withClock } from "../helpers/articles.ts";
import { type Json, record } from "../helpers/http.ts";
import { openTeam } from "../helpers/team.ts";
import { Schedule } from "../../src/operations/articles/write/schedule.ts";
import { approveAndPublishSoon, publishSoon, scheduleArticle } from "../../src/operations/articles/write/articles.ts";

const team = await openTeam();
after(() => team[Symbol.asyncDispose]());
after(() => team.assertNoneFailed());
const { service } = team;
const { website } = service;
// A time that the running service takes for the future, so that only this test publishes.
const deps = withClock(service.app, FUTURE);
const BY = { id: "chief", mayApprove: true };

async function setDelay(publish_delay_seconds: number, status = 200): Promise<void> {
  await team.owner.json("PATCH", `/websites/${website.id}`, { publish_delay_seconds }, status);
}

async function events(sequence: number): Promise<string[]> {
  return (await service.eventsAfter(sequence)).map(({ event }) => event);
}

test("the service publishes once when the website's delay is over", async () => {
  await setDelay(10);
  const id = await team.newArticle();
  const sequence = await service.lastSequence();
  const { article } = await approveAndPublishSoon(deps, id, BY);
  assert.deepEqual([article.status, article.publishAt], ["approved", deps.now + 10_000]);
  const due = new Schedule(deps);
  deps.now += 9_999;
  assert.equal(await due.publish(), 0);
  assert.equal((await service.get(`/api/public/articles/${id}`)).status, 200);
  assert.deepEqual(await events(sequence), []);
  deps.now += 1;
  assert.equal(await due.publish(), 1);
  assert.equal(await due.publish(), 0);
  assert.equal((await team.page(id)).status, "published");
  assert.deepEqual(await events(sequence), ["article.published"]);
});

test("a publication that is undone in time is never published and sends no event", async () => {
  await setDelay(10);
  const [one, other] = [await team.newArticle({ status: "approved" }), await team.newArticle()];
  const sequence = await service.lastSequence();
  await publishSoon(deps, one, BY);
  await approveAndPublishSoon(deps, other, BY);
  await scheduleArticle(deps, one, null, BY);
  const { version } = await team.page(other);
  await team.approver.json("POST", `/articles/${other}/unapprove`, { version });
  deps.now += 60_000;
  assert.equal(await new Schedule(deps).publish(), 0);
  const { status, all } = await team.page(other);
  const { review_state, publish_at } = record(all["line"]);
  assert.deepEqual([status, review_state, publish_at], ["pending", "in_review", null]);
  assert.equal((await team.page(one)).status, "approved");
  assert.deepEqual(await events(sequence), []);
});

test("only the dashboard delays publications, and owners set or disable the delay", async () => {
  const publish = async (more: Json): Promise<Json> => {
    const id = await team.newArticle({ status: "approved" });
    const { version } = await team.page(id);
    return record((await team.approver.json("POST", `/articles/${id}/publish`, { version, ...more }))["line"]);
  };
  await setDelay(60);
  assert.equal((await publish({}))["status"], "published");
  const waiting = await publish({ delayed: true });
  assert.equal(waiting["status"], "approved");
  assert.ok(Date.parse(String(waiting["publish_at"])) > Date.now());
  await setDelay(0);
  assert.equal((await publish({ delayed: true }))["status"], "published");
  await setDelay(61, 400);
  await setDelay(-1, 400);
  await team.approver.json("PATCH", `/websites/${website.id}`, { publish_delay_seconds: 5 }, 403);
  await setDelay(10);
});
