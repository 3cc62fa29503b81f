import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { describeTime, parseIsoTime } from "./time.ts";

describe("ISO 8601 times", () => {
  test("dates, times, zones and fractions are read; without a zone it is UTC", () => {
    assert.equal(parseIsoTime("2026-01-31"), Date.UTC(2026, 0, 31));
    assert.equal(parseIsoTime("2026-01-31T09:30"), Date.UTC(2026, 0, 31, 9, 30));
    assert.equal(parseIsoTime("2026-01-31 09:30:15.123456Z"), Date.UTC(2026, 0, 31, 9, 30, 15, 123));
    assert.equal(parseIsoTime("2026-01-31T09:30:00+05:30"), Date.UTC(2026, 0, 31, 4, 0));
    assert.equal(parseIsoTime("2026-01-31T09:30:00-0800"), Date.UTC(2026, 0, 31, 17, 30));
    assert.equal(parseIsoTime("1970-01-01"), 0);
    assert.equal(parseIsoTime("1815-06-18T11:35:00Z"), Date.UTC(1815, 5, 18, 11, 35));
  });

  test("days that do not exist, years outside 1000 to 9999 and other words are refused", () => {
    for (const text of [
      "2026-02-30",
      "2026-13-01",
      "0999-12-31",
      "0000-00-00 00:00:00",
      "0001-01-01T00:00:00Z",
      "10000-01-01",
      "2026",
      "2026-01-31T25:00",
      "now",
      "",
    ]) {
      assert.equal(parseIsoTime(text), null, text);
    }
  });
});

test("a time in a sentence is one that people read", () => {
  assert.equal(describeTime(Date.UTC(2026, 0, 31, 9, 5, 59)), "31 January 2026 at 09:05 UTC");
});
