import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { FairQueue } from "./fair-queue.ts";

interface Entry {
  key: string;
  weight: number;
}

/** Enters everything at once, then ends one after another. @returns what ran at once after each start, in order. */
async function runAll(queue: FairQueue, entries: readonly Entry[]): Promise<{ started: Entry[]; together: Entry[][] }> {
  const [started, together] = [[] as Entry[], [] as Entry[][]];
  const running = new Map<Entry, Disposable>();
  const entering = entries.map(async (entry) => {
    const turn = await queue.enter(entry.key, entry.weight);
    running.set(entry, turn);
    started.push(entry);
    together.push([...running.keys()]);
  });
  while (started.length < entries.length || running.size > 0) {
    await nextTurn();
    const [first] = running;
    assert.ok(first !== undefined, "something always runs");
    running.delete(first[0]);
    first[1][Symbol.dispose]();
  }
  await Promise.all(entering);
  return { started, together };
}

const ENTRIES = fc.array(fc.record({ key: fc.constantFrom("a", "b", "c"), weight: fc.integer({ min: 1, max: 12 }) }), {
  maxLength: 30,
});
const weigh = (entries: readonly Entry[]) => entries.reduce((sum, { weight }) => sum + weight, 0);
const count = (entries: readonly Entry[], key: string) => entries.filter((one) => one.key === key).length;

test("everything runs, within the capacity and each key's limit; of a key in order, and keys take turns", async () => {
  await fc.assert(
    fc.asyncProperty(ENTRIES, fc.integer({ min: 1, max: 3 }), async (entries, perKey) => {
      const queue = new FairQueue({ capacity: 10, perKey });
      const { started, together } = await runAll(queue, entries);
      for (const at of together) {
        assert.ok(at.length === 1 || weigh(at) <= 10);
        for (const key of ["a", "b", "c"]) assert.ok(count(at, key) <= perKey);
      }
      for (const key of ["a", "b", "c"]) {
        assert.deepEqual(
          started.filter((one) => one.key === key),
          entries.filter((one) => one.key === key),
        );
      }
      assert.equal(queue.waiting, 0);
    }),
  );
});

test("with one at a time, no key starts twice while another one waits", async () => {
  await fc.assert(
    fc.asyncProperty(ENTRIES, async (entries) => {
      const { started } = await runAll(new FairQueue({ capacity: 1 }), entries);
      // The first one of all starts before anything waits.
      for (let index = 1; index + 1 < started.length; index++) {
        const [now, next] = [started[index], started[index + 1]];
        if (now?.key === next?.key) {
          const waiting = started.slice(index + 1);
          assert.equal(count(waiting, now?.key ?? ""), waiting.length, JSON.stringify(started));
        }
      }
    }),
  );
});

test("in groups, what one key waits with runs together, and alone whatever another key waits for", async () => {
  await fc.assert(
    fc.asyncProperty(ENTRIES, async (entries) => {
      const { together } = await runAll(new FairQueue({ capacity: 10, inGroups: true }), entries);
      for (const at of together) assert.equal(new Set(at.map(({ key }) => key)).size, 1);
    }),
  );
  const same = Array.from({ length: 5 }, () => ({ key: "a", weight: 4 }));
  const { together } = await runAll(new FairQueue({ capacity: 10, inGroups: true }), same);
  // The first one finds nothing that waits with it. Others follow once half of the capacity is free, and as much waits.
  assert.deepEqual(
    together.map((at) => at.length),
    [1, 2, 2, 2, 1],
  );
});

test("it is full when too much of a key waits, or too much in all; what does not wait gets the room that is left", async () => {
  const queue = new FairQueue({ capacity: 2, perKey: 1, maxWaiting: 2, maxWaitingInAll: 3 });
  const turns = [queue.tryEnter("a"), queue.tryEnter("a"), queue.tryEnter("b"), queue.tryEnter("c")];
  assert.deepEqual(
    turns.map((turn) => turn !== undefined),
    [true, false, true, false],
  );
  const waiting = [queue.enter("a"), queue.enter("a")];
  assert.deepEqual([queue.isFull("a"), queue.isFull("b")], [true, false]);
  waiting.push(queue.enter("b"));
  assert.deepEqual([queue.isFull("b"), queue.waiting], [true, 3]);
  turns[0]?.[Symbol.dispose]();
  // Once is enough.
  turns[0]?.[Symbol.dispose]();
  (await waiting[0])?.[Symbol.dispose]();
  (await waiting[1])?.[Symbol.dispose]();
  assert.equal(queue.isFull("b"), false);
});

test("work that fails ends its turn", async () => {
  const queue = new FairQueue({ capacity: 1 });
  await assert.rejects(queue.run("a", () => Promise.reject(new Error("no"))));
  assert.equal(await queue.run("a", () => Promise.resolve(1)), 1);
});
