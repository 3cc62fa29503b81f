import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { deriveSecretKey, parseSecretKey, secretBox } from "./secret-box.ts";
import { fc } from "../../../test/helpers/properties.ts";

const box = secretBox(randomBytes(32), randomBytes);
const MISCONFIGURED = { code: "misconfigured", message: /encrypted with another key/ };

test("any sealed text can be opened again", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string(), (plain, context) => {
      assert.equal(box.open(box.seal(plain, context), context), plain);
    }),
  );
});

test("a sealed text does not show its content, and is different each time", () => {
  const sealed = box.seal("whsec_hush", "a");
  assert.ok(!sealed.includes("hush"));
  assert.ok(!Buffer.from(sealed.slice(3), "base64url").includes("hush"));
  assert.notEqual(box.seal("whsec_hush", "a"), sealed);
  assert.match(sealed, /^v1\.[\w-]+$/);
});

test("a sealed text opens only in its own place and with its own key", () => {
  const sealed = box.seal("hush", "endpoint 1");
  assert.throws(() => box.open(sealed, "endpoint 2"), MISCONFIGURED);
  assert.throws(() => secretBox(randomBytes(32), randomBytes).open(sealed, "endpoint 1"), MISCONFIGURED);
});

test("a sealed text with a changed byte, or one cut short, does not open", () => {
  const bytes = Buffer.from(box.seal("hush", "a").slice(3), "base64url");
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    assert.throws(() => box.open(`v1.${changed.toString("base64url")}`, "a"), MISCONFIGURED, `byte ${at}`);
  }
  for (const cut of [0, 1, 12, 27, bytes.length - 1]) {
    assert.throws(() => box.open(`v1.${bytes.subarray(0, cut).toString("base64url")}`, "a"), MISCONFIGURED, `${cut}`);
  }
});

test("a key is 64 hexadecimal digits, or 32 bytes in Base64 of either alphabet", () => {
  const key = Buffer.from("fb".repeat(32), "hex");
  const base64 = key.toString("base64");
  const texts = [key.toString("hex"), key.toString("hex").toUpperCase(), base64, base64.slice(0, -1)];
  texts.push(key.toString("base64url"), ` ${base64}\n`);
  for (const text of texts) assert.deepEqual(parseSecretKey(text), key, text);
});

test("anything else is no key", () => {
  for (const text of ["", "x", "ab".repeat(31), "ab".repeat(33), "zz".repeat(32), "A".repeat(42), "A".repeat(45)]) {
    assert.equal(parseSecretKey(text), undefined, text);
  }
});

test("a phrase is stretched to a key, always the same; a short one is refused", () => {
  const phrase = "correct horse battery staple";
  assert.equal(deriveSecretKey(phrase)?.length, 32);
  assert.deepEqual(deriveSecretKey(phrase), deriveSecretKey(` ${phrase}\n`));
  assert.notDeepEqual(deriveSecretKey(phrase), deriveSecretKey(`${phrase}!`));
  assert.deepEqual(deriveSecretKey("ab".repeat(32)), Buffer.alloc(32, 0xab));
  assert.equal(deriveSecretKey("fifteen letters"), undefined);
});

test("with the earlier key beside it, a key opens what either has sealed, and seals with itself", () => {
  const [earlier, later] = [randomBytes(32), randomBytes(32)];
  const both = secretBox(later, randomBytes, earlier);
  assert.equal(both.open(secretBox(earlier, randomBytes).seal("hush", "a"), "a"), "hush");
  assert.equal(secretBox(later, randomBytes).open(both.seal("hush", "a"), "a"), "hush");
  assert.throws(() => both.open(secretBox(randomBytes(32), randomBytes).seal("hush", "a"), "a"), MISCONFIGURED);
});
