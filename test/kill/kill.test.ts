/** Nothing that was acknowledged is lost, however often and wherever the process is killed (docs/webhooks.md). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LAST_CHANGES, type LoopOptions, runLoop } from "./kill-loop.ts";
import { POINTS } from "./kill-points.ts";

const RANDOM_KILLS = 20;
const TIMES_EACH = 4;
/** Four times what it takes on two cores. */
const MAX_MS = 240_000;

/** Different in each run, because scheduling by the operating system differs anyway. */
const seed = Number(process.env["ROSTRUM_TEST_SEED"] ?? Math.floor(Math.random() * 2 ** 31));

describe(
  "what was acknowledged reaches every endpoint, in order and as it was, when the process is killed",
  { concurrency: 2 },
  () => {
    const LOOPS: Record<string, Omit<LoopOptions, "seed">> = {
      [`at ${RANDOM_KILLS} random instants of the service`]: {
        script: "service",
        kills: Array.from({ length: RANDOM_KILLS }, () => "random" as const),
      },
      [`${TIMES_EACH} times at each of ${POINTS.length} points between change, claim, send and record`]: {
        script: "dispatcher",
        kills: Array.from({ length: TIMES_EACH }, () => POINTS).flat(),
      },
    };

    for (const [when, options] of Object.entries(LOOPS)) {
      test(when, { timeout: MAX_MS }, async (t) => {
        const { violations, errors, journal, facts, takeUpsMs } = await runLoop({ ...options, seed });
        const sorted = takeUpsMs.toSorted((a, b) => a - b);
        const again = sorted.length;
        t.diagnostic(
          `seed ${seed}: ${journal.marks.length} kills, ${journal.changes.length} changes, ${facts.deliveries.length} ` +
            `deliveries, ${journal.arrivals.length} arrivals; ${again} attempts that a kill interrupted were sent again ` +
            `${Math.round(sorted[again >> 1] ?? 0)} ms after ready (median), ${Math.round(sorted.at(-1) ?? 0)} ms at most`,
        );
        assert.equal(journal.marks.length, options.kills.length);
        const acknowledged = journal.changes.filter(({ outcome }) => outcome === "acknowledged").length;
        // The last process makes the final changes, and is not killed.
        assert.ok(
          acknowledged >= LAST_CHANGES + options.kills.length / 2,
          `only ${acknowledged} changes were acknowledged`,
        );
        // Of the named points, those during the POST and after the answer at least.
        const least = options.script === "dispatcher" ? TIMES_EACH : 1;
        assert.ok(again >= least, `only ${again} attempts were interrupted by a kill`);
        assert.deepEqual({ violations, errors }, { violations: [], errors: [] }, `seed ${seed}`);
      });
    }
  },
);
