import assert from "node:assert/strict";
import { argon2Sync, randomBytes } from "node:crypto";
import { test } from "node:test";
import { AppError } from "../system/errors.ts";
import { checkPassword, hashPassword, isOutdated, verifyPassword } from "./password.ts";

test("a hash is a PHC string with its parameters and a salt of its own, and only its password opens it", async () => {
  const [one, two] = await Promise.all([1, 2].map(() => hashPassword("seven old lanterns", randomBytes)));
  assert.match(one ?? "", /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.notEqual(one, two);
  assert.equal(await verifyPassword("seven old lanterns", one ?? ""), true);
  assert.equal(await verifyPassword("seven old lantern", one ?? ""), false);
  assert.equal(isOutdated(one ?? ""), false);
});

test("a hash with other parameters is accepted, and known to be outdated", async () => {
  const salt = Buffer.from("sixteen bytes ok");
  const bytes = argon2Sync("argon2id", {
    message: "seven old lanterns",
    nonce: salt,
    memory: 8_192,
    passes: 3,
    parallelism: 2,
    tagLength: 24,
  });
  const hash = `$argon2id$v=19$m=8192,t=3,p=2$${text(salt)}$${text(bytes)}`;
  assert.equal(await verifyPassword("seven old lanterns", hash), true);
  assert.equal(await verifyPassword("another password", hash), false);
  assert.equal(isOutdated(hash), true);
});

test("without a valid hash no password is right", async () => {
  for (const hash of [null, "", "plain text", "$argon2id$v=19$m=19456,t=2,p=1$$"]) {
    assert.equal(await verifyPassword("", hash), false);
  }
});

test("the same letters typed on another keyboard are the same password", async () => {
  const hash = await hashPassword("Cafe\u0301 am Markt", randomBytes);
  assert.equal(await verifyPassword("Caf\u00e9 am Markt", hash), true);
});

test("a password that is short, endless, the e-mail address or in the list is refused", async () => {
  const email = "ada.lovelace@example.com";
  const list = new Set(["password", "qwertyuiop", "dragon", "123456789", "trustno1"]);
  const findCommon = (texts: ReadonlySet<string>) => Promise.resolve(texts.intersection(list));
  const bad = [
    "",
    "ninechars",
    "x1y2".repeat(251),
    "ababababababab",
    email,
    "Ada.Lovelace",
    "Ada.Lovelace1815!",
    "QWERTYUIOP",
    "\uff31\uff37\uff25\uff32\uff34\uff39\uff35\uff29\uff2f\uff30",
    "Password2024!",
    "PasswordPassword",
    "passwordpassword#7",
    "Trustno1!!!",
    "trustno1trustno1",
    "dragon123456789",
    "Rostrum2026",
    "rostrumrostrum",
    "Correct Horse Battery Staple",
  ];
  for (const password of bad) {
    await assert.rejects(
      checkPassword(password, email, findCommon),
      (error) => error instanceof AppError && error.field === "password",
      password,
    );
  }
  const good = [
    "seven old lanterns",
    "x1y2".repeat(250),
    "пять старых фонарей",
    "🏮🍵🫖🥮🎋🎏🎐🎑🧧🪭",
    "dragon73920184651",
    "my password is long",
    "passwordqwertyuiop",
    "ada.lovelace and lanterns",
    "90417263558210",
  ];
  for (const password of good) await checkPassword(password, email, findCommon);
});

function text(part: Buffer): string {
  return part.toString("base64").replaceAll("=", "");
}
