import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { newId, newIdAt } from "./uuid.ts";

const V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const timeOf = (id: string) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

test("ids are UUIDs of version 7, all different, in the order in which they are made", () => {
  const before = Date.now();
  const ids = Array.from({ length: 20_000 }, newId);
  const after = Date.now();
  assert.deepEqual(ids, ids.toSorted());
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id, V7);
  assert.ok(timeOf(ids[0] ?? "") >= before && timeOf(ids.at(-1) ?? "") <= after + 1);
});

test("ids keep their order while the clock stands still or is set back", () => {
  const now = Date.now() + 1_000;
  mock.timers.enable({ apis: ["Date"], now });
  try {
    const first = Array.from({ length: 100 }, newId);
    mock.timers.setTime(now - 60_000);
    const ids = [...first, ...Array.from({ length: 100 }, newId)];
    assert.deepEqual(ids, ids.toSorted());
    assert.equal(new Set(ids).size, ids.length);
    assert.deepEqual([...new Set(ids.map(timeOf))], [now]);
  } finally {
    mock.timers.reset();
  }
});

test("an id for a given time contains that time, and is different each time", () => {
  for (const at of [0, 1_700_000_000_000, 2 ** 48 - 1]) {
    const ids = Array.from({ length: 100 }, () => newIdAt(at));
    for (const id of ids) assert.match(id, V7);
    assert.deepEqual([...new Set(ids.map(timeOf))], [at]);
    assert.equal(new Set(ids).size, ids.length);
  }
});
