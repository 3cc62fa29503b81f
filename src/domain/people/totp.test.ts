import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { hashRecoveryCode, mintRecoveryCodes, mintTotpSecret, findCodeStep, totpUri } from "./totp.ts";

/** RFC 6238, appendix B: the secret is "12345678901234567890"; the codes are the last six of eight digits. */
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

test("the codes of RFC 6238 are right at their time", () => {
  const vectors = [
    [59, "287082", 1],
    [1_111_111_109, "081804", 37_037_036],
    [1_234_567_890, "005924", 41_152_263],
    [20_000_000_000, "353130", 666_666_666],
  ] as const;
  for (const [seconds, code, step] of vectors) {
    assert.equal(findCodeStep(SECRET, code, seconds * 1_000), step);
    assert.equal(findCodeStep(SECRET, code, (seconds + 30) * 1_000), step, "a step late");
    assert.equal(findCodeStep(SECRET, code, (seconds - 30) * 1_000), step, "a step early");
    assert.equal(findCodeStep(SECRET, code, (seconds + 60) * 1_000), null);
    assert.equal(findCodeStep(SECRET, code, (seconds - 60) * 1_000), null);
  }
});

test("anything but six digits is no code", () => {
  for (const text of ["", "28708", "2870822", "28708a", "٢٨٧٠٨٢", "ABCD-EFGH-IJKL-MNOP"]) {
    assert.equal(findCodeStep(SECRET, text, 59_000), null, text);
  }
  assert.equal(findCodeStep(SECRET, " 287-082 ", 59_000), 1);
});

test("a secret has 160 bits and is in the address that authenticators read", () => {
  const secret = mintTotpSecret(randomBytes);
  assert.match(secret, /^[A-Z2-7]{32}$/);
  assert.equal(
    totpUri(secret, "ada@example.com"),
    `otpauth://totp/Rostrum:ada%40example.com?issuer=Rostrum&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
  );
});

test("there are ten recovery codes, all different, accepted however they are typed", () => {
  const codes = mintRecoveryCodes(randomBytes);
  assert.equal(new Set(codes).size, 10);
  const [code = ""] = codes;
  assert.equal(hashRecoveryCode(` ${code.toLowerCase().replaceAll("-", "")}`), hashRecoveryCode(code));
  for (const text of ["", "123456", code.slice(1), `${code}A`]) assert.equal(hashRecoveryCode(text), null);
});
