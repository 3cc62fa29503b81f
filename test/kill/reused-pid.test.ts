import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { until } from "../helpers/until.ts";
import type { ChildOptions } from "./messages.ts";
import { startChild } from "./start-child.ts";
import { makeWorld } from "./world.ts";

/** Much less than a lease of 30 s. */
const WITHIN_MS = 10_000;

test("deliveries of a killed process are taken over even if another process has its id now", async () => {
  await using world = await makeWorld({ behave: () => "hang" });
  const { journal, receiver, settings, websiteId, secrets, databasePath } = world;
  const options: ChildOptions = { websiteId, secrets, point: null, occurrence: 1, plant: null, notesSynced: false };
  {
    const { promise: ready, resolve } = Promise.withResolvers<void>();
    await using killed = startChild("service", options, settings, ({ type }) => type === "ready" && resolve());
    await ready;
    killed.send({ type: "change", eventId: randomUUID(), articleId: randomUUID(), roll: 0 });
    await until("the event is under way", () => journal.arrivals.length > 0);
    killed.kill();
    await killed.ended;
    await receiver.quiet();
  }
  journal.mark("kill", "during the POST");
  recycle(databasePath, process.pid);
  await using _next = startChild("service", options, settings, () => undefined);
  await until("it is sent again", () => journal.arrivals.some(({ epoch }) => epoch === 1), WITHIN_MS);
});

/** As after a restart of the machine or container, when process ids start again. */
function recycle(databasePath: string, pid: number): void {
  using database = new DatabaseSync(databasePath);
  const sql =
    "UPDATE delivery_queue SET worker = ? || substr(worker, instr(worker, '-')) WHERE lease_token IS NOT NULL";
  assert.ok(database.prepare(sql).run(pid).changes > 0, "nothing was under way");
}
