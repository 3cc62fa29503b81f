/** What a sender was told to have arrived is neither lost nor doubled, wherever the process is killed. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SENDER_POINTS } from "./sender-messages.ts";
import { runSenderLoop } from "./sender-loop.ts";

/** More by hand: `npm run test:kill -- --senders --kills 200`. */
const RANDOM_KILLS = 4;
const MAX_MS = 240_000;

const seed = Number(process.env["ROSTRUM_TEST_SEED"] ?? Math.floor(Math.random() * 2 ** 31));

describe("what a sender's delivery was acknowledged for is saved, once and in order", () => {
  for (const [when, kills] of [
    [`killed at each of ${SENDER_POINTS.length} points`, SENDER_POINTS],
    [
      `killed at ${RANDOM_KILLS} instants of the service`,
      Array.from({ length: RANDOM_KILLS }, () => "random" as const),
    ],
  ] as const) {
    test(when, { timeout: MAX_MS }, async (t) => {
      const { violations, errors, ...counts } = await runSenderLoop(kills, seed);
      t.diagnostic(`seed ${seed}: ${JSON.stringify(counts)}`);
      assert.deepEqual({ violations, errors }, { violations: [], errors: [] }, `seed ${seed}`);
      assert.ok(counts.acknowledged > 0, "nothing was acknowledged");
    });
  }
});
