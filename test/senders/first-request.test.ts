/** The first request to a sender's address after a rest: what it needs starts at once, and not one after the other. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestService, type TestService } from "../helpers/service.ts";
import { until } from "../helpers/until.ts";
import { newSender } from "./new-sender.ts";

async function started(service: TestService): Promise<number> {
  const { text } = await service.get("/metrics");
  return Number(/^rostrum_content_processes_started_total (\d+)/m.exec(text)?.[1]);
}

function refused(service: TestService): Promise<{ status: number }> {
  const headers = { "X-API-Key": undefined, Authorization: "Bearer wrong" };
  return service.send(`/senders/${"0".repeat(32)}`, { method: "POST", headers, body: "{}" });
}

test("the process that reads what senders send starts before a credential is checked, if there is a sender at all", async () => {
  await using service = await startTestService();
  await newSender(service);
  assert.equal(await started(service), 0);
  assert.equal((await refused(service)).status, 401);
  await until("the process has been started", async () => (await started(service)) === 1);

  await using without = await startTestService();
  assert.equal((await refused(without)).status, 401);
  // Its thread has started, and has asked the database before it answered.
  assert.equal(await started(without), 0);
});
