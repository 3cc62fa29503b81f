import { expect, test } from "vitest";
import { daysToMonday, fromField, morning, nameZone, toField } from "./zones.ts";

const BERLIN = "Europe/Berlin";
const read = (text: string, zone = BERLIN) => {
  const found = fromField(text, zone);
  return found && [found.at.toISOString(), found.change];
};

test("a time is read on the zone's clocks, however it is written", () => {
  expect(read("2026-12-01 09:00")).toEqual(["2026-12-01T08:00:00.000Z", null]);
  expect(read("2026-12-01T09:00")).toEqual(["2026-12-01T08:00:00.000Z", null]);
  expect(read(" 2026-7-1, 9.30 ")).toEqual(["2026-07-01T07:30:00.000Z", null]);
  expect(read("2026-12-01 09:00", "America/New_York")).toEqual(["2026-12-01T14:00:00.000Z", null]);
  for (const text of ["", "tomorrow", "2026-02-30 09:00", "2026-12-01 25:00", "12/01/2026 09:00"]) {
    expect(read(text), text).toBe(null);
  }
});

test("an hour that the clocks skip or show twice is told", () => {
  expect(read("2026-03-29 02:30")).toEqual(["2026-03-29T01:30:00.000Z", "skipped"]);
  expect(read("2026-10-25 02:30")).toEqual(["2026-10-25T00:30:00.000Z", "twice"]);
  expect(read("2026-03-29 03:00")).toEqual(["2026-03-29T01:00:00.000Z", null]);
  expect(read("2026-10-25 03:00")).toEqual(["2026-10-25T02:00:00.000Z", null]);
});

test("mornings and Mondays are the zone's", () => {
  const now = new Date("2026-11-29T23:30:00Z");
  expect(toField(morning(now, 1, BERLIN), BERLIN)).toBe("2026-12-01 09:00");
  expect(toField(morning(now, 1, "UTC"), "UTC")).toBe("2026-11-30 09:00");
  // It is Monday in Berlin already.
  expect([daysToMonday(now, BERLIN), daysToMonday(now, "UTC")]).toEqual([7, 1]);
});

test("a zone is called by its city", () => {
  expect(["America/New_York", "UTC", "Etc/GMT+5"].map(nameZone)).toEqual(["New York time", "UTC", "GMT+5"]);
});
