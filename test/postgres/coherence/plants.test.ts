import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { testDatabase } from "../../helpers/database.ts";
import { runLoop } from "./loop.ts";
import { PLANTS } from "./plants.ts";

describe("the checker sees that", () => {
  for (const [name, plant] of Object.entries(PLANTS)) {
    test(name, async () => {
      await using database = await testDatabase();
      const outcome = await runLoop({
        databaseUrl: database.settings["DATABASE_URL"] ?? "",
        seed: 3,
        callbacks: 5_000,
        withinMs: 15_000,
        isEndedByViolation: true,
        plant,
        // Without notifications: they would mend most of it before anybody looks.
        settings: { ROSTRUM_DATABASE_PGBOUNCER: "1" },
      });
      assert.deepEqual(outcome.errors, []);
      assert.ok(outcome.violations.length > 0, `no violation in ${outcome.callbacks} callbacks`);
    });
  }
});
