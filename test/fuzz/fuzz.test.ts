/** A short run of `npm run fuzz` from one seed, so that whatever breaks the targets is noticed at once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { runCampaign, type Target } from "./campaign.ts";

const SEED = 20_250_101;
const RUNS: readonly [Target, number][] = [
  ["api", 200],
  ["content", 8],
  ["admin", 30],
  ["markdown", 300],
];

for (const [target, runs] of RUNS) {
  test(`${runs} generated cases of the target ${target} find nothing`, async () => {
    const { cases, failure } = await runCampaign({ target, seed: SEED, runs });
    assert.equal(failure, null, failure ?? "");
    assert.equal(cases, runs);
  });
}
