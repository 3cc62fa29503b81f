/** `npm run test:backup` in short. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { runLossRounds } from "./loss-rounds.ts";

const skip = process.platform !== "linux" && "npm has no Litestream for this system";
/** A busy machine copies later than within a second. */
const ALLOWED_LOSS_MS = 10_000;

for (const [kind, rounds] of [
  ["folder", 4],
  ["bucket", 1],
] as const) {
  test(`a machine is lost, and everything comes back from the copies in a ${kind}`, { skip }, async () => {
    const facts = await runLossRounds({ rounds, kind, allowedLossMs: ALLOWED_LOSS_MS });
    assert.deepEqual(
      facts.flatMap(({ problems }) => problems),
      [],
    );
    assert.ok(facts.every(({ acknowledged }) => acknowledged > 0));
  });
}
