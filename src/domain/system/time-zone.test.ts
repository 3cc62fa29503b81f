import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "./errors.ts";
import { endOfDay, parseTimeZone, startOfDay } from "./time-zone.ts";

test("a time zone is an IANA name, in its usual spelling", () => {
  assert.equal(parseTimeZone(" europe/berlin "), "Europe/Berlin");
  assert.equal(parseTimeZone("UTC"), "UTC");
  for (const text of ["", "Mars/Olympus", "+01:00", "x".repeat(200)]) {
    assert.throws(
      () => parseTimeZone(text),
      (error) => error instanceof AppError && error.field === "time_zone",
      text,
    );
  }
});

const iso = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString());

test("a day begins and ends by the zone's clocks, also when they change", () => {
  assert.equal(iso(startOfDay("2026-11-29", "Europe/Berlin")), "2026-11-28T23:00:00.000Z");
  assert.equal(iso(startOfDay("2026-07-01", "America/New_York")), "2026-07-01T04:00:00.000Z");
  // 23 and 25 hours.
  assert.equal(iso(startOfDay("2026-03-29", "Europe/Berlin")), "2026-03-28T23:00:00.000Z");
  assert.equal(iso(endOfDay("2026-03-29", "Europe/Berlin")), "2026-03-29T22:00:00.000Z");
  assert.equal(iso(endOfDay("2026-10-25", "Europe/Berlin")), "2026-10-25T23:00:00.000Z");
  for (const text of ["2026-02-30", "29.11.2026", ""]) assert.equal(startOfDay(text, "UTC"), undefined, text);
});
