import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../../domain/system/errors.ts";
import { isOutage } from "./outage.ts";

const failed = (more: Record<string, unknown>) => Object.assign(new Error("failed"), more);

test("a failure that affects everything is an outage, and nothing is set aside for it", () => {
  // 26000: a pooler has switched to another server connection, which has none of our prepared statements.
  for (const code of ["26000", "42P05", "40001", "57014", "XX002"])
    assert.equal(isOutage(failed({ code })), true, code);
  for (const errcode of [5, 11, 13]) assert.equal(isOutage(failed({ errcode })), true, String(errcode));
  assert.equal(isOutage(new AppError("unavailable", "It is away.")), true);
});

test("any other failure is caused by what was written", () => {
  for (const code of ["22003", "23514", "P0001"]) assert.equal(isOutage(failed({ code })), false, code);
  assert.equal(isOutage(failed({ errcode: 19 })), false);
  assert.equal(isOutage(new AppError("conflict", "It is taken.")), false);
  assert.equal(isOutage(new TypeError("a bug")), false);
});
