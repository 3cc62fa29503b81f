import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { FairSlots } from "./fair-slots.ts";

test("websites take turns, and none has more than its slots, however much it asks for", async () => {
  const slots = new FairSlots({ slots: 3, perKey: 2, maxWaiting: 4 });
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const all: Promise<void>[] = [];
  const begin = (key: string, name: string) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    all.push(
      slots.run(key, async () => {
        started.push(name);
        ends.push(resolve);
        await promise;
      }),
    );
  };
  for (let no = 1; no <= 6; no++) begin("a", `a${no}`);
  assert.deepEqual([slots.isFull("a"), slots.isFull("b")], [true, false]);
  for (let no = 1; no <= 3; no++) begin("b", `b${no}`);
  assert.deepEqual(started, ["a1", "a2", "b1"]);
  while (ends.length > 0) {
    ends.shift()?.();
    await nextTurn();
  }
  await Promise.all(all);
  assert.deepEqual(started, ["a1", "a2", "b1", "a3", "b2", "a4", "b3", "a5", "a6"]);
});

test("work that fails frees its slot", async () => {
  const slots = new FairSlots({ slots: 1, perKey: 1, maxWaiting: 1 });
  await assert.rejects(slots.run("a", () => Promise.reject(new Error("no"))));
  assert.equal(await slots.run("a", () => Promise.resolve(1)), 1);
});
