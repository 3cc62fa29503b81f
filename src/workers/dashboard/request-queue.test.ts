import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../../domain/system/errors.ts";
import { RequestQueue } from "./request-queue.ts";

const LARGE = 8_000_000;

/** Begins a request in its turn; `end` makes room for the next one. */
function request(queue: RequestQueue, begun: string[], accountId: string, name: string, bytes = LARGE) {
  const turn = queue.begin(accountId, bytes).then((room) => {
    begun.push(name);
    return room;
  });
  return async () => (await turn)[Symbol.dispose]();
}

test("accounts take turns, however many requests one of them has sent", async () => {
  const queue = new RequestQueue();
  const begun: string[] = [];
  const sent = ["a1", "a2", "a3", "b1", "a4", "b2"].map((name) => request(queue, begun, name.slice(0, 1), name));
  const byName = new Map(["a1", "a2", "a3", "b1", "a4", "b2"].map((name, index) => [name, sent[index]]));
  for (const name of ["a1", "a2", "b1", "a3", "b2", "a4"]) await byName.get(name)?.();
  assert.deepEqual(begun, ["a1", "a2", "b1", "a3", "b2", "a4"]);
});

test("small requests run together, and one that is larger than the capacity runs alone", async () => {
  const queue = new RequestQueue();
  const begun: string[] = [];
  const first = request(queue, begun, "a", "first", 3_000_000);
  const second = request(queue, begun, "a", "second", 3_000_000);
  const huge = request(queue, begun, "a", "huge", 2 * LARGE);
  await first();
  assert.deepEqual(begun, ["first", "second"]);
  await second();
  await huge();
  assert.deepEqual(begun, ["first", "second", "huge"]);
});

test("an account with too many waiting requests is refused, and others wait for their turn", async () => {
  const queue = new RequestQueue();
  const begun: string[] = [];
  const first = request(queue, begun, "a", "first");
  const waiting = Array.from({ length: 16 }, (_none, number) => request(queue, begun, "a", `${number}`));
  await assert.rejects(queue.begin("a", LARGE), (error) => error instanceof AppError && error.code === "busy");
  const other = request(queue, begun, "b", "other");
  await first();
  await waiting[0]?.();
  await other();
  assert.deepEqual(begun.slice(0, 3), ["first", "0", "other"]);
});
