import assert from "node:assert/strict";
import { test } from "node:test";
import { lifecycle, parseTime } from "./dates.ts";

test("times are read as people and generators write them, in UTC if they name no zone", () => {
  const cases: [unknown, number][] = [
    ["2021-9-1", Date.UTC(2021, 8, 1)],
    ["2021/09/01 8:05", Date.UTC(2021, 8, 1, 8, 5)],
    ["2017-12-19 13:33:37", Date.UTC(2017, 11, 19, 13, 33, 37)],
    ["2017-12-19 13:33:37 +0100", Date.UTC(2017, 11, 19, 12, 33, 37)],
    ["2017-12-19 13:33:37 -5", Date.UTC(2017, 11, 19, 18, 33, 37)],
    ["2021-09-01T10:00:00+02:00[Europe/Berlin]", Date.UTC(2021, 8, 1, 8)],
    ["2021-09-01 10:00:00.357459+00", Date.UTC(2021, 8, 1, 10, 0, 0, 357)],
    ["20210901T10:00:30", Date.UTC(2021, 8, 1, 10, 0, 30)],
    ["20210901T100030+0200", Date.UTC(2021, 8, 1, 8, 0, 30)],
    ["Tue, 02 Apr 2013 05:16:20 +0000", Date.UTC(2013, 3, 2, 5, 16, 20)],
    ["1 Sep 2021", Date.UTC(2021, 8, 1)],
    ["September 1st, 2021", Date.UTC(2021, 8, 1)],
    [1630454400, Date.UTC(2021, 8, 1)],
    [1630454400000, Date.UTC(2021, 8, 1)],
  ];
  for (const [value, expected] of cases) assert.equal(parseTime(value), expected, String(value));
});

test("ambiguous and impossible times are not guessed", () => {
  for (const value of [
    "09/01/2021",
    "2021",
    2021,
    "0000-00-00 00:00:00",
    "Wed, 30 Nov -0001 00:00:00 +0000",
    "soon",
    "",
    null,
    true,
    {},
  ]) {
    assert.equal(parseTime(value), null, JSON.stringify(value));
  }
});

test("a modification to come is none: the article keeps the time of its publication", () => {
  const [date, now] = [Date.UTC(2021, 1, 15), Date.UTC(2026, 0, 1)];
  const updated = Date.UTC(2099, 4, 5);
  assert.equal(lifecycle({ state: "published", date, updated }, now).updated_at, "2021-02-15T00:00:00.000Z");
  assert.equal(lifecycle({ state: "published", date, updated: now }, now).updated_at, "2026-01-01T00:00:00.000Z");
});
