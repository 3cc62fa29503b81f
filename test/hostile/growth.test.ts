/** No text makes a parser take more than time in proportion to its length. `npm run fuzz` tries all inputs, this some. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { PLANTED } from "./growth/entries.ts";
import { GROWTH_INPUTS, GROWTH_SHAPES } from "./growth/inputs.ts";
import { findGrowth } from "./growth/measure.ts";

const EVERY = 16;

test("everything that reads strangers' text takes time in proportion to its length", { timeout: 500_000 }, async () => {
  const some = GROWTH_INPUTS.filter((_input, index) => index % EVERY === 0);
  assert.deepEqual(await findGrowth([...new Set([...some, ...GROWTH_SHAPES])]), []);
});

test("the measurement detects quadratic growth", { timeout: 500_000 }, async () => {
  const input = GROWTH_INPUTS.find(({ name }) => name === '"a" again and again');
  assert.ok(input);
  const found = await findGrowth([input], Object.keys(PLANTED));
  assert.match(found.join(), /looks again from each place: "a" again and again takes /);
});
