import assert from "node:assert/strict";
import { randomBytes, randomInt } from "node:crypto";
import { test } from "node:test";
import { isWeakKey } from "./key-strength.ts";

test("placeholders, repetitions and sequences are weak, however long they are", () => {
  for (const text of [
    "changeme",
    "changemechangeme",
    "change-me-change-me-change-me",
    "CHANGE_THIS_SECRET_KEY",
    "please change this secret key",
    "secretsecretsecret",
    "my-super-secret-key-123456",
    "your-secret-key-here-0000",
    "insert-your-random-string-here",
    "rostrum-production-secret",
    "password-password-password",
    "passwordpassword1234",
    "xxxxxxxxxxxxxxxx",
    "k".repeat(64),
    "0".repeat(64),
    "ab".repeat(32),
    "deadbeef".repeat(8),
    "0123456789abcdef0123456789abcdef",
    "9876543210987654321098765432109876543210",
    "abcdefghijklmnopqrstuvwxyz",
    "qwertyuiopqwertyuiop",
    "1111111122222222",
    "                                   x",
    "😀".repeat(40),
  ]) {
    assert.ok(isWeakKey(text), text);
  }
});

test("random keys in every usual form, and phrases of four words, are strong", () => {
  const letters = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789!#%&/()=?+*";
  for (let n = 0; n < 2_000; n++) {
    const bytes = randomBytes(32);
    const password = Array.from({ length: 20 }, () => letters[randomInt(letters.length)]).join("");
    for (const text of [bytes.toString("hex"), bytes.toString("base64"), bytes.toString("base64url"), password]) {
      assert.ok(!isWeakKey(text), text);
    }
    assert.ok(!isWeakKey(bytes.subarray(0, 12).toString("hex")), bytes.subarray(0, 12).toString("hex"));
  }
  for (const text of [
    "correct horse battery staple",
    "Tr0ub4dor&3-zebra-lake",
    "vertrauen ist gut, kontrolle besser",
  ]) {
    assert.ok(!isWeakKey(text), text);
  }
});
