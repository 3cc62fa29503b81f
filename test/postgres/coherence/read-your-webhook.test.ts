import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "../../helpers/database.ts";
import { runLoop } from "./loop.ts";

test("no reader on any node sees less than a webhook announced, whatever faults the nodes have", async () => {
  await using database = await testDatabase();
  const outcome = await runLoop({
    databaseUrl: database.settings["DATABASE_URL"] ?? "",
    seed: 1,
    callbacks: 4_000,
    withinMs: 9_000,
    troubles: { everyMs: 900, longestMs: 1_500 },
  });
  assert.deepEqual(outcome.errors, []);
  assert.deepEqual(outcome.violations.slice(0, 10), []);
  assert.equal(outcome.missing, 0);
  // With fewer, the test would prove nothing.
  const troubles = Object.values(outcome.troubles).reduce((sum, count) => sum + count, 0);
  assert.ok(troubles >= 5 && outcome.callbacks > 100, `${troubles} troubles, ${outcome.callbacks} callbacks`);
});
