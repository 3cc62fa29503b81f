/** The chart of a webhook's page: attempts by four hours, their answers and how long they took. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS, HOUR_MS } from "../../src/domain/system/time.ts";
import { loadActivity, STEP_MS } from "../../src/operations/webhooks/endpoint-activity.ts";
import { TODAY } from "../helpers/articles.ts";
import { eventually, FAILS, OK, openQueue, ScriptedReceiver } from "../helpers/webhooks.ts";

test("attempts of the last seven days are counted by step and answer, each webhook's own", async () => {
  await using queue = await openQueue({ ROSTRUM_WEBHOOK_RETRY_SECONDS: "0" });
  await using good = await ScriptedReceiver.start(OK);
  await using bad = await ScriptedReceiver.start(FAILS);
  const [{ id }, failing] = [await queue.endpoint(good), await queue.endpoint(bad)];
  queue.start();
  await queue.publish("One");
  await eventually(() => queue.states(failing.id), ["exhausted"]);
  queue.app.now = TODAY + 9 * HOUR_MS;
  await queue.publish("Two");
  await eventually(() => queue.states(failing.id), ["exhausted", "exhausted"]);
  await eventually(() => queue.states(id), ["delivered", "delivered"]);

  const { steps, answers } = await loadActivity(queue.app, id);
  assert.equal(steps.length, (7 * DAY_MS) / STEP_MS);
  const busy = steps.filter(({ delivered }) => delivered > 0);
  assert.deepEqual(
    busy.map(({ start, delivered, failed }) => ({ start, delivered, failed })),
    [TODAY, queue.app.now].map((at) => ({ start: floor(at), delivered: 1, failed: 0 })),
  );
  assert.equal(steps.at(-1)?.start, floor(queue.app.now));
  assert.ok(busy.every(({ averageMs }) => averageMs !== null));
  assert.deepEqual(answers, [{ outcome: "success", status: 204, attempts: 2 }]);
  const others = await loadActivity(queue.app, failing.id);
  assert.deepEqual(others.answers, [{ outcome: "server_error", status: 500, attempts: 4 }]);

  queue.app.now += 8 * DAY_MS;
  const later = await loadActivity(queue.app, id);
  assert.deepEqual([later.answers, later.steps.filter(({ delivered }) => delivered > 0)], [[], []]);
});

function floor(at: number): number {
  return at - (at % STEP_MS);
}
