import assert from "node:assert/strict";
import { test } from "node:test";
import { lazily } from "./fastify-server.ts";

test("after a failure loading is tried again at the next use, and what was loaded is kept", async () => {
  const outcomes = [new Error("no such file"), new Error("no such file"), "loaded"];
  let calls = 0;
  const load = lazily(async () => {
    const outcome = outcomes[calls++];
    if (outcome instanceof Error) throw outcome;
    return outcome;
  });
  await Promise.all([assert.rejects(load()), assert.rejects(load())]);
  assert.equal(calls, 1, "those who ask at once share one attempt");
  await assert.rejects(load());
  assert.deepEqual(await Promise.all([load(), load()]), ["loaded", "loaded"]);
  assert.equal(await load(), "loaded");
  assert.equal(calls, 3);
});
