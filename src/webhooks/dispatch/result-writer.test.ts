import assert from "node:assert/strict";
import { test } from "node:test";
import { Brake } from "./result-writer.ts";

const MINUTE = 60_000;

test("twenty deliveries are given up in a row, then one a minute, and twenty again after one was sent", () => {
  const brake = new Brake();
  const given = (now: number) => Array.from({ length: 100 }, () => brake.allows(now)).filter(Boolean).length;
  assert.deepEqual([0, 1, MINUTE - 1, MINUTE, MINUTE + 1, 9 * MINUTE].map(given), [20, 0, 0, 1, 0, 1]);
  brake.release();
  assert.equal(given(9 * MINUTE + 1), 20);
});
