/** A few restarts of those of `npm run test:restart`, which also holds them to a second. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { runRounds, WAYS } from "./rounds.ts";
import { WITHOUT_NOTIFY } from "./systemd.ts";

for (const way of WAYS) {
  test(
    `${way}: no request fails, no write is lost, and each webhook comes once, also with another version`,
    { skip: WITHOUT_NOTIFY },
    async () => {
      const { failures, missing, notOnce, versions } = await runRounds({
        way,
        restarts: 3,
        upgrades: 2,
        readsPerSecond: 40,
        writesPerSecond: 4,
        drainSeconds: 1,
        onProgress: () => undefined,
      });
      assert.deepEqual({ failures, missing, notOnce }, { failures: [], missing: [], notOnce: [] });
      assert.deepEqual(versions, ["9.0.0", "9.0.0", "9.1.0", "9.0.0"]);
    },
  );
}
