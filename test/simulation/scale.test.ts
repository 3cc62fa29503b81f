/** The model of docs/scale.md: its figures are those of the measurements, its queue is the one of the textbooks. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { readConstants, RESULTS } from "./scale/constants.ts";
import { install, limits, type Load, shareOfBusiest } from "./scale/demand.ts";
import { withTables } from "./scale/run.ts";
import { renderAll } from "./scale/tables.ts";
import { catchUp, simulateWaits } from "./scale/waits.ts";

const DOCUMENT = join(import.meta.dirname, "..", "..", "docs", "scale.md");
const constants = readConstants();
const SMALL: Load = {
  websites: 1,
  articlesPerWebsite: 200,
  publications: 0.1,
  saves: 0.2,
  webhooksPerWebsite: 1,
  reads: 10,
  cdnHitRatio: 0,
};

describe("the model of scale", () => {
  test("calculates with what was measured, and names a measurement that is missing", () => {
    const results = readFileSync(RESULTS, "utf8");
    assert.deepEqual(readConstants(results), constants);
    assert.throws(() => readConstants(results.replace("## drain on PostgreSQL", "## another")), {
      message: 'bench/results.md has no section "drain on PostgreSQL": run its measurement.',
    });
  });

  test("is what docs/scale.md shows: npm run simulate-scale -- --write", () => {
    const text = readFileSync(DOCUMENT, "utf8");
    assert.equal(withTables(text, renderAll(constants)), text);
  });

  test("waits as a queue with random arrivals and one server does (Pollaczek and Khinchine)", () => {
    for (const utilisation of [0.3, 0.6, 0.9]) {
      const expected = utilisation / (2 * (1 - utilisation));
      const { mean } = simulateWaits(1, utilisation);
      assert.ok(Math.abs(mean / expected - 1) < 0.05, `${utilisation}: ${mean} instead of ${expected}`);
    }
  });

  test("catches up with an hour at half the thread's time within an hour", () => {
    assert.equal(catchUp(60, 0.5), 60);
  });

  test("gives a larger load at least as much", () => {
    let before = install(SMALL, constants);
    assert.equal(before.kind, "one process, SQLite");
    for (let factor = 10; factor <= 1e7; factor *= 10) {
      const load = { ...SMALL, publications: SMALL.publications * factor, reads: SMALL.reads * factor };
      const installation = install(load, constants);
      assert.ok(installation.processes >= before.processes && installation.databases >= before.databases);
      before = installation;
    }
    assert.equal(before.kind, "partitions by website");
  });

  test("ends first where the limits say, lowest first", () => {
    const found = limits({ ...SMALL, websites: 1_000_000 }, constants).map(({ publications }) => publications);
    assert.deepEqual(
      found,
      found.toSorted((one, other) => one - other),
    );
    assert.ok(found.every((publications) => publications > 0 && Number.isFinite(publications)));
  });

  test("takes the share of the busiest website from Zipf's law", () => {
    assert.equal(shareOfBusiest(1), 1);
    assert.ok(Math.abs(shareOfBusiest(2) - 2 / 3) < 1e-9);
  });
});
