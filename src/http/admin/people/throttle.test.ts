import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../../../domain/system/errors.ts";
import { Throttle } from "./throttle.ts";

const fail = () => Promise.reject(new AppError("unauthenticated", "no"));
const succeed = () => Promise.resolve("in");

test("ten failures of one e-mail address are answered, then one each half minute", async () => {
  let now = 0;
  const throttle = new Throttle(() => now);
  const tries = [["email", "ada@example.com"]] as const;
  for (let count = 0; count < 10; count++) await assert.rejects(throttle.attempt(tries, fail), /^AppError: no/);
  await assert.rejects(throttle.attempt(tries, succeed), { statusCode: 429, headers: { "Retry-After": "30" } });
  assert.equal(await throttle.attempt([["email", "eve@example.com"]], succeed), "in");
  now += 30_000;
  assert.equal(await throttle.attempt(tries, succeed), "in");
});

test("successes and other requests cost nothing, and a refusal for one reason does not count for others", async () => {
  const throttle = new Throttle(() => 0);
  const tries = [
    ["address", "192.0.2.1"],
    ["email", "ada@example.com"],
  ] as const;
  for (let count = 0; count < 100; count++) {
    await throttle.attempt(tries, succeed);
    await assert.rejects(throttle.attempt(tries, () => Promise.reject(new Error("no database"))));
    await assert.rejects(
      throttle.attempt(tries, () => Promise.reject(new AppError("invalid", "", { field: "password" }))),
    );
  }
  for (let count = 0; count < 10; count++) await assert.rejects(throttle.attempt(tries, fail), AppError);
  for (let count = 0; count < 100; count++) await assert.rejects(throttle.attempt(tries, fail), { statusCode: 429 });
  for (let count = 0; count < 20; count++) {
    await assert.rejects(throttle.attempt([["address", "192.0.2.1"]], fail), AppError);
  }
  await assert.rejects(throttle.attempt([["address", "192.0.2.1"]], fail), { statusCode: 429 });
});

test("an IPv6 network counts as one address", async () => {
  const throttle = new Throttle(() => 0);
  for (let count = 0; count < 30; count++) {
    await assert.rejects(throttle.attempt([["address", `2001:db8:0:1::${count.toString(16)}`]], fail), AppError);
  }
  await assert.rejects(throttle.attempt([["address", "2001:db8:0:1:ffff::1"]], fail), { statusCode: 429 });
  assert.equal(await throttle.attempt([["address", "2001:db8:0:2::1"]], succeed), "in");
});

test("a stranger who has used up the guesses for an e-mail address or a code gets no more by inventing other names", async () => {
  let now = 0;
  const throttle = new Throttle(() => now);
  const email = [["email", "ada@example.com"]] as const;
  const code = [["code", "ada"]] as const;
  for (let count = 0; count < 10; count++) await assert.rejects(throttle.attempt(email, fail), AppError);
  for (let count = 0; count < 5; count++) await assert.rejects(throttle.attempt(code, fail), AppError);
  for (let count = 0; count < 20_100; count++) {
    const network = `2001:db8:${(count >> 8).toString(16)}:${(count & 255).toString(16)}::1`;
    throttle.spend([["challenge", network]]);
    await assert.rejects(throttle.attempt([["address", network]], fail), AppError);
  }
  await assert.rejects(throttle.attempt(email, succeed), { statusCode: 429 });
  await assert.rejects(throttle.attempt(code, succeed), { statusCode: 429 });
  // As many e-mail addresses as the shared limit lets through, until shortly before the bucket would be full again.
  let made = 0;
  for (; now < 29_000; now += 1_000) {
    for (let count = 0; count < 100; count++) {
      const tries = [["all", ""] as const, ["email", `${made++}@example.com`] as const];
      await throttle.attempt(tries, fail).catch(() => undefined);
    }
  }
  await assert.rejects(throttle.attempt(email, succeed), { statusCode: 429 });
});
