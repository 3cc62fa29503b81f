import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import { type ApiKey, hashKey, isWellFormedKey, keyRefusal, keyTraces, mintKey } from "./api-key.ts";
import { fc } from "../../../test/helpers/properties.ts";

test("a key is rs_ and 36 base62 characters, and well formed", () => {
  for (let count = 0; count < 200; count++) {
    const key = mintKey(randomBytes);
    assert.match(key, /^rs_[0-9A-Za-z]{36}$/);
    assert.ok(isWellFormedKey(key));
  }
});

test("a key ends with the CRC-32 of its body, as secret scanners compute it", () => {
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  for (let count = 0; count < 200; count++) {
    const key = mintKey(randomBytes);
    const check = Array.from(key.slice(33)).reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0);
    assert.equal(check, crc32(key.slice(3, 33)));
  }
});

test("a key with any one character changed is not well formed", () => {
  const key = mintKey(randomBytes);
  for (let at = 0; at < key.length; at++) {
    const other = key[at] === "x" ? "y" : "x";
    assert.ok(!isWellFormedKey(key.slice(0, at) + other + key.slice(at + 1)), `at ${at}`);
  }
});

test("random text is not well formed", () => {
  fc.assert(fc.property(fc.string(), (text) => !isWellFormedKey(text) && !isWellFormedKey(`rs_${text}`)));
});

test("bytes that would make some characters more likely are skipped", () => {
  const bytes = [255, 254, 249, 248, 0, 61, 62];
  let at = 0;
  const key = mintKey((size) => Uint8Array.from({ length: size }, () => bytes[at++ % bytes.length] ?? 0));
  assert.match(key, /^rs_(0z0){10}/);
});

test("an access token begins with rm_, and neither is taken for the other", () => {
  const token = mintKey(randomBytes, "rm_");
  assert.match(token, /^rm_[0-9A-Za-z]{36}$/);
  assert.deepEqual([isWellFormedKey(token, "rm_"), isWellFormedKey(token)], [true, false]);
  assert.equal(isWellFormedKey(mintKey(randomBytes), "rm_"), false);
});

test("what is stored of a key does not reveal it", () => {
  const key = mintKey(randomBytes);
  const traces = keyTraces(key);
  assert.deepEqual(traces, { hash: hashKey(key), prefix: key.slice(0, 7), lastFour: key.slice(-4) });
  assert.match(traces.hash, /^[0-9a-f]{64}$/);
});

test("a key is refused from its revocation, and from the very moment that it expires", () => {
  const key: ApiKey = {
    id: "k",
    websiteId: "w",
    name: "n",
    ...keyTraces("x"),
    scope: "all",
    rateLimit: null,
    createdAt: 0,
    expiresAt: 100,
    lastUsedAt: null,
    revokedAt: null,
  };
  assert.equal(keyRefusal(key, 99), null);
  assert.equal(keyRefusal(key, 100), "expired");
  assert.equal(keyRefusal({ ...key, expiresAt: null }, 1e15), null);
  assert.equal(keyRefusal({ ...key, revokedAt: 1 }, 50), "revoked");
});
