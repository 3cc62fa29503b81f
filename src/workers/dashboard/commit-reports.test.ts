import assert from "node:assert/strict";
import { test } from "node:test";
import { CommitReports } from "./commit-reports.ts";

const HOUR_MS = 3_600_000;

function collect(engine: "sqlite" | "postgres") {
  const reported: Record<string, string>[] = [];
  const reports = new CommitReports({ engine }, (changes) => reported.push(Object.fromEntries(changes)), HOUR_MS);
  return { reports, reported };
}

test("consecutive commits on PostgreSQL are reported together, and no later than the next response", () => {
  const { reports, reported } = collect("postgres");
  reports.add(new Map([["a", "1"]]));
  assert.deepEqual(reported, [{ a: "1" }]);
  reports.add(new Map([["a", "2"]]));
  reports.add(new Map([["b", "3"]]));
  reports.add(new Map([["a", "4"]]));
  assert.equal(reported.length, 1);
  reports.flush();
  assert.deepEqual(reported.slice(1), [{ a: "4", b: "3" }]);
  reports.flush();
  assert.equal(reported.length, 2);
});

test("those that no answer follows are reported after the interval", async () => {
  const both = Promise.withResolvers<void>();
  const reported: string[] = [];
  const report = (changes: ReadonlyMap<string, string>) => {
    reported.push(...changes.values());
    if (reported.length === 2) both.resolve();
  };
  const reports = new CommitReports({ engine: "postgres" }, report, 1);
  reports.add(new Map([["a", "1"]]));
  reports.add(new Map([["a", "2"]]));
  // The timer keeps no process alive.
  const alive = setInterval(() => undefined, HOUR_MS);
  await both.promise;
  clearInterval(alive);
  assert.deepEqual(reported, ["1", "2"]);
});

test("on SQLite each is reported at once", () => {
  const { reports, reported } = collect("sqlite");
  reports.add(new Map());
  reports.add(new Map());
  assert.equal(reported.length, 2);
});
